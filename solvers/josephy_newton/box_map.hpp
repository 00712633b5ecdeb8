// F and its Jacobian of any problem over bounds, as Newton's method needs them.
#pragma once

#include <perp/problems/standard/mcp_function.hpp>
#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/semismooth_newton/bound_signs.hpp>
#include <perp/solvers/semismooth_newton/newton_matrix.hpp>
#include <variant>
#include <vector>

namespace perp {

enum class SystemStorage { kAuto, kDense, kSparse };

/// l <= z <= u complementary to F(z), from an lcp, mlcp or mcp. Of linear ones F is summed in
/// extended precision and rounded once, as the verifier does. Nothing allocates after build().
class BoxMap {
 public:
  /// @throws DeadlinePassed
  void build(const Problem& problem, SystemStorage storage, const Deadline& deadline = Deadline());

  int size() const { return static_cast<int>(lower.size()); }
  Vector lower, upper;

  /// @return false where an entry of F is not finite; `f` then tells which.
  bool evaluate(const Vector& z, Vector& f);
  /// Sets jacobian() to that at z. @return false where an entry is not finite.
  bool evaluate_jacobian(const Vector& z);
  const NewtonMatrix& jacobian() const { return jacobian_; }
  /// First row of the Jacobian with an entry that is not finite, -1: none.
  int bad_row() const;

  /// ||mid(z - l, z - u, F)||.
  double natural_residual(const Vector& z, const Vector& f) const;

  /// Whether F holds its signs at the bounds (BoundSigns); true where F is linear.
  bool signs_hold(const Vector& z, const Vector& f, double tolerance);

  int evaluations = 0, jacobian_evaluations = 0;

 private:
  struct Jacobian : NewtonMatrix {
    void take_pattern(const SparseMatrix& pattern, bool sparse);
    void take_values(const SparseMatrix& pattern, const double* values);
    std::vector<int> places;  // of the entries of the pattern among those that are stored
  };

  McpFunction function_;
  bool linear_ = false;
  Matrix M_;
  Vector q_;
  std::vector<long double> sums_;
  SparseMatrix pattern_;  // with the values of the last Jacobian
  Jacobian jacobian_;
  BoundSigns signs_;
};

}  // namespace perp
