// Arms that touch things, in coordinates of their joints and in maximal ones.
#include "../theta_support.hpp"

#include <fmt/format.h>
#include <perp/formulations/dynamics/articulation.hpp>

namespace perp::test {
namespace {

const std::string kReduced = "linearised+exact-cone+reduced-coordinates";

double apart(const State& a, const State& b) {
  double most = 0.0;
  for (std::size_t k = 0; k < a.bodies.size(); ++k)
    most = std::max(most, (a.bodies[k].position - b.bodies[k].position).norm());
  return most;
}

// The friction of joints as cones is the box-constrained program of the paper.
TEST(ArmContact, JointFrictionIsThatOfTheProgram) {
  for (const auto& [coulomb, viscous] : {std::pair(5.0, 0.0), std::pair(0.25, 0.1)}) {
    const Scene scene = load_scene("arm-friction", {{"coulomb", coulomb}, {"viscous", viscous}});
    const ThetaRun cones = theta_run(scene, kReduced, 0.01, 0.5);
    const ThetaRun boxes =
        theta_run(scene, "joint-friction", 0.01, 0.5, 1e-10, "polish(gradient-projection)");
    EXPECT_LT(apart(cones.states.back(), boxes.states.back()), 1e-7) << coulomb;
    const Vector a = cones.steps.back().result.joint_impulses,
                 b = boxes.steps.back().result.joint_impulses;
    EXPECT_LT((a - b).norm(), 1e-6 * b.norm()) << coulomb;
    const Vector x = cones.steps.back().result.joint_values,
                 y = boxes.steps.back().result.joint_values;
    EXPECT_LT((x - y).norm(), 1e-6);
  }
}

// An arm that friction holds does not move, in maximal coordinates either.
TEST(ArmContact, FrictionHoldsAnArmInMaximalCoordinates) {
  const Scene scene = load_scene("arm-friction", {{"coulomb", 5}});
  const ThetaRun r = theta_run(scene, "coulomb-implicit", 0.01, 0.1);
  EXPECT_LT(apart(r.states.back(), r.states.front()), 1e-9);
}

// The velocities of bodies are those of the joints by the map: differences of positions.
TEST(ArmContact, TwistsAreDerivativesOfPoses) {
  const Scene scene = load_scene("arm-push", {});
  const Articulation arm(scene);
  State state = initial_state(scene);
  arm.write({vector({0.3, -0.7, 0.05}), Vector::Zero(3)}, state);
  const SparseMatrix x = arm.twists(state);
  const Coordinates coordinates(scene);
  EXPECT_EQ(x.cols(), 3 + 6);
  for (int k = 0; k < 3; ++k) {
    const double step = 1e-6;
    State moved = state;
    arm.write({vector({0.3, -0.7, 0.05}) + step * Vector::Unit(3, k), Vector::Unit(3, k)}, moved);
    const Vector column = DenseMatrix(x).col(k);
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      const int at = coordinates.offset(static_cast<int>(b));
      if (at < 0) continue;
      const Vector3d rate = (moved.bodies[b].position - state.bodies[b].position) / step;
      EXPECT_LT((column.segment<3>(at) - rate).norm(), 1e-5) << scene.bodies[b].name;
      if (scene.bodies[b].name != "box") {
        EXPECT_LT((column.segment<3>(at + 3) - moved.bodies[b].angular_velocity).norm(), 1e-12);
      }
    }
  }
}

// Both are of first order with the same limit, friction in the joints and on the box included.
TEST(ArmContact, PushIsTheSameInBothCoordinates) {
  const Scene scene = load_scene("arm-push", {});
  std::vector<double> differences;  // largest, over all multiples of the longest step
  for (const int k : {1, 2, 4}) {
    const double h = 0.002 / k;
    const ThetaRun reduced = theta_run(scene, kReduced, h, 0.5);
    const ThetaRun maximal = theta_run(scene, "coulomb-implicit", h, 0.5);
    double most = 0.0;
    for (std::size_t i = 0; i < reduced.states.size(); i += k)
      most = std::max(most, apart(reduced.states[i], maximal.states[i]));
    differences.push_back(most);
    // It did push the box.
    EXPECT_GT(reduced.states.back().bodies[5].position.y(),
              reduced.states.front().bodies[5].position.y() + 0.02);
  }
  EXPECT_LT(differences[0], 1e-4);
  EXPECT_NEAR(std::log2(differences.front() / differences.back()) / 2, 1.0, 0.2)
      << testing::PrintToString(differences);
}

// Other laws over the same coordinates.
TEST(ArmContact, LawsOverReducedCoordinatesAgreeWhereNothingSlides) {
  const Scene scene = load_scene("arm-push", {{"coulomb", 0}, {"viscous", 0}, {"mu", 0}});
  const ThetaRun exact = theta_run(scene, kReduced, 0.005, 0.4);
  for (const char* law : {"pyramid", "convex-relaxation", "max-dissipation"}) {
    const ThetaRun other =
        theta_run(scene, std::string("linearised+") + law + "+reduced-coordinates", 0.005, 0.4,
                  1e-10, "auto");
    EXPECT_LT(apart(exact.states.back(), other.states.back()), 1e-6) << law;
  }
}

TEST(ArmContact, WhatIsNoArmIsRefused) {
  const auto model = make_formulation(kReduced);
  EXPECT_TRUE(refusal_of(*model, load_scene("chain", {})));
  EXPECT_TRUE(refusal_of(*model, load_scene("box-stack", {})));
  EXPECT_FALSE(refusal_of(*model, load_scene("arm-push", {})));
  EXPECT_THROW((void)make_formulation("linearised+joint-friction+reduced-coordinates"),
               std::invalid_argument);
}

// What is in no arm may be struck.
TEST(ArmContact, AnImpulseActsOnALooseBody) {
  const auto scene = [](const char* body) {
    return scene_of(fmt::format(R"("dimension":3,"bodies":[{{"name":"post","fixed":true}},
      {{"name":"arm","mass":1,"inertia":[0.1,0.1,0.1],"position":[3,0,2]}},
      {{"name":"ball","mass":1,"shape":{{"type":"sphere","radius":0.5}}}}],
      "joints":[{{"name":"j","type":"revolute","a":"arm","b":"post","anchor":[2.5,0,2],"axis":[0,1,0]}}],
      "impulses":[{{"body":"{}","linear":[1,0,0],"time":0}}])",
                                body));
  };
  const State end = theta_run(scene("ball"), kReduced, 0.01, 0.05).states.back();
  EXPECT_NEAR(end.bodies[2].velocity.x(), 1.0, 1e-12);
  const auto refusal = make_formulation(kReduced)->refusal(scene("arm"));
  ASSERT_TRUE(refusal);
  EXPECT_NE(refusal->find("impulses[0]"), std::string::npos) << *refusal;
}

// The plate's weight, 1.08 N, is held by 16 N and not by 1 N [CastroPermenterHan2022, Sec. VI].
TEST(SlipControl, SticksAtSixteenNewtonsAndSlipsAtOne) {
  const Scene scene = load_scene("slip-control", {{"period", 0.6}});
  const double h = 0.005, mu = 0.5, sigma = 1e-3;
  const ThetaRun r = theta_run(scene, scene.formulation, h, 0.9);
  double creep = 0.0;
  for (const StepReport& step : r.steps) {
    const double t = step.result.state.time;
    const double speed = std::abs(step.result.state.bodies[1].velocity.z());
    int sticking = 0, sliding = 0;
    for (const ContactResult& c : step.result.contacts) {
      sticking += c.mode == ContactMode::kStick;
      sliding += c.mode == ContactMode::kSlide;
    }
    if (t > 0.1 && t < 0.44) {
      creep = std::max(creep, speed);
      EXPECT_EQ(sticking, 98) << t;
    }
    EXPECT_TRUE(t < 0.5 || t > 0.59 || sliding == 98) << t;
    EXPECT_TRUE(t < 0.8 || sticking == 98) << t;
    EXPECT_LT(step.result.momentum_error, 1e-8);
  }
  EXPECT_GT(creep, 0.0);
  EXPECT_LE(creep, mu * sigma * h * 9.81);
  // (m g - 2 mu 1 N) / m for .14 s, and then it is held again.
  EXPECT_LT(r.states.back().bodies[1].position.z(), -0.005);
  EXPECT_GT(r.states.back().bodies[1].position.z(), -0.03);
}

// Springs of joints: torques in every model, and their energy.
TEST(JointSpring, OscillatesWithItsPeriodInAllCoordinates) {
  const Scene scene = scene_of(
      R"("dimension":3,"bodies":[{"name":"wall","fixed":true},{"name":"rod","mass":2,"inertia":[0.1,0.1,0.1],"position":[0.3,0,0]}],
      "joints":[{"name":"j","type":"revolute","a":"rod","b":"wall","anchor":[0,0,0],"axis":[0,0,1],"stiffness":5,"rest":0.4,"displacement":0.1}])");
  // About rest, with the inertia m r^2 + I = .28; displaced by .1 - .4.
  const double omega = std::sqrt(5 / 0.28), duration = 1.0;
  const double exact = 0.3 - 0.3 * std::cos(omega * duration);  // from where it begins
  for (const char* model : {"joint-friction", "coulomb-implicit", "stewart-trinkle",
                            "theta-method:theta=midpoint", "theta-method:theta=implicit"}) {
    std::vector<double> errors;
    for (const double h : {0.01, 0.005}) {
      const ThetaRun r = theta_run(scene, model, h, duration, 1e-10, "polish(lemke)");
      errors.push_back(
          std::abs(joint_displacement(scene, r.states.back(), scene.joints[0]) - exact));
      if (std::string(model).find("midpoint") == std::string::npos) continue;
      EXPECT_NEAR(kinetic_energy(scene, r.states.back()) + potential_energy(scene, r.states.back()),
                  potential_energy(scene, r.states.front()), 2e-3);
    }
    EXPECT_LT(errors[1], 0.03) << model;
    EXPECT_LT(errors[1], 0.7 * errors[0]) << model;
  }
}

// A joint that is displaced to one side, with a spring that rests at the other: it goes the whole
// way and comes to rest, since the angle is taken from the state without displacements.
TEST(ArmContact, ASpringOfAJointGoesToItsRest) {
  for (const double rest : {2.0, -3.0}) {
    const Scene scene = scene_from_text(
        fmt::format(
            R"({{"format":"perp-scene","version":1,"name":"winding","dimension":2,"gravity":[0,0],
      "bodies":[{{"name":"wall","fixed":true}},{{"name":"w","mass":1,"inertia":1}}],
      "joints":[{{"name":"j","type":"revolute","a":"w","b":"wall","anchor":[0,0],"stiffness":1,
      "damping":2.5,"rest":{},"displacement":{}}}]}})",
            rest, -rest),
        "winding.json", {});
    for (const char* formulation : {"stewart-trinkle", "theta-method", "coulomb-implicit"}) {
      SimulationRequest request;
      request.formulation = formulation;
      request.step = 0.01;
      request.duration = 25.0;
      const SimulationSummary end = simulate(scene, request);
      const Quaterniond& q = end.final_state.bodies[1].orientation;
      EXPECT_NEAR(std::remainder(2 * std::atan2(q.z(), q.w()) - rest, 2 * M_PI), 0.0, 0.01)
          << formulation << " " << rest;
      EXPECT_NEAR(potential_energy(scene, end.final_state), 0.0, 1e-4) << formulation;
      EXPECT_NEAR(potential_energy(scene, initial_state(scene)), 2 * rest * rest, 1e-9);
    }
  }
}

}  // namespace
}  // namespace perp::test
