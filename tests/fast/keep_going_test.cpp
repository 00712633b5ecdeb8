// What a simulation does with a step that no solver solved.
#include "support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/solvers/core/solver.hpp>

#include <functional>
#include <limits>
#include <memory>

namespace perp::test {
namespace {

// Gives a point that it does not call an answer.
class Reaching final : public Solver {
 public:
  explicit Reaching(std::function<Vector(int)> point) : point_(std::move(point)) {}
  const SolverTraits& traits() const override {
    static const SolverTraits traits{"reaching", "has a point", "", {"friction_contact"}};
    return traits;
  }
  void visit_settings(SettingVisitor&) override {}

 private:
  void do_prepare(const Problem& problem) override { size_ = problem.size(); }
  void do_solve(const Start&, Observer*, Result& result) override {
    result.status = Status::kIterationLimit;
    result.z = point_(size_);
  }
  std::function<Vector(int)> point_;
  int size_ = 0;
};

struct Kept {
  SimulationSummary summary;
  std::vector<StepReport> steps;
};

Kept run(const SolveRequest& solve) {
  const Scene stack = load_scene("box-stack", {{"rows", 3}});
  Kept r;
  SimulationRequest request;
  request.formulation = "coulomb-implicit";
  request.step = 0.01;
  request.duration = 0.3;
  request.solve = solve;
  request.solve.limits.tolerance = 1e-13;
  request.keep_going = true;
  request.on_step = [&](const StepReport& step) {
    r.steps.push_back(step);
    return true;
  };
  r.summary = simulate(stack, request);
  return r;
}

Kept run_reaching(const std::function<Vector(int)>& point) {
  SolveRequest solve;
  solve.make = [point](std::string_view) { return std::make_unique<Reaching>(point); };
  solve.solver = "nsgs";  // by this name
  return run(solve);
}

TEST(KeepGoing, AStepIsMadeWithThePointThatItsSolveReached) {
  SolveRequest solve;
  solve.solver = "nsgs";
  solve.limits.max_iterations = 40;
  const Kept r = run(solve);
  EXPECT_EQ(r.summary.steps, 30);
  EXPECT_GT(r.summary.failed_steps, 20);
  EXPECT_EQ(r.summary.approximate_steps, r.summary.failed_steps);
  const Scene stack = load_scene("box-stack", {{"rows", 3}});
  State before = initial_state(stack);
  for (const StepReport& step : r.steps) {
    EXPECT_FALSE(step.solved && step.approximate) << step.step;
    double free = kinetic_energy(stack, before);  // of free motion: m v.g h + m (g h)^2 / 2 more
    for (std::size_t b = 0; b < stack.bodies.size(); ++b) {
      if (stack.bodies[b].fixed) continue;
      const Vector3d fall = step.h * stack.gravity;
      free += stack.bodies[b].mass * (before.bodies[b].velocity + 0.5 * fall).dot(fall);
    }
    EXPECT_LE(step.kinetic, free + step.result.feeding + 1e-12) << step.step;
    before = step.result.state;
  }
  const State start = initial_state(stack);
  for (std::size_t b = 0; b < start.bodies.size(); ++b) {  // free fall would be 0.44 m
    EXPECT_LT((r.summary.final_state.bodies[b].position - start.bodies[b].position).norm(), 0.02)
        << stack.bodies[b].name;
  }
}

TEST(KeepGoing, APointThatAddsEnergyOrIsNoneLeavesFreeMotion) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::function<Vector(int)>> points = {
      [](int n) { return Vector::Constant(n, 1e6); },
      [](int n) { return Vector::Constant(n, 1e300); },
      [nan](int n) { return Vector::Constant(n, nan); },
      [](int) { return Vector(); },
      [](int n) { return Vector::Zero(n + 1); },
  };
  const double h = 0.01;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Kept r = run_reaching(points[i]);
    EXPECT_EQ(r.summary.failed_steps, 30) << i;
    EXPECT_EQ(r.summary.approximate_steps, 0) << i;
    const BodyState& box = r.summary.final_state.bodies.back();
    EXPECT_NEAR(box.velocity.norm(), 9.81 * 30 * h, 1e-9) << i;
    for (const StepReport& step : r.steps) EXPECT_TRUE(step.result.contacts.empty()) << i;
  }
}

}  // namespace
}  // namespace perp::test
