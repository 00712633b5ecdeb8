// Proofs that a problem has no solution, and points that nearly prove it.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <perp/problems/standard/residuals.hpp>

namespace perp {

/// A proof that no point satisfies the linear constraints of an (M)LCP: a vector y with y_i >= 0 if
/// F_i >= 0 is required (finite lower bound only), y_i <= 0 if F_i <= 0 is required (finite upper
/// bound only), y_i = 0 if F_i is unrestricted (two finite bounds), any y_i if F_i = 0 is required
/// (no finite bound), and
///   sup { y'(M z + q) : l <= z <= u } < 0.
/// For an LCP: y >= 0, M'y <= 0, q'y < 0 [CottlePangStone2009, Sec. 2.7: Farkas].
struct FarkasCheck {
  /// A proof: y satisfies the conditions in exact integer arithmetic, or a point next to y does at
  /// which nearly active conditions are exactly active (hold_exactly).
  bool holds = false;
  /// No proof was found, but no feasible point has a 1-norm below `radius`, which is at least 1e10
  /// max(1, ||q|| / ||M||), largest entries. There may be solutions farther from the origin.
  bool excludes = false;
  double supremum = Residuals::kNone;  ///< of y'(Mz + q) over the box, without the infinite terms
                                       ///< that `violation` measures; must be < 0
  double violation =
      Residuals::kNone;              ///< largest |(M'y)_j| of the wrong sign at an infinite bound
  double radius = Residuals::kNone;  ///< inf if it holds, NaN if it excludes nothing at all
};

/// Checks a certificate. Entries of y with a sign that is not allowed make it fail.
/// @throws std::invalid_argument if y has the wrong length
FarkasCheck check_farkas(const Lcp& problem, const Vector& y);
/// @overload
FarkasCheck check_farkas(const Mlcp& problem, const Vector& y);

/// For a conic_qp: y in K*, A'y = 0, b'y < 0. Every feasible (x, s) would have b'y = y'(Ax + s) =
/// y's >= 0, so there is none.
/// `supremum` is b'y, `violation` the largest |A'y|_j.
FarkasCheck check_farkas(const ConicQp& problem, const Vector& y);

/// For a friction_contact: y >= 0 for normals, y = 0 for tangents and compliant rows, W'y = 0 (with
/// J and M: J'y = 0), q'y < 0. Every r would have y'u = y'(Wr + q) = q'y < 0, so not all u_n >= 0:
/// impulses y balance each other, and the gaps demand them. Without such a y no q_n makes contacts
/// contradict each other if W is symmetric positive semidefinite: other conditions of this kind,
/// with -W'y in the dual of the cones, give y'Wy = 0 and so W'y = 0.
/// `supremum` is q'y, `violation` the largest |W'y|_j.
FarkasCheck check_farkas(const FrictionContact& problem, const Vector& y);

/// A proof that the dual of a conic_qp has no feasible point, and that the objective has no lower
/// bound if a feasible x exists: P'x = 0, -Ax in K, c'x < 0.
struct UnboundedCheck {
  bool holds = false;                   ///< a proof, as in FarkasCheck
  bool excludes = false;                ///< no proof, but true up to the radius
  double slope = Residuals::kNone;      ///< c'x
  double violation = Residuals::kNone;  ///< largest entry of P'x, and distance of -Ax from K
  double radius = Residuals::kNone;     ///< no dual feasible (u, y), Pu + c + A'y = 0, has a
                                        ///< 1-norm below this; NaN if nothing is excluded
};
/// @throws std::invalid_argument if x has the wrong length
UnboundedCheck check_unbounded(const ConicQp& problem, const Vector& x);

/// Whether z is a direction of the kind that Lemke's method can end on, and that explains why it
/// ended:
///   z >= 0, Mz >= 0, z'Mz = 0, q'z < 0   (free unknowns: any z_i, (Mz)_i = 0).
/// For a copositive M the existence of a solution is only sure if there is no such z
/// [CottlePangStone2009, Sec. 3.8]. In contact problems z is a set of impulses that balance each
/// other and that the gaps demand. The relative tolerance is 1e-9: the result is an explanation,
/// not a proof. False if there are bounds other than [0, inf) and free.
/// @throws std::invalid_argument if z has the wrong length
bool check_ray(const Mlcp& problem, const Vector& z);

}  // namespace perp
