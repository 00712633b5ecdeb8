#include <perp/solvers/friction/smoothed_contacts.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace perp {

namespace {

// (y + sqrt(y^2 + 4 s^2)) / 2 without cancellation.
double smoothed_part(double y, double s) {
  const double root = std::hypot(y, 2.0 * s);
  return y >= 0 ? 0.5 * (y + root) : 2.0 * s * s / (root - y);
}

// Its derivatives by y and by s.
double slope_by_y(double y, double s) { return smoothed_part(y, s) / std::hypot(y, 2.0 * s); }
double slope_by_s(double y, double s) { return 2.0 * s / std::hypot(y, 2.0 * s); }

using Block = Eigen::Matrix3d;

// The matrix of a function of the cone's algebra at a point with direction d of its tangential
// part: `first` and `second` at its two eigenvalues, `across` between them.
Block spectral_matrix(double first, double second, double across, const double* d) {
  const double mean = 0.5 * (first + second), half = 0.5 * (second - first);
  Block p;
  p(0, 0) = mean;
  for (int i = 0; i < 2; ++i) {
    p(0, 1 + i) = p(1 + i, 0) = half * d[i];
    for (int j = 0; j < 2; ++j)
      p(1 + i, 1 + j) = mean * d[i] * d[j] + across * ((i == j ? 1.0 : 0.0) - d[i] * d[j]);
  }
  return p;
}

}  // namespace

void SmoothedContacts::attach(const ContactProblem& problem, double compliance,
                              double slip_smoothing) {
  problem_ = &problem;
  compliance_ = compliance;
  slip_smoothing_ = slip_smoothing;
  const int nc = problem.contacts(), tangents = problem.dimension() - 1;
  units_.resize(nc);
  rows_.resize(nc);
  rows_of_sigma_.resize(nc);
  u_.setZero(problem.size());
  along_.setZero(problem.size());
  weights_.setZero(nc);
  double largest = 0.0;
  for (int c = 0; c < nc; ++c) {
    const double* w = problem.diagonal(c);
    const double *q = &problem.q()[3 * c], mu = problem.mu(c);
    double curvature = w[0], change = std::abs(q[0]);
    if (mu > 0) {
      curvature = (w[0] / (mu * mu) + w[4] + (tangents == 2 ? w[8] : 0.0)) / (1 + tangents);
      change = std::max({std::abs(q[0]) / mu, std::abs(q[1]), std::abs(q[2])});
    }
    units_[c].rho = curvature > 0 ? 1.0 / curvature : 1.0;
    largest = std::max(largest, std::sqrt(units_[c].rho) * change);
  }
  if (!(largest > 0)) largest = 1.0;
  for (Unit& unit : units_) {
    unit.force = largest * std::sqrt(unit.rho);
    unit.velocity = largest / std::sqrt(unit.rho);
  }
}

void SmoothedContacts::set_centre(double sigma, Vector& r) const {
  r.setZero();
  for (int c = 0; c < problem_->contacts(); ++c) {
    const double mu = problem_->mu(c);
    r[3 * c] = sigma * units_[c].force / (mu > 0 ? mu : 1.0);
  }
}

void SmoothedContacts::evaluate(double sigma, double theta, const Vector& r) {
  shift_ = compliance_ * sigma;
  problem_->velocity(r, u_);
  u_ += shift_ * r;
  norm_ = largest_ = 0.0;
  for (int c = 0; c < problem_->contacts(); ++c) {
    if (problem_->mu(c) > 0) {
      evaluate_contact(c, sigma, theta, &r[3 * c], &u_[3 * c]);
    } else {
      evaluate_frictionless(c, sigma, &r[3 * c], &u_[3 * c]);
    }
    for (const double value : rows_[c].phi) {
      const double size = std::abs(value) / units_[c].force;
      norm_ += size * size;
      largest_ = std::max(largest_, size);
    }
    ContactRows& by_sigma = rows_of_sigma_[c];
    std::copy_n(rows_[c].A, 9, by_sigma.A);
    std::copy_n(rows_[c].B, 9, by_sigma.B);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) by_sigma.phi[i] += rows_[c].B[3 * j + i] * shift_ * r[3 * c + j];
    }
    rows_[c].open = rows_of_sigma_[c].open = false;
  }
  norm_ = std::sqrt(norm_);
}

void SmoothedContacts::evaluate_contact(int c, double sigma, double theta, const double* r,
                                        const double* u) {
  const double mu = problem_->mu(c), rho = units_[c].rho;
  const double size = sigma * units_[c].force, delta = slip_smoothing_ * sigma * units_[c].velocity;
  const double h = std::sqrt(u[1] * u[1] + u[2] * u[2] + delta * delta);
  // h - delta without cancellation.
  const double slip = (u[1] * u[1] + u[2] * u[2]) / (h + delta);
  const double z[3] = {mu * r[0] - rho * (u[0] / mu + theta * slip), r[1] - rho * u[1],
                       r[2] - rho * u[2]};
  const double length = std::hypot(z[1], z[2]);
  const double d[2] = {length > 0 ? z[1] / length : 1.0, length > 0 ? z[2] / length : 0.0};
  const double y[2] = {z[0] - length, z[0] + length};
  const double g[2] = {smoothed_part(y[0], size), smoothed_part(y[1], size)};
  const double part = 0.5 * (g[1] - g[0]);
  ContactRows& rows = rows_[c];
  rows.phi[0] = mu * r[0] - 0.5 * (g[0] + g[1]);
  rows.phi[1] = r[1] - part * d[0];
  rows.phi[2] = r[2] - part * d[1];

  const double p[2] = {slope_by_y(y[0], size), slope_by_y(y[1], size)};
  const double k[2] = {smoothed_part(-y[0], size), smoothed_part(-y[1], size)};  // of -z
  const double k_slope[2] = {slope_by_y(-y[0], size), slope_by_y(-y[1], size)};
  const bool apart = length > 1e-12 * (std::abs(z[0]) + size);
  const double across = apart ? part / length : p[0];
  const double rest = apart ? 0.5 * (k[0] - k[1]) / length : k_slope[0];
  const Block P = spectral_matrix(p[0], p[1], across, d);
  const Block Q = spectral_matrix(k_slope[0], k_slope[1], rest, d);  // I - P
  const double s[2] = {slope_by_s(y[0], size), slope_by_s(y[1], size)};
  const double by_size[3] = {0.5 * (s[0] + s[1]), 0.5 * (s[1] - s[0]) * d[0],
                             0.5 * (s[1] - s[0]) * d[1]};
  along_[3 * c] = 0.0;
  for (int j = 1; j < 3; ++j) along_[3 * c + j] = theta * u[j] / h;
  // dh/ddelta - 1, without cancellation.
  const double slip_by_delta = -slip / h;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      rows.A[3 * j + i] = Q(i, j) * (j == 0 ? mu : 1.0);
      rows.B[3 * j + i] = rho * (j == 0 ? P(i, 0) / mu : P(i, j) + P(i, 0) * along_[3 * c + j]);
    }
    rows_of_sigma_[c].phi[i] = -size * by_size[i] + rho * P(i, 0) * theta * slip_by_delta * delta;
  }
  const double far = std::hypot(z[0], length) + size;
  weights_[c] = 1.0 / (problem_->size() * far * far);
}

void SmoothedContacts::evaluate_frictionless(int c, double sigma, const double* r,
                                             const double* u) {
  const double rho = units_[c].rho, size = sigma * units_[c].force;
  const double y = r[0] - rho * u[0];
  ContactRows& rows = rows_[c];
  rows.phi[0] = r[0] - smoothed_part(y, size);
  rows.phi[1] = r[1];
  rows.phi[2] = r[2];
  std::fill(rows.A, rows.A + 9, 0.0);
  std::fill(rows.B, rows.B + 9, 0.0);
  rows.A[0] = slope_by_y(-y, size);
  rows.A[4] = rows.A[8] = 1.0;
  rows.B[0] = rho * slope_by_y(y, size);
  rows_of_sigma_[c].phi[0] = -size * slope_by_s(y, size);
  rows_of_sigma_[c].phi[1] = rows_of_sigma_[c].phi[2] = 0.0;
  const double far = std::abs(y) + size;
  weights_[c] = 1.0 / (problem_->size() * far * far);
}

void SmoothedContacts::change_of_z(const Vector& dr, const Vector& du, Vector& dz) const {
  for (int c = 0; c < problem_->contacts(); ++c) {
    const double mu = problem_->mu(c), rho = units_[c].rho;
    const double *r = &dr[3 * c], *u = &du[3 * c];
    double* z = &dz[3 * c];
    if (mu > 0) {
      const double slip = along_[3 * c + 1] * u[1] + along_[3 * c + 2] * u[2];
      z[0] = mu * r[0] - rho * (u[0] / mu + slip);
      for (int j = 1; j < 3; ++j) z[j] = r[j] - rho * u[j];
    } else {
      z[0] = r[0] - rho * u[0];
      z[1] = z[2] = 0.0;
    }
  }
}

}  // namespace perp
