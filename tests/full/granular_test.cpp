// Grains that fall into a box and come to rest: a pile larger than that of the fast tier.
#include "dissipation_support.hpp"
#include "support.hpp"

#include <perp/bench/data/scenes.hpp>

namespace perp::test {
namespace {

TEST(Granular, AHundredGrainsComeToRest) {
  const Scene scene = load_scene("granular", {{"across", 5}, {"high", 5}, {"width", 0.45}});
  SimulationRequest request;
  request.formulation = "max-dissipation-step";
  request.duration = 3.0;
  request.solve.limits.tolerance = 1e-6;
  double most = 0.0, last = 0.0;
  int second_phases = 0, contacts = 0;
  request.on_step = [&](const StepReport& step) {
    expect_dissipation(step, 1e-7, 1e-6);  // 1e-6 m h g is 2.6e-8 N s
    most = std::max(most, step.kinetic);
    last = step.kinetic;
    contacts = std::max(contacts, static_cast<int>(step.result.contacts.size()));
    for (const StageReport& stage : step.stages) second_phases += stage.stage == "friction";
    return !::testing::Test::HasFatalFailure();
  };
  const SimulationSummary summary = simulate(scene, request);
  EXPECT_EQ(summary.failed_steps + summary.cut_short_steps + summary.relaxed_steps, 0);
  EXPECT_EQ(summary.steps, 300);
  EXPECT_GE(second_phases, 250);
  EXPECT_GE(contacts, 300);
  EXPECT_LE(last, 1e-6 * most);
}

}  // namespace
}  // namespace perp::test
