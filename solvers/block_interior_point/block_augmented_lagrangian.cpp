#include <perp/solvers/block_interior_point/block_augmented_lagrangian.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kInnerAccuracy = 0.1;   // gradient over the change of the multipliers
constexpr double kSmallGradient = 0.01;  // share of the tolerance; no smaller gradient is needed
constexpr double kLargestPenalty = 1e8;

}  // namespace

const SolverTraits& BlockAugmentedLagrangian::traits() const {
  static const SolverTraits traits{
      "block-augmented-lagrangian",
      "method of multipliers on the graph of the bodies, from starts that are near",
      "LiSunToh2018",
      {"conic_qp"}};
  return traits;
}

// Takes p, lambda and nu from a start; without a dual, lambda and nu are 0.
void BlockAugmentedLagrangian::read_start(const Start& start) {
  ImpulsePoint& x = point();
  x.p.setZero();
  x.lambda.setZero();
  x.nu = 0.0;
  if (start.z) program().read_start(*start.z, x.p);
  if (start.dual) program().read_dual(*start.dual, x);
  const auto kept = [&](double value) { return value >= settings.negligible ? value : 0.0; };
  for (double& lambda : x.lambda) lambda = std::max(0.0, kept(lambda));
  x.nu = std::max(0.0, kept(x.nu));
  for (const ImpulseCone& cone : program().cones)
    project_on_cone(cone.mu, cone.size, x.p.data() + cone.first);
}

void BlockAugmentedLagrangian::do_solve(const Start& start, Observer* observer, Result& result) {
  begin(result);
  read_start(start);
  const double measure = look();
  if (is_solved()) {
    result.status = Status::kSolved;
  } else if (settings.start_measure > 0 && !(measure <= settings.start_measure)) {
    result.message = fmt::format("the start is too far: measure {:.1e}", measure);
  } else {
    iterate(observer, result);
  }
  end(result);
}

void BlockAugmentedLagrangian::iterate(Observer* observer, Result& result) {
  double penalty = settings.penalty;
  lagrangian_.start(point(), penalty);
  for (;;) {
    const double small =
        std::max(kInnerAccuracy * lagrangian_.change(), kSmallGradient * limits.tolerance);
    if (lagrangian_.gradient() <= small) {
      if (penalty >= kLargestPenalty) return;
      if (deadline().passed()) {
        result.status = Status::kTimeLimit;
        return;
      }
      penalty *= settings.increase;
      lagrangian_.update(penalty);
      continue;
    }
    const double step = lagrangian_.step(newton());
    if (step == 0.0) return;
    lagrangian_.point(point());
    if (!goes_on("multipliers", penalty, step, observer, result)) return;
  }
}

}  // namespace perp
