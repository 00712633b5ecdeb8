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

// The LCPs of boxes that fall on each other are the hardest of linear-pyramid-started: half of them
// stop newton-pyramid, and proximal-pyramid takes up to 3000 steps for one. Each of them that is
// left to pivots and to what follows on them may take half a minute. Which ones those are changes
// with the last bits; of 918 steps with six friction coefficients it was six.
TEST(Piles, FallingBoxesWithPyramidsSeldomNeedPivots) {
  int steps = 0, left = 0;
  for (const double mu : {0.3, 0.4}) {
    const Scene scene = load_scene("falling-boxes", {{"mu", mu}});
    SimulationRequest request;
    request.formulation = "stewart-trinkle";
    request.solve.limits.tolerance = 1e-10;
    request.duration = 1.2;
    request.on_step = [&](const StepReport& step) {
      for (const StageReport& stage : step.stages) {
        if (stage.contacts == 0) continue;
        ++steps;
        left += stage.solver.find("pyramid") == std::string::npos;
      }
      return true;
    };
    const SimulationSummary summary = simulate(scene, request);
    EXPECT_EQ(summary.failed_steps, 0) << summary.message;
    EXPECT_EQ(summary.relaxed_steps, 0);
  }
  EXPECT_GT(steps, 200);
  EXPECT_LE(left, steps / 50);
}

}  // namespace
}  // namespace perp::test
