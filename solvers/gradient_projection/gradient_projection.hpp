// Gradient projection and conjugate gradients for quadratic programs with bounds.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/gradient_projection/box_minimiser.hpp>

namespace perp {

/// Minimises q(x) = 1/2 x'Hx + c'x over l <= x <= u by GPCG (BoxMinimiser).
///
/// A symmetric lcp or mlcp states the stationarity of such a q, with H = M and c = q. If H is not
/// positive semidefinite, the end is a stationary point, and the message says so. Directions of
/// negative curvature are followed to a bound.
/// Ends: solved; infeasible, with a checked certificate, if q falls without bound along a direction
/// with Hd = 0, so that there is no stationary point; excluded, if that certificate holds only up
/// to a radius; ray, if q falls without bound along negative curvature; stalled, iteration_limit,
/// time_limit, interrupted.
class GradientProjection final : public Solver {
 public:
  GradientProjectionSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  std::optional<std::string> do_refusal(const Problem& problem) const override;
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  BoxMinimiser minimiser_;
};

/// min 1/2 x'Hx + c'x over l <= x <= u, with H known only by its products. n values each.
struct OperatorProblem {
  SymmetricOperator& h;
  const Vector &c, &lower, &upper;
  Vector diagonal = {};  ///< of H, for scaling, or positive estimates of it; may be empty
};

/// Minimises it as GradientProjection does, without factorisations and with residuals in double.
/// The operator is used only during the call.
/// @throws std::invalid_argument if a size or a setting is wrong, or lower > upper.
Result minimise(const OperatorProblem& problem, const GradientProjectionSettings& settings,
                const Limits& limits, const Vector* start = nullptr, Observer* observer = nullptr);

}  // namespace perp
