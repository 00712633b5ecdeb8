#include <perp/solvers/active_set/newton_min.hpp>

#include <perp/problems/standard/residuals.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kRefinements = 3;
constexpr double kSymmetric = 1e-14;
constexpr double kDrift = 0.01;           // of the tolerance, left in an equation by updates
constexpr double kRelativeDrift = 1e-11;  // likewise, of the terms of the equation
constexpr int kWeakFactor = 16;           // more first sweeps where rows have no positive diagonal
constexpr int kFirstSweeps = 50;          // of a recovery, twice as many in the next one

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
  scale_ = std::max(problem_.max_abs(), 1e-300);
  symmetric_ = problem_.is_symmetric(m, kSymmetric * scale_);
  block_.attach(problem_, symmetric_);
  const int n = problem_.size();
  place_.assign(n, Place::kLower);
  free_.assign(n, 0);
  violations_.reserve(n);
  for (Vector* v : {&z_, &w_, &centre_, &right_, &step_, &candidate_, &swept_, &best_}) {
    v->setZero(n);
  }
  norm_ = std::max(1.0, problem_.row_sum_norm());
  plain_sweeps_ = symmetric_;
  for (int i = 0; i < n; ++i) {
    const bool fixed = problem_.is_fixed(i);
    plain_sweeps_ = plain_sweeps_ && (fixed || problem_.diagonal[i] > 0);
    step_[i] = fixed || problem_.diagonal[i] == 0.0 ? 0.0 : 1.0 / problem_.diagonal[i];
  }
  if (!plain_sweeps_) sweeps_.prepare(problem_);
  by_multigrid_ = plain_sweeps_ && !problem_.is_dense() && n >= settings.multigrid_above && n > 0;
  for (int i = 0; i < n && by_multigrid_; ++i) {
    problem_.for_row(
        i, [&](int j, double value) { by_multigrid_ = by_multigrid_ && (j == i || value <= 0); });
  }
  by_multigrid_ = by_multigrid_ && !multigrid_.refusal(problem);
  if (by_multigrid_) multigrid_.prepare(problem);
  slack_z_ = 0.1 / norm_;
  slack_w_ = 0.1;
}

void NewtonMin::do_solve(const Start& start, Observer* observer, Result& result) {
  deadline_ = Deadline(limits.time_limit);
  const int limit =
      limits.max_iterations > 0 ? limits.max_iterations : std::max(200, 4 * problem_.size());
  choose_start(start.z);
  if (by_multigrid_ && !start.z && start_by_multigrid(observer, result)) return report(result);
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
    if (violations_.size() < fewest_) {
      restart_count();
      fewest_ = violations_.size();
    }
    const Mode mode = tries_ > 0 ? Mode::kBlock : Mode::kSingle;
    record.step_type = mode == Mode::kBlock ? "newton" : "exchange";
    record.residual = natural_;
    record.active_set_size = static_cast<int>(std::count(free_.begin(), free_.end(), 1));
    record.linear_solves = block_.linear_solves;
    record.factorisations = block_.factorisations;
    if (observer && !observer->on_iteration(record)) {
      result.status = Status::kInterrupted;
    } else if (accept()) {
      result.status = Status::kSolved;
    } else if (deadline_.passed()) {
      result.status = Status::kTimeLimit;
    } else if (violations_.empty() && !proximal_step() && !recover()) {
      result.status = Status::kStalled;
      result.message = fmt::format(
          "complementary sets were found, but the residual stays at {:.1e}", best_natural_);
    } else if (violations_.empty() || (mode == Mode::kSingle && recover())) {
      continue;
    } else {
      exchange(mode);
      --tries_;
      continue;
    }
    break;
  }
  result.z = best_;
  // Projections are not looked at on the way where the point itself is far off.
  if (result.status == Status::kIterationLimit || result.status == Status::kStalled) {
    if (problem_.natural_residual(best_) <= limits.tolerance) result.status = Status::kSolved;
  }
  report(result);
}

void NewtonMin::report(Result& result) const {
  result.statistics.emplace_back("factorisations", block_.factorisations);
  result.statistics.emplace_back("updates", block_.updates);
  result.statistics.emplace_back("linear_solves", block_.linear_solves);
  result.statistics.emplace_back("single_exchanges", single_exchanges_);
  result.statistics.emplace_back("proximal_steps", proximal_steps_);
  result.statistics.emplace_back("recoveries", recoveries_);
  result.statistics.emplace_back("regularisation", block_.regularisation());
}

// Sets from the start, or from a few sweeps.
void NewtonMin::choose_start(const Vector* start) {
  block_.factorisations = block_.updates = block_.linear_solves = 0;
  block_.set_regularisation(0.0);
  proximal_steps_ = single_exchanges_ = recoveries_ = 0;
  best_natural_ = centred_natural_ = kInfinity;
  if (!plain_sweeps_) sweeps_.start({});
  swept_.setZero();
  if (start) swept_ = *start;
  problem_.clamp(swept_);
  best_ = swept_;
  fewest_ = problem_.size() + 1UL;
  restart_count();
  const bool weak = problem_.size() > 0 && !(problem_.diagonal.minCoeff() > 0);
  if (!start && !by_multigrid_) sweep(settings.crash_sweeps * (weak ? kWeakFactor : 1));
  problem_.evaluate(swept_, w_);
  place_all(swept_);
}

// @return true where that ends the solve.
bool NewtonMin::start_by_multigrid(Observer* observer, Result& result) {
  multigrid_.limits = limits;
  const Result& coarse = multigrid_.solve(nullptr, observer);
  result.iterations = coarse.iterations;
  result.statistics = coarse.statistics;
  result.z = coarse.z;
  result.status = coarse.status;
  if (coarse.status == Status::kSolved || coarse.status == Status::kInterrupted ||
      coarse.status == Status::kTimeLimit || coarse.status == Status::kIterationLimit) {
    return true;
  }
  result.status = Status::kIterationLimit;
  swept_ = coarse.z;
  problem_.evaluate(swept_, w_);
  place_all(swept_);
  return false;
}

void NewtonMin::restart_count() { tries_ = settings.block_tries; }

// Projected sweeps from the point where the last ones ended; proximal ones where plain ones need
// not converge.
void NewtonMin::sweep(int count) {
  for (int k = 0; k < count && plain_sweeps_ && !deadline_.passed(); ++k) {
    projected_sweep(problem_, step_, nullptr, k % 2 == 1, swept_);
  }
  for (int end = sweeps_.sweeps + count; !plain_sweeps_ && sweeps_.sweeps < end;) {
    if (sweeps_.hopeless || deadline_.passed()) break;
    sweeps_.step(swept_, end - sweeps_.sweeps);
  }
  if (swept_.allFinite()) return;
  swept_.setZero();
  problem_.clamp(swept_);
}

// The steps go round: on from the best point where it has become better, else from more sweeps.
bool NewtonMin::recover() {
  if (block_.regularisation() > 0 && best_natural_ < 0.5 * centred_natural_) {
    centred_natural_ = best_natural_;
    centre_ = best_;
    ++proximal_steps_;
  } else if (recoveries_ < settings.recoveries) {
    sweep(kFirstSweeps << recoveries_++);
    keep(swept_, problem_.natural_residual(swept_));
    problem_.evaluate(swept_, w_);
    place_all(swept_);
    centre_ = swept_;
  } else {
    return false;
  }
  fewest_ = problem_.size() + 1UL;
  restart_count();
  return true;
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
  solve_free();
  if (!drifted()) return true;
  block_.forget();
  if (!block_.set(free_)) return false;
  solve_free();
  return true;
}

void NewtonMin::solve_free() {
  const int n = problem_.size();
  const double rho = block_.regularisation();
  bool off_zero = false;
  for (int i = 0; i < n; ++i) {
    z_[i] = place_[i] == Place::kFree    ? 0.0
            : place_[i] == Place::kLower ? problem_.lower[i]
                                         : problem_.upper[i];
    off_zero = off_zero || z_[i] != 0.0;
  }
  if (off_zero) {
    problem_.evaluate(z_, w_);
  } else {
    w_ = problem_.q;
  }
  for (int i = 0; i < n; ++i) right_[i] = free_[i] ? rho * centre_[i] - w_[i] : 0.0;
  block_.solve(right_);
  z_ += right_;
  problem_.evaluate(z_, w_);
}

// True where updates have cost too many digits: the free equations do not hold.
bool NewtonMin::drifted() const {
  if (!block_.is_bordered()) return false;
  const double rho = block_.regularisation();
  double defect = 0.0;
  for (int i = 0; i < problem_.size(); ++i) {
    if (free_[i]) defect = std::max(defect, std::abs(w_[i] + rho * (z_[i] - centre_[i])));
  }
  return !(defect <= kDrift * limits.tolerance) &&
         !(defect <= kRelativeDrift * norm_ * z_.lpNorm<Eigen::Infinity>());
}

// Where unknown i belongs, by the signs at the Newton point.
NewtonMin::Place NewtonMin::wanted_place(int i) const {
  const double slack_z = slack_z_ * limits.tolerance, slack_w = slack_w_ * limits.tolerance;
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
  centre_ = best_natural_ < kInfinity ? best_ : swept_;
  centred_natural_ = best_natural_;
  return true;
}

void NewtonMin::keep(const Vector& z, double natural) {
  if (!(natural < best_natural_)) return;
  best_natural_ = natural;
  best_ = z;
}

// Keeps the projection of z where it is the best so far. @return true where it solves the problem.
bool NewtonMin::accept() {
  const bool final = violations_.empty() || natural_ <= limits.tolerance;
  for (int k = 0; k <= (final ? kRefinements : 0); ++k) {
    if (k > 0) refine();
    candidate_ = z_;
    problem_.clamp(candidate_);
    const double natural = final ? problem_.natural_residual(candidate_) : natural_;
    const double before = best_natural_;
    keep(candidate_, natural);
    if (best_natural_ <= limits.tolerance)
      return problem_.natural_residual(best_) <= limits.tolerance;
    if (natural >= before) break;
  }
  return false;
}

// One step of iterative refinement, residual in extended precision [Higham2002, Ch. 12].
void NewtonMin::refine() {
  const long double rho = block_.regularisation();
  for (int i = 0; i < problem_.size(); ++i) {
    const long double proximal = rho * (static_cast<long double>(z_[i]) - centre_[i]);
    const long double f = free_[i] ? problem_.extended_row(i, z_.data()) + proximal : 0.0L;
    right_[i] = -static_cast<double>(f);
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
  if (!((candidate_ - centre_).lpNorm<Eigen::Infinity>() > 0)) return false;
  centre_ = candidate_;
  centred_natural_ = best_natural_;
  fewest_ = problem_.size() + 1UL;
  restart_count();
  return true;
}

}  // namespace perp
