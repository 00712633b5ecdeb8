// Formulations geometric-implicit and closed-form-gap against closed forms and each other.
#include "implicit_support.hpp"

#include <Eigen/SVD>
#include <perp/formulations/collision/separation.hpp>
#include <perp/formulations/gap/nearest_points/closest_points.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/problems/standard/mcp_function.hpp>

namespace perp::test {
namespace {

std::string refusal_by_name(const std::string& formulation, const Scene& scene) {
  return ::perp::refusal_of(*make_formulation(formulation), scene).value_or("");
}

// P0-A: |v| and omega are constant for ever, nothing but the weight is carried.
TEST(RollingDisc, KeepsItsEnergy) {
  for (const char* formulation :
       {"geometric-implicit", "closed-form-gap", "geometric-implicit:friction=fritz-john"}) {
    const Scene scene = load_scene("disc", {});
    const ImplicitRun r = run_implicit(scene, 0.01, 2.0, formulation);
    ASSERT_EQ(r.steps.size(), 200u);
    for (const StepReport& step : r.steps) {
      ASSERT_NEAR(step.kinetic, 6.75, 1e-6);
      ASSERT_EQ(step.result.contacts.size(), 1u);
      const ContactResult& c = step.result.contacts[0];
      ASSERT_NEAR(c.p_n, 0.0981, 1e-9);
      ASSERT_NEAR(c.p_t, 0.0, 1e-6);
      ASSERT_LE(c.slip, 1e-6);
    }
    EXPECT_NEAR(body_of(r.steps.back(), "disc").position.x(), -6.0, 1e-9);
  }
}

// P0-B: the torsional moment is mu e_r p_n until the last step, which needs less. Exact for any h.
TEST(SpinningSphere, StopsAsTheClosedFormSays) {
  for (const char* formulation :
       {"geometric-implicit", "closed-form-gap", "geometric-implicit:friction=fritz-john",
        "closed-form-gap:friction=fritz-john"}) {
    for (const double h : {0.7, 0.07, 0.007}) {
      double spin = 1.962;
      for (const StepReport& step :
           run_implicit(load_scene("spinning-sphere", {}), h, 1.4, formulation).steps) {
        const double before = spin;
        spin = std::max(0.0, spin - 1.962 * h);
        const BodyState& s = body_of(step, "sphere");
        ASSERT_NEAR(s.angular_velocity.z(), spin, 1e-9) << formulation << " " << h;
        ASSERT_LE(s.velocity.norm(), 1e-9);
        ASSERT_LE(s.angular_velocity.head<2>().norm(), 1e-9);
        const ContactResult& c = step.result.contacts.at(0);
        ASSERT_NEAR(c.p_r / h, -0.4 * (before - spin) / h, 1e-6);
        ASSERT_NEAR(std::hypot(c.p_t, c.p_o), 0.0, 1e-9);
      }
      EXPECT_EQ(spin, 0.0);
    }
  }
}

// One contact that does not slip: linearised geometry and the pyramid are exact here [the paper's
// Example 2 beside Stewart and Trinkle].
TEST(SpinningSphere, StewartTrinkleGivesTheSame) {
  const Scene scene = load_scene("spinning-sphere", {});
  SimulationRequest request;
  request.step = 0.07;
  request.duration = 1.4;
  std::vector<std::vector<Vector3d>> spins;
  for (const char* formulation : {"stewart-trinkle", "geometric-implicit"}) {
    request.formulation = formulation;
    spins.emplace_back();
    request.on_step = [&](const StepReport& step) {
      spins.back().push_back(body_of(step, "sphere").angular_velocity);
      return true;
    };
    EXPECT_EQ(simulate(scene, request).failed_steps, 0);
  }
  ASSERT_EQ(spins[0].size(), 20u);
  for (std::size_t k = 0; k < 20; ++k) EXPECT_LT((spins[0][k] - spins[1][k]).norm(), 1e-9) << k;
}

// The paper counts 28 unknowns for two contacts of a ball: with its conditions of nearest points,
// which have no multipliers.
TEST(TwoSpheres, HaveTwentyEightUnknowns) {
  const auto model = make_formulation("geometric-implicit:points=tangential");
  const Scene scene = load_scene("two-spheres", {});
  const StageOrResult begun = model->begin(scene, initial_state(scene), 0.01);
  ASSERT_TRUE(std::holds_alternative<Stage>(begun));
  EXPECT_EQ(std::get<Stage>(begun).problem.size(), 28);
}

TEST(SpinningSphere, HasThePapersNumbers) {
  const ImplicitRun r = run_implicit(load_scene("spinning-sphere", {}));
  ASSERT_EQ(r.steps.size(), 20u);
  EXPECT_NEAR(body_of(r.steps[13], "sphere").angular_velocity.z(), 0.03924, 1e-6);
  EXPECT_NEAR(body_of(r.steps[14], "sphere").angular_velocity.z(), 0.0, 1e-9);
  for (int k = 0; k < 20; ++k) {
    const double moment = k < 14 ? -0.784800 : k == 14 ? -0.224229 : 0.0;
    EXPECT_NEAR(r.steps[static_cast<std::size_t>(k)].result.contacts[0].p_r / 0.07, moment, 1e-6);
  }
}

// P0-C at the largest step: all formulations are one model. Where p_n is near 0 a tolerance t
// leaves the Fritz-John form impulses of the order of sqrt(t).
TEST(TwoSpheres, FormulationsAgree) {
  const Scene scene = load_scene("two-spheres", {});
  const ImplicitRun reference = run_implicit(scene, 0.1, 4.0, "closed-form-gap");
  const std::vector<std::pair<const char*, double>> others = {
      {"geometric-implicit", 1e-8},
      {"geometric-implicit:points=unit-normal", 1e-8},
      {"geometric-implicit:points=tangential", 1e-8},
      {"geometric-implicit:friction=fritz-john", 1e-6},
      {"closed-form-gap:friction=fritz-john", 1e-6}};
  for (const auto& [formulation, close] : others) {
    const ImplicitRun r = run_implicit(scene, 0.1, 4.0, formulation);
    ASSERT_EQ(r.steps.size(), 40u);
    for (std::size_t k = 0; k < 40; ++k) {
      const BodyState &x = body_of(r.steps[k], "ball"), &y = body_of(reference.steps[k], "ball");
      ASSERT_LE((x.position - y.position).norm(), close) << formulation << " " << k;
      ASSERT_LE((x.velocity - y.velocity).norm(), close) << formulation << " " << k;
      ASSERT_LE((x.angular_velocity - y.angular_velocity).norm(), close) << formulation << " " << k;
    }
  }
}

// The momentum error is computed from the contacts at the end of the step, not from the problem.
TEST(FourEllipsoids, StepsObeyTheContactLaw) {
  const Scene scene = load_scene("four-ellipsoids", {});
  for (const StepReport& step : run_implicit(scene, 0.01, 0.3).steps) {
    ASSERT_LE(step.result.momentum_error, 1e-11);
    if (step.result.columns.empty()) continue;
    EXPECT_LE(step.result.columns[0], 1e-10);  // m
    EXPECT_LE(step.result.columns[1], 1e-9);
    EXPECT_LE(step.result.columns[2], 1e-9);  // m/s
    // Friction takes energy; normal impulses may feed some on curved bodies.
    EXPECT_LE(step.result.contact_work, step.result.feeding + 1e-12);
  }
}

// Theta vanishes at the end of every step: linearised joints drift by the second order of h.
TEST(ImplicitJoints, DoNotDrift) {
  const std::string joined = R"("dimension":3,"gravity":[0,0,-9.81],"bodies":[
    {"name":"wall","fixed":true},
    {"name":"a","mass":1,"inertia":[0.1,0.2,0.3],"position":[0.5,0,0],"angular_velocity":[0.3,0,1]},
    {"name":"b","mass":2,"inertia":[0.2,0.1,0.2],"position":[1.5,0.2,0]}],"joints":[)";
  const std::string joints =
      R"({"name":"r","type":"revolute","a":"a","b":"wall","anchor":[0,0,0],"axis":[0,1,0]},
         {"name":"s","type":"spherical","a":"b","b":"a","anchor":[1,0,0]}])";
  const std::vector<Scene> scenes = {load_scene("pendulum", {}), scene_of(joined + joints)};
  for (const Scene& scene : scenes) {
    for (const StepReport& step : run_implicit(scene, 0.02, 0.4).steps) {
      ASSERT_GT(step.result.joint_values.size(), 0);
      ASSERT_LE(step.result.joint_values.cwiseAbs().maxCoeff(), 1e-10) << scene.name;
      ASSERT_LE(step.result.momentum_error, 1e-11) << scene.name;
    }
  }
}

// The first ball and the last overlap, but fixed joints make one body of the three.
TEST(GeometricImplicit, PartsOfARigidBodyDoNotCollide) {
  const Scene scene = scene_of(R"("dimension":3,"bodies":[
    {"name":"a","mass":1,"shape":{"type":"sphere","radius":0.5},"velocity":[1,0,0]},
    {"name":"b","mass":1,"shape":{"type":"sphere","radius":0.5},"position":[0.4,0,0],"velocity":[1,0,0]},
    {"name":"c","mass":1,"shape":{"type":"sphere","radius":0.5},"position":[0.8,0,0],"velocity":[1,0,0]}],
    "joints":[{"name":"j","type":"fixed","a":"b","b":"a","anchor":[0.2,0,0]},
              {"name":"k","type":"fixed","a":"c","b":"b","anchor":[0.6,0,0]}])");
  for (const StepReport& step : run_implicit(scene, 0.01, 0.05).steps)
    EXPECT_TRUE(step.result.contacts.empty());
}

TEST(GeometricImplicit, RefusesWhatItCannotTreat) {
  const auto with_shape = [](const std::string& shape, const std::string& rest = "") {
    return scene_of(R"("dimension":3,"bodies":[{"name":"a","mass":1,"inertia":[1,1,1],"shape":)" +
                    shape + "}]" + rest);
  };
  const std::string ball = R"({"type":"sphere","radius":1})";
  EXPECT_EQ(refusal_by_name("geometric-implicit", with_shape(ball)), "");
  EXPECT_EQ(refusal_by_name("closed-form-gap", with_shape(ball)), "");
  for (const char* shape : {R"({"type":"box","half":[1,1,1]})",
                            R"({"type":"superquadric","half":[1,1,1],"exponents":[1.5,1]})"}) {
    EXPECT_NE(refusal_by_name("geometric-implicit", with_shape(shape)).find("bodies[0].shape"),
              std::string::npos);
  }
  EXPECT_NE(refusal_by_name("closed-form-gap", with_shape(R"({"type":"ellipsoid","half":[1,1,2]})"))
                .find("bodies[0].shape"),
            std::string::npos);
  EXPECT_NE(
      refusal_by_name("geometric-implicit", with_shape(ball, R"(,"contact":{"restitution":0.5})"))
          .find("contact.restitution"),
      std::string::npos);
  EXPECT_NE(
      refusal_by_name("geometric-implicit", with_shape(ball, R"(,"contact":{"stiffness":100})"))
          .find("contact.stiffness"),
      std::string::npos);
  EXPECT_EQ(refusal_by_name("closed-form-gap", with_shape(ball, R"(,"contact":{"stiffness":100})")),
            "");
  for (const char* text : {"geometric-implicit:points=some", "geometric-implicit:points",
                           "closed-form-gap:points=multiplier", "geometric-implicit:friction=none"})
    EXPECT_THROW(make_formulation(text), std::invalid_argument) << text;
}

TEST(Scenes, NameTheFormulationTheyAreMadeFor) {
  EXPECT_EQ(default_formulation(load_scene("disc", {})), "geometric-implicit");
  EXPECT_EQ(default_formulation(load_scene("disc-polygon", {})), "stewart-trinkle");
}

// The nearest points of bodies apart or touching fulfil all three forms, and nothing else near
// does.
TEST(ClosestPoints, AreTheSolution) {
  Random random(7);
  for (int k = 0; k < 60; ++k) {
    for (const ClosestPointForm form :
         {ClosestPointForm::kMultiplier, ClosestPointForm::kUnitNormal,
          ClosestPointForm::kTangential}) {
      const double gap = k % 3 == 0 ? 0.0 : random.uniform(0.0, 1.0);
      const Pair p = random_pair(random, form, gap);
      const Problem problem = pair_problem(p);
      const Vector z = at_the_points(p);
      EXPECT_LE(verify(problem, {z, {}}, 1e-10).measure, 1e-10) << k;
      Vector moved = z;
      moved.head<3>() += 1e-3 * Vector3d(random.normal(), random.normal(), random.normal());
      EXPECT_GT(verify(problem, {moved, {}}, 1e-10).measure, 1e-6) << k;
    }
  }
}

// Where bodies touch, l1 = 0 and f(a1) = 0: whichever of both the row stands for, the Jacobian is
// regular, so the points are isolated and Newton's method has its order.
TEST(ClosestPoints, AreRegularWhereBodiesTouch) {
  Random random(17);
  for (int k = 0; k < 60; ++k) {
    const Pair p = random_pair(random, ClosestPointForm::kMultiplier, 0.0);
    const Problem problem = pair_problem(p);
    McpFunction function(std::get<Mcp>(problem.data));
    SparseMatrix sparse = function.pattern();
    Vector f;
    function.evaluate(at_the_points(p), f, sparse.valuePtr());
    DenseMatrix jacobian(sparse);
    for (const bool meeting : {false, true}) {
      if (meeting)
        jacobian.row(p.unknowns.l1) = Vector::Unit(jacobian.cols(), p.unknowns.l1).transpose();
      const Eigen::JacobiSVD<DenseMatrix> svd(jacobian);
      EXPECT_GT(svd.singularValues().minCoeff(), 1e-4 * svd.singularValues().maxCoeff()) << k;
    }
  }
}

// Far sides: N_f = N_g. The tangential form takes them for nearest points although the bodies
// overlap; the multiplier form does not, whatever the multipliers.
TEST(ClosestPoints, OnlyTheTangentialFormAdmitsTheFarSide) {
  Scene scene;
  scene.bodies.resize(2);
  for (Body& body : scene.bodies) {
    body.fixed = true;
    body.shape = Sphere{1.0};
  }
  scene.bodies[1].position = {0, 0, 1.2};
  for (const bool tangential : {true, false}) {
    StepRecorder recorder(scene);
    const auto solid = [&](std::size_t k) {
      const Body& b = scene.bodies[k];
      return RecordedSolid{&b.shape, {b.position.cast<Expr>(), ExprMatrix3::Identity()}};
    };
    const RecordedPoints points = record_closest_points(
        recorder, tangential ? ClosestPointForm::kTangential : ClosestPointForm::kMultiplier,
        GapFunction::kOfA, "pair", 1, solid(0), solid(1), 1.0, Vector3d::UnitX().cast<Expr>(),
        Vector3d::UnitY().cast<Expr>());
    const RecordedStep step = recorder.finish();
    const Problem problem = step.problem(step_input(scene, initial_state(scene), 0.1));
    Vector z = Vector::Zero(step.size());
    z.segment<3>(points.unknowns.a1) = Vector3d(0, 0, 1);
    z.segment<3>(points.unknowns.a2) = Vector3d(0, 0, 2.2);
    EXPECT_GT(implicit_value(scene.bodies[0].shape, Vector3d(0, 0, 2.2)), 0.0);
    for (const double l1 : {0.0, 0.5, 1.2, 3.0}) {
      for (const double l2 : {0.0, 1.0}) {
        if (!tangential) z.tail<2>() = Eigen::Vector2d(l1, l2);
        const double residual = verify(problem, {z, {}}, 1e-12).measure;
        EXPECT_EQ(residual <= 1e-12, tangential) << l1 << " " << l2;
      }
    }
  }
}

// An answer on that branch is no step.
TEST(GeometricImplicit, RejectsTheFarSide) {
  const Scene scene = load_scene("spinning-sphere", {});
  for (const bool far : {false, true}) {
    const auto formulation = make_formulation("geometric-implicit:points=tangential");
    StageOrResult next = formulation->begin(scene, initial_state(scene), 0.07);
    const Stage& stage = std::get<Stage>(next);
    SolveRequest request;
    request.limits.tolerance = 1e-12;
    request.start = stage.problem.start;
    Answer answer = solve_verified(stage.problem, request).answer;
    if (far) {  // the top of the sphere
      for (int i = 0; i < stage.problem.size(); ++i) {
        if (stage.problem.variables[static_cast<std::size_t>(i)].ends_with(".a1.z"))
          answer.z[i] = -answer.z[i];
      }
    }
    const StageOrResult after = formulation->advance(answer);
    EXPECT_EQ(std::get<StepResult>(after).rejected.empty(), !far);
  }
}

}  // namespace
}  // namespace perp::test
