// Time steps with friction cones, exact and relaxed, against closed forms and each other.
#include "support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/problems/scenes/scene_json.hpp>

#include <numbers>
#include <set>

namespace perp::test {
namespace {

struct ConeRun {
  SimulationSummary summary;
  std::vector<StepReport> steps;
  const BodyState& body(int b) const { return summary.final_state.bodies[b]; }
};

std::string solver_for(const std::string& formulation) {
  if (formulation.starts_with("coulomb")) return "proximal-newton";
  return formulation.starts_with("anitescu-tasora") ? "polish(interior-point)" : "polish(lemke)";
}

ConeRun run_cones(const Scene& scene, const std::string& formulation, double duration = 0.0,
                  double h = 0.0, double tolerance = 1e-12, const std::string& solver = "") {
  SimulationRequest request;
  request.formulation = formulation;
  request.step = h;
  request.duration = duration;
  request.solve.solver = solver.empty() ? solver_for(formulation) : solver;
  request.solve.limits.tolerance = tolerance;
  ConeRun r;
  request.on_step = [&](const StepReport& step) {
    r.steps.push_back(step);
    return true;
  };
  r.summary = simulate(scene, request);
  EXPECT_EQ(r.summary.failed_steps, 0) << scene.name << ": " << r.summary.message;
  return r;
}

Scene ramp(double slope, double vx, double vy, double mu = 0.3) {
  return load_scene("box-on-ramp", {{"slope", slope}, {"vx", vx}, {"vy", vy}, {"mu", mu}});
}

// A block that slides without tipping, backward Euler: v+ is parallel to w = v + h g_t, which
// friction shortens by mu h g_n.
Eigen::Vector2d sliding_block(double slope, Eigen::Vector2d v, double mu, double h, int steps) {
  const double angle = slope * std::numbers::pi / 180;
  for (int k = 0; k < steps; ++k) {
    v.x() += h * 9.81 * std::sin(angle);
    v *= std::max(0.0, 1 - mu * h * 9.81 * std::cos(angle) / v.norm());
  }
  return v;
}

TEST(CoulombImplicit, BoxOnRampSlidesByTheClosedForm) {
  const double exact = 9.81 * (std::sin(std::numbers::pi / 6) - 0.3 * std::sqrt(0.75)) * 0.4;
  for (const char* solver : {"nsgs", "newton-ac", "proximal-newton"}) {
    const ConeRun r = run_cones(ramp(30, 0, 0), "coulomb-implicit", 0, 0, 1e-12, solver);
    EXPECT_NEAR(r.body(1).velocity.x(), exact, 1e-10) << solver;
    EXPECT_NEAR(r.body(1).velocity.y(), 0.0, 1e-10) << solver;
    EXPECT_NEAR(exact, 0.942515, 1e-6);
  }
  // Below the angle of friction it stays.
  EXPECT_LT(run_cones(ramp(16, 0, 0), "coulomb-implicit").body(1).velocity.norm(), 1e-10);
}

TEST(CoulombImplicit, BoxAcrossTheRampSlidesByTheClosedForm) {
  for (const char* options : {"", ":velocities=kept"}) {
    const ConeRun r = run_cones(ramp(30, 1, 1), std::string("coulomb-implicit") + options);
    const Eigen::Vector2d exact = sliding_block(30, {1, 1}, 0.3, 0.02, 20);
    EXPECT_LT((r.body(1).velocity.head<2>() - exact).norm(), 1e-10);
    EXPECT_NEAR(exact.x(), 2.0544, 5e-5);
    EXPECT_NEAR(exact.y(), 0.5586, 5e-5);
    EXPECT_NEAR(r.body(1).position.z(), 0.5, 1e-10);
  }
}

// On a level plane, whatever the direction: friction is opposite to the slip, and the speed falls
// by mu g h a step. The pyramid of four edges is not isotropic.
TEST(CoulombImplicit, FrictionHasNoPreferredDirection) {
  double least = kInf, most = 0.0;
  for (int k = 0; k < 12; ++k) {
    const double angle = 0.1 + k * std::numbers::pi / 6;
    const Scene s = ramp(0, 1.5 * std::cos(angle), 1.5 * std::sin(angle));
    const ConeRun r = run_cones(s, "coulomb-implicit", 0.4);
    const Eigen::Vector2d direction(std::cos(angle), std::sin(angle));
    const Eigen::Vector2d v = r.body(1).velocity.head<2>();
    EXPECT_NEAR(v.norm(), 1.5 - 0.3 * 9.81 * 0.4, 1e-10);
    EXPECT_LT((v / v.norm() - direction).norm(), 1e-9);
    Vector3d friction = Vector3d::Zero();
    for (const ContactResult& c : r.steps.back().result.contacts)
      friction += c.p_t * c.frame.t + c.p_o * c.frame.o;
    EXPECT_LT((friction.head<2>() / friction.norm() + direction).norm(), 1e-9);
    const double pyramid = run_cones(s, "stewart-trinkle", 0.4).body(1).velocity.norm();
    least = std::min(least, pyramid);
    most = std::max(most, pyramid);
  }
  EXPECT_GT(most - least, 0.1);
}

TEST(CoulombImplicit, PyramidsWithMoreEdgesApproachIt) {
  const Scene s = ramp(30, 1, 1);
  const Vector3d exact = run_cones(s, "coulomb-implicit").body(1).velocity;
  double distance = kInf;
  for (const int edges : {4, 8, 16, 32}) {
    const Vector3d v = run_cones(s, "stewart-trinkle:edges=" + std::to_string(edges), 0, 0, 1e-10)
                           .body(1)
                           .velocity;
    EXPECT_LT((v - exact).norm(), distance);
    distance = (v - exact).norm();
  }
  EXPECT_LT(distance, 0.02);
}

// In the plane the pyramid is the cone, so the two models are one.
TEST(CoulombImplicit, IsStewartTrinkleInThePlane) {
  const Scene s = load_scene("disc-polygon", {{"N", 20}});
  const ConeRun cone = run_cones(s, "coulomb-implicit", 0.5),
                pyramid = run_cones(s, "stewart-trinkle", 0.5, 0, 1e-10);
  EXPECT_LT((cone.body(1).velocity - pyramid.body(1).velocity).norm(), 1e-8);
  EXPECT_LT((cone.body(1).position - pyramid.body(1).position).norm(), 1e-8);
}

// Joints are eliminated, redundant rows (closed chains in space) included.
TEST(CoulombImplicit, JointsAreThoseOfThePyramidModel) {
  for (const char* name : {"pendulum", "four-bar", "chain"}) {
    const Scene s = load_scene(name, {});
    const ConeRun cone = run_cones(s, "coulomb-implicit", 0.1),
                  pyramid = run_cones(s, "stewart-trinkle", 0.1, 0, 1e-10);
    for (std::size_t b = 0; b < s.bodies.size(); ++b)
      EXPECT_LT((cone.body(b).velocity - pyramid.body(b).velocity).norm(), 1e-7) << name;
    for (std::size_t k = 0; k < cone.steps.size(); ++k) {
      EXPECT_LT(cone.steps[k].result.momentum_error, 1e-11) << name;
      EXPECT_LT((cone.steps[k].result.joint_values - pyramid.steps[k].result.joint_values).norm(),
                1e-8)
          << name;
    }
  }
}

// A ball on a hinged arm of 1 m meets the ground at 1 m/s: the mass at the contact is (I + m) /
// 1^2.
TEST(CoulombImplicit, ContactsOfJointedBodies) {
  const Scene s = scene_of(R"("dimension":3,"gravity":[0,0,0],"bodies":[
    {"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
    {"name":"wall","fixed":true},
    {"name":"ball","mass":2,"inertia":[0.2,0.2,0.2],"shape":{"type":"sphere","radius":0.5},
     "position":[0,0,0.5],"velocity":[0,0,-1],"angular_velocity":[0,1,0]}],
    "joints":[{"name":"hinge","type":"revolute","a":"ball","b":"wall","anchor":[-1,0,0.5],
     "axis":[0,1,0]}],
    "contact":{"mu":0})");
  const ConeRun r = run_cones(s, "coulomb-implicit", 0.01, 0.01);
  EXPECT_NEAR(r.steps[0].result.contacts.at(0).p_n, 2.2, 1e-10);
  EXPECT_LT(r.body(2).velocity.norm() + r.body(2).angular_velocity.norm(), 1e-10);
  EXPECT_LT(r.steps[0].result.momentum_error, 1e-12);
}

TEST(CoulombImplicit, EnergyNeverRisesAndMomentumBalances) {
  struct Case {
    const char* name;
    std::map<std::string, double> parameters;
    double duration;
  };
  for (const Case& c : {Case{"box-stack", {{"rows", 3}}, 0.3},
                        Case{"falling-boxes", {{"layers", 2}, {"across", 2}}, 0.6},
                        Case{"box-on-ramp", {{"vy", 1}}, 0.4}, Case{"shape-shower", {}, 0.4}}) {
    const Scene s = load_scene(c.name, c.parameters);
    const State start = initial_state(s);
    double energy = kinetic_energy(s, start) + potential_energy(s, start);
    for (const StepReport& step : run_cones(s, "coulomb-implicit", c.duration, 0, 1e-10).steps) {
      const double next = step.kinetic + step.potential;
      EXPECT_LE(next, energy + 1e-9 * (1 + std::abs(energy)) + step.result.feeding)
          << c.name << " " << step.step;
      EXPECT_LE(step.result.momentum_error, 1e-12) << c.name << " " << step.step;
      energy = next;
    }
  }
}

// p_t = -mu p_n (e_t^2 v_t, e_o^2 v_o) / sqrt(e_t^2 v_t^2 + e_o^2 v_o^2) along the given axes.
TEST(CoulombImplicit, EllipticFriction) {
  const Scene s = scene_of(R"("dimension":3,"gravity":[0,0,-10],"bodies":[
    {"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
    {"name":"box","mass":1,"shape":{"type":"box","half":[0.5,0.5,0.01]},"position":[0,0,0.01],
     "velocity":[1,2,0]}],
    "contact":{"mu":0.3,"e_t":1,"e_o":0.5,"direction":[1,0,0]})");
  Vector3d last(1, 2, 0);
  for (const StepReport& step : run_cones(s, "coulomb-implicit", 0.2, 0.01).steps) {
    const Vector3d v = step.result.state.bodies[1].velocity;
    const double weighted = std::hypot(v.x(), 0.5 * v.y());
    EXPECT_NEAR(v.x() - last.x(), -0.3 * 0.1 * v.x() / weighted, 1e-10);
    EXPECT_NEAR(v.y() - last.y(), -0.3 * 0.1 * 0.25 * v.y() / weighted, 1e-10);
    last = v;
  }
}

// Newton's hypothesis: v_n+ = -e v_n-, in one stage, with friction of that impulse.
TEST(CoulombImplicit, BounceWithFriction) {
  const Scene s = scene_of(R"("dimension":3,"gravity":[0,0,0],"bodies":[
    {"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
    {"name":"ball","mass":1,"inertia":[0.1,0.1,0.1],"shape":{"type":"sphere","radius":0.5},
     "position":[0,0,0.5],"velocity":[3,4,-2]}],
    "contact":{"mu":0.1,"restitution":0.5})");
  for (const char* formulation : {"coulomb-implicit", "anitescu-tasora"}) {
    const ConeRun r = run_cones(s, formulation, 0.01, 0.01, 1e-10);
    const BodyState& ball = r.body(1);
    if (formulation[0] == 'c') {  // impulse 3, friction 0.3 against (3, 4)
      EXPECT_NEAR(ball.velocity.z(), 1.0, 1e-9);
      EXPECT_LT((ball.velocity.head<2>() - Eigen::Vector2d(3 - 0.18, 4 - 0.24)).norm(), 1e-9);
    } else {  // the relaxation separates faster, at mu |u_t| more
      const Vector3d u = ball.velocity + ball.angular_velocity.cross(Vector3d(0, 0, -0.5));
      EXPECT_NEAR(ball.velocity.z(), 1.0 + 0.1 * u.head<2>().norm(), 1e-8);
    }
    ASSERT_EQ(r.steps[0].stages.size(), 1u);
  }
}

TEST(CoulombImplicit, CompliantPointsSinkByForceOverStiffness) {
  const Scene s = scene_of(R"("dimension":3,"gravity":[0,0,-10],"bodies":[
    {"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
    {"name":"ball","mass":2,"shape":{"type":"sphere","radius":0.5},"position":[0,0,0.5]}],
    "contact":{"mu":0.3,"stiffness":1000,"dissipation":0.05})");
  for (const char* formulation : {"coulomb-implicit", "coulomb-implicit:velocities=kept",
                                  "anitescu-tasora", "anitescu-tasora:velocities=kept"}) {
    const ConeRun r = run_cones(s, formulation, 2.0, 0.01, 1e-10);
    EXPECT_NEAR(r.body(1).position.z(), 0.5 - 20.0 / 1000, 1e-6) << formulation;
  }
}

// The artefact of the relaxation in closed form. A sliding body glides at the gap h mu |v_t|; with
// a = g (sin - mu cos) its speed on the ramp is a t - mu^2 times the last gain, since it is
// lifted.
TEST(AnitescuTasora, SlidingBodiesGlideAboveThePlane) {
  const double angle = std::numbers::pi / 6, mu = 0.3, h = 0.02;
  const double a = 9.81 * (std::sin(angle) - mu * std::cos(angle));
  for (const char* options : {"", ":velocities=kept"}) {
    const ConeRun r =
        run_cones(ramp(30, 0, 0), std::string("anitescu-tasora") + options, 0, 0, 1e-10);
    double v = 0.0, gain = 0.0;
    for (const StepReport& step : r.steps) {
      gain = (h * a + mu * mu * gain) / (1 + mu * mu);
      v += gain;
      const BodyState& box = step.result.state.bodies[1];
      EXPECT_NEAR(box.velocity.x(), v, 1e-7);
      EXPECT_NEAR(box.position.z() - 0.5, h * mu * box.velocity.x(), 1e-7);
    }
    EXPECT_NEAR(v, a * 0.4 - mu * mu * gain, 1e-12);
  }
}

// The gap of the artefact goes with h.
TEST(AnitescuTasora, TheGapShrinksWithTheStep) {
  for (const double h : {0.02, 0.005}) {
    const BodyState box = run_cones(ramp(30, 1, 1), "anitescu-tasora", 0.4, h, 1e-9).body(1);
    EXPECT_NEAR(box.position.z() - 0.5, h * 0.3 * box.velocity.head<2>().norm(), 1e-7);
  }
}

// Where nothing slides the relaxation is the exact law.
TEST(AnitescuTasora, StickingIsExact) {
  const ConeRun r = run_cones(ramp(16, 0, 0), "anitescu-tasora", 0, 0, 1e-11);
  EXPECT_LT(r.body(1).velocity.norm(), 1e-8);
  EXPECT_NEAR(r.body(1).position.z(), 0.5, 1e-9);
}

// With velocities as unknowns impulses are multipliers, which are carried over by the keys of their
// rows: at rest a step begins where the one before has ended.
TEST(AnitescuTasora, StepsAtRestStartFromTheImpulsesOfTheStepBefore) {
  const Scene scene = load_scene("box-stack", {{"rows", 4}, {"columns", 2}});
  long iterations[2];
  for (const bool warm : {false, true}) {
    SimulationRequest request;
    request.formulation = "anitescu-tasora";
    request.duration = 0.2;
    request.warm_start = warm;
    const SimulationSummary summary = simulate(scene, request);
    EXPECT_EQ(summary.failed_steps, 0) << summary.message;
    iterations[warm] = summary.iterations;
  }
  EXPECT_LT(iterations[true], iterations[false] / 2);
}

// A contact without friction has one row, and joints have theirs behind those of the contacts.
TEST(AnitescuTasora, EveryRowOfAProblemInVelocitiesHasItsKey) {
  for (const char* name : {"box-stack", "four-bar-contact"}) {
    for (const double mu : {0.0, 0.5}) {
      Scene scene = load_scene(name, {});
      scene.contact.mu = mu;
      SimulationRequest request;
      request.formulation = "anitescu-tasora";
      request.duration = 2 * scene.step;
      int stages = 0;
      request.on_stage = [&](int, const Stage& stage, const VerifiedResult&) {
        ++stages;
        EXPECT_EQ(static_cast<int>(stage.row_keys.size()),
                  std::get<ConicQp>(stage.problem.data).A.rows());
        EXPECT_EQ(std::set<std::uint64_t>(stage.row_keys.begin(), stage.row_keys.end()).size(),
                  stage.row_keys.size());
      };
      simulate(scene, request);
      EXPECT_GT(stages, 0) << name;
    }
  }
}

TEST(ConeFormulations, RefuseWhatTheyHaveNoLawFor) {
  const Scene torsion = load_scene("sliding-cube", {});
  const Scene jointed = load_scene("pendulum", {});
  for (const char* name : {"coulomb-implicit", "anitescu-tasora"}) {
    const auto why = refusal_of(*make_formulation(name), torsion);
    ASSERT_TRUE(why.has_value());
    EXPECT_NE(why->find("contact.e_r"), std::string::npos);
    EXPECT_FALSE(refusal_of(*make_formulation(name), jointed));
    EXPECT_THROW(make_formulation(std::string(name) + ":edges=4"), std::invalid_argument);
    EXPECT_THROW(make_formulation(std::string(name) + ":velocities=gone"), std::invalid_argument);
    EXPECT_THROW(make_formulation(std::string(name) + ":rest_speed=fast"), std::invalid_argument);
  }
  EXPECT_TRUE(
      refusal_of(*make_formulation("coulomb-implicit:velocities=kept"), jointed).has_value());
}

// Rows and unknowns are numbers: other units of mass, length and time make the same problem.
TEST(ConeFormulations, ProblemsAreDimensionless) {
  const auto posed = [](const char* mass) {
    const Scene s = scene_of(std::string(R"("dimension":3,"gravity":[0,0,-10],"bodies":[
      {"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
      {"name":"ball","mass":)") +
                             mass +
                             R"(,"shape":{"type":"sphere","radius":0.5},"position":[0,0,0.5],
      "velocity":[1,0,0]}],"contact":{"mu":0.3})");
    const auto formulation = make_formulation("coulomb-implicit");
    return std::get<FrictionContact>(
        std::get<Stage>(formulation->begin(s, initial_state(s), 0.01)).problem.data);
  };
  const FrictionContact light = posed("0.001"), heavy = posed("1000");
  EXPECT_LT((light.W.to_dense() - heavy.W.to_dense()).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(light.q, heavy.q);
  EXPECT_NEAR(light.W.coefficient(0, 0), 1.0, 1e-14);
}

}  // namespace
}  // namespace perp::test
