// The event-driven driver: contacts that are held, and time stepping as h goes to zero.
#include "support.hpp"

#include <algorithm>
#include <cmath>
#include <perp/bench/simulation/simulation.hpp>

namespace perp::test {
namespace {

// A body that hangs by a vertex of its pin, which slides on a face of the hole: its mass centre
// moves up and down, y = -l cos q, and (I + m l^2 sin(q)^2) q'' + m l^2 sin(q) cos(q) q'^2
// = -m g l sin(q).
struct Pendulum {
  Scene scene;
  double length = 5.0, inertia = 10.0, start = 0.4;

  Pendulum() {
    scene.dimension = 2;
    scene.name = "sliding-pendulum";
    scene.gravity = Vector3d(0, -9.81, 0);
    Body base, bob;
    base.name = "base";
    base.fixed = true;
    bob.name = "bob";
    bob.mass = 1.0;
    bob.inertia = Vector3d(0, 0, inertia);
    bob.position = length * Vector3d(std::sin(start), -std::cos(start), 0);
    scene.bodies = {base, bob};
    Bearing b;
    b.name = "face";
    b.pin = 1;
    b.hole = 0;
    b.corners = 3;
    b.radius = 0.01;
    b.clearance = 5.0;
    b.direction = Vector3d(0, -1, 0);
    b.center = Vector3d(0, b.hole_radius(), 0);
    b.pin_center = Vector3d(0, b.radius, 0);  // a vertex is at the origin
    scene.bearings = {b};
  }

  // Angle after a time, by the classical Runge-Kutta method.
  double angle(double time) const {
    const double m = length * length;
    const auto rate = [&](double q, double w) {
      const double s = std::sin(q), c = std::cos(q);
      return -(9.81 * length * s + m * s * c * w * w) / (inertia + m * s * s);
    };
    const int steps = 20000;
    const double h = time / steps;
    double q = start, w = 0.0;
    for (int k = 0; k < steps; ++k) {
      const double a1 = rate(q, w), w2 = w + h / 2 * a1, a2 = rate(q + h / 2 * w, w2),
                   w3 = w + h / 2 * a2, a3 = rate(q + h / 2 * w2, w3), w4 = w + h * a3,
                   a4 = rate(q + h * w3, w4);
      q += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
      w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return q;
  }
};

// What is held does no work, and keeps its gap: overlaps do not pile up as (omega h)^2 l / 2 would.
TEST(EventDriven, HeldContactsAreOfSecondOrderAndLoseNothing) {
  const Pendulum p;
  const double first = potential_energy(p.scene, initial_state(p.scene));
  for (const char* formulation : {"max-dissipation-impulse", "anitescu-potra"}) {
    std::vector<double> error, overlap;
    for (const double h : {0.02, 0.01, 0.005}) {
      SimulationRequest request;
      request.driver = Driver::kEventDriven;
      request.formulation = formulation;
      request.step = h;
      request.duration = 4.0;
      double energy = first, farthest = 0.0;
      request.on_step = [&](const StepReport& step) {
        EXPECT_LE(step.kinetic + step.potential, energy + 1e-13);
        energy = step.kinetic + step.potential;
        const BodyState& bob = step.result.state.bodies[1];
        const Vector3d vertex = bob.position - bob.orientation * p.scene.bodies[1].position;
        farthest = std::max(farthest, std::abs(vertex.y()));
        return true;
      };
      const SimulationSummary summary = simulate(p.scene, request);
      EXPECT_EQ(summary.events, 0) << formulation << " " << h;
      const Quaterniond& q = summary.final_state.bodies[1].orientation;
      error.push_back(std::abs(p.start + 2 * std::atan2(q.z(), q.w()) - p.angle(4.0)));
      EXPECT_GE(energy, first - 2e-6);  // approaches up to an overlap of 1e-7 m, some 10 N
      overlap.push_back(farthest);
    }
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(error[k] / error[k + 1], 4.0, 0.2) << formulation;
      EXPECT_NEAR(overlap[k] / overlap[k + 1], 4.0, 0.2) << formulation;
    }
    EXPECT_LE(overlap[2], 0.5 * 0.005 * 0.005);
  }
}

// A ball that is thrown on the ground, bounces, and begins to roll there.
Scene thrown_ball(double height) {
  Scene s;
  s.name = "thrown-ball";
  s.gravity = Vector3d(0, 0, -10);
  Body ground, ball;
  ground.name = "ground";
  ground.fixed = true;
  ground.shape = HalfSpace{Vector3d::UnitZ(), 0.0};
  ball.name = "ball";
  ball.shape = Sphere{0.1};
  ball.mass = 1.0;
  ball.inertia = Vector3d::Constant(0.004);
  ball.position = Vector3d(0, 0, 0.1 + height);
  ball.velocity = Vector3d(1, 0, 0);
  s.bodies = {ground, ball};
  s.contact.mu = 0.2;
  s.contact.restitution = 0.5;
  return s;
}

Vector3d place_of_the_ball(double height, Driver driver, double h) {
  SimulationRequest request;
  request.driver = driver;
  request.formulation =
      driver == Driver::kEventDriven ? "max-dissipation-impulse" : "max-dissipation-step";
  request.step = h;
  request.duration = 0.35;
  request.solve.limits.tolerance = 1e-10;
  const SimulationSummary summary = simulate(thrown_ball(height), request);
  EXPECT_EQ(summary.failed_steps, 0) << summary.message;
  return summary.final_state.bodies[1].position;
}

// Impacts fall anywhere in a step, so it is the mean over many heights that falls with h.
TEST(EventDriven, TimeSteppingApproachesItToFirstOrder) {
  std::vector<double> mean;
  for (const double h : {0.01, 0.005, 0.0025}) {
    double sum = 0.0;
    for (int k = 0; k < 32; ++k) {
      const double height = 0.2 + 0.0015 * k;
      const Vector3d exact = place_of_the_ball(height, Driver::kEventDriven, 0.01);
      sum += (place_of_the_ball(height, Driver::kTimeStepping, h) - exact).norm();
    }
    mean.push_back(sum / 32);
  }
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(mean[k] / mean[k + 1], 2.0, 0.3);
}

// Its own step does not matter: flights are exact.
TEST(EventDriven, AThrownBallDoesNotDependOnTheStep) {
  const Vector3d coarse = place_of_the_ball(0.22, Driver::kEventDriven, 0.07),
                 fine = place_of_the_ball(0.22, Driver::kEventDriven, 0.01);
  EXPECT_LE((coarse - fine).norm(), 1e-7);
}

// Work of forces: a constant force does force times way in every segment, to rounding; that of one
// which varies (a spring, a load over time), taken in the middle, differs by second order.
TEST(EventDriven, ForcesDoTheirWork) {
  Scene scene;
  scene.name = "oscillator";
  scene.dimension = 2;
  Body wall, mass;
  wall.name = "wall";
  wall.fixed = true;
  mass.name = "mass";
  mass.mass = 2.0;
  mass.inertia = Vector3d(0, 0, 1);
  mass.position = Vector3d(0.1, 0, 0);
  scene.bodies = {wall, mass};
  const auto worst = [&](double h, double force) {  // error of the balance of work, J
    SimulationRequest request;
    request.driver = Driver::kEventDriven;
    request.formulation = "max-dissipation-impulse";
    request.step = h;
    request.duration = 2.0;
    double error = 0.0;
    const State start = initial_state(scene);
    const double first = kinetic_energy(scene, start) + potential_energy(scene, start);
    request.on_step = [&](const StepReport& step) {
      const double work = force * (step.result.state.bodies[1].position.x() - 0.1);
      error = std::max(error, std::abs(step.kinetic + step.potential - first - work));
      return true;
    };
    simulate(scene, request);
    return error;
  };
  Load load;
  load.body = 1;
  load.force[0].constant = 3.0;
  scene.loads = {load};
  EXPECT_LE(worst(0.02, 3.0), 1e-12);
  scene.loads.clear();
  scene.springs = {{1, 0, Vector3d(0.1, 0, 0), Vector3d::Zero(), 50.0, 0.0, 0.0}};
  const double coarse = worst(0.02, 0.0), fine = worst(0.01, 0.0);
  EXPECT_GT(coarse, 1e-5);
  EXPECT_NEAR(coarse / fine, 4.0, 0.2);
}

// A force that grows evenly is exact at the middle of a segment; at its beginning the velocity
// would lack h t / 2.
TEST(EventDriven, LoadsOverTimeAreThoseOfTheMiddle) {
  Scene scene;
  scene.name = "pushed";
  scene.dimension = 2;
  Body mass;
  mass.name = "mass";
  mass.mass = 1.0;
  mass.inertia = Vector3d(0, 0, 1);
  scene.bodies = {mass};
  Load load;
  load.body = 0;
  load.force[0].times = load.force[0].values = {0.0, 1.0};
  scene.loads = {load};
  SimulationRequest request;
  request.driver = Driver::kEventDriven;
  request.formulation = "anitescu-potra";
  request.step = 0.1;
  request.duration = 1.0;
  const SimulationSummary summary = simulate(scene, request);
  EXPECT_NEAR(summary.final_state.bodies[0].velocity.x(), 0.5, 1e-12);
  EXPECT_NEAR(summary.final_state.time, 1.0, 1e-12);
}

// A pendulum of length 1 m whose bob hangs in a joint, and beside it a ball that bounces before the
// end of a step, so that a short segment follows.
struct JointAndBall {
  Scene scene;

  JointAndBall(double before_end, double mu) {
    scene.name = "joint-and-ball";
    scene.dimension = 2;
    scene.gravity = Vector3d(0, -9.81, 0);
    Body pivot, bob, ground, ball;
    pivot.name = "pivot";
    pivot.fixed = ground.fixed = true;
    bob.name = "bob";
    bob.mass = 1.0;
    bob.inertia = Vector3d(0, 0, 0.001);
    bob.position = Vector3d(1, 0, 0);
    ground.name = "ground";
    ground.shape = HalfSpace{Vector3d::UnitY(), -3.0};
    ball.name = "ball";
    ball.mass = 1.0;
    ball.inertia = Vector3d(0, 0, 0.001);
    ball.shape = Sphere{0.1};
    const double fall = 0.5 - before_end;
    ball.position = Vector3d(5, -2.9 + 0.5 * 9.81 * fall * fall, 0);
    scene.bodies = {pivot, bob, ground, ball};
    Joint joint;
    joint.name = "joint";
    joint.body_a = 1;
    joint.body_b = 0;
    joint.type = JointType::kRevolute;
    joint.anchor_a = joint.anchor_b = Vector3d::Zero();
    scene.joints = {joint};
    scene.contact.mu = mu;
    scene.contact.restitution = 0.5;
  }

  struct Run {
    double least = 0.0, most = 0.0, stretch = 0.0;  // energy of the bob, J; error of its length, m
  };
  Run run(double h, double duration) const {
    SimulationRequest request;
    request.driver = Driver::kEventDriven;
    request.formulation = "anitescu-potra";
    request.step = h;
    request.duration = duration;
    Run run;
    request.on_step = [&](const StepReport& step) {
      const BodyState& bob = step.result.state.bodies[1];
      const double spin = bob.angular_velocity.z();
      const double energy =
          0.5 * bob.velocity.squaredNorm() + 0.0005 * spin * spin + 9.81 * bob.position.y();
      run.least = std::min(run.least, energy);
      run.most = std::max(run.most, energy);
      run.stretch = std::max(run.stretch, std::abs(bob.position.norm() - 1.0));
      return true;
    };
    const SimulationSummary summary = simulate(scene, request);
    EXPECT_EQ(summary.failed_steps, 0) << summary.message;
    EXPECT_GT(summary.events, 0);
    return run;
  }
};

// In a short segment the error of a joint must not be taken back in the time of that segment: the
// speed would be the error over that time.
TEST(EventDriven, AShortSegmentDoesNotThrowAJoint) {
  for (const double before_end : {1e-3, 1e-5, 1e-7}) {
    const JointAndBall::Run run = JointAndBall(before_end, 0.0).run(0.01, 1.0);
    EXPECT_LE(run.most, 1e-9) << before_end;
    EXPECT_GE(run.least, -1e-5) << before_end;  // the impact projects on the joint
    EXPECT_LE(run.stretch, 0.01) << before_end;
  }
}

TEST(EventDriven, JointsAreOfSecondOrderAndLoseNothing) {
  std::vector<double> stretch;
  for (const double h : {0.02, 0.01, 0.005})
    stretch.push_back(JointAndBall(1e-5, 0.0).run(h, 4.0).stretch);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(stretch[k] / stretch[k + 1], 4.0, 0.5);
  EXPECT_LE(stretch[2], 1e-3);
}

// Something that rubs elsewhere, or an impulse that never acts, is no business of a joint.
TEST(EventDriven, AJointKeepsItsEnergyWhateverElseIsInTheScene) {
  const std::string pendulum =
      R"("dimension":2,"gravity":[0,-9.81],"bodies":[{"name":"wall","fixed":true},
    {"name":"bob","mass":1,"inertia":0.001,"position":[1,0]},
    {"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,1],"offset":-3}},
    {"name":"puck","mass":1,"inertia":0.001,"shape":{"type":"disc","radius":0.1},"position":[9,-2.9]}],
    "joints":[{"name":"j","type":"revolute","a":"bob","b":"wall","anchor":[0,0]}])";
  const auto gain = [](const std::string& text, double h) {
    const Scene scene = scene_of(text);
    SimulationRequest request;
    request.driver = Driver::kEventDriven;
    request.formulation = "anitescu-potra";
    request.step = h;
    request.duration = 10.0;
    double most = 0.0;
    const double first = potential_energy(scene, initial_state(scene));
    request.on_step = [&](const StepReport& step) {
      most = std::max(most, std::abs(step.kinetic + step.potential - first));
      return true;
    };
    EXPECT_EQ(simulate(scene, request).failed_steps, 0);
    return most;
  };
  const std::string smooth = R"(,"contact":{"mu":0})", rough = R"(,"contact":{"mu":0.3})";
  EXPECT_LT(gain(pendulum + smooth, 0.01), 1e-10);
  EXPECT_LT(
      gain(pendulum + smooth + R"(,"impulses":[{"body":"puck","linear":[1,0],"time":99}])", 0.01),
      1e-10);
  const double with_friction = gain(pendulum + rough, 0.01);
  EXPECT_LT(with_friction, 0.1);
  EXPECT_LT(gain(pendulum + rough, 0.005), with_friction / 4);
}

// An impulse ends a segment: the ball flies 5 cm at 1 m/s, is struck to 11 m/s, and closes the
// other 5 cm in 5/1100 s, for every h. It bounces with half its speed.
TEST(EventDriven, AnImpulseActsAtItsTime) {
  const Scene scene = scene_of(R"("dimension":2,"gravity":[0,0],"bodies":[
    {"name":"wall","fixed":true,"shape":{"type":"half_space","normal":[-1,0],"offset":0}},
    {"name":"ball","mass":1,"inertia":1,"shape":{"type":"disc","radius":0.1},"position":[-0.2,0],"velocity":[1,0]}],
    "contact":{"mu":0,"restitution":0.5},
    "impulses":[{"body":"ball","linear":[10,0],"time":0.05},
                {"body":"ball","linear":[1,0],"when":{"body":"ball","quantity":"vx","below":0},"times":2}])");
  for (const double h : {0.1, 0.05, 0.01}) {
    SimulationRequest request;
    request.driver = Driver::kEventDriven;
    request.formulation = "anitescu-potra";
    request.step = h;
    request.duration = 0.1;
    double overlap = 0.0, bounce = 0.0;
    request.on_step = [&](const StepReport& step) {
      const BodyState& ball = step.result.state.bodies[1];
      overlap = std::max(overlap, ball.position.x() + 0.1);
      if (bounce == 0.0 && ball.velocity.x() < 0) bounce = step.result.state.time;
      return true;
    };
    const SimulationSummary r = simulate(scene, request);
    EXPECT_EQ(r.failed_steps, 0) << r.message;
    EXPECT_LT(overlap, 1e-8) << h;
    EXPECT_NEAR(bounce, 0.05 + 0.05 / 11, 1e-8) << h;
    // Flies back at 5.5 m/s, and is slowed by 1 m/s before each of the next two segments, if any.
    EXPECT_NEAR(r.final_state.bodies[1].velocity.x(), h < 0.02 ? -3.5 : -4.5, 1e-8) << h;
    EXPECT_EQ(r.final_state.given[0], 1);
  }
}

// With friction the geometry of contacts is that of the beginning, and errors of joints are
// corrected.
TEST(EventDriven, WithFrictionJointsStayTogether) {
  Scene scene = JointAndBall(1e-5, 0.5).scene;
  scene.bodies[3].velocity = Vector3d(1, 0, 0);
  JointAndBall rubbing(1e-5, 0.5);
  rubbing.scene = scene;
  for (const double h : {0.02, 0.01, 0.005}) {
    const JointAndBall::Run run = rubbing.run(h, 4.0);
    EXPECT_LE(run.stretch, 40 * h * h) << h;
    EXPECT_LE(run.most, 400 * h) << h;
  }
}

}  // namespace
}  // namespace perp::test
