// Solves and verifies small problems with the installed libraries, and passes vectors, matrices and
// scenes from one side to the other; exit code 0 where all is right.
#include <perp/problems/families/family.hpp>
#include <perp/problems/scenes/scene_json.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <perp/solvers/pivoting/lemke.hpp>
#include <perp/solvers/registry.hpp>
#include <perp/solvers/router.hpp>

#include <cstdio>

namespace {

// What one side has allocated is grown, copied, moved and freed by the other. Members of fixed size
// and alignment (quaternions) stand before others.
bool passes_objects() {
  for (int n = 1; n < 40; ++n) {
    perp::Problem problem = perp::generate(perp::find_family("psd"), n, 1);
    auto& lcp = std::get<perp::Lcp>(problem.data);
    lcp.q.conservativeResize(n + 7);
    lcp.q.conservativeResize(n);
    perp::SolveRequest request;
    request.start = perp::Vector::Constant(n, 0.5);
    perp::VerifiedResult result = perp::solve_verified(problem, request);
    result.answer.z.conservativeResize(n + 3);
    result.answer.z.conservativeResize(n);
    if (!perp::verify(problem, result.answer, 1e-8).solved) return false;
  }
  const perp::Scene scene = perp::scene_from_text(
      R"({"format": "perp-scene", "version": 1, "name": "turned", "dimension": 3,
          "bodies": [{"name": "floor", "fixed": true,
                      "shape": {"type": "half_space", "normal": [0, 0, 1]}},
                     {"name": "ball", "mass": 3, "shape": {"type": "sphere", "radius": 0.5},
                      "position": [1, 2, 4], "orientation": [0.8, 0, 0, 0.6]}],
          "step": 0.25, "duration": 1})",
      "scene");
  perp::Scene copy = scene;
  copy.bodies.push_back(scene.bodies[1]);
  const perp::Body& ball = copy.bodies[2];
  return ball.mass == 3 && ball.position == perp::Vector3d(1, 2, 4) && scene.step == 0.25 &&
         ball.orientation.angularDistance(perp::Quaterniond(0.8, 0, 0, 0.6)) < 1e-14;
}

}  // namespace

int main() {
  const perp::Problem problem = perp::generate(perp::find_family("contact-stack"), 8, 1);
  perp::Lemke lemke;
  lemke.limits.tolerance = 1e-10;
  lemke.prepare(problem);
  const perp::Result& result = lemke.solve();
  const perp::Verdict verdict = perp::verify(problem, {result.z, {}}, 1e-10);
  const bool right = verdict.solved && passes_objects();
  std::printf("%s, residual %g, %zu solvers\n", right ? "solved" : "not solved", verdict.measure,
              perp::solver_registry().size());
  return right ? 0 : 1;
}
