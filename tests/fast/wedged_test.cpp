// Bodies between walls that are nearer to each other than the bodies are wide.
#include "support.hpp"

#include <perp/bench/simulation/simulation.hpp>

namespace perp::test {
namespace {

struct WedgedRun {
  SimulationSummary summary;
  std::vector<StepReport> steps;
};

// Five steps.
WedgedRun run_wedged(const Scene& scene, const std::string& formulation) {
  WedgedRun r;
  SimulationRequest request;
  request.formulation = formulation;
  request.step = 0.01;
  request.duration = 0.05;
  request.solve.limits.tolerance = 1e-10;
  request.on_step = [&](const StepReport& step) {
    r.steps.push_back(step);
    return true;
  };
  r.summary = simulate(scene, request);
  EXPECT_EQ(r.summary.failed_steps, 0) << r.summary.message;
  return r;
}

// A disc between two walls that are closer than it is wide: no velocity opens both gaps. The step
// is relaxed, and the certificate recorded.
TEST(Pyramid, WedgedBodiesAreRelaxedWithACertificate) {
  const Scene s = scene_of(R"("dimension":2,"gravity":[0,-10],"contact":{"mu":0.5},"bodies":[
    {"name":"left","fixed":true,"shape":{"type":"half_space","normal":[1,0],"offset":-0.099999}},
    {"name":"right","fixed":true,"shape":{"type":"half_space","normal":[-1,0],"offset":-0.099999}},
    {"name":"disc","mass":1,"shape":{"type":"disc","radius":0.1}}])");
  const WedgedRun r = run_wedged(s, "stewart-trinkle");
  EXPECT_EQ(r.summary.relaxed_steps, 5);
  EXPECT_EQ(r.summary.uncertified_steps, 0);
  for (const StepReport& step : r.steps) {
    EXPECT_LT(step.result.relaxation, 1.0);
    EXPECT_EQ(step.stages.front().certificate, "farkas");
  }
}

// The same with the exact cone, in the plane and in space: the step is not halved, since half of it
// asks for twice the velocity. No solver searches for what does not exist, with pyramids neither.
// The walls of the corner are not parallel, so the numbers of its W do not balance each other
// exactly.
TEST(ExactCone, WedgedBodiesAreRelaxedWithACertificate) {
  const Scene disc = scene_of(R"("dimension":2,"gravity":[0,-10],"contact":{"mu":0.5},"bodies":[
    {"name":"left","fixed":true,"shape":{"type":"half_space","normal":[1,0],"offset":-0.099}},
    {"name":"right","fixed":true,"shape":{"type":"half_space","normal":[-1,0],"offset":-0.099}},
    {"name":"disc","mass":1,"shape":{"type":"disc","radius":0.1}}])");
  const Scene corner = scene_of(R"("dimension":3,"contact":{"mu":0.3},"bodies":[
    {"name":"a","fixed":true,"shape":{"type":"half_space","normal":[0.9,0.1,-0.1]},"position":[-0.095,0,0]},
    {"name":"b","fixed":true,"shape":{"type":"half_space","normal":[-0.6,0.7,-0.1]},"position":[0.06,-0.07,0]},
    {"name":"c","fixed":true,"shape":{"type":"half_space","normal":[-0.5,-0.8,-0.2]},"position":[0.05,0.08,0]},
    {"name":"floor","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]},"position":[0,0,0.005]},
    {"name":"ball","mass":1,"shape":{"type":"sphere","radius":0.1},"position":[0,0,0.1]}])");
  for (const Scene* s : {&disc, &corner}) {
    for (const char* formulation : {"coulomb-implicit", "stewart-trinkle"}) {
      const WedgedRun r = run_wedged(*s, formulation);
      EXPECT_EQ(r.summary.steps, 5);
      EXPECT_EQ(r.summary.relaxed_steps, 5);
      EXPECT_EQ(r.summary.uncertified_steps, 0);
      EXPECT_LT(r.summary.iterations, 20000) << formulation;
    }
  }
}

}  // namespace
}  // namespace perp::test
