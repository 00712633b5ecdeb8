// What compliant contact does, in closed form, and what rigid contact of the theta-method does
// beside it.
#include "../theta_support.hpp"

#include <perp/problems/standard/compliant_point.hpp>
#include <perp/solvers/friction/sap.hpp>

#include <Eigen/Eigenvalues>

namespace perp::test {
namespace {

constexpr double kGravity = 9.81;

// Impact of a ball that comes with 1 m/s: its largest velocity after it, over a share of the step
// before it touches.
double rebound(const std::string& formulation, double share) {
  const double h = 0.01, gap = share * h;
  const Scene scene = scene_of(
      R"("dimension":3,"bodies":[{"name":"floor","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
      {"name":"ball","mass":1,"shape":{"type":"sphere","radius":0.1},"position":[0,0,)" +
      std::to_string(0.1 + gap) + R"(],"velocity":[0,0,-1]}])");
  double most = 0.0;
  for (const State& s : theta_run(scene, formulation, h, 0.06).states)
    most = std::max(most, s.bodies[1].velocity.z());
  return most;
}

TEST(ThetaMethod, MidpointReboundsFromRigidContactEulersDoNot) {
  double printed_least = 1.0, printed_most = 0.0, linear_most = 0.0;
  for (int k = 1; k < 20; ++k) {
    const double share = k / 20.0;
    const double printed = rebound("theta-method:end_gap=printed", share);
    const double linear = rebound("theta-method", share);
    EXPECT_NEAR(printed, std::abs(1 - 2 * share),
                1e-6);  // v+ = 1 - 2 gap / h, or that a step later
    // The gap is -(1 - share) h/2 after the first step, -(1 + share) h/4 after the second.
    EXPECT_NEAR(linear, std::max(0.5 * (1 - share), 0.25 * (1 + share)), 1e-6);
    printed_least = std::min(printed_least, printed);
    printed_most = std::max(printed_most, printed);
    linear_most = std::max(linear_most, linear);
    for (const char* euler : {"symplectic", "implicit"}) {
      for (const char* gap : {"linear", "printed"})
        EXPECT_LT(rebound(std::string("theta-method:theta=") + euler + ",end_gap=" + gap, share),
                  1e-9);
    }
  }
  EXPECT_GT(printed_most, 0.85);
  EXPECT_LT(printed_least, 0.05);
  EXPECT_GT(linear_most, 0.45);
}

TEST(ThetaMethod, ExplicitEulerRefusesContacts) {
  const auto explicit_euler = make_formulation("theta-method:theta=explicit");
  const auto refusal = refusal_of(*explicit_euler, load_scene("box-on-ramp", {}));
  ASSERT_TRUE(refusal);
  EXPECT_NE(refusal->find("bodies[1].shape"), std::string::npos) << *refusal;
  EXPECT_FALSE(
      refusal_of(*make_formulation("theta-method:theta=explicit"), load_scene("chain", {})));
  EXPECT_TRUE(refusal_of(*make_formulation("theta-method:theta_q=-0.5"), load_scene("chain", {})));
}

// A cube that slides on a floor, and one that rests on a slope.
Scene cube(double slope, double speed, double mu) {
  const double a = slope * kPi / 180;
  return scene_of(
      R"("dimension":3,"gravity":[)" + std::to_string(kGravity * std::sin(a)) + ",0," +
      std::to_string(-kGravity * std::cos(a)) +
      R"(],"bodies":[{"name":"floor","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
      {"name":"cube","mass":1,"shape":{"type":"box","half":[0.2,0.2,0.05]},"position":[0,0,0.05],"velocity":[)" +
      std::to_string(speed) + R"(,0,0]}],"contact":{"mu":)" + std::to_string(mu) + "}");
}

double smallest_gap(const State& s) { return s.bodies[1].position.z() - 0.05; }

TEST(CompliantContact, SlidingGlides) {
  const double h = 0.01, mu = 0.3, tau = h / kPi;
  const ThetaRun soft = theta_run(cube(0, 2, mu), "theta-method-convex:theta=symplectic", h, 0.2);
  const double speed = soft.states.back().bodies[1].velocity.x();
  EXPECT_GT(speed, 1.0);
  EXPECT_NEAR(smallest_gap(soft.states.back()) / ((h + tau) * mu * speed), 1.0, 0.05);
  const ThetaRun exact = theta_run(cube(0, 2, mu), "theta-method:theta=symplectic", h, 0.2);
  EXPECT_LT(std::abs(smallest_gap(exact.states.back())), 1e-9);
}

TEST(CompliantContact, StictionCreeps) {
  const double h = 0.01, mu = 0.5;
  for (const double sigma : {1e-2, 1e-3}) {
    const ThetaRun soft =
        theta_run(cube(20, 0, mu),
                  "theta-method-convex:theta=symplectic,sigma=" + std::to_string(sigma), h, 0.5);
    const double creep = soft.states.back().bodies[1].velocity.x();
    EXPECT_GT(creep, 0.05 * mu * sigma * h * kGravity);
    EXPECT_LE(creep, mu * sigma * h * kGravity);
    for (const ContactResult& c : soft.steps.back().result.contacts)
      EXPECT_EQ(c.mode, ContactMode::kStick);
  }
  const ThetaRun exact = theta_run(cube(20, 0, mu), "theta-method:theta=symplectic", h, 0.5);
  EXPECT_LT(std::abs(exact.states.back().bodies[1].velocity.x()), 1e-10);
}

// A ball that does not turn (w = 1/sqrt(3)) and a hoop (w = 1): (h + tau) R_n m g h.
TEST(CompliantContact, NearRigidContactSinks) {
  const double h = 0.01;
  for (const auto& [inertia, sunk] : {std::pair(1e9, 1.89e-5), std::pair(0.01, 3.27e-5)}) {
    const std::string i = std::to_string(inertia);
    const Scene scene = scene_of(
        R"("dimension":3,"gravity":[0,0,-9.81],"bodies":[{"name":"floor","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
        {"name":"ball","mass":1,"inertia":[)" +
        i + "," + i + "," + i +
        R"(],"shape":{"type":"sphere","radius":0.1},"position":[0,0,0.1]}],"contact":{"mu":0.5})");
    const ThetaRun soft = theta_run(scene, "theta-method-convex:theta=symplectic", h, 0.5);
    EXPECT_NEAR((0.1 - soft.states.back().bodies[1].position.z()) / sunk, 1.0, 0.01);
    const ThetaRun exact = theta_run(scene, "theta-method:theta=symplectic", h, 0.5);
    EXPECT_NEAR(exact.states.back().bodies[1].position.z(), 0.1, 1e-12);
  }
}

// Of the Newton matrix where everything sticks.
double condition(double sigma) {
  const auto model =
      make_formulation("theta-method-convex:theta=symplectic,sigma=" + std::to_string(sigma));
  const Scene scene = cube(0, 0, 0.5);
  const StageOrResult begun = model->begin(scene, initial_state(scene), 0.01);
  const auto& p = std::get<ConvexContact>(std::get<Stage>(begun).problem.data);
  const DenseMatrix j = p.J.to_dense();
  const DenseMatrix h = p.A.to_dense() + j.transpose() * p.R.cwiseInverse().asDiagonal() * j;
  const Vector values = h.selfadjointView<Eigen::Lower>().eigenvalues();
  return values.maxCoeff() / values.minCoeff();
}

TEST(CompliantContact, ConditionNumberIsInverseToSigma) {
  EXPECT_NEAR(condition(1e-4) / condition(1e-3), 10.0, 1.0);
  EXPECT_NEAR(condition(1e-5) / condition(1e-4), 10.0, 1.0);
}

TEST(CompliantContact, RegularisationOfAPoint) {
  const double h = 0.01, w = 2.0;
  const CompliantRegularisation rigid = regularise({w, 1e-3}, {h});
  EXPECT_DOUBLE_EQ(rigid.normal, w / (4 * kPi * kPi));
  EXPECT_DOUBLE_EQ(rigid.tangential, 1e-3 * w);
  EXPECT_DOUBLE_EQ(rigid.bias, -1e-3 / (h + h / kPi));
  const CompliantRegularisation soft = regularise({w, -1e-3, 100.0, 0.02}, {h});
  EXPECT_DOUBLE_EQ(soft.normal, 1 / (h * 100 * 0.03));
  EXPECT_DOUBLE_EQ(soft.bias, 1e-3 / 0.03);
}

// A stack under load is pressed together by the springs of its contacts, p / h = -k gap.
TEST(CompliantContact, SpringsOfContactsCarryTheirLoad) {
  Scene scene = cube(0, 0, 0.5);
  scene.contact.stiffness = 2000;
  scene.contact.dissipation = 0.05;
  for (const char* model : {"theta-method-convex", "theta-method", "coulomb-implicit",
                            "linearised+compliant+position-level", "theta-method:theta=implicit"}) {
    const ThetaRun r = theta_run(scene, model, 0.01, 3);
    EXPECT_NEAR(smallest_gap(r.states.back()), -kGravity / (4 * 2000), 2e-6) << model;
  }
}

// The oracle: the gap and the velocity of the end of the step, nothing linearised. On a plane the
// two are the same; between balls that meet obliquely they differ by O(h).
TEST(CompliantContact, ClosedFormGapsAreItsLimit) {
  const std::string soft = R"("contact":{"mu":0.3,"stiffness":3000,"dissipation":0.01}})";
  const auto with = [&](const std::string& bodies) {
    return scene_from_text(
        R"({"format":"perp-scene","version":1,"name":"test","dimension":3,"gravity":[0,0,-9.81],"bodies":[)" +
            bodies + "]," + soft,
        "test");
  };
  const std::string floor =
      R"({"name":"floor","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},)";
  const Scene drop = with(
      floor +
      R"({"name":"ball","mass":1,"shape":{"type":"sphere","radius":0.1},"position":[0,0,0.2],"velocity":[0.5,0.2,0],"angular_velocity":[1,3,2]})");
  const auto apart = [](const Scene& scene, double h, double duration) {
    const ThetaRun oracle =
                       theta_run(scene, "closed-form-gap", h, duration, 1e-11, "josephy-newton"),
                   model = theta_run(scene, "coulomb-implicit", h, duration, 1e-11);
    double most = 0.0, depth = 0.0;
    int in_contact = 0;
    for (std::size_t k = 0; k < oracle.states.size(); ++k) {
      for (std::size_t b = 0; b < scene.bodies.size(); ++b)
        most = std::max(
            most,
            (oracle.states[k].bodies[b].position - model.states[k].bodies[b].position).norm());
    }
    for (const StepReport& step : oracle.steps) {
      for (const ContactResult& c : step.result.contacts) depth = std::max(depth, -c.contact.gap);
      if (step.result.columns.empty()) continue;
      ++in_contact;
      EXPECT_LT(step.result.columns[0], 1e-9);  // law_gap
    }
    EXPECT_GT(in_contact, 0);
    EXPECT_GT(depth, 1e-3);  // they do give way
    return most;
  };
  EXPECT_LT(apart(drop, 0.005, 0.4), 1e-7);
  const Scene pair = with(
      R"({"name":"a","fixed":true,"shape":{"type":"sphere","radius":0.2},"position":[0,0,0]},
      {"name":"b","mass":1,"shape":{"type":"sphere","radius":0.2},"position":[0.1,0.05,0.45]})");
  // Without friction: the arms of a depth are a convention, that of the midpoint or of a's surface.
  Scene smooth = pair;
  smooth.contact.mu = 0.0;
  std::vector<double> differences;
  for (const double h : {0.001, 0.0005, 0.00025, 0.000125})
    differences.push_back(apart(smooth, h, 0.2));
  EXPECT_LT(differences[0], 0.01);
  EXPECT_NEAR(std::log2(differences[0] / differences[3]) / 3, 1.0, 0.3)
      << testing::PrintToString(differences);
}

// Joints and contacts: the velocities of a convex_contact are those at which joints hold.
TEST(CompliantContact, JointsHold) {
  const Scene chain = load_scene("hung-chain", {{"height", 0.5}});
  const ThetaRun soft = theta_run(chain, "theta-method-convex:theta=symplectic", 0.0025, 0.5);
  const ThetaRun exact = theta_run(chain, "theta-method:theta=symplectic", 0.0025, 0.5);
  double apart = 0.0;
  bool touched = false;
  for (std::size_t k = 0; k < soft.states.size(); ++k) {
    for (std::size_t b = 0; b < chain.bodies.size(); ++b)
      apart = std::max(
          apart, (soft.states[k].bodies[b].position - exact.states[k].bodies[b].position).norm());
  }
  for (const StepReport& s : soft.steps) {
    EXPECT_LT(s.result.joint_values.cwiseAbs().maxCoeff(), 2e-3);
    EXPECT_LT(s.result.momentum_error, 1e-10);
    for (const ContactResult& c : s.result.contacts) touched |= c.p_n > 0;
  }
  EXPECT_TRUE(touched);
  EXPECT_LT(apart, 0.05);
}

// The point of a contact is where the model puts it, for both bodies: else columns would tell of
// velocities and moments that no force of the step had.
TEST(CompliantContact, TheRecordedPointIsThatOfTheModel) {
  const Scene pair = scene_of(
      R"("dimension":3,"gravity":[0,0,0],"contact":{"mu":0.5,"stiffness":1000},"bodies":[
      {"name":"a","mass":1,"shape":{"type":"sphere","radius":0.2},"position":[0,0,0]},
      {"name":"b","mass":1,"shape":{"type":"sphere","radius":0.2},"position":[0.1,0.05,0.45],"velocity":[0,0,-2]}])");
  bool touched = false;
  const ThetaRun run = theta_run(pair, "closed-form-gap", 0.001, 0.1);
  for (const StepReport& s : run.steps) {
    EXPECT_LT(s.result.momentum_error, 1e-9);
    for (const ContactResult& c : s.result.contacts) touched |= c.p_n > 0 && c.slip > 1e-3;
  }
  EXPECT_TRUE(touched);
}

}  // namespace
}  // namespace perp::test
