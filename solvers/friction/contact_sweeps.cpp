#include <perp/solvers/friction/contact_sweeps.hpp>

#include <perp/problems/standard/friction_cone.hpp>
#include <perp/problems/standard/random.hpp>
#include <perp/solvers/friction/local_contact.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace perp {

namespace {

double size_of(const double* w) {
  return std::max({std::abs(w[0]), std::abs(w[4]), std::abs(w[8])});
}

// If no case of the contact law holds: a projected step on the natural map.
void project_step(double mu, const double* u, double rho, double* r) {
  r[0] -= rho * (u[0] + mu * plane_norm(u[1], u[2]));
  r[1] -= rho * u[1];
  r[2] -= rho * u[2];
  project_on_cone(mu, 3, r);
}

}  // namespace

void ContactSweeps::attach(const ContactProblem& problem) {
  problem_ = &problem;
  order_.resize(problem.contacts());
  order_as_given();
}

void ContactSweeps::order_as_given() { std::iota(order_.begin(), order_.end(), 0); }

void ContactSweeps::order_at_random(std::uint64_t seed) {
  order_as_given();
  Random random(seed);
  for (int k = static_cast<int>(order_.size()) - 1; k > 0; --k)
    std::swap(order_[k], order_[random.index(k + 1)]);
}

double ContactSweeps::update(int c, double relaxation, double rho, Vector& r) const {
  const double* w = problem_->diagonal(c);
  double* x = &r[3 * c];
  const double old[3] = {x[0], x[1], x[2]};
  double u[3], q[3], local[9];
  problem_->velocity(c, r, u);
  std::copy_n(w, 9, local);
  const double shift = rho * size_of(w);
  for (int i = 0; i < 3; ++i) {
    q[i] = u[i] - (w[i] * old[0] + w[3 + i] * old[1] + w[6 + i] * old[2]) - shift * old[i];
    local[4 * i] += shift;
  }
  // While it slides, u_t = -lambda r_t; lambda changes little from sweep to sweep.
  const double slip_ratio = -(u[1] * old[1] + u[2] * old[2]) / (old[1] * old[1] + old[2] * old[2]);
  const LocalContactCase mode =
      solve_contact(local, q, problem_->mu(c), problem_->dimension(), x, slip_ratio);
  if (mode == LocalContactCase::kNone) {
    const double size = size_of(local);
    project_step(problem_->mu(c), u, size > 0 ? 1.0 / size : 1.0, x);
  }
  double change = 0.0;
  for (int i = 0; i < 3; ++i) {
    if (relaxation != 1.0) x[i] = old[i] + relaxation * (x[i] - old[i]);
    change = std::max(change, std::abs(x[i] - old[i]));
    if (!std::isfinite(x[i])) change = std::nan("");
  }
  if (relaxation > 1.0) project_on_cone(problem_->mu(c), 3, x);
  return change;
}

double ContactSweeps::sweep(double relaxation, double rho, bool backward, Vector& r) const {
  double change = 0.0;
  const int nc = static_cast<int>(order_.size());
  for (int k = 0; k < nc; ++k) {
    const double here = update(order_[backward ? nc - 1 - k : k], relaxation, rho, r);
    if (here > change || std::isnan(here)) change = here;  // a NaN stays
  }
  return change;
}

}  // namespace perp
