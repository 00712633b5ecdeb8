#include <perp/solvers/friction/admm.hpp>

#include <perp/problems/standard/friction_cone.hpp>
#include <perp/solvers/projection/progress.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr int kAdmmIterationLimit = 20'000;
constexpr int kCheckEvery = 5;       // iterations between checks of the natural map
constexpr int kPowerSteps = 30;      // of the power method for L
constexpr double kLargestPower = 2;  // bound on |p|
constexpr double kLeastSize = 1e-300;
constexpr double kFall = 0.999;           // factor by which the change must fall, else a restart
constexpr double kAdmmSymmetric = 1e-13;  // a smaller asymmetry is rounding

}  // namespace

const SolverTraits& Admm::traits() const {
  static const SolverTraits traits{"admm",
                                   "alternating directions with a spectral penalty",
                                   "CarpentierLeLidecMontaut2024",
                                   {"friction_contact"}};
  return traits;
}

void Admm::do_prepare(const Problem& problem) {
  problem_.build(std::get<FrictionContact>(problem.data), contact_scaling(settings.scaling));
  matrix_.attach(problem_);
  largest_ = matrix_.largest_eigenvalue(kPowerSteps);
  for (Vector* v :
       {&r_, &z_, &y_, &z_hat_, &y_hat_, &z_before_, &y_before_, &u_, &next_, &best_, &skew_})
    v->setZero(problem_.size());
}

bool Admm::set_penalty(double power) {
  const double eta = settings.proximal, l = std::max(largest_, eta);
  rho_ = std::sqrt(eta * l) * std::pow(l / eta, power);
  return matrix_.factor(eta + rho_);
}

// Begins with y = the corrected velocity of the start.
void Admm::begin(const Vector* start) {
  r_.setZero();
  if (start) problem_.to_scaled(*start, r_);
  problem_.velocity(r_, y_);
  for (int c = 0; c < problem_.contacts(); ++c) {
    y_[3 * c] += problem_.mu(c) * plane_norm(y_[3 * c + 1], y_[3 * c + 2]);
    project_on_cone(problem_.mu(c), 3, &r_[3 * c]);
  }
  z_ = r_;
  restart();
}

void Admm::restart() {
  theta_ = 1.0;
  change_ = std::numeric_limits<double>::infinity();
  z_hat_ = z_before_ = z_;
  y_hat_ = y_before_ = y_;
}

void Admm::iterate() {
  const double eta = settings.proximal;
  next_ = eta * r_ + rho_ * z_hat_ + y_hat_ - problem_.q();
  for (int c = 0; c < problem_.contacts(); ++c)
    next_[3 * c] -= problem_.mu(c) * plane_norm(y_hat_[3 * c + 1], y_hat_[3 * c + 2]);
  if (problem_.asymmetry() > kAdmmSymmetric) {
    problem_.multiply(r_, u_);
    matrix_.multiply(r_, skew_);
    next_ += skew_ - u_;
  }
  matrix_.solve(next_);
  r_.swap(next_);
  z_before_.swap(z_);
  y_before_.swap(y_);
  primal_ = dual_ = 0.0;
  double change = 0.0;
  for (int c = 0; c < problem_.contacts(); ++c) {
    double shifted[3];
    for (int k = 0; k < 3; ++k) shifted[k] = r_[3 * c + k] - y_hat_[3 * c + k] / rho_;
    project_on_cone(problem_.mu(c), 3, shifted);
    for (int k = 0; k < 3; ++k) {
      const int i = 3 * c + k;
      const double dz = shifted[k] - z_hat_[i], dy = rho_ * (shifted[k] - r_[i]);
      primal_ = std::max(primal_, std::abs(r_[i] - shifted[k]));
      dual_ = std::max(dual_, rho_ * std::abs(dz));
      change += rho_ * dz * dz + dy * dy / rho_;
      z_[i] = shifted[k];
      y_[i] = y_hat_[i] + dy;
    }
  }
  // Relative to the vectors whose differences they are.
  primal_ /= std::max(z_.lpNorm<Eigen::Infinity>(), kLeastSize);
  dual_ /=
      std::max({y_.lpNorm<Eigen::Infinity>(), problem_.q().lpNorm<Eigen::Infinity>(), kLeastSize});
  extrapolate(change);
}

// Nesterov's extrapolation, restarted if the change does not fall
// [GoldsteinODonoghueSetzerBaraniuk2014, Alg. 8].
void Admm::extrapolate(double change) {
  if (!settings.accelerate || !(change < kFall * change_)) {
    theta_ = 1.0;
    change_ = change_ < std::numeric_limits<double>::infinity() && settings.accelerate
                  ? std::max(change, change_ / kFall)
                  : change;
    z_hat_ = z_;
    y_hat_ = y_;
    return;
  }
  const double theta = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * theta_ * theta_));
  const double weight = (theta_ - 1.0) / theta;
  theta_ = theta;
  change_ = change;
  z_hat_ = z_ + weight * (z_ - z_before_);
  y_hat_ = y_ + weight * (y_ - y_before_);
}

void Admm::do_solve(const Start& start, Observer* observer, Result& result) {
  const int limit = limits.max_iterations > 0 ? limits.max_iterations : kAdmmIterationLimit;
  Progress progress(settings.patience);
  matrix_.factorisations = 0;
  rho_ = 1.0;
  double power = settings.power;
  begin(start.z);
  best_ = z_;
  double best = problem_.measure(z_);
  IterationRecord record;
  record.step_type = "admm";
  result.status = best <= limits.tolerance ? Status::kSolved : Status::kIterationLimit;
  bool factorised = result.status == Status::kSolved || set_penalty(power);
  while (result.status != Status::kSolved && factorised && result.iterations < limit) {
    iterate();
    record.iteration = ++result.iterations;
    record.linear_solves = result.iterations;
    record.factorisations = matrix_.factorisations;
    record.step = rho_;
    record.residual = Residuals::kNone;
    if (result.iterations % kCheckEvery == 0 || result.iterations == limit) {
      problem_.velocity(z_, u_);
      record.residual = problem_.measure(z_, u_);
      if (record.residual <= limits.tolerance) record.residual = problem_.measure(z_);
      progress.look(record.residual);
      if (record.residual < best) {
        best = record.residual;
        best_ = z_;
      }
      if (best <= limits.tolerance) result.status = Status::kSolved;
    }
    if (ends_here(
            {record, progress, deadline(), !std::isfinite(primal_ + dual_), best, "iterations"},
            observer, result))
      break;
    const bool more = primal_ > settings.balance * dual_, less = dual_ > settings.balance * primal_;
    if (result.iterations % settings.adapt_every == 0 && (more || less)) {
      power = std::clamp(power + (more ? settings.power_step : -settings.power_step),
                         -kLargestPower, kLargestPower);
      factorised = set_penalty(power);
      restart();
    }
  }
  if (!factorised) {
    result.status = Status::kNumericalError;
    result.message = "W + rho I is not positive definite";
  }
  problem_.to_posed(best_, result.z);
  result.statistics.emplace_back("factorisations", matrix_.factorisations);
  result.statistics.emplace_back("penalty", rho_);
}

}  // namespace perp
