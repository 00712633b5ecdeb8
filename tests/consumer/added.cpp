// Uses the solver, the strategy and the gap of docs/adding.md.
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

// A box falls on a cube; as balls of radius .5 and 1 they stop 1.5 apart.
bool stops_as_balls() {
  const perp::Scene scene = perp::scene_from_text(R"({"format": "perp-scene", "version": 1,
    "name": "balls", "dimension": 3, "gravity": [0, 0, -10], "bodies": [
      {"name": "base", "fixed": true, "shape": {"type": "box", "half": [1, 1, 1]}},
      {"name": "box", "mass": 1, "shape": {"type": "box", "half": [0.5, 0.6, 0.7]},
       "position": [0, 0, 4]}]})",
                                                  "balls");
  perp::SimulationRequest request;
  request.formulation = "stewart-trinkle:gap=ball";
  const perp::SimulationSummary s = perp::simulate(scene, request);
  return s.failed_steps == 0 && std::abs(s.final_state.bodies[1].position.z() - 1.5) < 1e-9;
}

}  // namespace

int main() {
  if (solves("gauss-seidel")) std::puts("solver");
  if (solves("twice(gauss-seidel)")) std::puts("strategy");
  if (stops_as_balls()) std::puts("gap");
}
