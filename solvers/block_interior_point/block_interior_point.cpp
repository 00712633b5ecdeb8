#include <perp/solvers/block_interior_point/block_interior_point.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

const SolverTraits& BlockInteriorPoint::traits() const {
  static const SolverTraits traits{
      "block-interior-point",
      "interior point on the graph of the bodies, for velocities and impulses of many contacts",
      "Mehrotra1992",
      {"conic_qp"},
      0,
      false};
  return traits;
}

void BlockInteriorPoint::do_solve(const Start&, Observer* observer, Result& result) {
  begin(result);
  path_.start();
  double least = INFINITY;
  for (int waited = 0; waited < settings.patience;) {
    if (!path_.step(newton())) break;
    path_.point(point());
    if (!goes_on("path", path_.mu(), path_.last_step(), observer, result)) break;
    const double now = std::max(path_.mu(), path_.residual());
    waited = now < least ? 0 : waited + 1;
    least = std::min(least, now);
  }
  end(result);
}

}  // namespace perp
