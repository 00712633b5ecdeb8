// The scene granular, shortened: what is claimed of every step of its full run.
#include "support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>

#include <algorithm>
#include <cstdint>
#include <set>

namespace perp::test {
namespace {

struct Pour {
  SimulationSummary summary;
  std::vector<StepReport> steps;
};

Pour pour(double h) {
  const Scene scene =
      load_scene("granular", {{"across", 3}, {"high", 4}, {"width", 0.28}, {"drop", 0.1}});
  Pour run;
  SimulationRequest request;
  request.formulation = "max-dissipation-step";
  request.step = h;
  request.duration = 1.0;
  request.solve.limits.tolerance = 1e-6;
  request.on_step = [&](const StepReport& step) {
    run.steps.push_back(step);
    return true;
  };
  run.summary = simulate(scene, request);
  return run;
}

// Both phases verified to 1e-6 of the stage's units (m max(h g, 0.01 m/s) and its speed) on every
// step, the second one by the solvers on blocks; contact feeds no energy but through gaps.
void expect_every_step(const Pour& run) {
  EXPECT_EQ(run.summary.failed_steps + run.summary.cut_short_steps, 0);
  EXPECT_EQ(run.summary.relaxed_steps, 0);
  int second_phases = 0;
  for (const StepReport& step : run.steps) {
    for (const StageReport& stage : step.stages) {
      ASSERT_EQ(stage.status, Status::kSolved) << stage.stage << stage.time;
      ASSERT_LE(stage.natural, 1e-6) << stage.stage << stage.time;
      if (stage.stage != "friction") continue;
      ++second_phases;
      ASSERT_TRUE(stage.solver.starts_with("block-")) << stage.solver;
    }
    const double kappa = step.result.columns[0], change = step.result.columns[1],
                 first = step.result.columns[2];
    double sum = 0.0, feeding = 0.0, size = std::abs(change);
    for (const ContactResult& c : step.result.contacts) {
      sum += c.p_n;
      feeding += c.p_n * std::max(0.0, -c.contact.gap) / step.h;
      size += std::abs(c.p_n * c.v_n);
      ASSERT_GE(c.p_n, 0.0);
      ASSERT_LE(std::hypot(c.p_t, c.p_o), 0.3 * c.p_n * (1 + 1e-12) + 1e-15);
    }
    ASSERT_LE(sum, kappa * (1 + 1e-12));
    ASSERT_LE(change, feeding + 1e-12 * size);
    ASSERT_LE(change, first + 1e-12 * size + 1e-8);
  }
  EXPECT_GT(second_phases, static_cast<int>(run.steps.size()) / 2);
}

// Overlap of the contacts that the step before had too. A pair that was no candidate then may have
// been thrown at each other within that step: whether this happens hangs on the last digits.
double deepest(const Pour& run) {
  double depth = 0.0;
  std::set<std::uint64_t> before;
  for (const StepReport& step : run.steps) {
    std::set<std::uint64_t> now;
    for (const ContactResult& c : step.result.contacts) {
      now.insert(c.contact.key());
      if (before.contains(c.contact.key())) depth = std::max(depth, -c.contact.gap);
    }
    before.swap(now);
  }
  return depth;
}

TEST(Granular, FallsAndComesToRest) {
  for (const double h : {0.01, 0.005}) {
    const Pour run = pour(h);
    expect_every_step(run);
    std::size_t peak = 0;
    for (std::size_t k = 0; k < run.steps.size(); ++k) {
      if (run.steps[k].kinetic > run.steps[peak].kinetic) peak = k;
    }
    for (std::size_t k = 1; k <= 4; ++k)
      EXPECT_GT(run.steps[k].kinetic, run.steps[k - 1].kinetic);  // free fall
    EXPECT_LT(run.steps[peak].result.state.time, 0.5);
    EXPECT_LE(run.steps.back().kinetic, 1e-4 * run.steps[peak].kinetic);
    // The distance of spheres is convex in their positions: N v >= -gap/h keeps those apart that
    // are contacts of the step. What is left is the tolerance, in speeds of h g.
    EXPECT_LE(deepest(run), 10 * 1e-6 * 9.8 * h * h) << h;
  }
}

}  // namespace
}  // namespace perp::test
