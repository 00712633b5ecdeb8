#include <perp/solvers/active_set/newton_min.hpp>

#include <perp/problems/standard/residuals.hpp>
#include <perp/solvers/projection/progress.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kRefinements = 3;
constexpr double kSymmetric = 1e-14;

}  // namespace

const SolverTraits& NewtonMin::traits() const {
  static const SolverTraits traits{
      "newton-min",
      "Newton's method on min(z, Mz + q): active sets with block exchanges",
      "HintermuellerItoKunisch2003",
      {"lcp", "mlcp"}};
  return traits;
}

void NewtonMin::do_prepare(const Problem& problem) {
  problem_.build(problem);
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  const Matrix& m = lcp ? lcp->M : std::get<Mlcp>(problem.data).M;
  symmetric_ = m.is_symmetric(kSymmetric);
  block_.attach(problem_, symmetric_);
  const int n = problem_.size();
  place_.assign(n, Place::kLower);
  free_.assign(n, 0);
  violations_.reserve(n);
  for (Vector* v : {&z_, &w_, &centre_, &right_, &step_, &candidate_}) v->setZero(n);
  scale_ = std::max(m.max_abs(), 1e-300);
  double norm = 1.0;
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    problem_.for_row(i, [&](int, double value) { sum += std::abs(value); });
    norm = std::max(norm, sum);
  }
  slack_z_ = 0.1 / norm;
  slack_w_ = 0.1;
}

void NewtonMin::do_solve(const Vector* start, Observer* observer, Result& result) {
  const Deadline deadline(common.time_limit);
  const int limit =
      common.max_iterations > 0 ? common.max_iterations : std::max(200, 4 * problem_.size());
  block_.factorisations = block_.updates = block_.linear_solves = 0;
  block_.set_regularisation(0.0);
  proximal_steps_ = single_exchanges_ = 0;
  best_natural_ = last_move_ = kInfinity;
  choose_start(start);
  result.z = candidate_;

  std::size_t fewest = problem_.size() + 1UL;
  int tries = settings.block_tries;
  IterationRecord record;
  result.status = Status::kIterationLimit;
  while (result.iterations < limit) {
    record.iteration = ++result.iterations;
    if (!newton_point()) {
      if (regularise()) continue;
      result.status = Status::kStalled;
      result.message = "the free block stays singular after regularisation";
      break;
    }
    find_violations();
    Mode mode = Mode::kBlock;
    if (violations_.size() < fewest) {
      fewest = violations_.size();
      tries = settings.block_tries;
    } else if (--tries < 0) {
      mode = Mode::kSingle;
    }
    record.step_type = mode == Mode::kBlock ? "newton" : "exchange";
    record.residual = natural_;
    record.active_set_size = static_cast<int>(std::count(free_.begin(), free_.end(), 1));
    record.linear_solves = block_.linear_solves;
    record.factorisations = block_.factorisations;
    if (observer && !observer->on_iteration(record)) {
      result.status = Status::kInterrupted;
      break;
    }
    if (accept(result.z)) {
      result.status = Status::kSolved;
      break;
    }
    if (deadline.passed()) {
      result.status = Status::kTimeLimit;
      break;
    }
    if (violations_.empty()) {
      if (!proximal_step()) {
        result.status = Status::kStalled;
        result.message = fmt::format(
            "complementary sets were found, but the residual stays at {:.1e}", best_natural_);
        break;
      }
      fewest = problem_.size() + 1UL;
      tries = settings.block_tries;
      continue;
    }
    exchange(mode);
  }
  result.statistics.emplace_back("factorisations", block_.factorisations);
  result.statistics.emplace_back("updates", block_.updates);
  result.statistics.emplace_back("linear_solves", block_.linear_solves);
  result.statistics.emplace_back("single_exchanges", single_exchanges_);
  result.statistics.emplace_back("proximal_steps", proximal_steps_);
  result.statistics.emplace_back("regularisation", block_.regularisation());
}

// Sets from the start, or from sweeps where the diagonal allows them.
void NewtonMin::choose_start(const Vector* start) {
  const int n = problem_.size();
  candidate_.setZero();
  if (start) candidate_ = *start;
  problem_.clamp(candidate_);
  if (!start && symmetric_) {
    for (int i = 0; i < n; ++i) {
      const double d = problem_.diagonal[i];
      step_[i] = problem_.is_fixed(i) || !(d > 0) ? 0.0 : 1.0 / d;
    }
    for (int k = 0; k < settings.crash_sweeps; ++k) {
      projected_sweep(problem_, step_, nullptr, k % 2 == 1, candidate_);
    }
    if (!candidate_.allFinite()) {
      candidate_.setZero();
      problem_.clamp(candidate_);
    }
  }
  problem_.evaluate(candidate_, w_);
  place_all(candidate_);
}

// At a bound where z is there and w does not pull it off.
void NewtonMin::place_all(const Vector& z) {
  for (int i = 0; i < problem_.size(); ++i) {
    const bool low = z[i] <= problem_.lower[i], high = z[i] >= problem_.upper[i];
    place_[i] = low && (w_[i] >= 0 || high) ? Place::kLower
                : high && w_[i] <= 0        ? Place::kUpper
                                            : Place::kFree;
    free_[i] = place_[i] == Place::kFree;
  }
}

// z: bounds on N, solution of the free equations on F; w = Mz + q (+ rho (z - c)).
bool NewtonMin::newton_point() {
  if (!block_.set(free_)) return false;
  const int n = problem_.size();
  const double rho = block_.regularisation();
  bool moved = false;
  for (int i = 0; i < n; ++i) {
    z_[i] = place_[i] == Place::kFree    ? 0.0
            : place_[i] == Place::kLower ? problem_.lower[i]
                                         : problem_.upper[i];
    moved = moved || z_[i] != 0.0;
  }
  if (moved) {
    problem_.evaluate(z_, w_);
  } else {
    w_ = problem_.q;
  }
  for (int i = 0; i < n; ++i) right_[i] = free_[i] ? rho * centre_[i] - w_[i] : 0.0;
  block_.solve(right_);
  z_ += right_;
  problem_.evaluate(z_, w_);
  return true;
}

// Where unknown i belongs, by the signs at the Newton point.
NewtonMin::Place NewtonMin::wanted_place(int i) const {
  const double slack_z = slack_z_ * common.tolerance, slack_w = slack_w_ * common.tolerance;
  if (free_[i]) {
    if (z_[i] < problem_.lower[i] - slack_z) return Place::kLower;
    if (z_[i] > problem_.upper[i] + slack_z) return Place::kUpper;
    return Place::kFree;
  }
  if (problem_.is_fixed(i)) return Place::kLower;
  const double v = w_[i] + block_.regularisation() * (z_[i] - centre_[i]);
  if (place_[i] == Place::kLower && v < -slack_w) return Place::kFree;
  if (place_[i] == Place::kUpper && v > slack_w) return Place::kFree;
  return place_[i];
}

void NewtonMin::find_violations() {
  violations_.clear();
  natural_ = 0.0;
  for (int i = 0; i < problem_.size(); ++i) {
    if (wanted_place(i) != place_[i]) violations_.push_back(i);
    const double r = mid(z_[i] - problem_.lower[i], z_[i] - problem_.upper[i], w_[i]);
    natural_ = std::isfinite(w_[i]) ? std::max(natural_, std::abs(r)) : kInfinity;
  }
}

void NewtonMin::exchange(Mode mode) {
  const auto move = [&](int i) { place_[i] = wanted_place(i); };
  if (mode == Mode::kSingle) {
    move(violations_.back());
    ++single_exchanges_;
  } else {
    for (int i : violations_) move(i);
  }
  for (int i : violations_) free_[i] = place_[i] == Place::kFree;
}

// From now on (M + rho I), around the best point so far. Larger rho where there is one already.
bool NewtonMin::regularise() {
  const double rho = block_.regularisation();
  const double next = rho > 0 ? 100.0 * rho : settings.regularisation * scale_;
  if (!(next <= scale_) || !(next > 0)) return false;
  block_.set_regularisation(next);
  centre_ = candidate_;
  return true;
}

// Keeps the projection of z where it is the best so far. @return true where it solves the problem.
bool NewtonMin::accept(Vector& best) {
  if (!(natural_ < best_natural_) && natural_ > common.tolerance && !violations_.empty()) {
    return false;
  }
  const bool final = violations_.empty() || natural_ <= common.tolerance;
  for (int k = 0; k <= (final ? kRefinements : 0); ++k) {
    if (k > 0) refine();
    candidate_ = z_;
    problem_.clamp(candidate_);
    const double natural = final ? problem_.natural_residual(candidate_) : natural_;
    if (k > 0 && !(natural < best_natural_)) break;
    if (natural < best_natural_) {
      best_natural_ = natural;
      best = candidate_;
    }
    if (final && natural <= common.tolerance) return true;
    if (block_.regularisation() > 0) break;
  }
  return false;
}

// One step of iterative refinement, residual in extended precision [Higham2002, Ch. 12].
void NewtonMin::refine() {
  for (int i = 0; i < problem_.size(); ++i) {
    right_[i] = 0.0;
    if (!free_[i]) continue;
    long double sum = problem_.q[i];
    problem_.for_row(i, [&](int j, double m) { sum += static_cast<long double>(m) * z_[j]; });
    right_[i] = -static_cast<double>(sum);
  }
  block_.solve(right_);
  z_ += right_;
}

// The regularised problem is solved: around its solution the next one. @return false at the end.
bool NewtonMin::proximal_step() {
  if (block_.regularisation() == 0.0 || proximal_steps_ >= settings.proximal_steps) return false;
  ++proximal_steps_;
  candidate_ = z_;
  problem_.clamp(candidate_);
  const double move = (candidate_ - centre_).lpNorm<Eigen::Infinity>();
  if (!(move > 0)) return false;
  last_move_ = move;
  centre_ = candidate_;
  return true;
}

}  // namespace perp
