#include <perp/solvers/friction/contact_newton.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kArmijo = 1e-4;
constexpr int kHalvings = 20;
constexpr double kGain = 0.9;            // of the lowest merit: progress
constexpr double kLeastDamping = 1e-12;  // of a least-squares step, over ||Phi||

// Largest eigenvalue of the symmetric part of a 2 x 2 matrix.
double largest_eigenvalue(double a, double b, double c) {
  return 0.5 * (a + c) + std::hypot(0.5 * (a - c), b);
}

}  // namespace

void ContactNewton::attach(const ContactProblem& problem) {
  problem_ = &problem;
  const ContactMap first =
      settings.map == "auto" ? ContactMap::kAlartCurnier : contact_map(settings.map);
  const std::string& steps = settings.least_squares;
  if (steps != "fallback" && steps != "always" && steps != "never") {
    throw std::invalid_argument(
        fmt::format("setting \"least_squares\": \"{}\" is not fallback, always or never", steps));
  }
  if (settings.rho != "split" && settings.rho != "spectral") {
    throw std::invalid_argument(
        fmt::format("setting \"rho\": \"{}\" is not split or spectral", settings.rho));
  }
  system_.attach(problem, settings.linear_algebra);
  rows_.resize(problem.contacts());
  for (Vector* v : {&r_, &u_, &d_, &wd_, &trial_r_, &trial_u_}) v->setZero(problem.size());
  history_.assign(std::max(1, settings.memory), 0.0);
  choose(first);
}

// The map with rho near the inverse of the curvature, contact by contact.
void ContactNewton::choose(ContactMap map) {
  map_ = map;
  const int nc = problem_->contacts();
  rho_n_.setOnes(nc);
  rho_t_.setOnes(nc);
  for (int c = 0; c < nc; ++c) {
    const double* w = problem_->diagonal(c);
    double n = w[0], t = largest_eigenvalue(w[4], 0.5 * (w[5] + w[7]), w[8]);
    if (problem_->dimension() == 2) t = w[4];
    if (settings.rho == "spectral" || map_ == ContactMap::kNatural) n = t = std::max(n, t);
    if (n > 0) rho_n_[c] = settings.rho_factor / n;
    if (t > 0) rho_t_[c] = settings.rho_factor / t;
  }
}

void ContactNewton::begin(const Deadline& deadline, int iteration_limit) {
  deadline_ = deadline;
  iteration_limit_ = iteration_limit;
  iterations = least_squares_steps = 0;
  if (settings.map == "auto") choose(ContactMap::kAlartCurnier);
  system_.factorisations = system_.linear_solves = 0;
}

Status ContactNewton::run(double alpha, const Vector& centre, double tolerance, int max_steps,
                          Observer* observer, Vector& r) {
  r_ = r;
  evaluate(alpha, centre);
  best_measure_ = problem_->measure(r_, u_);
  double lowest = merit_;
  std::fill(history_.begin(), history_.end(), merit_);
  damping_ = 1e-2;
  IterationRecord record;
  Status status = Status::kStalled;
  for (int step = 0, since_gain = 0;; ++step) {
    if (best_measure_ <= tolerance &&
        (alpha > 0 || (best_measure_ = problem_->measure(r)) <= tolerance)) {
      status = Status::kSolved;
      break;
    }
    if (iterations >= iteration_limit_) {
      status = Status::kIterationLimit;
      break;
    }
    if (deadline_.passed()) {
      status = Status::kTimeLimit;
      break;
    }
    if (step >= max_steps || since_gain >= settings.patience) break;
    const bool never = settings.least_squares == "never";
    bool moved = settings.least_squares != "always" && newton_step(alpha, record);
    if (!moved && !never) moved = least_squares_step(alpha, record);
    if (!moved) break;
    evaluate(alpha, centre);
    history_[step % history_.size()] = merit_;
    since_gain = merit_ <= kGain * lowest ? 0 : since_gain + 1;
    lowest = std::min(lowest, merit_);
    const double measure = problem_->measure(r_, u_);
    if (measure < best_measure_) {
      best_measure_ = measure;
      r = r_;
    }
    record.iteration = ++iterations;
    record.residual = measure;
    record.merit = merit_;
    record.active_set_size = system_.kernel_size();
    record.linear_solves = system_.linear_solves;
    record.factorisations = system_.factorisations;
    if (observer && !observer->on_iteration(record)) {
      status = Status::kInterrupted;
      break;
    }
  }
  if (status == Status::kStalled && settings.map == "auto")
    choose(map_ == ContactMap::kNatural ? ContactMap::kAlartCurnier : ContactMap::kNatural);
  return status;
}

// u, Phi with its Jacobian, and the merit at r.
void ContactNewton::evaluate(double alpha, const Vector& centre) {
  problem_->velocity(r_, u_);
  if (alpha > 0) u_ += alpha * (r_ - centre);
  merit_ = largest_ = 0.0;
  for (int c = 0; c < problem_->contacts(); ++c) {
    evaluate_contact(map_, problem_->mu(c), rho_n_[c], rho_t_[c], &r_[3 * c], &u_[3 * c], rows_[c]);
    for (double value : rows_[c].phi) {
      merit_ += 0.5 * value * value;
      largest_ = std::max(largest_, std::abs(value));
    }
  }
}

double ContactNewton::merit(const Vector& r, const Vector& u) const {
  double sum = 0.0, phi[3];
  for (int c = 0; c < problem_->contacts(); ++c) {
    evaluate_contact(map_, problem_->mu(c), rho_n_[c], rho_t_[c], &r[3 * c], &u[3 * c], phi);
    sum += phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2];
  }
  return 0.5 * sum;
}

bool ContactNewton::newton_step(double alpha, IterationRecord& record) {
  record.step_type = "newton";
  const double eps =
      std::max(settings.proximal, settings.proximal_factor * std::min(1.0, largest_));
  if (!system_.factor(rows_, alpha + eps)) return false;
  system_.solve(rows_, d_);
  return search(alpha, record);
}

bool ContactNewton::least_squares_step(double alpha, IterationRecord& record) {
  record.step_type = "least_squares";
  const double size = std::sqrt(2.0 * merit_);
  if (!system_.factor_least_squares(rows_, alpha, std::max(damping_, kLeastDamping) * size))
    return false;
  system_.solve_least_squares(rows_, d_);
  ++least_squares_steps;
  if (!search(alpha, record)) return false;
  damping_ *= record.step == 1.0 ? 0.1 : record.step < 0.2 ? 4.0 : 1.0;
  return true;
}

// Nonmonotone Armijo search along d [GrippoLamparielloLucidi1986].
bool ContactNewton::search(double alpha, IterationRecord& record) {
  if (!d_.allFinite()) return false;
  problem_->multiply(d_, wd_);
  if (alpha > 0) wd_ += alpha * d_;
  double slope = 0.0;
  for (int c = 0; c < problem_->contacts(); ++c) {
    const ContactRows& row = rows_[c];
    const double *d = &d_[3 * c], *wd = &wd_[3 * c];
    for (int i = 0; i < 3; ++i) {
      slope += row.phi[i] * (row.A[i] * d[0] + row.A[3 + i] * d[1] + row.A[6 + i] * d[2] +
                             row.B[i] * wd[0] + row.B[3 + i] * wd[1] + row.B[6 + i] * wd[2]);
    }
  }
  if (!(slope < 0)) return false;
  const double reference = *std::max_element(history_.begin(), history_.end());
  double t = 1.0;
  for (int k = 0; k < kHalvings; ++k, t *= 0.5) {
    trial_r_ = r_ + t * d_;
    trial_u_ = u_ + t * wd_;
    if (!(merit(trial_r_, trial_u_) <= reference + kArmijo * t * slope)) continue;
    record.step = t;
    r_.swap(trial_r_);
    return true;
  }
  return false;
}

}  // namespace perp
