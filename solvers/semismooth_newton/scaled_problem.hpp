// A box problem scaled by powers of two, with the map and the products that Newton methods need.
#pragma once

#include <perp/problems/standard/lcp.hpp>
#include <perp/problems/standard/mcp_function.hpp>
#include <perp/solvers/semismooth_newton/bound_signs.hpp>
#include <perp/solvers/semismooth_newton/newton_matrix.hpp>
#include <vector>

namespace perp {

/// l <= z <= u complementary to F(z), linear (F = M z + q) or not, in scaled unknowns: z = C z^,
/// F^ = R F, M^ = R M C, where M is the Jacobian of F. R and C come from alternating square roots
/// of row and column maxima [Ruiz2001]. All are powers of two, so nothing is rounded, and R = C
/// where |M| is symmetric. A linear problem is scaled as a whole besides, by the largest |R q|.
///
/// Of a nonlinear F the object holds the Jacobian at the point where linearise() was called last.
class ScaledProblem : public NewtonMatrix {
 public:
  enum class Scaling { kNever, kWhereBad, kAlways };

  /// kWhereBad scales only where some row or column maximum is beyond 1/100 ... 100: Newton's
  /// method on a merit does not gain by scaling what is scaled well already.
  void build(const Mlcp& problem, Scaling scaling, bool sparse_systems);
  /// F by `function`, which must outlive the object or its next build(). begin() comes next.
  void build(McpFunction& function, const Mcp& problem, Scaling scaling, bool sparse_systems);
  /// z := the start in scaled unknowns; without one, the point of the box that is nearest to 0. A
  /// nonlinear problem has its start moved into the bounds, is scaled by its Jacobian there, and
  /// forgets all values of an earlier solve.
  void begin(const Vector* start, Vector& z);

  int size() const { return static_cast<int>(lower.size()); }
  bool is_linear() const { return function_ == nullptr; }

  /// f := F(z), and the same with the sums of a linear F in extended precision, rounded once.
  void map(const Vector& z, Vector& f);
  void map_extended(const Vector& z, Vector& f);
  /// M := dF/dz at z; nothing is done where it is there already.
  /// @return false where an entry is not finite: undefined_row() names its row.
  bool linearise(const Vector& z);
  int undefined_row() const { return undefined_row_; }

  /// ||mid(z - l, z - u, F)|| of the problem as posed, for scaled z and F; where `row` is given,
  /// the index of the worst row.
  double natural_residual(const Vector& z, const Vector& f, int* row = nullptr) const;
  /// Whether F holds its signs at the bounds (BoundSigns), for scaled z and F; true where F is
  /// linear.
  bool signs_hold(const Vector& z, const Vector& f, double tolerance);
  void to_original(const Vector& scaled, Vector& z) const;
  void from_original(const Vector& z, Vector& scaled) const;

  Vector q, lower, upper;  ///< q: linear problems only
  int function_evaluations = 0, jacobian_evaluations = 0;

 private:
  void scale_here();
  template <class ForEntries>
  bool is_scaled_badly(const ForEntries& for_entries);
  template <class ForEntries>
  void equilibrate(const ForEntries& for_entries);
  void evaluate_jacobian();

  Scaling scaling_ = Scaling::kWhereBad;
  Vector row_scale_;                // R
  Vector unknown_unit_, map_unit_;  // s C and s R^-1
  Vector row_max_, column_max_;
  std::vector<long double> sums_;

  // Nonlinear problems: F and dF/dz as posed, where they were evaluated last.
  McpFunction* function_ = nullptr;
  Vector posed_lower_, posed_upper_;
  Vector unscaled_;  // the point in work
  BoundSigns signs_;
  Vector posed_z_, posed_f_;  // where they are looked at
  Vector value_, value_point_, jacobian_point_;
  bool has_value_ = false, has_jacobian_ = false, filled_ = false;
  SparseMatrix jacobian_;
  std::vector<int> positions_;  // of the entries of jacobian_ among those of sparse_matrix_
  int undefined_row_ = -1;
};

}  // namespace perp
