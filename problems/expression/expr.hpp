// A scalar that records what is computed with it, and vector algebra on it.
#pragma once

#include <Eigen/Core>
#include <perp/problems/expression/builder.hpp>
#include <span>
#include <type_traits>
#include <vector>

namespace perp {

/// A known number, or a node of the Recorder that is active on this thread. Arithmetic with an Expr
/// is recorded. An Expr cannot be compared, and no branch can depend on it, because what is
/// recorded must hold for every z. Use min, max and abs, or see docs/reference/expressions.md.
///
/// Every operation throws std::logic_error if an operand belongs to another Recorder than the
/// active one, and std::invalid_argument if a constant that is not finite enters the graph.
class Expr {
 public:
  Expr() = default;
  /// A known number.
  Expr(double value) : value_(value) {}  // NOLINT: conversion is the point

  /// Whether it is a known number.
  bool is_constant() const { return node_ < 0; }

  Expr& operator+=(Expr b);
  Expr& operator-=(Expr b);
  Expr& operator*=(Expr b);
  Expr& operator/=(Expr b);

  explicit operator bool() const = delete;
  friend bool operator==(Expr, Expr) = delete;
  friend bool operator!=(Expr, Expr) = delete;
  friend bool operator<(Expr, Expr) = delete;
  friend bool operator>(Expr, Expr) = delete;
  friend bool operator<=(Expr, Expr) = delete;
  friend bool operator>=(Expr, Expr) = delete;

  /// The result of an operation, recorded by the active Recorder unless all operands are numbers.
  static Expr record(Operation operation, std::span<const Expr> operands);
  /// @overload
  static Expr record(Operation operation, std::initializer_list<Expr> operands);

 private:
  friend class Recorder;
  double value_ = 0.0;     // of a known number, node_ < 0
  int node_ = -1;          // in the graph of the recorder
  unsigned recorder_ = 0;  // whose node it is, to find operands of another recorder
};
static_assert(std::is_trivially_copyable_v<Expr>);

Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);
Expr operator-(Expr a);
inline Expr operator+(Expr a) { return a; }
/// The power of a base.
Expr pow(Expr base, Expr exponent);
/// The square root.
Expr sqrt(Expr a);
/// The exponential function.
Expr exp(Expr a);
/// The natural logarithm.
Expr log(Expr a);
/// The sine.
Expr sin(Expr a);
/// The cosine.
Expr cos(Expr a);
/// The tangent.
Expr tan(Expr a);
/// The inverse tangent.
Expr atan(Expr a);
/// The hyperbolic tangent.
Expr tanh(Expr a);
/// The absolute value.
Expr abs(Expr a);
/// The smaller one.
Expr min(Expr a, Expr b);
/// The larger one.
Expr max(Expr a, Expr b);
/// The Euclidean norm; it has a derivative (0) at 0.
Expr norm(std::span<const Expr> v);

/// A vector of expressions.
using ExprVector = Eigen::Matrix<Expr, Eigen::Dynamic, 1>;
/// A vector of two expressions.
using ExprVector2 = Eigen::Matrix<Expr, 2, 1>;
/// A vector of three expressions.
using ExprVector3 = Eigen::Matrix<Expr, 3, 1>;
/// (w, x, y, z).
using ExprQuaternion = Eigen::Matrix<Expr, 4, 1>;

/// The scalar product.
Expr dot(const ExprVector3& a, const ExprVector3& b);
/// The vector product.
ExprVector3 cross(const ExprVector3& a, const ExprVector3& b);
/// Euclidean norm; unlike v.norm() it has a derivative (0) at 0.
Expr norm(const ExprVector3& v);
/// v / norm(v).
ExprVector3 unit(const ExprVector3& v);
/// R(q) v for a quaternion of length 1: v + 2 w (u x v) + 2 u x (u x v), q = (w, u).
ExprVector3 rotate(const ExprQuaternion& q, const ExprVector3& v);
/// |q|^2 R(q) v = (w^2 - u.u) v + 2 (u.v) u + 2 w (u x v): of degree 2 in q, for a q = (w, u) of
/// any length.
ExprVector3 rotate_homogeneous(const ExprQuaternion& q, const ExprVector3& v);
/// (w, -x, -y, -z), the inverse rotation.
ExprQuaternion conjugate(const ExprQuaternion& q);

/// Records a graph. A new Recorder is the active one of this thread until it is destroyed.
/// Recorders can be nested; the innermost one is active.
///
///   Recorder recorder;
///   const ExprVector z = recorder.variables(2);
///   const Expr mu = recorder.parameter(0);
///   const ExpressionGraph graph = recorder.graph({z[0] - mu * z[1], max(z[0], 0.0)});
class Recorder {
 public:
  Recorder();
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// The variable of that index.
  Expr variable(int index);
  /// The parameter of that index.
  Expr parameter(int index);
  /// Variables or parameters 0 to count - 1.
  ExprVector variables(int count);
  /// @overload
  ExprVector parameters(int count);

  /// The outputs of a function recorded earlier, with arguments in place of its variables and
  /// parameters. The function is written out at every call and not kept as a node. So a call shares
  /// subexpressions with its surroundings and with other calls, constant arguments simplify it, and
  /// differentiation and tape know operations only. The price: the graph grows with the number of
  /// calls (its tape would have to run them all anyway).
  /// @throws std::invalid_argument if there are too few arguments.
  std::vector<Expr> call(const ExpressionGraph& function, std::span<const Expr> variables,
                         std::span<const Expr> parameters = {});

  /// A graph with these outputs: the part of the recording that they need.
  ExpressionGraph graph(std::span<const Expr> outputs);
  /// @overload
  ExpressionGraph graph(std::initializer_list<Expr> outputs);
  /// @overload
  ExpressionGraph graph(const ExprVector& outputs);

  /// The active recorder. @throws std::logic_error if there is none on this thread.
  static Recorder& current();
  /// Records an operation, unless it gives a number.
  Expr apply(Operation operation, std::span<const Expr> operands);

 private:
  Expr expr_of(int node) const;
  int node_of(Expr a);

  GraphBuilder builder_;
  Recorder* outer_;
  unsigned id_;
};

}  // namespace perp

namespace Eigen {

/// Lets Eigen hold expressions as numbers.
template <>
struct NumTraits<perp::Expr> : GenericNumTraits<double> {
  using Real = perp::Expr;
  using NonInteger = perp::Expr;
  using Nested = perp::Expr;
  using Literal = double;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 1 };
  enum { ReadCost = 1, AddCost = 8, MulCost = 8 };
};

// Matrices of numbers and of Expr mix.
/// An expression and a number give an expression.
template <class Op>
struct ScalarBinaryOpTraits<perp::Expr, double, Op> {
  using ReturnType = perp::Expr;
};
/// A number and an expression give an expression.
template <class Op>
struct ScalarBinaryOpTraits<double, perp::Expr, Op> {
  using ReturnType = perp::Expr;
};

}  // namespace Eigen
