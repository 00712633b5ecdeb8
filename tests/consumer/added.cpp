// Uses the solver, the strategy, the gap and the law of docs/how-to/adding.md.
#include <perp/bench/simulation/simulation.hpp>
#include <perp/problems/scenes/scene_json.hpp>
#include <perp/solvers/router.hpp>

#include <cmath>
#include <cstdio>

namespace {

bool solves(const char* solver) {
  perp::DenseMatrix m(2, 2);
  m << 2, 1, 1, 2;
  perp::Vector q(2);
  q << -5, 1;
  perp::Problem problem;
  problem.data = perp::Lcp{perp::Matrix(m), q};
  perp::SolveRequest request;
  request.solver = solver;
  request.limits.tolerance = 1e-10;
  const perp::VerifiedResult r = perp::solve_verified(problem, request);
  return r.status == perp::Status::kSolved && std::abs(r.answer.z[0] - 2.5) < 1e-9;
}

// Where the box is after a second with a model: it falls on a cube, and is pushed along it.
perp::Vector3d end_of_box(const char* formulation) {
  const perp::Scene scene = perp::scene_from_text(R"({"format": "perp-scene", "version": 1,
    "name": "boxes", "dimension": 3, "gravity": [0, 0, -10], "contact": {"mu": 0.5}, "bodies": [
      {"name": "base", "fixed": true, "shape": {"type": "box", "half": [1, 1, 1]}},
      {"name": "box", "mass": 1, "shape": {"type": "box", "half": [0.5, 0.6, 0.7]},
       "position": [0, 0, 4], "velocity": [0.125, 0, 0]}]})",
                                                  "boxes");
  perp::SimulationRequest request;
  request.formulation = formulation;
  const perp::SimulationSummary s = perp::simulate(scene, request);
  if (s.failed_steps > 0) return perp::Vector3d::Zero();
  return s.final_state.bodies[1].position;
}

// As balls of radius .5 and 1 they stop 1.5 apart.
bool stops_as_balls() {
  const perp::Vector3d x = end_of_box("stewart-trinkle:gap=ball");
  return std::abs(x.norm() - 1.5) < 1e-2;
}

// Nothing takes its velocity away, so it is where time has brought it.
bool slides_for_ever() {
  const perp::Vector3d x = end_of_box("linearised+frictionless+position-level");
  return std::abs(x.x() - 0.125) < 1e-9 && std::abs(x.z() - 1.7) < 1e-9;
}

}  // namespace

int main() {
  if (solves("gauss-seidel")) std::puts("solver");
  if (solves("twice(gauss-seidel)")) std::puts("strategy");
  if (stops_as_balls()) std::puts("gap");
  if (slides_for_ever()) std::puts("law");
}
