// Solves and verifies a small LCP with the installed libraries; exit code 0 where it is right.
#include <perp/problems/families/family.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <perp/solvers/pivoting/lemke.hpp>
#include <perp/solvers/registry.hpp>

#include <cstdio>

int main() {
  const perp::Problem problem = perp::generate(perp::find_family("contact-stack"), 8, 1);
  perp::Lemke lemke;
  lemke.common.tolerance = 1e-10;
  lemke.prepare(problem);
  const perp::Result& result = lemke.solve();
  const perp::Verdict verdict = perp::verify(problem, {result.z, {}}, 1e-10);
  std::printf("%s, residual %g, %zu solvers\n", verdict.solved ? "solved" : "not solved",
              verdict.measure, perp::solver_registry().size());
  return verdict.solved ? 0 : 1;
}
