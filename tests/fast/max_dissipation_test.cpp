// Maximum dissipation: the ramp of the paper, energy, phases that are cut short, impacts.
#include "dissipation_support.hpp"
#include "support.hpp"

#include <Eigen/LU>
#include <cmath>
#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/formulations/dynamics/joints.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/problems/scenes/scene_json.hpp>

namespace perp::test {
namespace {

struct Recording {
  SimulationSummary summary;
  std::vector<StepReport> steps;

  const BodyState& last(std::size_t body) const { return summary.final_state.bodies[body]; }
};

Recording run_recorded(const Scene& scene, const std::string& formulation, double h = 0.0,
                       double duration = 0.0, const SolveRequest& solve = {}) {
  Recording r;
  SimulationRequest request;
  request.formulation = formulation;
  request.step = h;
  request.duration = duration;
  request.solve = solve;
  request.on_step = [&](const StepReport& step) {
    r.steps.push_back(step);
    return true;
  };
  r.summary = simulate(scene, request);
  EXPECT_EQ(r.summary.failed_steps, 0) << formulation << ": " << r.summary.message;
  return r;
}

SolveRequest exactly(double tolerance) {
  SolveRequest solve;
  solve.limits.tolerance = tolerance;
  return solve;
}

constexpr const char* kModels[] = {"max-dissipation-step", "max-dissipation-impulse"};

// v = g (sin 30 deg - 0.3 cos 30 deg) t after 0.4 s: what the complementarity problem gives too.
TEST(MaxDissipation, AlongTheSlopeOfTheRamp) {
  const Scene ramp = load_scene("box-on-ramp", {});
  const double exact = 9.81 * (0.5 - 0.3 * std::sqrt(0.75)) * 0.4;
  const Recording lcp = run_recorded(ramp, "stewart-trinkle", 0.02, 0.4, exactly(1e-10));
  for (const char* model : kModels) {
    const Recording r = run_recorded(ramp, model, 0.02, 0.4, exactly(1e-10));
    EXPECT_EQ(r.summary.cut_short_steps, 0);
    EXPECT_NEAR(r.last(1).velocity.x(), exact, 1e-6) << model;
    EXPECT_LE((r.last(1).velocity - lcp.last(1).velocity).norm(), 1e-6) << model;
  }
}

// Across the slope the pyramid of four edges keeps all friction on one of them; the cone does not,
// and pyramids come nearer to it with more edges.
TEST(MaxDissipation, AcrossTheRampPyramidsDiffer) {
  const Scene ramp = load_scene("box-on-ramp", {{"vx", 1}, {"vy", 1}});
  const Recording convex = run_recorded(ramp, kModels[0], 0.02, 0.4, exactly(1e-9));
  const Vector3d v = convex.last(1).velocity;
  EXPECT_NEAR(v.x(), 2.0544, 1e-4);
  EXPECT_NEAR(v.y(), 0.5586, 1e-4);
  double apart = INFINITY;
  for (const int edges : {4, 8, 16, 60}) {
    const Recording pyramid = run_recorded(ramp, "stewart-trinkle:edges=" + std::to_string(edges),
                                           0.02, 0.4, exactly(1e-10));
    const double now = (pyramid.last(1).velocity - v).norm();
    if (edges == 4) {
      EXPECT_NEAR(now, 0.4553, 1e-3);
    }
    EXPECT_LT(now, apart) << edges;
    apart = now;
  }
  EXPECT_LE(apart, 0.01);
}

// An arm of two boxes that stands on the ground by a corner, with a joint between them.
Scene jointed_boxes(double mu) {
  Scene s = scene_from_text(
      R"({"format":"perp-scene","version":1,"name":"jointed","dimension":3,"gravity":[0,0,-9.81],
    "bodies":[{"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
     {"name":"a","mass":2,"shape":{"type":"box","half":[0.5,0.2,0.1]},"position":[0,0,0.1],"velocity":[0.5,0.3,0]},
     {"name":"b","mass":1,"shape":{"type":"box","half":[0.3,0.2,0.1]},"position":[0.9,0,0.1],"velocity":[0.5,0.1,0]}],
    "joints":[{"name":"hinge","type":"revolute","a":"b","b":"a","anchor":[0.55,0,0.1],"axis":[0,1,0]}],
    "step":0.01,"duration":0.3})",
      "jointed");
  s.contact.mu = mu;
  return s;
}

// The whole step in one linear system, for velocities and joint impulses: M and G stacked. What a
// contact does is seen by giving it a unit impulse and looking at the velocities of all others.
class TestImpulses {
 public:
  TestImpulses(const Scene& scene, const State& state, double h, const Problem& problem)
      : coordinates_(scene) {
    const int nv = coordinates_.size();
    std::vector<Triplet> entries;
    theta_ = joint_constraints(scene, state, coordinates_, 0, entries);
    const int nj = static_cast<int>(theta_.size());
    SparseMatrix joints(nj, nv);
    joints.setFromTriplets(entries.begin(), entries.end());
    const DenseMatrix mass = DenseMatrix(inverse_mass_matrix(scene, state, coordinates_)).inverse();
    DenseMatrix kkt = DenseMatrix::Zero(nv + nj, nv + nj);
    kkt.topLeftCorner(nv, nv) = mass;
    kkt.topRightCorner(nv, nj) = DenseMatrix(joints).transpose();
    kkt.bottomLeftCorner(nj, nv) = joints;
    lu_.compute(kkt);
    Vector right(nv + nj);
    right << mass * free_velocity(scene, state, coordinates_, h), -theta_ / h;
    before_ = lu_.solve(right).head(nv);
    for (const ContactInfo& contact : problem.contacts) {
      add_row(scene, state, contact, contact.normal);
      for (const auto& tangent : contact.tangents) add_row(scene, state, contact, tangent);
    }
  }

  // Velocities of all rows (n, t, o by contact) that a unit impulse of row c leads to.
  Vector response(int c) const {
    Vector impulse = Vector::Zero(before_.size() + theta_.size());
    impulse.head(before_.size()) = rows_.row(c).transpose();
    return rows_ * lu_.solve(impulse).head(before_.size());
  }
  Vector before() const { return rows_ * before_; }

 private:
  void add_row(const Scene& scene, const State& state, const ContactInfo& contact,
               const std::vector<double>& direction) {
    rows_.conservativeResizeLike(DenseMatrix::Zero(rows_.rows() + 1, before_.size()));
    const Vector3d d(direction[0], direction[1], direction[2]);
    const Vector3d point(contact.point[0], contact.point[1], contact.point[2]);
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      const std::string& name = scene.bodies[b].name;
      const double sign = name == contact.body_a ? 1.0 : name == contact.body_b ? -1.0 : 0.0;
      const int at = coordinates_.offset(static_cast<int>(b));
      if (sign == 0.0 || at < 0) continue;
      const Vector3d arm = point - state.bodies[b].position;
      rows_.row(rows_.rows() - 1).segment<3>(at) += sign * d.transpose();
      rows_.row(rows_.rows() - 1).segment<3>(at + 3) += sign * arm.cross(d).transpose();
    }
  }

  Coordinates coordinates_;
  Eigen::FullPivLU<DenseMatrix> lu_;
  Vector theta_, before_;
  DenseMatrix rows_;
};

double number_of(const Problem& problem, const char* name) {
  return *problem.source.find(name)->get_if<double>();
}

TEST(MaxDissipation, MatricesAreThoseOfTestImpulses) {
  const Scene s = jointed_boxes(0.3);
  const State state = initial_state(s);
  for (const char* model : kModels) {
    const auto formulation = make_formulation(model);
    StageOrResult next = formulation->begin(s, state, s.step);
    const auto normal = std::get<Stage>(next);
    const auto& first = std::get<BoxQp>(normal.problem.data);
    const double velocity = number_of(normal.problem, "velocity_scale"),
                 scale = number_of(normal.problem, "impulse_scale") / velocity;
    const TestImpulses test(s, state, s.step, normal.problem);
    ASSERT_GE(first.size(), 8);
    for (int c = 0; c < first.size(); ++c) {
      const Vector u = scale * test.response(3 * c);
      const Vector column = first.H.to_dense().col(c);
      for (int i = 0; i < first.size(); ++i) EXPECT_NEAR(column[i], u[3 * i], 1e-12) << model;
      EXPECT_NEAR(first.c[c] * velocity, test.before()[3 * c], 1e-12) << model;
    }
    next = formulation->advance(solve_verified(normal.problem, exactly(1e-10)).answer);
    const auto friction = std::get<Stage>(next);
    const auto& second = std::get<ConicQp>(friction.problem.data);
    if (model == kModels[0]) continue;  // which keeps velocities as unknowns
    const DenseMatrix a = second.P.to_dense();
    ASSERT_EQ(a.cols(), 3 * first.size());
    for (int c = 0; c < a.cols(); ++c)
      EXPECT_LE((a.col(c) - scale * test.response(c)).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LE((second.c * velocity - test.before()).cwiseAbs().maxCoeff(), 1e-12);
  }
}

void expect_properties(const Recording& r) {
  for (const StepReport& step : r.steps) expect_dissipation(step, 1e-7, 1e-7);
}

TEST(MaxDissipation, PropertiesHoldOnEveryStep) {
  for (const char* model : kModels) {
    expect_properties(
        run_recorded(load_scene("box-stack", {{"rows", 3}}), model, 0.01, 0.1, exactly(1e-9)));
    expect_properties(run_recorded(jointed_boxes(0.4), model, 0.01, 0.2, exactly(1e-9)));
    for (const double vy : {0.0, 1.0})
      expect_properties(run_recorded(load_scene("box-on-ramp", {{"vx", vy}, {"vy", vy}}), model,
                                     0.02, 0.4, exactly(1e-9)));
  }
}

// Steps with a second phase of so many iterations of interior-point, 0: of nothing at all.
Recording run_cut_short(const Scene& scene, int iterations) {
  Recording r;
  const auto formulation = make_formulation(kModels[0]);
  State state = initial_state(scene);
  for (int k = 0; k < 20; ++k) {
    StageOrResult next = formulation->begin(scene, state, 0.01);
    while (const Stage* stage = std::get_if<Stage>(&next)) {
      SolveRequest solve = exactly(1e-9);
      if (stage->name == "friction") {
        solve.solver = "interior-point";
        solve.limits.max_iterations = iterations;
      }
      VerifiedResult result;
      if (stage->name != "friction" || iterations > 0)
        result = solve_verified(stage->problem, solve);
      if (result.status == Status::kSolved) {
        next = formulation->advance(result.answer);
        continue;
      }
      auto settled = formulation->settle(result.answer);
      EXPECT_TRUE(settled.has_value()) << stage->name;
      if (!settled) return r;
      ++r.summary.cut_short_steps;
      next = std::move(*settled);
    }
    StepReport report;
    report.h = 0.01;
    report.result = std::get<StepResult>(std::move(next));
    state = report.result.state;
    r.steps.push_back(std::move(report));
  }
  return r;
}

// The second phase may be cut short after any number of iterations: what is left is the first one,
// or better.
TEST(MaxDissipation, ThePhasesMayBeCutShort) {
  const Scene s = jointed_boxes(0.4);
  for (const int iterations : {0, 1, 2, 4, 8}) {
    const Recording r = run_cut_short(s, iterations);
    EXPECT_EQ(r.steps.size(), 20U) << iterations;
    if (iterations <= 2) {
      EXPECT_GT(r.summary.cut_short_steps, 10) << iterations;
    }
    expect_properties(r);
  }
  EXPECT_EQ(run_cut_short(s, 200).summary.cut_short_steps, 0);
  // The driver does so too, where the solver takes no conic_qp.
  for (const char* solver : {"gradient-projection", "first(newton-min, gradient-projection)"}) {
    SolveRequest solve = exactly(1e-9);
    solve.solver = solver;
    const Recording r = run_recorded(s, kModels[0], 0.01, 0.2, solve);
    EXPECT_GT(r.summary.cut_short_steps, 10) << solver;
    for (const StepReport& step : r.steps)
      EXPECT_EQ(step.result.columns[1], step.result.columns[2]) << solver;
    expect_properties(r);
  }
}

TEST(MaxDissipation, WithoutFrictionItIsTheComplementarityProblem) {
  const Scene s = jointed_boxes(0.0);
  const Recording x = run_recorded(s, kModels[0], 0.01, 0.3, exactly(1e-11)),
                  y = run_recorded(s, "stewart-trinkle", 0.01, 0.3, exactly(1e-11));
  for (std::size_t b : {1U, 2U}) {
    EXPECT_LE((x.last(b).position - y.last(b).position).norm(), 1e-8);
    EXPECT_LE((x.last(b).velocity - y.last(b).velocity).norm(), 1e-7);
  }
}

// Each corner brakes with viscous * slip: v+ = (1 - 4 h viscous/m) v - mu g h, in any direction, as
// long as that does not turn it back; and no more than to rest.
TEST(MaxDissipation, ViscousFrictionIsProportionalToSlip) {
  const auto speeds = [](const std::string& contact, double h, double duration) {
    const Scene s =
        scene_from_text(R"({"format":"perp-scene","version":1,"name":"sled","dimension":3,
      "gravity":[0,0,-10],
      "bodies":[{"name":"floor","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
       {"name":"box","mass":2,"position":[0,0,0.01],"velocity":[0.6,0.8,0],
        "shape":{"type":"box","half":[2,2,0.01]}}],
      "contact":{)" + contact +
                            "}}",
                        "sled");
    std::vector<double> v;
    for (const StepReport& step : run_recorded(s, kModels[0], h, duration, exactly(1e-10)).steps) {
      const Vector3d u = step.result.state.bodies[1].velocity;
      EXPECT_NEAR(u.x() * 0.8, u.y() * 0.6, 1e-6);
      EXPECT_NEAR(u.z(), 0.0, 1e-9);
      v.push_back(u.norm());
      EXPECT_LE(step.result.columns[1], step.result.columns[2] + 1e-9);  // phase II, phase I
    }
    return v;
  };
  double expected = 1.0;
  for (const double v : speeds(R"("viscous":0.5)", 0.01, 1.0)) {
    expected *= 1.0 - 4 * 0.01 * 0.5 / 2;
    EXPECT_NEAR(v, expected, 1e-6);
  }
  const double exact = std::exp(-1.0);
  const double coarse = expected - exact,
               fine = speeds(R"("viscous":0.5)", 0.005, 1.0).back() - exact;
  EXPECT_NEAR(coarse / fine, 2.0, 0.1);
  expected = 1.0;
  for (const double v : speeds(R"("viscous":0.5,"mu":0.1)", 0.01, 1.5)) {
    expected = std::max(0.0, expected * 0.99 - 0.1 * 10 * 0.01);
    EXPECT_NEAR(v, expected, 1e-6);
  }
  EXPECT_EQ(expected, 0.0);
  // More than enough to stop it within one step, which it does.
  EXPECT_NEAR(speeds(R"("viscous":500)", 0.01, 0.01).back(), 0.0, 1e-6);
}

TEST(MaxDissipation, ViscousFrictionNeedsPressure) {
  // Apart by less than it falls within a step, but lifted: a candidate that phase I leaves open.
  const Scene s = scene_from_text(
      R"({"format":"perp-scene","version":1,"name":"glider","dimension":3,"gravity":[0,0,-10],
      "bodies":[{"name":"floor","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
       {"name":"ball","mass":1,"position":[0,0,0.5005],"velocity":[1,0,1],
        "shape":{"type":"sphere","radius":0.5}}],
      "contact":{"viscous":5,"mu":0.3}})",
      "glider");
  const Recording r = run_recorded(s, kModels[0], 0.01, 0.01, exactly(1e-10));
  ASSERT_EQ(r.steps.back().result.contacts.size(), 1U);
  EXPECT_NEAR(r.steps.back().result.state.bodies[1].velocity.x(), 1.0, 1e-9);
  EXPECT_TRUE(
      refusal_of(*make_formulation("stewart-trinkle"), s).value_or("").find("contact.viscous") !=
      std::string::npos);
}

TEST(MaxDissipation, TakesOneOption) {
  EXPECT_NO_THROW(make_formulation("max-dissipation-step:rest_speed=0.1"));
  EXPECT_THROW(make_formulation("max-dissipation-step:velocities=kept"), std::invalid_argument);
}

// A ball that falls on a plane: after the impact it leaves with e times its speed.
TEST(MaxDissipation, RestitutionGivesBackWhatWasCompressed) {
  const Scene s = scene_from_text(
      R"({"format":"perp-scene","version":1,"name":"ball","dimension":3,"gravity":[0,0,-10],
    "bodies":[{"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
     {"name":"ball","mass":2,"shape":{"type":"sphere","radius":0.1},"position":[0,0,0.1],"velocity":[1,0,-3]}],
    "contact":{"mu":0.2,"restitution":0.6},"step":0.001,"duration":0.001})",
      "ball");
  for (const char* model : kModels) {
    const Recording r = run_recorded(s, model, 0.001, 0.001, exactly(1e-10));
    EXPECT_NEAR(r.last(1).velocity.z(), 0.6 * 3.01, 1e-8) << model;
    // It rolls afterwards: that takes 2/7 of its momentum, less than mu p_n.
    EXPECT_NEAR(r.last(1).velocity.x(), 5.0 / 7.0, 1e-6) << model;
  }
}

// The same motion by events and by steps, to first order in h.
TEST(MaxDissipation, EventsAndStepsAgree) {
  const Scene ramp = load_scene("box-on-ramp", {{"vx", 1}, {"vy", 1}});
  const auto apart = [&](double h) {
    SimulationRequest request;
    request.driver = Driver::kEventDriven;
    request.formulation = kModels[1];
    request.step = h;
    request.duration = 0.4;
    request.solve = exactly(1e-9);
    const SimulationSummary events = simulate(ramp, request);
    EXPECT_EQ(events.failed_steps, 0) << events.message;
    const Recording steps = run_recorded(ramp, kModels[0], h, 0.4, exactly(1e-9));
    return (events.final_state.bodies[1].position - steps.last(1).position).norm();
  };
  const double coarse = apart(0.02), fine = apart(0.002);
  EXPECT_LE(fine, 5e-3);
  EXPECT_NEAR(coarse / fine, 10.0, 3.0);
}

// A disc between two walls that are 1e-6 m too near.
TEST(MaxDissipation, AWedgeIsRelaxedWithACertificate) {
  const Scene scene = scene_from_text(
      R"({"format":"perp-scene","version":1,"name":"wedge","dimension":2,"gravity":[0,-10],
    "bodies":[{"name":"left","fixed":true,"shape":{"type":"half_space","normal":[1,0]}},
     {"name":"right","fixed":true,"position":[1.999999,0],"shape":{"type":"half_space","normal":[-1,0]}},
     {"name":"disc","mass":1,"inertia":0.5,"shape":{"type":"disc","radius":1},"position":[0.9999995,0]}],
    "contact":{"mu":0.5}})",
      "wedge");
  for (const char* model : {"max-dissipation-step", "linearised+max-dissipation+theta-method"}) {
    SimulationRequest request;
    request.formulation = model;
    request.step = 0.01;
    request.duration = 0.05;
    const SimulationSummary s = simulate(scene, request);
    EXPECT_EQ(s.failed_steps, 0) << model << s.message;
    EXPECT_EQ(s.relaxed_steps, 5) << model;
    EXPECT_EQ(s.uncertified_steps, 0) << model;
  }
}

}  // namespace
}  // namespace perp::test
