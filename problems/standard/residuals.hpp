// How far a point is from solving a standard problem. Pure functions: nothing is scaled, nothing
// written.
#pragma once

#include <limits>
#include <perp/problems/standard/problem.hpp>

namespace perp {

/// Residuals of a point. Each can lie alone (0 <= x, 1/x >= 0 has natural residual -> 0 as x ->
/// inf), so all are reported. NaN where a number has no meaning for the kind. Infinity norms unless
/// said.
struct Residuals {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double natural = kNone;  ///< box kinds: ||mid(z-l, z-u, F)||; friction: ||F_nat||_2; conic: max
                           ///< of the three below
  double fischer_burmeister = kNone;  ///< box kinds [Fischer1992; Billups1995]
  double normal_map =
      kNone;  ///< box kinds: ||F(Pi(x)) + x - Pi(x)|| at x = z - F(z) [Robinson1992]
  double complementarity = kNone;  ///< largest product of a slack and its multiplier
  double primal = kNone;           ///< cone kinds: distance of the primal point from its cone
  double dual = kNone;  ///< cone kinds: stationarity and distance of the dual point from its cone
  double gap = kNone;   ///< conic_qp: |x'Px + c'x + b'y|
  double relative = kNone;  ///< friction_contact: ||F_nat||_2 / ||q||_2
  double floor = kNone;     ///< eps (|M||z| + |q|) in the worst row: what rounding alone can leave
  int worst_index = -1;     ///< row of the largest natural residual
};

/// The middle one of three numbers; with a = z - l >= b = z - u this is z - Pi_[l,u](z - F) for c =
/// F, without the cancellation of that form where z is large.
double mid(double a, double b, double c);

/// a + b - sqrt(a^2 + b^2), without cancellation [Fischer1992].
double fischer_burmeister(double a, double b);

/// F at z for the kinds whose residual is a natural map over bounds (lcp, mlcp, mcp, box_qp).
/// Accumulated in extended precision.
Vector evaluate_map(const Lcp& problem, const Vector& z);
Vector evaluate_map(const Mlcp& problem, const Vector& z);
Vector evaluate_map(const Mcp& problem, const Vector& z);
Vector evaluate_map(const BoxQp& problem, const Vector& z);

/// Residuals at z. @throws std::invalid_argument where a size is wrong.
/// A point that is not finite has infinite residuals.
Residuals evaluate_residuals(const Lcp& problem, const Vector& z);
Residuals evaluate_residuals(const Mlcp& problem, const Vector& z);
Residuals evaluate_residuals(const Mcp& problem, const Vector& z);
Residuals evaluate_residuals(const BoxQp& problem, const Vector& z);
Residuals evaluate_residuals(const ConicQp& problem, const Vector& x, const Vector& y);
Residuals evaluate_residuals(const FrictionContact& problem, const Vector& r);
Residuals evaluate_residuals(const ConvexContact& problem, const Vector& v);

}  // namespace perp
