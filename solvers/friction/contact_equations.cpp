#include <perp/solvers/friction/contact_equations.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

// Largest eigenvalue of the symmetric part of a 2 x 2 matrix.
double largest_eigenvalue(double a, double b, double c) {
  return 0.5 * (a + c) + std::hypot(0.5 * (a - c), b);
}

}  // namespace

void ContactEquations::attach(const ContactProblem& problem, std::string_view map,
                              std::string_view rho, double factor) {
  problem_ = &problem;
  map_ = contact_map(map);
  const int nc = problem.contacts();
  rows_.resize(nc);
  rho_n_.setOnes(nc);
  rho_t_.setOnes(nc);
  for (int c = 0; c < nc; ++c) {
    const double* w = problem.diagonal(c);
    double n = w[0], t = largest_eigenvalue(w[4], 0.5 * (w[5] + w[7]), w[8]);
    if (problem.dimension() == 2) t = w[4];
    if (rho == "spectral" || map_ == ContactMap::kNatural || map_ == ContactMap::kCone)
      n = t = std::max(n, t);
    if (n > 0) rho_n_[c] = factor / n;
    if (t > 0) rho_t_[c] = factor / t;
  }
}

void ContactEquations::evaluate(const Vector& r, const Vector& u) {
  merit_ = largest_ = 0.0;
  for (int c = 0; c < problem_->contacts(); ++c) {
    evaluate_contact(map_, problem_->mu(c), rho_n_[c], rho_t_[c], &r[3 * c], &u[3 * c], rows_[c]);
    for (double value : rows_[c].phi) {
      merit_ += 0.5 * value * value;
      largest_ = std::max(largest_, std::abs(value));
    }
  }
}

double ContactEquations::merit(const Vector& r, const Vector& u) const {
  double sum = 0.0, phi[3];
  for (int c = 0; c < problem_->contacts(); ++c) {
    evaluate_contact(map_, problem_->mu(c), rho_n_[c], rho_t_[c], &r[3 * c], &u[3 * c], phi);
    sum += phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2];
  }
  return 0.5 * sum;
}

double ContactEquations::slope(const Vector& d, const Vector& w) const {
  double sum = 0.0;
  for (int c = 0; c < problem_->contacts(); ++c) {
    const ContactRows& row = rows_[c];
    const double *dc = &d[3 * c], *wc = &w[3 * c];
    for (int i = 0; i < 3; ++i) {
      sum += row.phi[i] * (row.A[i] * dc[0] + row.A[3 + i] * dc[1] + row.A[6 + i] * dc[2] +
                           row.B[i] * wc[0] + row.B[3 + i] * wc[1] + row.B[6 + i] * wc[2]);
    }
  }
  return sum;
}

}  // namespace perp
