// How far a point is from solving a standard problem. Nothing is scaled, and only work space is
// written. All sums are those of extended.hpp, and returned residuals are rounded up.
#pragma once

#include <limits>
#include <perp/problems/standard/extended.hpp>
#include <perp/problems/standard/friction_measure.hpp>
#include <perp/problems/standard/problem.hpp>

namespace perp {

/// Residuals of a point. A single one can be misleading: 0 <= x, 1/x >= 0 has a natural residual ->
/// 0 as x -> inf. So all are reported. A residual that has no meaning for the kind is NaN. Norms
/// are infinity norms unless stated otherwise.
struct Residuals {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double natural = kNone;    ///< box kinds: ||mid(z-l, z-u, F)||; friction: ||F_nat||_2; conic: max
                             ///< of primal, dual, complementarity; convex: gradient
  double at_bounds = kNone;  ///< mcp: largest F_i of the wrong sign at point_on_bounds(), over the
                             ///< rows that it puts on a bound; inf if F is not finite there
  double fischer_burmeister = kNone;  ///< box kinds [Fischer1992; Billups1995]
  double normal_map =
      kNone;  ///< box kinds: ||F(Pi(x)) + x - Pi(x)|| at x = z - F(z) [Robinson1992]
  double complementarity = kNone;  ///< box kinds, friction: largest product of a slack and its
                                   ///< multiplier; conic: see evaluate_residuals
  double primal = kNone;           ///< cone kinds: distance of the primal point from its cone
  double dual = kNone;  ///< cone kinds: stationarity and distance of the dual point from its cone
  double gap = kNone;   ///< conic_qp: |x'Px + c'x + b'y|; reported, not judged
  double relative = kNone;  ///< friction_contact: ||F_nat||_2 / ||q||_2, FCLIB's number
  double by_part = kNone;  ///< friction_contact: largest ||E_p|| / max(||q_p||, min(1, ||q||)) over
                           ///< the parts p that do not act on each other (FrictionMeasure)
  double floor = kNone;    ///< what rounding alone can cause in the worst row, of F or of z or y
  int worst_index = -1;    ///< row of the largest residual
  double worst_value = kNone;        ///< the residual of that row, absolute
  bool worst_is_constraint = false;  ///< conic_qp: worst_index is a row of A, not an unknown
};

/// The middle one of three numbers. With a = z - l, b = z - u and c = F it is z - Pi_[l,u](z - F),
/// without the cancellation of that form if z is large.
double mid(double a, double b, double c);

/// a + b - sqrt(a^2 + b^2), without cancellation [Fischer1992].
double fischer_burmeister(double a, double b);

/// F at z for the kinds whose residual is a natural map over bounds (lcp, mlcp, mcp, box_qp). Sums,
/// which include the vector q or c of the problem, are accumulated in extended precision and
/// rounded once. A graph is evaluated in extended precision, a callback in double.
Vector evaluate_map(const Lcp& problem, const Vector& z);
/// @overload
Vector evaluate_map(const Mlcp& problem, const Vector& z);
/// @overload
Vector evaluate_map(const Mcp& problem, const Vector& z);
/// @overload
Vector evaluate_map(const BoxQp& problem, const Vector& z);

/// The point p that shows whether the rows of a nonlinear problem that seem to be held by a bound
/// really are. A row with |F_i(z)| > tolerance is put on the bound that the sign of F_i points at
/// (if it is finite); the others are clamped to their bounds. Without this test, a small natural
/// residual would accept z near 0 for 0 <= z, 1/z - 5 >= 0, or a point beyond a pole.
void point_on_bounds(const Vector& z, const Vector& f, const Vector& lower, const Vector& upper,
                     double tolerance, Vector& p);

/// Work space of evaluate_residuals(), for callers that call it many times. With it, memory is
/// allocated only if sizes change, for sums that cancel so much that they are computed exactly, in
/// a callback, and for the factors of M if a problem has J and M.
struct ResidualWork {
  /// What the verifier does not judge by is left out (NaN) of points with larger residuals: normal
  /// map, Fischer-Burmeister function and complementarity of the kinds with bounds; primal, dual
  /// and complementarity of friction. Negative: it is always left out.
  double complete_up_to = std::numeric_limits<double>::infinity();
  SumWorkspace sums;
  Mcp::ExtendedWorkspace map;
  AffineSum first, second;                     ///< F and G; s and the gradient; u
  ExtendedVector extended_x, extended_y, tau;  ///< of the point, or of its projection
  ExtendedVector primal, dual;                 ///< of one cone
  Vector lower, upper, projected, rounded;
  FrictionMeasure friction;
};

/// Residuals at z. A point that is not finite has infinite residuals.
/// @param work used if it is given
/// @throws std::invalid_argument if a size is wrong
Residuals evaluate_residuals(const Lcp& problem, const Vector& z, ResidualWork* work = nullptr);
/// @overload
Residuals evaluate_residuals(const Mlcp& problem, const Vector& z, ResidualWork* work = nullptr);
/// @param tolerance decides which rows count as held by a bound
Residuals evaluate_residuals(const Mcp& problem, const Vector& z, double tolerance = 1e-8,
                             ResidualWork* work = nullptr);
/// @overload
Residuals evaluate_residuals(const BoxQp& problem, const Vector& z, ResidualWork* work = nullptr);
/// Complementarity: in nonnegative rows min(|min(s, y)|, s+ y+), in second-order cones
/// min(||s - Pi(s - y)||, Pi(s)'Pi(y)). The smaller of natural map and product counts: if one
/// factor is huge and the other is wrong by little, the product is large but the natural map small;
/// if both factors are small, the product is the smaller one.
Residuals evaluate_residuals(const ConicQp& problem, const Vector& x, const Vector& y,
                             ResidualWork* work = nullptr);
/// @overload
Residuals evaluate_residuals(const FrictionContact& problem, const Vector& r,
                             ResidualWork* work = nullptr);
/// @overload
Residuals evaluate_residuals(const ConvexContact& problem, const Vector& v,
                             ResidualWork* work = nullptr);

}  // namespace perp
