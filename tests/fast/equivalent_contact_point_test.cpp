// The equivalent contact point against closed forms [XieChakraborty2020].
#include "implicit_support.hpp"

#include <perp/formulations/collision/separation.hpp>
#include <perp/formulations/dynamics/state.hpp>
#include <perp/formulations/gap/equivalent_contact_point/convex_inequalities.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/formulations/stepping/predictor.hpp>

#include <Eigen/LU>

namespace perp::test {
namespace {

const std::string kEcp = "equivalent-contact-point";

double largest_difference(const ImplicitRun& a, const ImplicitRun& b) {
  double largest = a.steps.size() == b.steps.size() ? 0.0 : kInf;
  for (std::size_t k = 0; k < std::min(a.steps.size(), b.steps.size()); ++k) {
    const auto &x = a.steps[k].result.state.bodies, &y = b.steps[k].result.state.bodies;
    for (std::size_t i = 0; i < x.size(); ++i) {
      largest = std::max({largest, (x[i].position - y[i].position).norm(),
                          (x[i].velocity - y[i].velocity).norm(),
                          (x[i].angular_velocity - y[i].angular_velocity).norm()});
    }
  }
  return largest;
}

struct Slide {
  const char* what;
  std::map<std::string, double> parameters;
  Vector3d end, velocity;  // after 4 s with h = 0.01
};

class SlidingCube : public ::testing::TestWithParam<Slide> {};

// P1-1: the cube does not turn, and every step is the backward Euler step in closed form: with b =
// m v + h f, v+ = max(0, 1 - mu m g h / |b|) b / m. Its ECP leads the centre by mu L/2 or less.
TEST_P(SlidingCube, IsBackwardEulerStepByStep) {
  const Slide& slide = GetParam();
  const Scene s = load_scene("sliding-cube", slide.parameters);
  const double m = s.bodies[1].mass, mu = s.contact.mu, g = 9.8, h = 0.01;
  Vector3d x = s.bodies[1].position, v = s.bodies[1].velocity;
  const ImplicitRun r = run_implicit(s, h, 4.0, kEcp);
  ASSERT_EQ(r.steps.size(), 400u);
  for (const StepReport& step : r.steps) {
    const double t = h * (step.step - 1);
    const Vector3d force(s.loads[0].force[0](t), s.loads[0].force[1](t), 0.0);
    const Vector3d b = m * v + h * force;
    v = std::max(0.0, 1 - mu * m * g * h / b.norm()) * b / m;
    x += h * v;
    const BodyState& cube = step.result.state.bodies[1];
    ASSERT_LE((cube.position - x).norm(), 1e-8) << step.step;
    ASSERT_LE((cube.velocity - v).norm(), 1e-8) << step.step;
    ASSERT_EQ(step.result.contacts.size(), 1u);
    const ContactResult& c = step.result.contacts[0];
    const Vector3d p = m * v - b;  // friction
    ASSERT_NEAR(c.p_n, m * g * h, 1e-8);
    ASSERT_LE((Vector3d(c.p_t, c.p_o, c.p_r) - p).norm(), 1e-8) << step.step;
    const Vector3d ecp = x - 0.5 * p / (m * g * h) - Vector3d(0, 0, 0.5);
    ASSERT_LE((c.contact.point - ecp).norm(), 1e-8) << step.step;
    ASSERT_LE(std::abs(c.contact.gap), 1e-8);
    ASSERT_EQ(step.result.columns.back(), 1.0);  // one face touches
  }
  EXPECT_LE((x - slide.end).norm(), 1e-6) << slide.what;
  EXPECT_LE((v - slide.velocity).norm(), 1e-6) << slide.what;
}

INSTANTIATE_TEST_SUITE_P(
    P1, SlidingCube,
    ::testing::Values(Slide{"free", {}, {18.167104, 13.625328, 0.5}, {1.1008, 0.8256, 0}},
                      Slide{"constant force",
                            {{"vx", 1}, {"vy", 0.5}, {"fx", 3}, {"fy", 1}},
                            {11.8319465, 4.0780065, 0.5},
                            {4.870885, 1.630063, 0}},
                      Slide{"periodic force",
                            {{"vx", 0.3}, {"vy", 0.2}, {"mass", 15}, {"periodic", 22.5}},
                            {1.7712394, 1.5648232, 0.5},
                            {0.215866, 0.456185, 0}}),
    [](const auto& test) { return std::to_string(test.index); });

TEST(EquivalentContactPoint, ProblemsHaveThePapersSizes) {
  const auto size = [](const std::string& scene, const std::string& formulation) {
    const Scene s = load_scene(scene, {});
    const auto f = make_formulation(formulation);
    return std::get<Stage>(f->begin(s, initial_state(s), s.step)).problem.size();
  };
  EXPECT_EQ(size("sliding-cube", kEcp + ":form=faces"), 24);
  EXPECT_EQ(size("rolling-cylinder", kEcp + ":form=faces"), 21);
  EXPECT_EQ(size("sliding-cube", kEcp + ":form=distance"), 25);
  EXPECT_EQ(size("sliding-cube", kEcp), 20);
  EXPECT_EQ(size("rolling-cylinder", kEcp), 17);
}

// Recorded once: later problems of the same contacts share graph and tape.
TEST(EquivalentContactPoint, StepsShareOneRecording) {
  const Scene s = load_scene("sliding-cube", {});
  const auto f = make_formulation(kEcp);
  State state = initial_state(s);
  const Problem first = std::get<Stage>(f->begin(s, state, s.step)).problem;
  state.bodies[1].velocity *= 0.5;
  const Problem second = std::get<Stage>(f->begin(s, state, s.step)).problem;
  const Mcp &a = std::get<Mcp>(first.data), &b = std::get<Mcp>(second.data);
  EXPECT_EQ(a.graph, b.graph);
  EXPECT_EQ(a.compiled, b.compiled);
  EXPECT_NE(a.parameters, b.parameters);
}

TEST(EquivalentContactPoint, AllFormsAgree) {
  for (const char* name : {"sliding-cube", "rolling-cylinder"}) {
    const Scene s = load_scene(name, {});
    const ImplicitRun plane = run_implicit(s, 0, 0.3, kEcp);
    for (const char* option : {":form=distance", ":form=faces", ":friction=fritz-john"}) {
      EXPECT_LE(largest_difference(plane, run_implicit(s, 0, 0.3, kEcp + option)), 1e-9) << option;
    }
  }
}

// Both bodies move: on a floor without friction momentum is kept, and the slip falls by
// mu g (1 + m_2 / m_1) per second until they move as one.
TEST(EquivalentContactPoint, BoxSlidesOnAMovingBox) {
  const Scene s = load_scene("box-on-box", {{"floor_mu", 0}, {"y", 0}, {"vx", 1}, {"vy", 0}});
  const double mu = s.contact.mu, g = 9.8, h = 0.01, m1 = s.bodies[1].mass, m2 = s.bodies[2].mass;
  const ImplicitRun r = run_implicit(s, h, 0.6, kEcp);
  double slip = 1.0;
  for (const StepReport& step : r.steps) {
    const BodyState &lower = body_of(step, "lower"), &upper = body_of(step, "upper");
    slip = std::max(0.0, slip - mu * g * (1 + m2 / m1) * h);
    ASSERT_LE((m1 * lower.velocity + m2 * upper.velocity - m2 * Vector3d(1, 0, 0)).norm(), 1e-9);
    const ContactResult* between = contact_with(step, "lower");
    ASSERT_NE(between, nullptr);
    ASSERT_NEAR(between->p_n, m2 * g * h, 1e-9);
    ASSERT_NEAR(between->slip, slip, 1e-8) << step.step;
    ASSERT_LE(std::abs(between->contact.gap), 1e-9);
  }
  EXPECT_LE(contact_with(r.steps.back(), "lower")->slip, 1e-9);
}

// A box whose centre is beyond the edge of the other tips and falls; one short of it stays.
TEST(EquivalentContactPoint, BoxTipsOverTheEdgeOfAnother) {
  const auto end = [](double x) {
    return run_implicit(load_scene("box-on-box", {{"x", x}, {"vx", 0}, {"vy", 0}}), 0, 0.3, kEcp)
        .summary.final_state.bodies[2];
  };
  const BodyState stays = end(0.49), tips = end(0.53);
  EXPECT_LE((stays.position - Vector3d(0.49, -0.1, 0.3)).norm(), 1e-9);
  EXPECT_LE(stays.velocity.norm(), 1e-9);
  EXPECT_LE(tips.position.z(), 0.29);
  EXPECT_GE(tips.angular_velocity.y(), 1.0);
}

// A cylinder rolls on a block that is pulled: block F / (m_1 + m_2/3), centre of the cylinder a
// third of that, as backward Euler has it exactly.
TEST(EquivalentContactPoint, CylinderRollsOnAPulledBlock) {
  const Scene s = load_scene("cylinder-on-box", {});
  const double m1 = s.bodies[1].mass, m2 = s.bodies[2].mass, force = s.loads[0].force[0](0.0);
  const ImplicitRun r = run_implicit(s, 0, 0, kEcp);
  const double a = force / (m1 + m2 / 3);
  for (const StepReport& step : r.steps) {
    const double t = step.result.state.time;
    const BodyState &block = body_of(step, "block"), &cylinder = body_of(step, "cylinder");
    ASSERT_NEAR(block.velocity.x(), a * t, 1e-8);
    ASSERT_NEAR(cylinder.velocity.x(), a * t / 3, 1e-8);
    ASSERT_NEAR(cylinder.position.z(), 0.3, 1e-10);  // no drift while it turns
    ASSERT_LE(contact_with(step, "block")->slip, 1e-9);
    ASSERT_EQ(step.result.columns.back(), 1.0);
  }
}

// A prediction only gives the start: the motion is the same with it and without.
TEST(EquivalentContactPoint, PredictionsDoNotChangeTheMotion) {
  const Scene s = load_scene("box-on-box", {});
  const auto stages_of = [](const ImplicitRun& run) {
    int predictions = 0;
    for (const StepReport& step : run.steps) {
      for (const StageReport& stage : step.stages) predictions += stage.stage == "prediction";
    }
    return predictions;
  };
  const ImplicitRun never = run_implicit(s, 0.01, 0.5, kEcp + ":prediction=never"),
                    several = run_implicit(s, 0.01, 0.5, kEcp),
                    always = run_implicit(s, 0.01, 0.5, kEcp + ":prediction=always");
  ASSERT_EQ(never.steps.size(), 50u);
  EXPECT_LE(largest_difference(never, several), 1e-8);
  EXPECT_LE(largest_difference(never, always), 1e-8);
  EXPECT_EQ(stages_of(never), 0);
  EXPECT_GE(stages_of(several),
            40);  // the lower box has two contacts, until the upper one leaves it
  const Scene one = load_scene("sliding-cube", {});
  EXPECT_EQ(stages_of(run_implicit(one, 0.01, 0.1, kEcp)), 0);
  EXPECT_GE(stages_of(run_implicit(one, 0.01, 0.1, kEcp + ":prediction=always")), 10);
}

// Friction at several points of a face would brake the spin. The prediction has it at the centre of
// pressure, as the model has, and friction moves that centre along itself: it has no moment. So the
// prediction finds the motion of a box that slides and spins, and little is left to do.
TEST(EquivalentContactPoint, PredictionsDoNotBrakeASpin) {
  const Scene s = scene_from_text(R"({"format":"perp-scene","version":1,"name":"spin","dimension":3,
    "gravity":[0,0,-9.81],
    "bodies":[{"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
              {"name":"box","mass":8,"shape":{"type":"box","half":[0.1,0.1,0.1]},
               "position":[0,0,0.1],"velocity":[0.3,0.1,0],"angular_velocity":[0,0,4]}],
    "contact":{"mu":0.4},"step":0.01,"duration":0.08})",
                                  "spin");
  int iterations = 0;
  const ImplicitRun run = run_implicit(s, 0.01, 0.08, kEcp + ":prediction=always");
  ASSERT_EQ(run.steps.size(), 8u);
  for (const StepReport& step : run.steps) {
    for (const StageReport& stage : step.stages) {
      if (stage.stage == "contact") iterations += stage.iterations;
    }
    EXPECT_NEAR(step.result.state.bodies[1].angular_velocity.z(), 4.0, 1e-8) << step.step;
  }
  EXPECT_LE(iterations, 8);
}

// A round without an answer leaves the end of the round before. Its contacts are where they were
// when that round began, not where the next round has them: here one step of 2 m/s lower.
TEST(EquivalentContactPoint, AStoppedPredictionKeepsTheFrameOfItsEnd) {
  const Scene s = scene_from_text(R"({"format":"perp-scene","version":1,"name":"fall","dimension":3,
    "gravity":[0,0,0],
    "bodies":[{"name":"box","mass":8,"shape":{"type":"box","half":[0.1,0.1,0.1]},
               "position":[0,0,0.11],"velocity":[0,0,-2]},
              {"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}}],
    "contact":{"mu":0.4},"step":0.01,"duration":0.01})",
                                  "fall");
  Predictor predictor(make_formulation("coulomb-implicit"),
                      make_formulation("linearised+exact-cone+velocity-level"));
  auto next = predictor.begin(s, initial_state(s), 0.01);
  ASSERT_TRUE(next);
  ASSERT_TRUE(std::holds_alternative<Stage>(*next));
  const VerifiedResult round = solve_verified(std::get<Stage>(*next).problem, {});
  ASSERT_EQ(round.status, Status::kSolved);
  ASSERT_TRUE(std::holds_alternative<Stage>(predictor.advance(round.answer)));
  const std::optional<StepResult> end = predictor.stop();
  ASSERT_TRUE(end);
  predictor.take(*end);
  const ContactPoint3& point = end->contacts.front().contact;
  const PredictedContact* found = predictor.of({point.a, point.b});
  ASSERT_TRUE(found);
  ASSERT_EQ(point.a, 0);  // the box
  EXPECT_NEAR(found->centre.z(), point.point.z() - 0.11, 1e-12);
}

TEST(EquivalentContactPoint, RefusesWhatItCannotTake) {
  const auto refusal = [](const std::string& rest) {
    const Scene scene = scene_from_text(
        R"({"format":"perp-scene","version":1,"name":"test",)" + rest + "}", "test");
    return refusal_of(*make_formulation(kEcp), scene).value_or("");
  };
  const auto body = [](const std::string& shape) {
    return R"("dimension":3,"bodies":[{"name":"a","mass":1,"inertia":[1,1,1],"shape":)" + shape +
           "}]";
  };
  EXPECT_NE(refusal(R"("dimension":2,"bodies":[])").find("dimension"), std::string::npos);
  EXPECT_NE(refusal(body(R"({"type":"superquadric","half":[1,1,1],"exponents":[0.5,0.5]})"))
                .find("shape"),
            std::string::npos);
  EXPECT_NE(refusal(body(R"({"type":"sphere","radius":1})") + R"(,"contact":{"restitution":0.5})")
                .find("restitution"),
            std::string::npos);
  EXPECT_NE(refusal(body(R"({"type":"sphere","radius":1})") + R"(,"contact":{"stiffness":5})")
                .find("stiffness"),
            std::string::npos);
  EXPECT_EQ(refusal(body(R"({"type":"sphere","radius":1})")), "");
  for (const char* text : {":form=line", ":friction=none", ":x=1"})
    EXPECT_THROW(make_formulation(kEcp + text), std::invalid_argument) << text;
}

// Inequalities against the shape's own implicit function: the same solid.
TEST(ConvexInequalities, DescribeTheShape) {
  Random random(3);
  for (const Shape& shape :
       {Shape(Box{Vector3d(0.3, 0.5, 0.7)}), Shape(Cylinder{0.4, 0.6}), Shape(Sphere{0.5}),
        Shape(Ellipsoid{Vector3d(0.3, 0.5, 0.7)}), Shape(HalfSpace{Vector3d(0.6, 0, 0.8), 0.1})}) {
    for (int k = 0; k < 200; ++k) {
      const Vector3d y(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
      double largest = -kInf;
      for (const ConvexInequality& f : convex_inequalities(shape))
        largest = std::max(largest, f.value(y));
      EXPECT_EQ(largest > 0, implicit_value(shape, y) > 0) << shape_name(shape);
    }
  }
}

}  // namespace
}  // namespace perp::test
