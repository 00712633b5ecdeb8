// M^-1 for symmetric positive definite M, to the last bit of extended precision.
#pragma once

#include <memory>
#include <perp/problems/standard/extended.hpp>

namespace perp {

/// A factorisation LDL' in extended precision. Solutions are refined by residuals that are summed
/// as if exactly and rounded once. So an ill-conditioned mass matrix gives correct digits, or NaN.
class MassInverse {
 public:
  /// @param m square, symmetric; must outlive this object
  explicit MassInverse(const Matrix& m);
  MassInverse(const MassInverse&) = delete;
  MassInverse& operator=(const MassInverse&) = delete;
  ~MassInverse();

  /// Whether all pivots are positive.
  bool positive_definite() const;

  /// x with M x = b. NaN if the refinement does not converge (condition beyond about 1e18).
  ExtendedVector solve(const ExtendedVector& b) const;

  /// A bound for |x - M^-1 (b + e)| of a solution x of solve(b), for all e with |e_i| <=
  /// changes[i]. With comparison matrices of the factors [Higham2002, Sec. 8.3], so it may be too
  /// large if they are ill-conditioned, but never too small but for rounding.
  ExtendedVector error_of(const ExtendedVector& x, const ExtendedVector& changes) const;

 private:
  struct Factors;
  const Matrix* m_;
  std::unique_ptr<Factors> factors_;
};

/// Whether an LDL' factorisation in extended precision has positive pivots only.
bool is_positive_definite(const Matrix& m);

}  // namespace perp
