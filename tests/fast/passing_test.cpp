// Bodies that are fast for the step do not pass through each other.
#include "../theta_support.hpp"

#include <fmt/format.h>
#include <perp/bench/simulation/simulation.hpp>

namespace perp::test {
namespace {

SimulationSummary end_of(const Scene& scene, const std::string& formulation, double h,
                         double duration, Driver driver = Driver::kTimeStepping) {
  SimulationRequest request;
  request.formulation = formulation;
  request.step = h;
  request.duration = duration;
  request.driver = driver;
  request.solve.limits.tolerance = 1e-10;
  const SimulationSummary summary = simulate(scene, request);
  EXPECT_EQ(summary.failed_steps, 0) << formulation << ": " << summary.message;
  return summary;
}

// A ball beside a wall 1 m away, at rest on the ground until an impulse throws it at 150 m/s.
Scene thrown_ball(double time) {
  std::string text = R"("dimension":3,"gravity":[0,0,-9.81],"contact":{"mu":0},"bodies":[
    {"name":"floor","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
    {"name":"wall","fixed":true,"position":[1.1,0,1],"shape":{"type":"box","half":[0.1,1,1]}},
    {"name":"ball","mass":1,"shape":{"type":"sphere","radius":0.1},"position":[0,0,0.1]}],
    "impulses":[{"body":"ball","linear":[150,0,0],"time":)";
  text.append(std::to_string(time)).append("}]");
  return scene_of(text);
}

// Contacts that were found for the ball at rest do not do for the one that is thrown.
TEST(Passing, AnImpulseOnABodyAtRestIsStoppedByAWall) {
  for (const char* formulation : {"stewart-trinkle", "coulomb-implicit", "anitescu-tasora"}) {
    for (const double time : {0.0, 0.25}) {
      const State end = end_of(thrown_ball(time), formulation, 0.01, 0.4).final_state;
      EXPECT_NEAR(end.bodies[2].position.x(), 0.9, 1e-6) << formulation << " at " << time;
    }
  }
}

Scene two_discs(double speed, double restitution = 0.0) {
  return scene_of(fmt::format(R"("dimension":2,"contact":{{"mu":0,"restitution":{1}}},"bodies":[
    {{"name":"a","mass":1,"shape":{{"type":"disc","radius":0.1}},"position":[-0.5,0],"velocity":[{0},0]}},
    {{"name":"b","mass":1,"shape":{{"type":"disc","radius":0.1}},"position":[0.5,0],"velocity":[-{0},0]}}])",
                              speed, restitution));
}

// At 5.5 m/s they overlap by more than half at the end of a step of .1 s, at 9 m/s they would be
// apart again, on the other side.
TEST(Passing, GeometryAtTheEndKeepsBodiesOnTheirSides) {
  for (const char* formulation : {"geometric-implicit", "closed-form-gap"}) {
    for (const double speed : {3.0, 5.5, 9.0}) {
      const Scene scene = two_discs(speed);
      const SimulationSummary r = end_of(scene, formulation, 0.1, 0.1);
      const State& end = r.final_state;
      EXPECT_LE(end.bodies[0].position.x(), -0.1 + 1e-9) << formulation << speed;
      EXPECT_GE(end.bodies[1].position.x(), 0.1 - 1e-9) << formulation << speed;
      EXPECT_LE(kinetic_energy(scene, end), speed * speed + 1e-9) << formulation << speed;
    }
  }
}

// Equal discs exchange their velocities wherever the collision lies in the step.
TEST(Passing, EventDrivenRunsSeeCollisionsThatAreOverByTheEndOfAStep) {
  for (const double speed : {5.5, 8.0, 20.0}) {
    const State end =
        end_of(two_discs(speed, 1.0), "anitescu-potra", 0.1, 0.1, Driver::kEventDriven).final_state;
    EXPECT_NEAR(end.bodies[0].velocity.x(), -speed, 1e-9);
    EXPECT_NEAR(end.bodies[0].position.x(), -0.1 - (0.1 * speed - 0.4), 1e-6);
  }
}

// No gravity, the centre of a unit square at .6 over the ground: a corner hits it after less than
// a quarter of a turn, which is a step.
TEST(Passing, EventDrivenRunsSeeACornerThatDipsBelowTheGround) {
  const Scene scene = scene_of(R"("dimension":2,"bodies":[
    {"name":"floor","fixed":true,"shape":{"type":"half_space","normal":[0,1]}},
    {"name":"square","mass":1,"shape":{"type":"polygon","vertices":[[-0.5,-0.5],[0.5,-0.5],[0.5,0.5],[-0.5,0.5]]},
     "position":[0,0.6],"angular_velocity":15.707963267948966}])");
  const State coarse = end_of(scene, "anitescu-potra", 0.1, 0.3, Driver::kEventDriven).final_state;
  const State fine = end_of(scene, "anitescu-potra", 0.001, 0.3, Driver::kEventDriven).final_state;
  EXPECT_GT(fine.bodies[1].velocity.y(), 1.0);
  EXPECT_LT((coarse.bodies[1].velocity - fine.bodies[1].velocity).norm(), 1e-6);
}

}  // namespace
}  // namespace perp::test
