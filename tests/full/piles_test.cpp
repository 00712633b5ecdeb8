// Stacks and piles of many boxes.
#include "support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>

namespace perp::test {
namespace {

SimulationSummary stack_of_a_hundred(double duration, bool warm) {
  const Scene scene = load_scene("box-stack", {{"columns", 10}, {"rows", 10}});
  SimulationRequest request;
  request.solve.limits.tolerance = 1e-10;
  request.duration = duration;
  request.warm_start = warm;
  const SimulationSummary summary = simulate(scene, request);
  for (std::size_t b = 1; b < scene.bodies.size(); ++b) {
    EXPECT_LT((summary.final_state.bodies[b].position - scene.bodies[b].position).norm(), 1e-6);
  }
  return summary;
}

TEST(Piles, HundredStackedBoxesStandAndWarmStartsPay) {
  const SimulationSummary warm = stack_of_a_hundred(2.0, true);
  EXPECT_EQ(warm.failed_steps, 0) << warm.message;
  EXPECT_EQ(warm.relaxed_steps, 0);
  const SimulationSummary cold = stack_of_a_hundred(0.1, false);
  EXPECT_EQ(cold.failed_steps, 0) << cold.message;
  const double per_warm_step = static_cast<double>(warm.iterations) / warm.steps,
               per_cold_step = static_cast<double>(cold.iterations) / cold.steps;
  EXPECT_LT(per_warm_step, 0.2 * per_cold_step);
}

}  // namespace
}  // namespace perp::test
