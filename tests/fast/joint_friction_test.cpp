// Friction in the joints of arms: closed forms, the same arms in maximal coordinates, dissipation.
#include "../theta_support.hpp"

#include <fmt/format.h>

#include <cmath>
#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/formulations/dynamics/articulation.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/problems/scenes/scene_json.hpp>

namespace perp::test {
namespace {

// Moment of inertia 0.05 kg m^2 about the pivot, m g l = 0.5 N m, released from the horizontal.
Scene pendulum(double coulomb, double viscous) {
  Scene s;
  s.name = "pendulum";
  s.dimension = 2;
  s.gravity = {0, -10, 0};
  s.bodies.resize(2);
  s.bodies[0].name = "wall";
  s.bodies[0].fixed = true;
  s.bodies[1].name = "bob";
  s.bodies[1].mass = 1.0;
  s.bodies[1].inertia = Vector3d::Constant(0.05 - 0.0025);
  s.bodies[1].position = {0.05, 0, 0};
  Joint j{"pivot", JointType::kRevolute, 1, 0, Vector3d::Zero(), Vector3d::Zero()};
  j.coulomb = coulomb;
  j.viscous = viscous;
  s.joints = {j};
  return s;
}

struct ArmRun {
  std::vector<StepReport> steps;
  Vector angles;  // at the end
};

ArmRun run_arm(const Scene& scene, const std::string& formulation, double h, double duration) {
  ArmRun r;
  SimulationRequest request;
  request.formulation = formulation;
  request.step = h;
  request.duration = duration;
  request.solve.limits.tolerance = 1e-12;
  request.on_step = [&](const StepReport& step) {
    r.steps.push_back(step);
    return true;
  };
  const SimulationSummary summary = simulate(scene, request);
  EXPECT_EQ(summary.failed_steps, 0) << formulation;
  r.angles = Articulation(scene).read(summary.final_state).position;
  return r;
}

// The same recursion by hand, with the minimum of one variable in closed form.
double scalar_pendulum(double h, double duration, double coulomb, double viscous,
                       const std::string& method) {
  const double inertia = 0.05;
  double q = 0.0, rate = 0.0;
  for (int k = 0; k < std::lround(duration / h); ++k) {
    const double torque = -0.5 * std::cos(q);
    if (method == "explicit") {
      const double sign = rate > 0 ? 1.0 : rate < 0 ? -1.0 : 0.0;
      rate += h * (torque - viscous * rate - coulomb * sign) / inertia;
    } else {
      const double free = rate + h * torque / inertia;
      const double bound = h * (coulomb + viscous * std::abs(method == "before" ? rate : free));
      rate = free + std::clamp(-inertia * free, -bound, bound) / inertia;
    }
    q += h * rate;
  }
  return q;
}

TEST(JointFriction, OneJointIsTheScalarRecursion) {
  for (const auto& friction : {std::pair(0.25, 0.1), {0.25, 0.0}, {0.0, 0.1}, {5.0, 0.0}}) {
    const double coulomb = friction.first, viscous = friction.second;
    const Scene s = pendulum(coulomb, viscous);
    for (const double h : {1e-2, 1e-3}) {
      const auto expect = [&](const std::string& formulation, const std::string& method) {
        EXPECT_NEAR(run_arm(s, formulation, h, 2.0).angles[0],
                    scalar_pendulum(h, 2.0, coulomb, viscous, method), 1e-9)
            << formulation << " " << coulomb << " " << viscous << " " << h;
      };
      expect("joint-friction", "before");
      expect("joint-friction:viscous=after", "after");
      expect("joint-friction:method=explicit", "explicit");
    }
  }
}

TEST(JointFriction, ConvergesWithFirstOrder) {
  const Scene s = pendulum(0.25, 0.1);
  const double limit = scalar_pendulum(1e-6, 2.0, 0.25, 0.1, "before");
  EXPECT_NEAR(limit, -1.29957, 1e-5);
  for (const char* viscous : {"after", "before", "implicit"}) {
    const std::string formulation = std::string("joint-friction:viscous=") + viscous;
    const double coarse = run_arm(s, formulation, 1e-2, 2.0).angles[0] - limit,
                 fine = run_arm(s, formulation, 1e-3, 2.0).angles[0] - limit;
    EXPECT_LE(std::abs(fine), 3e-3) << viscous;
    EXPECT_NEAR(coarse / fine, 10.0, 2.0) << viscous;
  }
}

TEST(JointFriction, HoldsAnArmAtRestWhereTheExplicitMethodChatters) {
  const Scene arm = load_scene("arm-friction", {});
  for (const StepReport& step : run_arm(arm, "joint-friction", 1e-2, 2.0).steps)
    ASSERT_LE(step.result.columns[0], 1e-10);
  const auto chatter = [&](double h) {
    double most = 0.0;
    for (const StepReport& step : run_arm(arm, "joint-friction:method=explicit", h, 0.2).steps)
      most = std::max(most, step.result.columns[0]);
    return most;
  };
  const double fine = chatter(1e-4);
  EXPECT_GE(fine, 0.5);
  EXPECT_NEAR(std::log10(chatter(1e-3) / fine), 1.0, 0.2);  // in proportion to h
}

// With mu_c = 0 and the rate before the step the bound is what the explicit torque does, as long as
// the joint does not turn round; where joints push each other round, up to that.
TEST(JointFriction, WithoutCoulombFrictionTheProgramIsExplicit) {
  Scene swing = scene_from_text(
      R"({"format":"perp-scene","version":1,"name":"swing","dimension":3,"gravity":[0,0,-9.81],
    "bodies":[{"name":"wall","fixed":true},{"name":"rod","mass":1,"inertia":[0.1,0.1,0.1],"position":[1,0,0]}],
    "joints":[{"name":"j","type":"revolute","a":"rod","b":"wall","anchor":[0,0,0],"axis":[0,1,0],"viscous":0.3}]})",
      "swing");
  const auto apart = [](const Scene& scene, double h, double duration) {
    const Vector program = run_arm(scene, "joint-friction:viscous=before", h, duration).angles,
                 torque = run_arm(scene, "joint-friction:method=explicit", h, duration).angles;
    EXPECT_GT(program.cwiseAbs().maxCoeff(), 1e-3);
    return (program - torque).cwiseAbs().maxCoeff();
  };
  EXPECT_LT(apart(swing, 0.01, 0.4), 1e-10);
  const Scene arm = load_scene("arm-friction", {{"coulomb", 0}, {"viscous", 0.05}});
  EXPECT_LT(apart(arm, 1e-4, 0.05), 1e-6);
}

TEST(JointFriction, MethodsMeetInTheLimit) {
  const Scene arm = load_scene("arm-friction", {{"coulomb", 0.25}, {"viscous", 0.1}});
  const Vector limit = run_arm(arm, "joint-friction", 1e-4, 0.5).angles;
  const double scale = limit.cwiseAbs().maxCoeff();
  EXPECT_GE(scale, 0.1);
  const auto apart = [&](const std::string& formulation, double h) {
    return (run_arm(arm, formulation, h, 0.5).angles - limit).cwiseAbs().maxCoeff() / scale;
  };
  EXPECT_LE(apart("joint-friction:viscous=implicit", 1e-2), 0.05);
  EXPECT_LE(apart("joint-friction:viscous=after", 1e-3), 0.1);
  const double coarse = apart("joint-friction:method=explicit", 1e-3),
               fine = apart("joint-friction:method=explicit", 1e-4);
  EXPECT_LE(fine, 0.1);
  EXPECT_GE(coarse / fine, 5.0);
}

// All joints, at all times, of the range that each moves through.
TEST(JointFriction, LargeStepsAreWithinFivePercentOfTheLimit) {
  const Scene arm = load_scene("arm-friction", {{"coulomb", 0.25}, {"viscous", 0.1}});
  const auto limit = run_arm(arm, "joint-friction", 2e-4, 2.0).steps;
  const auto coarse = run_arm(arm, "joint-friction", 1e-2, 2.0).steps;
  int moving = 0;
  for (int k = 0; k < 8; ++k) {
    double low = 0.0, high = 0.0, apart = 0.0;
    for (std::size_t i = 0; i < limit.size(); ++i) {
      const double angle = limit[i].result.joint_values[k];
      low = std::min(low, angle);
      high = std::max(high, angle);
      if (i % 50 == 0)
        apart = std::max(apart, std::abs(coarse[i / 50].result.joint_values[k] - angle));
    }
    moving += high - low > 1e-3;
    EXPECT_LE(apart, 0.05 * (high - low) + 1e-9) << k;
  }
  EXPECT_EQ(moving, 5);
}

// An arm of revolute and prismatic joints in 3D, with a branch, a load and a spring.
Scene branched_arm(bool friction) {
  const std::string text = R"({"format":"perp-scene","version":1,"name":"branched","dimension":3,
    "gravity":[0.3,-9.81,1],
    "bodies":[{"name":"wall","fixed":true},
     {"name":"a","mass":2,"inertia":[0.02,0.05,0.04],"position":[0.3,0,0],"orientation":[0.9,0.2,0.1,-0.3]},
     {"name":"b","mass":1,"inertia":[0.01,0.02,0.03],"position":[0.6,0.2,0]},
     {"name":"c","mass":0.5,"inertia":[0.01,0.01,0.02],"position":[0.7,-0.2,0.1]}],
    "joints":[{"name":"1","type":"revolute","a":"a","b":"wall","anchor":[0,0,0],"axis":[0,1,1]},
     {"name":"2","type":"revolute","a":"b","b":"a","anchor":[0.5,0.1,0],"axis":[1,0,0.5],"displacement":0.4},
     {"name":"3","type":"prismatic","a":"c","b":"a","anchor":[0.5,-0.1,0],"axis":[1,-1,0],"displacement":0.05}],
    "springs":[{"a":"c","b":"wall","anchor_a":[0.7,-0.2,0.1],"anchor_b":[1,-1,0],"stiffness":30,"length":0.5}],
    "loads":[{"body":"b","force":[0,1,2],"moment":[0.1,0,0.2]}]})";
  Scene s = scene_from_text(text, "branched");
  for (Joint& j : s.joints) j.coulomb = j.viscous = friction ? 0.05 : 0.0;
  return s;
}

TEST(Scenes, DisplacementsMoveWhatHangsOnAJoint) {
  const Scene s = scene_from_text(
      R"({"format":"perp-scene","version":1,"name":"arm","dimension":3,
    "bodies":[{"name":"wall","fixed":true},
     {"name":"a","mass":1,"inertia":[1,1,1],"position":[1,0,0]},
     {"name":"b","mass":1,"inertia":[1,1,1],"position":[3,0,0]}],
    "joints":[{"name":"2","type":"prismatic","a":"b","b":"a","anchor":[2,0,0],"axis":[1,0,0],"displacement":0.5},
     {"name":"1","type":"revolute","a":"a","b":"wall","anchor":[0,0,0],"axis":[0,0,1],"displacement":"pi/2"}],
    "springs":[{"a":"b","b":"wall","anchor_a":[3,1,0],"anchor_b":[5,5,5],"stiffness":1,"length":0}]})",
      "arm");
  EXPECT_LE((s.bodies[1].position - Vector3d(0, 1, 0)).norm(), 1e-15);
  EXPECT_LE((s.bodies[2].position - Vector3d(0, 3.5, 0)).norm(), 1e-15);
  for (std::size_t b : {1U, 2U})
    EXPECT_LE((s.bodies[b].orientation * Vector3d::UnitX() - Vector3d::UnitY()).norm(), 1e-15);
  EXPECT_LE((s.joints[0].axis - Vector3d::UnitY()).norm(), 1e-15);
  EXPECT_LE((s.joints[0].anchor_b - Vector3d(0, 2, 0)).norm(), 1e-15);
  EXPECT_LE((s.springs[0].anchor_a - Vector3d(-1, 3.5, 0)).norm(), 1e-15);
  EXPECT_LE((s.springs[0].anchor_b - Vector3d(5, 5, 5)).norm(), 0.0);
}

// Nothing is shared but the scene: there constraints on bodies, here joint coordinates.
// An arm that turns at 1 rad/s does so wherever its joint stands, in all coordinates.
TEST(Scenes, DisplacementsTurnVelocitiesToo) {
  for (const double angle : {0.0, 1.5707963267948966, -2.0}) {
    const Scene scene = scene_of(fmt::format(R"("dimension":2,"bodies":[
      {{"name":"w","fixed":true}},
      {{"name":"b","mass":1,"inertia":0.01,"position":[1,0],"velocity":[0,1],"angular_velocity":1}}],
      "joints":[{{"name":"j","type":"revolute","a":"b","b":"w","anchor":[0,0],"displacement":{}}}])",
                                             angle));
    for (const char* formulation : {"coulomb-implicit", "theta-method", "joint-friction"}) {
      const ThetaRun r = theta_run(scene, formulation, 0.001, 0.01);
      EXPECT_NEAR(r.states.back().bodies[1].angular_velocity.z(), 1.0, 1e-3) << formulation;
    }
  }
}

TEST(JointFriction, FreeArmsMoveAsInMaximalCoordinates) {
  const Scene s = branched_arm(false);
  const auto apart = [&](double h) {
    const State x = run_arm(s, "joint-friction", h, 0.4).steps.back().result.state;
    const State y = run_arm(s, "stewart-trinkle", h, 0.4).steps.back().result.state;
    double most = 0.0;
    for (std::size_t b = 1; b < 4; ++b) {
      most = std::max(most, (x.bodies[b].position - y.bodies[b].position).norm());
      most = std::max(most, (x.bodies[b].velocity - y.bodies[b].velocity).norm());
      most = std::max(most, (x.bodies[b].angular_velocity - y.bodies[b].angular_velocity).norm());
    }
    return most;
  };
  const double coarse = apart(1e-3), fine = apart(1e-4);
  EXPECT_LE(fine, 5e-3);
  EXPECT_NEAR(coarse / fine, 10.0, 2.0);  // both of first order
}

TEST(JointFriction, CoordinatesSurviveAndInertiaIsThatOfTheBodies) {
  const Scene s = branched_arm(false);
  const Articulation arm(s);
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    const JointState joints{0.5 * gaussian(random, 3, 1), gaussian(random, 3, 1)};
    State state = initial_state(s);
    arm.write(joints, state);
    const JointState back = arm.read(state);
    EXPECT_LE((back.position - joints.position).norm(), 1e-12);
    EXPECT_LE((back.rate - joints.rate).norm(), 1e-12);
    EXPECT_NEAR(kinetic_energy(s, state),
                0.5 * joints.rate.dot(arm.dynamics(joints).inertia * joints.rate), 1e-12);
  }
}

TEST(JointFriction, NeverAddsEnergy) {
  const Scene s = branched_arm(true);
  for (const char* options : {"", ":viscous=after", ":viscous=implicit"}) {
    SimulationRequest request;
    request.formulation = std::string("joint-friction") + options;
    request.step = 0.05;
    request.duration = 3.0;
    int seen = 0;
    request.on_stage = [&](int, const Stage& stage, const VerifiedResult& result) {
      const auto& qp = std::get<BoxQp>(stage.problem.data);
      const Vector& x = result.answer.z;
      EXPECT_LE(0.5 * x.dot(qp.H.multiply(x)) + x.dot(qp.c), 1e-12);
      EXPECT_TRUE((x.array() >= qp.lower.array()).all() && (x.array() <= qp.upper.array()).all());
      ++seen;
    };
    EXPECT_EQ(simulate(s, request).failed_steps, 0);
    EXPECT_EQ(seen, 60);
  }
}

TEST(JointFriction, RefusesWhatIsNoTree) {
  const auto refused = [](const Scene& s, const std::string& formulation) {
    return refusal_of(*make_formulation(formulation), s).value_or("");
  };
  EXPECT_NE(refused(load_scene("four-bar", {}), "joint-friction").find("loop"), std::string::npos);
  EXPECT_NE(refused(load_scene("chain", {}), "joint-friction").find("joints[0].type"),
            std::string::npos);
  EXPECT_NE(refused(load_scene("box-stack", {}), "joint-friction").find("joints"),
            std::string::npos);
  EXPECT_EQ(refused(branched_arm(true), "joint-friction"), "");
  EXPECT_NE(refused(branched_arm(true), "stewart-trinkle").find("joints[0]"), std::string::npos);
  EXPECT_EQ(refused(branched_arm(false), "stewart-trinkle"), "");
}

}  // namespace
}  // namespace perp::test
