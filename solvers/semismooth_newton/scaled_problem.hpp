// A box LCP scaled by powers of two, with the products that Newton methods need.
#pragma once

#include <perp/problems/standard/lcp.hpp>
#include <perp/solvers/semismooth_newton/newton_matrix.hpp>
#include <vector>

namespace perp {

/// l <= z <= u complementary to F(z) = M z + q in scaled unknowns: M^ = R M C, q^ = R q / s,
/// z = s C z^, F = s R^-1 F^. R and C come from alternating square roots of row and column maxima
/// [Ruiz2001], s from the largest |q^|. All are powers of two, so nothing is rounded, and R = C
/// where |M| is symmetric.
class ScaledProblem : public NewtonMatrix {
 public:
  enum class Scaling { kNever, kWhereBad, kAlways };

  /// kWhereBad scales only where some row or column maximum is beyond 1/100 ... 100: Newton's
  /// method on a merit does not gain by scaling what is scaled well already.
  void build(const Mlcp& problem, Scaling scaling, bool sparse_systems);

  int size() const { return static_cast<int>(q.size()); }
  /// f := M z + q, and the same with sums in extended precision, rounded once.
  void map(const Vector& z, Vector& f) const;
  void map_extended(const Vector& z, Vector& f);

  /// ||mid(z - l, z - u, F)|| of the problem as posed, for scaled z and F; where `row` is given,
  /// the index of the worst row.
  double natural_residual(const Vector& z, const Vector& f, int* row = nullptr) const;
  void to_original(const Vector& scaled, Vector& z) const;
  void from_original(const Vector& z, Vector& scaled) const;

  Vector q, lower, upper;

 private:
  bool is_scaled_badly(const Mlcp& problem) const;
  void equilibrate(const Mlcp& problem);

  Vector row_scale_;                // R
  Vector unknown_unit_, map_unit_;  // s C and s R^-1
  std::vector<long double> sums_;
};

}  // namespace perp
