// Times of nonlinear complementarity problems: Kojima-Shindo from its starts, and the steps of
// two-spheres, each from the start that the step before gives. eigen_lu/28 is the yardstick.
#include <benchmark/benchmark.h>

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/harness/scene_problems.hpp>
#include <perp/problems/families/family.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <perp/solvers/registry.hpp>

#include <memory>
#include <string>
#include <vector>

namespace {

// A graph is compiled once, as for all steps of a scene. The time includes the preparation.
void solve_all(benchmark::State& state, const std::string& name,
               std::vector<perp::Problem> problems, double tolerance) {
  for (perp::Problem& problem : problems) perp::compile(std::get<perp::Mcp>(problem.data));
  const std::unique_ptr<perp::Solver> solver = perp::make_solver(name);
  solver->limits.tolerance = tolerance;
  const auto solve = [&](const perp::Problem& problem) -> const perp::Result& {
    solver->prepare(problem);
    return solver->solve(problem.start ? &*problem.start : nullptr);
  };
  int iterations = 0;
  for (const perp::Problem& problem : problems) {
    const perp::Result& result = solve(problem);
    iterations += result.iterations;
    if (!perp::verify(problem, {result.z, {}}, tolerance).solved) {
      state.SkipWithError(problem.name.c_str());
      return;
    }
  }
  for (auto _ : state) {
    for (const perp::Problem& problem : problems) benchmark::DoNotOptimize(solve(problem).z.data());
  }
  const auto count = static_cast<double>(problems.size());
  state.counters["n"] = problems.front().size();
  state.counters["problems"] = count;
  state.counters["iterations"] = iterations / count;
  state.counters["each"] = benchmark::Counter(
      count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void two_spheres_steps(benchmark::State& state, const std::string& solver,
                       const std::string& formulation) {
  perp::SceneProblemsRequest request;
  request.formulation = formulation;
  request.tolerance = 1e-12;
  request.last = 280;
  solve_all(state, solver,
            perp::scene_problems(perp::load_scene("two-spheres", {}), request).problems, 1e-12);
}
BENCHMARK_CAPTURE(two_spheres_steps, josephy_newton, "josephy-newton", "geometric-implicit");
BENCHMARK_CAPTURE(two_spheres_steps, newton_fb, "newton-fb", "geometric-implicit");
BENCHMARK_CAPTURE(two_spheres_steps, josephy_newton_unit_normal, "josephy-newton",
                  "geometric-implicit:points=unit-normal");
BENCHMARK_CAPTURE(two_spheres_steps, newton_fb_unit_normal, "newton-fb",
                  "geometric-implicit:points=unit-normal");

void kojima_shindo(benchmark::State& state, const std::string& solver) {
  std::vector<perp::Problem> problems;
  for (int start = 1; start <= 8; ++start) {
    problems.push_back(perp::generate(perp::find_family("mcp-classics"), 0, 1, {},
                                      "kojima-shindo-" + std::to_string(start)));
  }
  solve_all(state, solver, problems, 1e-8);
}
BENCHMARK_CAPTURE(kojima_shindo, josephy_newton, "josephy-newton");
BENCHMARK_CAPTURE(kojima_shindo, newton_fb, "newton-fb");

}  // namespace
