// Steps without an answer that are made in halves.
#include "support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/solvers/core/solver.hpp>

#include <memory>
#include <vector>

namespace perp::test {
namespace {

constexpr double kStep = 0.01;  // s

// Which steps the solver refuses: those that begin between two times and are too long.
struct Demand {
  double from = 0.0, to = 1e9, longest = 1e9;  // s
  bool refused = false;                        // the present step
  int begun = 0;                               // refused steps so far
};

// Passes everything on, and looks at the steps.
class Watched final : public Formulation {
 public:
  Watched(std::unique_ptr<Formulation> inner, Demand& demand)
      : inner_(std::move(inner)), demand_(demand) {}
  std::string_view name() const override { return inner_->name(); }
  Capabilities capabilities() const override { return inner_->capabilities(); }
  std::optional<std::string> refusal(const Scene& s) const override { return inner_->refusal(s); }
  std::vector<std::string> columns() const override { return inner_->columns(); }
  StageOrResult begin(const Scene& scene, const State& state, double h,
                      const HeldContacts& held) override {
    const double t = state.time + 1e-9;
    demand_.refused = t > demand_.from && t < demand_.to && h > demand_.longest * (1 + 1e-9);
    demand_.begun += demand_.refused;
    return inner_->begin(scene, state, h, held);
  }
  StageOrResult advance(const Answer& answer) override { return inner_->advance(answer); }
  std::optional<Stage> relax() override { return inner_->relax(); }

 private:
  std::unique_ptr<Formulation> inner_;
  Demand& demand_;
};

// Solves what is not refused.
class Demanding final : public Solver {
 public:
  Demanding(std::unique_ptr<Solver> inner, const Demand& demand)
      : inner_(std::move(inner)), demand_(demand) {}
  const SolverTraits& traits() const override { return inner_->traits(); }
  void visit_settings(SettingVisitor& visitor) override { inner_->visit_settings(visitor); }

 private:
  void do_prepare(const Problem& problem) override {
    inner_->limits = limits;
    inner_->prepare(problem);
    size_ = problem.size();
  }
  void do_solve(const Start& start, Observer* observer, Result& result) override {
    if (demand_.refused) {
      result.status = Status::kStalled;
      result.z.setZero(size_);  // no answer
      return;
    }
    result = inner_->solve(start, observer);
  }
  std::unique_ptr<Solver> inner_;
  const Demand& demand_;
  int size_ = 0;
};

struct Halved {
  SimulationSummary summary;
  std::vector<StepReport> steps;
};

Halved run(SimulationRequest request, Demand& demand, const Scene& scene) {
  Halved r;
  request.make_formulation = [&](const std::string& text) -> std::unique_ptr<Formulation> {
    return std::make_unique<Watched>(make_formulation(text), demand);
  };
  request.solve.make = [&](std::string_view name) -> std::unique_ptr<Solver> {
    return std::make_unique<Demanding>(make_solver(name), demand);
  };
  request.duration = 0.1;
  request.on_step = [&](const StepReport& step) {
    r.steps.push_back(step);
    return true;
  };
  r.summary = simulate(scene, request);
  return r;
}

SimulationRequest exact_cone() {
  SimulationRequest request;
  request.formulation = "coulomb-implicit";
  request.solve.solver = "nsgs";
  request.solve.limits.tolerance = 1e-10;
  request.step = kStep;
  return request;
}

SimulationRequest geometry_at_the_end() {
  SimulationRequest request = exact_cone();
  request.formulation = "equivalent-contact-point:prediction=never";
  request.solve.solver = "newton-fb";
  return request;
}

Scene stack() { return load_scene("box-stack", {{"rows", 2}}); }

void expect_near(const State& a, const State& b, double rounding) {
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const BodyState &x = a.bodies[i], &y = b.bodies[i];
    EXPECT_LE((x.position - y.position).norm(), rounding) << i;
    EXPECT_LE((x.velocity - y.velocity).norm(), rounding) << i;
    EXPECT_LE((x.orientation.coeffs() - y.orientation.coeffs()).norm(), rounding) << i;
  }
}

// The reference is a run that is told these lengths from the beginning. Its states have the same
// bits, except that what the exact cone keeps of bodies at rest is rounded in another order.
TEST(Halvings, PartsAreTheStepsOfARunWithTheirLengths) {
  for (const SimulationRequest& asked : {exact_cone(), geometry_at_the_end()}) {
    Demand demand{.from = 0.05, .to = 0.06, .longest = kStep / 4};
    SimulationRequest request = asked;
    request.halvings = 2;
    const Halved halved = run(request, demand, stack());
    EXPECT_EQ(demand.begun, 3) << asked.formulation;  // the step and its two halves
    EXPECT_EQ(halved.summary.halved_steps, 1);
    EXPECT_EQ(halved.summary.failed_steps, 0);
    EXPECT_EQ(halved.summary.message, "");
    EXPECT_EQ(halved.summary.steps, 13);
    ASSERT_EQ(halved.steps.size(), 13U);
    EXPECT_NEAR(halved.summary.final_state.time, 0.1, 1e-12);

    Demand none;
    SimulationRequest told = asked;
    told.pattern = std::vector<double>(5, kStep);
    told.pattern.insert(told.pattern.end(), 4, kStep / 4);
    told.pattern.insert(told.pattern.end(), 4, kStep);
    const Halved reference = run(told, none, stack());
    EXPECT_EQ(reference.summary.halved_steps, 0);
    ASSERT_EQ(reference.steps.size(), 13U);
    for (std::size_t k = 0; k < halved.steps.size(); ++k) {
      EXPECT_EQ(halved.steps[k].step, static_cast<int>(k) + 1);
      EXPECT_DOUBLE_EQ(halved.steps[k].h, reference.steps[k].h) << k;
      EXPECT_NEAR(halved.steps[k].result.state.time, reference.steps[k].result.state.time, 1e-12);
      expect_near(halved.steps[k].result.state, reference.steps[k].result.state,
                  asked.solve.solver == "nsgs" ? 1e-12 : 0.0);
    }
    // What was tried without an answer is told with the first part.
    EXPECT_GT(halved.steps[5].stages.size(), reference.steps[5].stages.size());
    EXPECT_EQ(halved.steps[6].stages.size(), reference.steps[6].stages.size());
  }
}

TEST(Halvings, TheShortestPartThatMayBeFailsInTheEnd) {
  Demand demand{.from = 0.05, .to = 0.06, .longest = kStep / 8};
  SimulationRequest request = exact_cone();
  request.halvings = 2;
  const Halved r = run(request, demand, stack());
  EXPECT_TRUE(r.summary.stopped);
  EXPECT_EQ(r.summary.failed_steps, 1);
  EXPECT_EQ(r.summary.steps, 6);
  EXPECT_DOUBLE_EQ(r.steps.back().h, kStep / 4);
  EXPECT_NEAR(r.summary.final_state.time, 0.05 + kStep / 4, 1e-12);
}

TEST(Halvings, OnlyTheShortestPartIsRelaxed) {
  Demand demand{.from = 0.05, .to = 0.06};
  demand.longest = kStep / 8;
  SimulationRequest request = exact_cone();
  request.halvings = 0;
  const std::size_t whole = run(request, demand, stack()).steps.back().stages.size();
  EXPECT_GT(whole, 1U);  // relaxed tries
  request.halvings = 2;
  const Halved r = run(request, demand, stack());
  EXPECT_EQ(r.steps.back().stages.size(), whole + 2);
  EXPECT_EQ(r.summary.relaxed_steps, 0);
  EXPECT_NE(r.summary.message, "");
}

TEST(Halvings, AreTheFormulationsIfNotAskedForAndNoneWithKeepGoing) {
  Demand demand{.from = 0.05, .to = 0.06, .longest = kStep / 2};
  SimulationRequest pyramid = exact_cone();
  pyramid.formulation = "stewart-trinkle";
  pyramid.solve.solver = "lemke";
  EXPECT_EQ(run(pyramid, demand, stack()).summary.failed_steps, 1);
  EXPECT_EQ(run(exact_cone(), demand, stack()).summary.halved_steps, 1);
  EXPECT_EQ(run(geometry_at_the_end(), demand, stack()).summary.halved_steps, 1);
  SimulationRequest going = exact_cone();
  going.halvings = 2;
  going.keep_going = true;
  const Halved r = run(going, demand, stack());
  EXPECT_EQ(r.summary.halved_steps, 0);
  EXPECT_EQ(r.summary.failed_steps, 1);
  EXPECT_EQ(r.summary.steps, 10);
}

}  // namespace
}  // namespace perp::test
