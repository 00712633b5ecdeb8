// The ratio metric against Minkowski hulls, and the order of what its steps let through.
#include "minkowski_support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>

#include <cstdlib>

namespace perp::test {
namespace {

// PERP_PAIRS: how many random pairs, for a longer run.
int pairs() {
  const char* wanted = std::getenv("PERP_PAIRS");
  return wanted ? std::atoi(wanted) : 20'000;
}

TEST(RatioMetric, IsBoundedByTheDistanceOfManyPairs) {
  for (const int dimension : {2, 3}) {
    const RatioBounds r = ratio_bounds(dimension, 7, pairs() / 20);
    std::printf("%dD: %d pairs, %d apart, |rho| Delta / |s| >= %.6f, |rho| r w / |s| <= %.6f\n",
                dimension, r.pairs, r.apart, r.lower, r.upper);
    EXPECT_EQ(r.violations, 0);
    EXPECT_GE(r.lower, 1 - 1e-9);
    EXPECT_LE(r.upper, 1 + 1e-9);
    EXPECT_LT(r.furthest_event, 1e-9);
  }
}

double worst_overlap(double h, int heights = 400) {
  double worst = 0.0;
  Scene scene = load_scene("falling-cube", {});
  for (int k = 0; k < heights; ++k) {
    scene.bodies[1].position.z() = 3 + 0.5 * k / (heights - 1);
    SimulationRequest request;
    request.step = h;
    request.solve.limits.tolerance = 1e-12;
    request.on_step = [&](const StepReport& s) {
      EXPECT_TRUE(s.solved);
      worst = std::max(worst, 2 - s.result.state.bodies[1].position.z());
      return true;
    };
    simulate(scene, request);
  }
  return worst;
}

TEST(RatioModel, OverlapsOfAFallingCubeAreOfSecondOrder) {
  const std::vector<double> steps = {0.1, 0.03, 0.01, 0.003, 0.001};
  const std::vector<double> expected = {0.0830, 0.01094, 0.001304, 1.27e-4, 1.42e-5};
  std::vector<double> worst;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    worst.push_back(worst_overlap(steps[k]));
    EXPECT_NEAR(worst[k], expected[k], 5e-3 * expected[k]) << steps[k];
  }
  double xx = 0.0, xy = 0.0, x_mean = 0.0, y_mean = 0.0;
  for (std::size_t k = 1; k < steps.size(); ++k) {
    x_mean += std::log(steps[k]) / 4;
    y_mean += std::log(worst[k]) / 4;
  }
  for (std::size_t k = 1; k < steps.size(); ++k) {
    const double x = std::log(steps[k]) - x_mean;
    xx += x * x;
    xy += x * (std::log(worst[k]) - y_mean);
  }
  std::printf("slope %.4f, factors %.1f and %.1f\n", xy / xx, worst[0] / worst[2],
              worst[2] / worst[4]);
  EXPECT_NEAR(xy / xx, 1.98, 0.1);
  EXPECT_NEAR(worst[0] / worst[2], 64, 1);
  // A thousandth of a second takes the cube 5 mm: of 100 heights, 5 mm apart, the worst is less.
  const double coarse = worst_overlap(0.001, 100);
  EXPECT_NEAR(coarse, 1.28e-5, 5e-8);
  EXPECT_NEAR(worst[2] / coarse, 102, 1);
}

}  // namespace
}  // namespace perp::test
