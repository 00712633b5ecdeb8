// Proofs that a problem has no solution, and what comes near to one.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <perp/problems/standard/residuals.hpp>

namespace perp {

/// A proof that no point satisfies the linear constraints of an (M)LCP: a vector y with y_i >= 0
/// if F_i >= 0 is asked (finite lower bound only), y_i <= 0 if F_i <= 0 (finite upper bound only),
/// y_i = 0 if F_i is unrestricted (two finite bounds), and
///   sup { y'(M z + q) : l <= z <= u } < 0.
/// For an LCP: y >= 0, M'y <= 0, q'y < 0 [CottlePangStone2009, Sec. 2.7: Farkas].
struct FarkasCheck {
  /// A proof: y, or a point next to it with the nearly active conditions exactly active, satisfies
  /// the conditions in exact integer arithmetic (hold_exactly).
  bool holds = false;
  /// No proof was found, but no feasible point has a 1-norm below `radius`, which is at least
  /// 1e10 max(1, ||q|| / ||M||). The problem may be solvable further out.
  bool excludes = false;
  double supremum = Residuals::kNone;   ///< of y'(Mz + q) over the box, rounding-size terms left
                                        ///< out; < 0 is wanted
  double violation = Residuals::kNone;  ///< largest (M'y)_j of the wrong sign at an infinite bound
  double radius = Residuals::kNone;     ///< inf if it holds
};

/// Checks a certificate. Entries of y with a sign that is not allowed make it fail.
/// @throws std::invalid_argument if y has the wrong length
FarkasCheck check_farkas(const Lcp& problem, const Vector& y);
FarkasCheck check_farkas(const Mlcp& problem, const Vector& y);

/// For a conic_qp: y in K*, A'y = 0, b'y < 0, so that b'y = y'(Ax + s) >= 0 has no feasible (x, s).
/// `supremum` is b'y, `violation` the largest |A'y|_j.
FarkasCheck check_farkas(const ConicQp& problem, const Vector& y);

/// A proof that the dual of a conic_qp has no feasible point, and that the objective has no lower
/// bound if a feasible x exists: Px = 0, -Ax in K, c'x < 0.
struct UnboundedCheck {
  bool holds = false;                   ///< exactly, as above
  bool excludes = false;                ///< only up to the radius
  double slope = Residuals::kNone;      ///< c'x
  double violation = Residuals::kNone;  ///< largest entry of Px, and distance of -Ax from K
  double radius = Residuals::kNone;     ///< no dual feasible (u, y), Pu + c + A'y = 0, has a
                                        ///< 1-norm below this
};
UnboundedCheck check_unbounded(const ConicQp& problem, const Vector& x);

/// Whether z is a direction of the kind that Lemke's method ends on and that explains its end:
///   z >= 0, Mz >= 0, z'Mz = 0, q'z < 0   (free unknowns: any z_i, (Mz)_i = 0).
/// For a copositive M the existence of a solution is only sure if there is no such z
/// [CottlePangStone2009, Sec. 3.8]; in contact problems it is a set of impulses that hold each
/// other in balance and that the gaps ask to work. Relative tolerance 1e-9: an explanation, not a
/// proof. False for other bounds than [0, inf) and free.
bool check_ray(const Mlcp& problem, const Vector& z);

}  // namespace perp
