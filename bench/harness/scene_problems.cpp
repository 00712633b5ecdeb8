#include <perp/bench/harness/scene_problems.hpp>

#include <fmt/format.h>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/processes/interrupt.hpp>
#include <perp/bench/simulation/problem_source.hpp>
#include <perp/formulations/registry.hpp>

namespace perp {

SceneProblems scene_problems(const Scene& scene, const SceneProblemsRequest& request) {
  SimulationRequest simulation;
  simulation.formulation =
      request.formulation.empty() ? default_formulation(scene) : request.formulation;
  simulation.solve.solver = request.solver.empty() ? "auto" : request.solver;
  simulation.solve.limits.tolerance = request.tolerance;
  simulation.solve.make = make_any_solver;
  simulation.driver = request.driver;
  simulation.step = request.step > 0 ? request.step : scene.step;
  simulation.duration = simulation.step * request.last;
  InterruptObserver observer;  // a noted signal ends the simulation
  simulation.observer = request.observer ? request.observer : &observer;
  simulation.make_formulation = request.make_formulation;
  SceneProblems made;
  const ProblemOrigin origin{simulation.formulation, simulation.solve.solver, simulation.driver};
  made.source = source_of_run(scene, origin);
  int last_step = 0, number = 0;
  simulation.full_verdicts = false;
  simulation.stages = [&](int step, Status) {
    return step >= request.first && step <= request.last;
  };
  simulation.on_stage = [&](int step, const Stage& stage, const VerifiedResult& result) {
    number = step == last_step ? number + 1 : 1;
    last_step = step;
    Problem problem = stage.problem;
    problem.name = fmt::format("{}-{:06}-{}", scene.name, step, stage.name);
    if (number > 1) problem.name += fmt::format("-{}", number);
    keep_solution(problem, result);
    problem.source = source_of_step(problem, scene, origin, step);
    made.problems.push_back(std::move(problem));
  };
  const SimulationSummary summary = simulate(scene, simulation);
  if (summary.stopped) {
    made.unsolved_step = summary.steps;
    made.why = summary.message;
  }
  return made;
}

}  // namespace perp
