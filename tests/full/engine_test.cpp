// The four-cylinder engine over a full turn.
#include "engine_support.hpp"

#include <numbers>

namespace perp::test {
namespace {

TEST(Engine, FourCylindersTurnOnceByEvents) {
  const EngineRun r = run_events(load_scene("engine-four", {}));
  EXPECT_GE(r.turned, 2 * std::numbers::pi);
  EXPECT_GE(r.share(), 0.9);
  EXPECT_GE(r.summary.events, 1000);
  EXPECT_LE(r.deepest, 1e-6);
  EXPECT_LE(r.off_plane, 1e-6);
  EXPECT_GT(r.energy, 0.85 * r.work);
}

// With gaps in the constraints, contacts are candidates: two sections a journal are enough.
TEST(Engine, FourCylindersTurnOnceBySteps) {
  const Scene s = load_scene(
      "engine-four",
      {{"main_sections", 2}, {"big_end_sections", 2}, {"wrist_sections", 2}, {"bore_sections", 2}});
  const EngineRun r = EngineCheck(s, Driver::kTimeStepping).run("max-dissipation-step", 0.0, 0.0);
  EXPECT_GE(r.turned, 2 * std::numbers::pi);
  EXPECT_GT(r.energy, 0.8 * r.work);
}

}  // namespace
}  // namespace perp::test
