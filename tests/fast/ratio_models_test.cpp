// Models with the ratio metric as their gap [Hart], steps of several lengths, penalty.
#include "support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/formulations/registry.hpp>

#include <algorithm>
#include <numbers>

namespace perp::test {
namespace {

struct RatioRun {
  SimulationSummary summary;
  std::vector<StepReport> steps;

  /// Of the last column, at the beginnings of steps.
  double largest_infeasibility() const {
    double most = 0.0;
    for (const StepReport& s : steps) {
      if (!s.result.columns.empty()) most = std::max(most, s.result.columns.back());
    }
    return most;
  }
};

RatioRun run_ratio(const Scene& scene, const std::string& formulation, std::vector<double> pattern,
                   double duration = 0.0) {
  SimulationRequest request;
  request.formulation = formulation;
  request.pattern = std::move(pattern);
  request.duration = duration;
  request.solve.limits.tolerance = 1e-12;
  RatioRun r;
  request.on_step = [&](const StepReport& step) {
    r.steps.push_back(step);
    return true;
  };
  r.summary = simulate(scene, request);
  EXPECT_EQ(r.summary.failed_steps, 0) << scene.name << ": " << r.summary.message;
  EXPECT_EQ(r.summary.relaxed_steps, 0) << scene.name;
  return r;
}

// rho is concave in the distance: a step that uses up all of the gap s = d - w ends s^2 / w deep.
TEST(RatioModel, OneStepOverlapsByTheSquareOfTheGap) {
  for (const double half : {1.0, 0.25}) {
    for (const double gap : {0.5, 0.1, 1e-3}) {
      Scene scene = load_scene("falling-cube", {{"gap", gap + half - 1}});
      scene.bodies[1].shape = Box{Vector3d::Constant(half)};
      scene.bodies[1].velocity = {0, 0, -100};
      const RatioRun r = run_ratio(scene, "ratio-metric", {0.01}, 0.01);
      const double width = 1 + half;
      EXPECT_NEAR(r.summary.final_state.bodies[1].position.z(), width - gap * gap / width, 1e-12);
    }
  }
}

double worst_overlap(double h) {
  double worst = 0.0;
  Scene scene = load_scene("falling-cube", {});
  for (int k = 0; k < 400; ++k) {
    scene.bodies[1].position.z() = 3 + 0.5 * k / 399;
    const RatioRun r = run_ratio(scene, "ratio-metric", {h});
    for (const StepReport& s : r.steps)
      worst = std::max(worst, 2 - s.result.state.bodies[1].position.z());
  }
  return worst;
}

TEST(RatioModel, WorstOverlapsOfAFallingCube) {
  EXPECT_NEAR(worst_overlap(0.1), 0.0830, 5e-5);
  EXPECT_NEAR(worst_overlap(0.03), 0.01094, 5e-6);
  EXPECT_NEAR(worst_overlap(0.01), 0.001304, 5e-7);
}

// I(q^l) = |v^l|^2 h_{l-1}^2 / 2 exactly, however steps follow each other.
TEST(VariableSteps, DriftOfAPendulumIsHalfOfTheSquareOfItsStep) {
  const Scene scene = load_scene("pendulum", {});
  const std::vector<std::pair<double, double>> fastest = {{1, 4.43},  {2, 4.43},  {5, 4.45},
                                                          {10, 4.53}, {30, 5.31}, {100, 10.8}};
  for (const auto& [c, speed] : fastest) {
    const RatioRun r = run_ratio(scene, "stewart-trinkle", {0.01, 0.01 / c});
    double most = 0.0;
    for (std::size_t k = 1; k < r.steps.size(); ++k) {
      const StepReport& before = r.steps[k - 1];
      const Vector3d v = before.result.state.bodies[1].velocity;
      EXPECT_NEAR(std::abs(r.steps[k].result.joint_values[0]),
                  0.5 * v.squaredNorm() * before.h * before.h, 1e-13);
      EXPECT_NEAR(before.h, k % 2 == 1 ? 0.01 : 0.01 / c, 1e-15);
      most = std::max(most, v.norm());
    }
    EXPECT_NEAR(most, speed, speed < 10 ? 0.005 : 0.05) << c;
    EXPECT_NEAR(r.summary.final_state.time, 3.0, 0.01);
  }
}

TEST(VariableSteps, EndWhereTheDurationDoes) {
  const Scene scene = load_scene("pendulum", {});
  EXPECT_EQ(run_ratio(scene, "stewart-trinkle", {0.25, 0.125}, 1.0).steps.size(), 5u);
  EXPECT_EQ(run_ratio(scene, "stewart-trinkle", {0.25, 0.125}, 0.375).steps.size(), 2u);
  EXPECT_EQ(run_ratio(scene, "stewart-trinkle", {0.25, 0.125}, 0.25).steps.size(), 1u);
  SimulationRequest request;
  request.driver = Driver::kEventDriven;
  request.formulation = "anitescu-potra";
  request.pattern = {0.1, 0.2};
  EXPECT_THROW(simulate(scene, request), std::invalid_argument);
  request.pattern = {0.0};
  request.driver = Driver::kTimeStepping;
  EXPECT_THROW(simulate(scene, request), std::invalid_argument);
}

// Faces on faces: the normal is exact, so all gaps slide alike; printed rows have friction w mu.
TEST(RatioModel, SlidesAsTheTrueDistanceDoes) {
  const Scene scene = load_scene("box-on-slab", {});
  const double slope = std::numbers::pi / 6;
  const auto closed_form = [&](double mu) {
    return 0.4 * 9.81 * (std::sin(slope) - mu * std::cos(slope));
  };
  const auto speed = [&](const std::string& formulation) {
    return run_ratio(scene, formulation, {0.02}).summary.final_state.bodies[1].velocity.x();
  };
  EXPECT_NEAR(closed_form(0.3), 0.942515, 1e-6);
  for (const char* law : {"ratio-metric", "stewart-trinkle:gap=ratio", "coulomb-implicit:gap=ratio",
                          "max-dissipation-step:gap=ratio"})
    EXPECT_NEAR(speed(law), closed_form(0.3), 1e-6) << law;
  EXPECT_NEAR(speed("ratio-metric:rows=printed"), closed_form(0.3 * 1.5), 1e-6);
}

// The largest distance of both motions at any time. Of twenty heights the worst, since it depends
// on where within a step the box lands.
TEST(RatioModel, IsAnOrderOfTheStepFromTheTrueDistance) {
  const auto apart = [](double h) {
    double worst = 0.0;
    Scene scene = load_scene("box-on-slab", {{"vx", 2.0}, {"vy", 1.0}});
    for (int k = 0; k < 20; ++k) {
      scene.bodies[1].position.z() = 0.6 + 0.01 * k;
      const RatioRun ratio = run_ratio(scene, "ratio-metric", {h}, 0.4),
                     linearised = run_ratio(scene, "stewart-trinkle", {h}, 0.4);
      for (std::size_t i = 0; i < ratio.steps.size(); ++i) {
        worst = std::max(worst, (ratio.steps[i].result.state.bodies[1].position -
                                 linearised.steps[i].result.state.bodies[1].position)
                                    .norm());
      }
    }
    return worst;
  };
  const double coarse = apart(0.02), middle = apart(0.01), fine = apart(0.005);
  EXPECT_GT(fine, 1e-8);  // they do differ
  EXPECT_LT(middle, 0.55 * coarse);
  EXPECT_LT(fine, 0.55 * middle);
}

// Where in a step the crank lands decides too: the worst of sixteen steps of nearly one length.
TEST(RatioModel, InfeasibilityOfAFourBarWithContactIsOfSecondOrder) {
  const Scene scene = load_scene("four-bar-contact", {});
  const auto worst = [&](double h) {
    double most = 0.0;
    for (int k = 0; k < 16; ++k)
      most = std::max(
          most,
          run_ratio(scene, "ratio-metric", {h * (1 - 0.01 * k)}, 2.0).largest_infeasibility());
    return most;
  };
  const double slope = std::log(worst(0.03) / worst(0.001)) / std::log(30.0);
  EXPECT_NEAR(slope, 2.0, 0.2);
}

TEST(RatioModel, HasEveryLawAndSaysWhatItCannotMeasure) {
  const auto refusal = [](const std::string& formulation, const std::string& scene) {
    return refusal_of(*make_formulation(formulation), load_scene(scene, {})).value_or("");
  };
  for (const char* law : {"stewart-trinkle", "anitescu-potra", "coulomb-implicit",
                          "anitescu-tasora", "max-dissipation-step", "penalty"}) {
    const std::string formulation = std::string(law) + ":gap=ratio";
    EXPECT_EQ(refusal(formulation, "falling-cube"), "") << law;
    EXPECT_NE(refusal(formulation, "box-on-ramp").find("a half_space cannot be scaled"),
              std::string::npos);
    EXPECT_NE(refusal(formulation, "sphere-collision").find("field \"bodies["), std::string::npos);
  }
  EXPECT_THROW(make_formulation("stewart-trinkle:gap=Ratio"), std::invalid_argument);
  EXPECT_THROW(make_formulation("ratio-metric:rows=feet"), std::invalid_argument);
}

// Free fall onto springs: at rest they carry the weight.
TEST(Penalty, RestsWhereItsSpringsCarryTheWeight) {
  const Scene scene = load_scene("falling-cube", {{"gap", 0.01}});
  const RatioRun r = run_ratio(scene, "penalty:stiffness=1e5", {1e-4}, 1.0);
  const double depth = 2 - r.summary.final_state.bodies[1].position.z();
  EXPECT_NEAR(depth, 9.81 / 4e5, 1e-9);  // a mass of 1 kg on four corners
  double pushed = 0.0;
  for (const ContactResult& c : r.steps.back().result.contacts) pushed += c.p_n;
  EXPECT_NEAR(pushed, 9.81e-4, 1e-9);
  // Friction within the cone, against the slip.
  const Scene ramp = load_scene("box-on-slab", {});
  const double speed =
      run_ratio(ramp, "penalty", {1e-4}, 0.4).summary.final_state.bodies[1].velocity.x();
  EXPECT_NEAR(speed, 0.942515, 1e-3);
}

}  // namespace
}  // namespace perp::test
