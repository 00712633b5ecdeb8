// Scenes, mechanics, contacts and the pyramid formulations against closed forms.
#include "support.hpp"

#include <fmt/format.h>
#include <perp/bench/data/scenes.hpp>
#include <perp/bench/harness/scene_problems.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/formulations/dynamics/joints.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/io/sequence.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/scenes/number_expression.hpp>
#include <perp/problems/scenes/scene_json.hpp>
#include <perp/problems/standard/random.hpp>
#include <perp/problems/standard/reductions.hpp>
#include <perp/solvers/pivoting/lemke.hpp>

#include <numbers>

namespace perp::test {
namespace {

struct Simulated {
  SimulationSummary summary;
  std::vector<StepReport> steps;
};

Simulated run(const Scene& scene, SimulationRequest request) {
  Simulated r;
  request.solve.limits.tolerance = 1e-10;
  request.on_step = [&](const StepReport& step) {
    r.steps.push_back(step);
    return true;
  };
  r.summary = simulate(scene, request);
  EXPECT_EQ(r.summary.failed_steps, 0) << scene.name << ": " << r.summary.message;
  return r;
}

Simulated run(const Scene& scene, double h = 0.0, double duration = 0.0,
              const std::string& formulation = "stewart-trinkle", bool warm = true) {
  SimulationRequest request;
  request.formulation = formulation;
  request.step = h;
  request.duration = duration;
  request.warm_start = warm;
  return run(scene, request);
}

Scene scene(const std::string& name, const std::map<std::string, double>& parameters = {}) {
  return load_scene(name, parameters);
}

TEST(NumberExpression, FollowsTheRulesOfArithmetic) {
  const std::map<std::string, double> names = {{"a", 2.0}, {"b_1", -3.0}};
  EXPECT_EQ(evaluate_expression("1+2*3-4/2", names), 5.0);
  EXPECT_EQ(evaluate_expression("-(a+b_1)*--2", names), 2.0);
  EXPECT_EQ(evaluate_expression("max(a, sqrt(16))", names), 4.0);
  EXPECT_EQ(evaluate_expression("1e-3*a", names), 2e-3);
  EXPECT_NEAR(evaluate_expression("sin(pi/6)", names), 0.5, 1e-15);
  EXPECT_EQ(evaluate_expression("log(1) + atan2(0, 1)", names), 0.0);
  EXPECT_EQ(evaluate_expression("a >= 2 and not a < 2 or 1 == 2", names), 1.0);
  EXPECT_EQ(evaluate_expression("1 < 2 and (2 > 3 or 1 != 1)", names), 0.0);
  EXPECT_EQ(evaluate_expression("3 * (a <= 2)", names), 3.0);
  EXPECT_EQ(names_in_expression("max(a, 2e-3*b_1) > 1E+5 and not c or pi < d2"),
            (std::set<std::string>{"a", "b_1", "c", "d2"}));
  for (const char* bad : {"", "1+", "(1", "c", "f(1)", "1 2", "1/0", "sqrt(1,2)", "2**3"}) {
    EXPECT_THROW(evaluate_expression(bad, names), std::invalid_argument) << bad;
  }
  EXPECT_THROW(evaluate_expression(std::string(100000, '('), names), std::invalid_argument);
}

// P2-C: max |Theta| of the pendulum is 9.67e-2, 9.81e-4, 9.81e-6: factors 98.6 and 100.0.
TEST(Joints, DriftOfThePendulumIsOfSecondOrder) {
  std::vector<double> drift;
  for (const double h : {0.1, 0.01, 0.001}) {
    double largest = 0.0;
    for (const StepReport& step : run(scene("pendulum"), h).steps) {
      largest = std::max(largest, step.result.joint_values.cwiseAbs().maxCoeff());
    }
    drift.push_back(largest);
  }
  EXPECT_NEAR(drift[0], 9.67e-2, 1e-4);
  EXPECT_NEAR(drift[0] / drift[1], 98.6, 0.1);
  EXPECT_NEAR(drift[1] / drift[2], 100.0, 0.1);
}

TEST(Joints, DriftOfChainAndLinkageIsOfSecondOrder) {
  for (const char* name : {"chain", "four-bar"}) {
    std::vector<double> drift;
    for (const double h : {0.004, 0.002, 0.001}) {
      double largest = 0.0;
      for (const StepReport& step : run(scene(name), h, 0.4).steps) {
        if (step.result.state.time > 0.02) {
          largest = std::max(largest, step.result.joint_values.cwiseAbs().maxCoeff());
        }
      }
      drift.push_back(largest);
    }
    EXPECT_NEAR(std::log2(drift[1] / drift[2]), 2.0, 0.3) << name;
  }
}

// Every joint row's Jacobian against differences of its value.
TEST(Joints, JacobiansAreDerivatives) {
  const Scene s = scene_of(R"("dimension":3,"bodies":[
    {"name":"a","mass":1,"inertia":[1,2,3],"position":[0.1,0.2,0.3],"velocity":[0.3,-0.2,0.5],"angular_velocity":[0.4,0.7,-0.6]},
    {"name":"b","mass":2,"inertia":[1,1,2],"position":[1,0.5,0],"velocity":[-0.1,0.6,0.2],"angular_velocity":[-0.5,0.1,0.9]}],
    "joints":[{"name":"p","type":"spherical","a":"a","b":"b","anchor":[0.5,0.4,0.1]},
      {"name":"r","type":"revolute","a":"a","b":"b","anchor":[0.5,0.4,0.1],"axis":[1,2,2]},
      {"name":"s","type":"prismatic","a":"a","b":"b","anchor":[0.5,0.4,0.1],"axis":[2,-1,2]},
      {"name":"f","type":"fixed","a":"a","b":"b","anchor":[0.5,0.4,0.1]},
      {"name":"d","type":"distance","a":"a","b":"b","anchor_a":[0,0,0],"anchor_b":[1,1,0]}])");
  const Coordinates c(s);
  const State start = initial_state(s);
  const Vector v = c.velocity(start);
  const State middle = moved(s, start, c, v, 0.3);  // off the constraints
  std::vector<Triplet> entries, unused;
  const Vector value = joint_constraints(s, middle, c, 0, entries);
  int rows = 0;
  for (const Joint& j : s.joints) rows += joint_rows(j.type, 3);
  ASSERT_EQ(value.size(), rows);
  SparseMatrix jacobian(rows, c.size());
  jacobian.setFromTriplets(entries.begin(), entries.end());
  const double h = 1e-6;
  const Vector up = joint_constraints(s, moved(s, middle, c, v, h), c, 0, unused);
  const Vector down = joint_constraints(s, moved(s, middle, c, v, -h), c, 0, unused);
  EXPECT_LT((jacobian * v - (up - down) / (2 * h)).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(FreeMotion, ParabolaOfFirstOrder) {
  const auto error = [](double h) {
    const Scene s = scene_of(R"("dimension":3,"gravity":[0,0,-10],"bodies":[
      {"name":"stone","mass":2,"inertia":[1,1,1],"position":[0,0,1],"velocity":[3,0,4]}])");
    const BodyState end = run(s, h, 1.0).summary.final_state.bodies[0];
    EXPECT_NEAR(end.position.x(), 3.0, 1e-12);
    EXPECT_NEAR(end.velocity.z(), -6.0, 1e-12);
    return std::abs(end.position.z() - 0.0);  // 1 + 4 - 5
  };
  EXPECT_NEAR(error(0.01), 0.05, 1e-12);  // g h t / 2
  EXPECT_NEAR(error(0.01) / error(0.005), 2.0, 1e-9);
}

// A free asymmetric body: energy never rises, and energy and angular momentum are kept to first
// order.
TEST(FreeMotion, SpinOfAnAsymmetricBody) {
  const Scene s = scene_of(R"("dimension":3,"bodies":[
    {"name":"book","mass":1,"inertia":[1,2,3],"angular_velocity":[0.1,2,0.1]}])");
  const Vector3d momentum(0.1, 4.0, 0.3);
  std::vector<double> loss, drift;
  for (const double h : {0.004, 0.002, 0.001}) {
    const Simulated r = run(s, h, 2.0);
    double energy = kinetic_energy(s, initial_state(s));
    const double first = energy;
    for (const StepReport& step : r.steps) {
      EXPECT_LE(step.kinetic, energy * (1 + 1e-14));
      energy = step.kinetic;
    }
    loss.push_back(first - energy);
    const BodyState& end = r.summary.final_state.bodies[0];
    const Vector3d spin = end.orientation.conjugate() * end.angular_velocity;
    drift.push_back(
        (end.orientation * Vector3d(spin[0], 2 * spin[1], 3 * spin[2]) - momentum).norm());
  }
  EXPECT_NEAR(std::log2(loss[1] / loss[2]), 1.0, 0.1);
  EXPECT_NEAR(std::log2(drift[1] / drift[2]), 1.0, 0.1);
}

// The implicit equation has no solution with more energy, however far the body turns in a step. It
// was left unsolved by Newton's method in one case of ten with h |omega| = 10.
TEST(FreeMotion, AFastSpinGainsNoEnergy) {
  Random random(5);
  for (int k = 0; k < 300; ++k) {
    const Scene s = scene_of(fmt::format(
        R"("dimension":3,"bodies":[{{"name":"b","mass":1,"inertia":[{},{},{}],"angular_velocity":[{},{},{}]}}])",
        random.uniform(0.5, 0.6), random.uniform(0.5, 0.6), random.uniform(0.1, 0.9),
        random.uniform(-1e3, 1e3), random.uniform(-1e3, 1e3), random.uniform(-1e3, 1e3)));
    double energy = kinetic_energy(s, initial_state(s));
    for (const StepReport& step : run(s, 0.01, 0.03).steps) {
      EXPECT_LE(step.kinetic, energy * (1 + 1e-9)) << k;
      EXPECT_TRUE(std::isfinite(step.kinetic));
      energy = step.kinetic;
    }
  }
}

// A struck body reaches as far as one that moves: it does not pass through a plate.
TEST(TimeStepping, AStruckBallIsStoppedLikeAFastOne) {
  const auto ball = [](const char* velocity, const char* impulses) {
    std::string text = R"("dimension":3,"gravity":[0,0,0],"bodies":[
      {"name":"plate","fixed":true,"shape":{"type":"box","half":[0.02,1,1]}},
      {"name":"ball","mass":1,"shape":{"type":"sphere","radius":0.02},"position":[-0.065,0,0],"velocity":)";
    text.append(velocity).append("}]").append(impulses);
    return scene_of(text);
  };
  const Scene fast = ball("[10,0,0]", "");
  const Scene struck =
      ball("[0,0,0]", R"(,"impulses":[{"body":"ball","linear":[10,0,0],"time":0}])");
  for (const char* formulation :
       {"stewart-trinkle", "coulomb-implicit", "anitescu-tasora", "theta-method"}) {
    const auto end = [&](const Scene& s) {
      return run(s, 0.01, 0.05, formulation).summary.final_state.bodies[1];
    };
    EXPECT_LT((end(struck).position - end(fast).position).norm(), 1e-9) << formulation;
    EXPECT_LT(end(struck).position.x(), 0.0) << formulation;
  }
}

// Bounces of a ball with e = 0.8: heights fall by e^2, to first order in h.
TEST(Restitution, BouncingBall) {
  const Scene s =
      scene_of(R"("dimension":2,"gravity":[0,-9.81],"contact":{"restitution":0.8},"bodies":[
    {"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,1]}},
    {"name":"ball","mass":1,"shape":{"type":"disc","radius":0.1},"position":[0,1.1]}])");
  std::vector<double> errors;
  for (const double h : {0.002, 0.001, 0.0005}) {
    double highest = 0.0, before = 0.0;
    int bounces = 0;
    for (const StepReport& step : run(s, h, 1.1).steps) {
      const BodyState& ball = step.result.state.bodies[1];
      if (before < 0 && ball.velocity.y() > 0) ++bounces;
      before = ball.velocity.y();
      if (bounces == 1) highest = std::max(highest, ball.position.y() - 0.1);
    }
    errors.push_back(std::abs(highest - 0.64));
  }
  EXPECT_LT(errors[2], 0.01);
  EXPECT_LT(errors[2], errors[0]);
}

// P4-A: the box slides as the closed form says; across the generators the 4-sided pyramid errs as
// printed.
TEST(BoxOnRamp, SlidesByTheClosedForm) {
  for (const char* formulation :
       {"stewart-trinkle", "anitescu-potra", "stewart-trinkle:velocities=kept"}) {
    const Simulated r = run(scene("box-on-ramp"), 0, 0, formulation);
    const double angle = std::numbers::pi / 6;
    const double exact = 9.81 * (std::sin(angle) - 0.3 * std::cos(angle)) * 0.4;
    EXPECT_NEAR(r.summary.final_state.bodies[1].velocity.x(), exact, 1e-9) << formulation;
    EXPECT_NEAR(exact, 0.942515, 1e-6);
  }
}

TEST(BoxOnRamp, ObliqueSlidingApproachesTheConeWithMoreEdges) {
  const auto end = [](const std::string& formulation) {
    return run(scene("box-on-ramp", {{"vx", 1}, {"vy", 1}}), 0, 0, formulation)
        .summary.final_state.bodies[1]
        .velocity;
  };
  const Vector3d four = end("stewart-trinkle");
  EXPECT_NEAR(four.x(), 1.9425, 1e-4);
  EXPECT_NEAR(four.y(), 1.0, 1e-4);
  const Vector3d cone(2.0544, 0.5586, 0.0);
  double distance = (four - cone).norm();
  EXPECT_NEAR(distance, 0.456, 0.01);  // 0.44 m/s in y alone
  for (const char* formulation :
       {"stewart-trinkle:edges=8", "stewart-trinkle:edges=16", "stewart-trinkle:edges=32"}) {
    const double closer = (end(formulation) - cone).norm();
    EXPECT_LT(closer, distance) << formulation;
    distance = closer;
  }
  EXPECT_LT(distance, 0.02);
}

// P0-A: energy of a rolling polygon at 1 s, ordered by the number of corners; T + V never rises.
TEST(DiscPolygon, LosesEnergyAtItsCorners) {
  double last = 0.0;
  for (const double n : {10.0, 20.0, 50.0, 100.0, 1000.0}) {
    const Scene s = scene("disc-polygon", {{"N", n}});
    const Simulated r = run(s, 0.01, 1.0);
    const State start = initial_state(s);
    double energy = kinetic_energy(s, start) + potential_energy(s, start);
    for (const StepReport& step : r.steps) {
      const double next = step.kinetic + step.potential;
      EXPECT_LE(next, energy + 1e-10 * std::abs(energy) + step.result.feeding)
          << n << " " << step.step;
      energy = next;
    }
    EXPECT_GT(energy, last) << n;
    last = energy;
    const std::map<double, double> printed = {{20, 3.84}, {50, 5.24}, {100, 5.88}, {1000, 5.92}};
    if (printed.contains(n)) {
      EXPECT_NEAR(r.steps.back().kinetic, printed.at(n), 0.01);
    }
  }
}

TEST(Energy, NeverRisesAndMomentumBalances) {
  struct Case {
    const char* name;
    std::map<std::string, double> parameters;
    double duration;
  };
  for (const Case& c :
       {Case{"box-stack", {{"rows", 4}}, 0.5},
        Case{"falling-boxes", {{"layers", 2}, {"across", 2}}, 1.0},
        Case{"sphere-collision", {}, 1.0}, Case{"box-on-ramp", {{"vy", 1}}, 0.4},
        Case{"pendulum", {}, 1.0}, Case{"four-bar", {}, 1.0}, Case{"shape-shower", {}, 2.0}}) {
    const Scene s = scene(c.name, c.parameters);
    const State start = initial_state(s);
    double energy = kinetic_energy(s, start) + potential_energy(s, start);
    for (const StepReport& step : run(s, 0, c.duration).steps) {
      const double next = step.kinetic + step.potential;
      EXPECT_LE(next, energy + 1e-10 * (1 + std::abs(energy)) + step.result.feeding)
          << c.name << " " << step.step;
      EXPECT_LE(step.result.momentum_error, 1e-12) << c.name << " " << step.step;
      energy = next;
    }
  }
}

TEST(BoxStack, TenCubesStandAndEveryStepIsSolved) {
  const Scene s = scene("box-stack");
  const Simulated warm = run(s, 0, 1.0), cold = run(s, 0, 1.0, "stewart-trinkle", false);
  for (std::size_t b = 1; b < s.bodies.size(); ++b) {
    EXPECT_LT((warm.summary.final_state.bodies[b].position - s.bodies[b].position).norm(), 1e-6);
  }
  EXPECT_LT(warm.summary.iterations, cold.summary.iterations);
}

TEST(Determinism, TwoRunsGiveTheSameBits) {
  const Scene s = scene("falling-boxes", {{"layers", 2}, {"across", 2}});
  const Simulated a = run(s, 0, 0.6), b = run(s, 0, 0.6);
  for (std::size_t k = 0; k < a.summary.final_state.bodies.size(); ++k) {
    EXPECT_EQ(a.summary.final_state.bodies[k].position, b.summary.final_state.bodies[k].position);
    EXPECT_EQ(a.summary.final_state.bodies[k].velocity, b.summary.final_state.bodies[k].velocity);
  }
}

TEST(Pyramid, KeptAndEliminatedVelocitiesAgree) {
  for (const char* name : {"sphere-collision", "disc-polygon", "four-bar"}) {
    const Simulated a = run(scene(name), 0, 0.5),
                    b = run(scene(name), 0, 0.5, "stewart-trinkle:velocities=kept");
    for (std::size_t k = 0; k < a.summary.final_state.bodies.size(); ++k) {
      EXPECT_LT(
          (a.summary.final_state.bodies[k].velocity - b.summary.final_state.bodies[k].velocity)
              .norm(),
          1e-6)
          << name;
    }
  }
}

// P0-A at a tenth of the step: 0.001 and 0.0005 agree at 0.5 s, and at 0.01 a thousand corners lose
// no more than a hundred do.
TEST(DiscPolygon, LossesSaturateInCornersAndInStep) {
  const auto kinetic = [](double corners, double h, double duration) {
    return run(scene("disc-polygon", {{"N", corners}}), h, duration).steps.back().kinetic;
  };
  const double coarse = kinetic(1000, 0.01, 0.5), middle = kinetic(1000, 0.005, 0.5),
               fine = kinetic(1000, 0.001, 0.5), finer = kinetic(1000, 0.0005, 0.5);
  EXPECT_NEAR(coarse, 6.32, 0.01);
  EXPECT_NEAR(middle, 6.53, 0.01);
  EXPECT_NEAR(fine, 6.704, 0.002);
  EXPECT_NEAR(finer, 6.706, 0.002);
  EXPECT_LT(std::abs(fine - finer), 0.01);
  EXPECT_LT(coarse, middle);
  EXPECT_LT(middle, fine);
  EXPECT_LT(std::abs(kinetic(1000, 0.01, 1.0) - kinetic(100, 0.01, 1.0)), 0.1);
}

const char* const kBall =
    R"("dimension":2,"gravity":[0,-10],"contact":{"restitution":0.8},"bodies":[
    {"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,1]}},
    {"name":"ball","mass":1,"shape":{"type":"disc","radius":0.1},"position":[0,1.35]}])";

Simulated simulate_events(const Scene& scene, double h, double duration) {
  SimulationRequest request;
  request.driver = Driver::kEventDriven;
  request.formulation = "anitescu-potra";
  request.step = h;
  request.duration = duration;
  return run(scene, request);
}

// Falls 1.25 m in 0.5 s, meets the ground at 5 m/s; flights last 0.8, 0.64, ... s, whatever h.
TEST(EventDriven, BouncesAtTheTimesOfTheClosedForm) {
  for (const double h : {0.05, 0.01}) {
    const Simulated r = simulate_events(scene_of(kBall), h, 6.0);
    std::vector<double> times;
    for (const StepReport& step : r.steps) {
      if (step.h == 0.0) times.push_back(step.result.state.time);
    }
    ASSERT_GT(times.size(), 20u);
    double exact = 0.5, flight = 0.8;
    for (int k = 0; k < 10; ++k) {
      EXPECT_NEAR(times[static_cast<std::size_t>(k)], exact, 1e-8) << h << " " << k;
      exact += flight;
      flight *= 0.8;
    }
    // Infinitely many bounces end at 4.5 s; then the ball rests.
    const BodyState& end = r.summary.final_state.bodies[1];
    EXPECT_NEAR(end.position.y(), 0.1, 1e-6);
    EXPECT_EQ(end.velocity.norm(), 0.0);
    EXPECT_NEAR(times.back(), 4.5, 1e-2);
    EXPECT_LT(times.size(), 60u);
  }
}

TEST(EventDriven, EnergyIsKeptInFlightAndOverlapsStaySmall) {
  const Scene s = scene("disc-polygon", {{"N", 12}});
  const State start = initial_state(s);
  double energy = kinetic_energy(s, start) + potential_energy(s, start);
  for (const StepReport& step : simulate_events(s, 0.01, 1.0).steps) {
    const double next = step.kinetic + step.potential;
    EXPECT_LE(next, energy + 1e-9 * std::abs(energy));
    energy = next;
    for (const ContactResult& c : step.result.contacts) EXPECT_GE(c.contact.gap, -1e-6);
  }
}

TEST(EventDriven, AgreesWithTimeSteppingToFirstOrder) {
  const auto difference = [](double h) {
    const Scene s = scene("disc-polygon", {{"N", 6}});
    const BodyState a = simulate_events(s, h, 0.3).summary.final_state.bodies[1],
                    b = run(s, h, 0.3, "anitescu-potra").summary.final_state.bodies[1];
    return (a.position - b.position).norm();
  };
  const double coarse = difference(0.002), fine = difference(0.00025);
  EXPECT_LT(fine, 0.5 * coarse);
  EXPECT_LT(fine, 5e-3);
}

TEST(EventDriven, NeedsVelocityLevelAndEndsHonestlyAtTheCap) {
  SimulationRequest request;
  request.driver = Driver::kEventDriven;
  EXPECT_THROW(simulate(scene_of(kBall), request), std::invalid_argument);
  request.formulation = "anitescu-potra";
  request.solve.solver = "lemke";
  request.step = 1.0;
  request.duration = 6.0;
  request.max_events = 2;
  const SimulationSummary summary = simulate(scene_of(kBall), request);
  EXPECT_TRUE(summary.stopped);
  EXPECT_GT(summary.failed_steps, 0);
  EXPECT_NE(summary.message.find("max_events"), std::string::npos);
}

TEST(Restitution, WhatRestsDoesNotBounce) {
  const Scene s = scene_of(
      R"("dimension":2,"gravity":[0,-10],"contact":{"restitution":0.9,"mu":0.3},"bodies":[
    {"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,1]}},
    {"name":"ball","mass":1,"shape":{"type":"disc","radius":0.1},"position":[0,0.1]}])");
  for (const StepReport& step : run(s, 0.01, 1.0).steps) {
    EXPECT_EQ(step.result.state.bodies[1].velocity.norm(), 0.0);
  }
}

// A V-shaped groove that is steeper than the friction angle holds an overlapping disc: the linear
// constraints are feasible, yet the impulses of both walls and their friction balance each other.
TEST(Verifier, RaysOfJamsAreChecked) {
  const Scene s = scene_of(R"("dimension":2,"gravity":[0,-10],"contact":{"mu":1},"bodies":[
    {"name":"left","fixed":true,"shape":{"type":"half_space","normal":[0.99,0.141],"offset":-0.09}},
    {"name":"right","fixed":true,"shape":{"type":"half_space","normal":[-0.99,0.141],"offset":-0.09}},
    {"name":"disc","mass":1,"shape":{"type":"disc","radius":0.1}}])");
  const auto formulation = make_formulation("stewart-trinkle");
  const StageOrResult first = formulation->begin(s, initial_state(s), 0.01);
  const Problem& p = std::get<Stage>(first).problem;
  Lemke lemke;
  lemke.limits.tolerance = 1e-10;
  lemke.prepare(p);
  const Result& r = lemke.solve();
  ASSERT_EQ(r.status, Status::kRay);
  ASSERT_TRUE(r.certificate.has_value());
  EXPECT_TRUE(r.certificate->checked);
  const Mlcp m = to_mlcp(std::get<Lcp>(p.data));
  EXPECT_TRUE(check_ray(m, r.certificate->z));
  Vector broken = r.certificate->z;
  broken[0] += 0.1 * broken.cwiseAbs().maxCoeff();
  EXPECT_FALSE(check_ray(m, broken));
  EXPECT_FALSE(check_ray(m, Vector::Zero(m.size())));
}

TEST(SceneProblems, AreThoseOfTheRunWithStartsAndAnswers) {
  SceneProblemsRequest request;
  request.first = 3;
  request.last = 6;
  const std::vector<Problem> problems =
      scene_problems(scene("box-stack", {{"rows", 2}}), request).problems;
  ASSERT_EQ(problems.size(), 4u);
  for (const Problem& p : problems) {
    ASSERT_TRUE(p.start && p.solution);
    EXPECT_TRUE(verify(p, {p.solution->z, {}}, 1e-10).solved);
  }
  const std::string folder = ::testing::TempDir(), path = folder + "/perp_sequence.jsonl.gz";
  const json::Value source = json::Object{{"scene", std::string("box-stack")}};
  const std::string text = sequence_to_text("steps", source, problems);
  write_text_file(path, text);
  const std::vector<Problem> read = read_sequence(path);
  ASSERT_EQ(read.size(), problems.size());
  for (std::size_t k = 0; k < read.size(); ++k) {
    EXPECT_EQ(problem_to_text(read[k]), problem_to_text(problems[k]));
  }
  // Cut off within the last line, as by a kill: what is whole is read.
  write_text_file(path, std::string_view(text).substr(0, text.size() - 10));
  EXPECT_EQ(read_sequence(path).size(), problems.size() - 1);
  write_text_file(path, R"({"format":"perp-sequence","version":1,"name":"x"})"
                        "\n{\"kind\":1}\n");
  EXPECT_THROW(read_sequence(path), InputError);
  write_text_file(path, "");
  EXPECT_THROW(read_sequence(path), InputError);
}

// Offers problems without a solution as it is told, then one with a solution.
class Offering final : public Formulation {
 public:
  Offering(int size, std::vector<Offer> offers) : size_(size), offers_(std::move(offers)) {}
  std::string_view name() const override { return "offering"; }
  Capabilities capabilities() const override { return {}; }
  std::optional<std::string> refusal(const Scene&) const override { return {}; }
  StageOrResult begin(const Scene&, const State& state, double, const HeldContacts&) override {
    result_.state = state;
    next_ = 0;
    return next();
  }
  StageOrResult advance(const Answer&) override { return result_; }
  std::optional<Stage> relax() override { return next(); }

 private:
  // F = -1 has no solution in z >= 0, F = 1 has z = 0.
  Stage next() {
    const bool last = next_ == offers_.size();
    Stage s;
    s.name = "contact";
    Mcp mcp;
    mcp.lower.setZero(size_);
    mcp.upper.setConstant(size_, INFINITY);
    mcp.callback = [last](const Vector&, Vector& f) { f.setConstant(last ? 1.0 : -1.0); };
    mcp.pattern.resize(size_, size_);
    mcp.pattern.setIdentity();
    s.problem = problem_of(std::move(mcp));
    s.keys.assign(static_cast<std::size_t>(size_), kNoKey);
    s.offer = last ? Offer::kOnce : offers_[next_++];
    return s;
  }

  int size_;
  std::vector<Offer> offers_;
  std::size_t next_ = 0;
  StepResult result_;
};

int problems_of_a_step(int size, const char* solver, std::vector<Offer> offers) {
  SimulationRequest request;
  request.formulation = "offering";
  request.step = request.duration = 0.01;
  request.solve.solver = solver;
  request.solve.limits.max_iterations = 10;  // of each method: the plans alone are asked
  request.make_formulation = [&](const std::string&) -> std::unique_ptr<Formulation> {
    return std::make_unique<Offering>(size, std::move(offers));
  };
  const Simulated r = run(scene("disc"), request);
  EXPECT_EQ(r.steps.size(), 1u);
  return r.summary.stages;
}

// Only the plan that gave up early does more if it gets the start again. Named methods do not.
TEST(Offers, AreTakenAgainByThePlanThatGaveUpEarly) {
  const std::vector offers = {Offer::kEarly, Offer::kEarly, Offer::kAgain};
  EXPECT_EQ(problems_of_a_step(2, "auto", offers), 3);
  EXPECT_EQ(problems_of_a_step(2, "newton-fb", offers), 3);
  EXPECT_EQ(problems_of_a_step(300, "newton-fb", offers), 3);
  EXPECT_EQ(problems_of_a_step(300, "auto", offers), 4);
  EXPECT_EQ(problems_of_a_step(300, "without(auto, part=eliminate)", offers), 4);
}

TEST(Formulations, UnknownNamesAndOptionsAreRefused) {
  for (const char* text :
       {"nothing", "stewart-trinkle:edges=5", "stewart-trinkle:edges=2", "anitescu-potra:x=1"}) {
    EXPECT_THROW(make_formulation(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace perp::test
