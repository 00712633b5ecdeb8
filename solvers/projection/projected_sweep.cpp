#include <perp/solvers/projection/projected_sweep.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

double projected_sweep(const RowProblem& problem, const Vector& step, const Proximal* proximal,
                       bool backward, Vector& z) {
  const int n = problem.size();
  const double *const s = step.data(), *const q = problem.q.data();
  const double *const l = problem.lower.data(), *const u = problem.upper.data();
  double* const x = z.data();
  double change = 0.0;
  for (int k = 0; k < n; ++k) {
    const int i = backward ? n - 1 - k : k;
    double w = problem.row_dot(i, x) + q[i];
    if (proximal) w += proximal->weight[i] * (x[i] - proximal->centre[i]);
    const double old = x[i];
    x[i] = std::min(std::max(old - s[i] * w, l[i]), u[i]);
    change += (x[i] - old) * (x[i] - old);
  }
  return std::sqrt(change);
}

}  // namespace perp
