#include <perp/solvers/josephy_newton/josephy_newton.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kArmijo = 1e-4;       // sigma of the line search
constexpr double kShortest = 1e-3;     // shortest step over the longest that stays in the domain
constexpr double kLeastStep = 1e-12;   // below it no point of the domain is looked for
constexpr double kNegligible = 1e-13;  // b_i below this: the row is z_i alone
constexpr double kInexact = 1e-6;   // of the residual: violations that a linear solution may have
constexpr double kCrashGain = 0.5;  // merit of a crash step over the one before
constexpr double kPathGain = 0.9;   // share of the violation that the end of a path may leave
constexpr double kWild = 1e4;       // largest merit of a relaxed step over the reference
constexpr double kLowered = 0.9;    // a merit below this times the lowest is progress
constexpr int kProximalTries = 4;
constexpr double kProximalGrowth = 100.0;
constexpr long kLeastPivots = 200, kPivotsPerUnknown = 10;  // of one path
constexpr double kLeastDamping = 1e-10, kMostDamping = 1.0;
constexpr double kClaim = 1.0 - 1e-9;  // rounding of the verifier's own sums
constexpr int kRetreats = 20;
constexpr int kFalseAnswers = 10;  // points of an attempt that only look like answers

bool one_of(const std::string& text, std::initializer_list<const char*> choices) {
  return std::any_of(choices.begin(), choices.end(), [&](const char* c) { return text == c; });
}

}  // namespace

const SolverTraits& JosephyNewton::traits() const {
  static const SolverTraits traits{
      "josephy-newton",
      "Newton's method whose steps solve linear complementarity problems by pivoting",
      "Josephy1979",
      {"mcp", "mlcp", "lcp"}};
  return traits;
}

void JosephyNewton::check_settings() const {
  const auto ask = [](bool right, std::string_view name, std::string_view expected) {
    if (!right)
      throw std::invalid_argument(fmt::format("setting \"{}\": expected {}", name, expected));
  };
  ask(one_of(settings.path, {"far", "point"}), "path", "far or point");
  ask(one_of(settings.least_squares, {"fallback", "never"}), "least_squares", "fallback or never");
  ask(one_of(settings.linear_algebra, {"auto", "dense", "sparse"}), "linear_algebra",
      "auto, dense or sparse");
  ask(settings.memory >= 1, "memory", "at least 1");
  ask(settings.proximal > 0, "proximal", "a positive number");
}

void JosephyNewton::do_prepare(const Problem& problem) {
  check_settings();
  map_.build(problem,
             settings.linear_algebra == "auto"    ? SystemStorage::kAuto
             : settings.linear_algebra == "dense" ? SystemStorage::kDense
                                                  : SystemStorage::kSparse,
             Deadline(limits.time_limit));
  system_.attach(map_.jacobian());
  linearised_.attach(map_);
  names_ = problem.variables;
  const int n = map_.size();
  for (Vector* v : {&z_,
                    &f_,
                    &phi_,
                    &da_,
                    &db_,
                    &gradient_,
                    &previous_z_,
                    &direction_,
                    &map_direction_,
                    &right_side_,
                    &newton_point_,
                    &trial_z_,
                    &trial_f_,
                    &at_bound_,
                    &basic_,
                    &base_z_,
                    &base_direction_,
                    &start_,
                    &best_z_,
                    &lowest_z_,
                    &lowest_phi_}) {
    v->setZero(n);
  }
  sets_.assign(n, PairStatus::kAtLower);
}

void JosephyNewton::do_solve(const Start& start, Observer* observer, Result& result) {
  check_settings();
  if (limits.time_limit > 0) started_ = std::chrono::steady_clock::now();
  iterations_ = crash_steps_ = singular_systems_ = rays_ = shortened_ = false_answers_ = 0;
  bad_row_ = -1;
  std::fill(std::begin(step_counts_), std::end(step_counts_), 0);
  map_.evaluations = map_.jacobian_evaluations = 0;
  system_.factorisations = system_.linear_solves = 0;
  linearised_.reset_counts();
  best_natural_ = lowest_of_all_ = lowest_gradient_ = kInfinity;
  merits_.resize(settings.memory);
  Status status = Status::kStalled;
  for (attempt_ = 0;; ++attempt_) {
    const bool begun = begin_attempt(attempt_, start.z);
    status = begun ? run_attempt(observer) : Status::kNumericalError;
    const bool may_restart = status == Status::kStationary || status == Status::kStalled ||
                             (status == Status::kNumericalError && (begun || attempt_ > 0));
    if (!may_restart || attempt_ >= settings.restarts) break;
  }
  // What the lowest merit was tells more than that the last start lay outside the domain.
  if (status == Status::kNumericalError && std::isfinite(lowest_of_all_)) status = end_of_attempt();
  if (std::isinf(best_natural_)) best_z_ = z_;
  result.z = best_z_;
  result.status = status;
  result.iterations = iterations_;
  describe(status, result);
  add_statistics(result);
}

Status JosephyNewton::run_attempt(Observer* observer) {
  while (true) {
    const bool wrong = is_false_answer();
    if (!wrong && natural_ < best_natural_) {
      best_natural_ = natural_;
      best_z_ = z_;
    }
    if (!report_iteration(observer)) return Status::kInterrupted;
    if (!wrong && natural_ <= kClaim * limits.tolerance) return Status::kSolved;
    if (wrong && ++false_answers_here_ > kFalseAnswers) return Status::kStalled;
    if (limits.max_iterations > 0 && iterations_ >= limits.max_iterations) {
      return Status::kIterationLimit;
    }
    if (out_of_time()) return Status::kTimeLimit;
    if (attempt_steps_ >= settings.attempt_iterations || since_lower_ > settings.patience) {
      return end_of_attempt();
    }
    if (!linearise() && !(attempt_steps_ > 0 ? retreat() : move_into_domain())) {
      return Status::kNumericalError;
    }
    remember(!wrong);
    last_step_ = take_step();
    if (last_step_ == StepType::kNone) return end_of_attempt();
    ++step_counts_[static_cast<int>(last_step_)];
    crash_steps_ += last_step_ == StepType::kCrash;
    ++iterations_;
    ++attempt_steps_;
  }
}

// The residual is small, but F does not hold its signs at the bounds. Steps from there may still
// lead to a solution nearby.
bool JosephyNewton::is_false_answer() {
  if (natural_ > limits.tolerance || map_.signs_hold(z_, f_, limits.tolerance)) return false;
  ++false_answers_;
  return true;
}

bool JosephyNewton::evaluate() { return map_.evaluate(z_, f_) && set_rows(); }

// Phi, merit and residual from z and F. @return false where they overflow.
bool JosephyNewton::set_rows() {
  double sum = 0.0;
  for (int i = 0; i < map_.size(); ++i) {
    const ComplementarityRow row =
        evaluate_row(function_, z_[i], f_[i], map_.lower[i], map_.upper[i]);
    phi_[i] = row.value;
    da_[i] = row.dz;
    db_[i] = row.df > kNegligible * row.dz ? row.df : 0.0;
    sum += row.value * row.value;
  }
  merit_ = 0.5 * sum;
  natural_ = map_.natural_residual(z_, f_);
  return std::isfinite(merit_);
}

// J at z and the gradient of the merit, (D_a + D_b J)' Phi [Billups1995].
bool JosephyNewton::linearise() {
  if (!map_.evaluate_jacobian(z_)) return false;
  system_.multiply_transposed(da_, db_, phi_, gradient_);
  return true;
}

// F exists at z, its Jacobian does not: z lies on the boundary of the domain. Back along the step.
bool JosephyNewton::retreat() {
  for (int k = 0; k < kRetreats; ++k) {
    z_ = 0.5 * (z_ + previous_z_);
    if (evaluate() && linearise()) return true;
  }
  return false;
}

void JosephyNewton::remember(bool as_lowest) {
  if (as_lowest && merit_ < lowest_of_all_) {
    lowest_of_all_ = merit_;
    // What is left of the gradient between the bounds.
    lowest_gradient_ = 0.0;
    for (int i = 0; i < map_.size(); ++i) {
      const double moved = std::clamp(z_[i] - gradient_[i], map_.lower[i], map_.upper[i]) - z_[i];
      lowest_gradient_ = std::max(lowest_gradient_, std::abs(moved));
    }
    lowest_z_ = z_;
    lowest_phi_ = phi_;
  }
  ++since_lower_;
  if (merit_ < lowest_merit_) {
    if (merit_ < kLowered * lowest_merit_) since_lower_ = 0;
    lowest_merit_ = merit_;
  }
  if (relaxed_ > 0) return;
  merits_[merits_kept_ % settings.memory] = merit_;
  ++merits_kept_;
}

double JosephyNewton::reference_merit() const {
  const int count = std::min(merits_kept_, settings.memory);
  return *std::max_element(merits_.begin(), merits_.begin() + count);
}

JosephyNewton::StepType JosephyNewton::take_step() {
  if (relaxed_ >= settings.watchdog && relaxed_ > 0) {
    return return_to_base() ? StepType::kWatchdog : StepType::kNone;
  }
  if (!least_squares_first_) {
    const bool solved = set_newton_point();
    if (solved) {
      direction_ = newton_point_ - z_;
      if (search(true)) return StepType::kNewton;
    } else {
      if (crash_step()) return StepType::kCrash;
      const StepType taken = path_step();
      if (taken != StepType::kNone) return taken;
    }
  }
  if (settings.least_squares != "never" && least_squares_step()) return StepType::kLeastSquares;
  if (gradient_step()) return StepType::kGradient;
  return relaxed_ > 0 && return_to_base() ? StepType::kWatchdog : StepType::kNone;
}

// Newton's method on the sets of the linear problem. newton_point_ is its solution where one is
// found, else what the first system gives, put back between the bounds.
bool JosephyNewton::set_newton_point() {
  classify();
  int least = map_.size() + 1;
  for (int round = 0; round < settings.set_rounds; ++round) {
    if (!system_.factor(at_bound_, basic_, 0.0)) {
      ++singular_systems_;
      if (round == 0) newton_point_ = z_;
      return false;
    }
    for (int i = 0; i < map_.size(); ++i) {
      right_side_[i] = sets_[i] == PairStatus::kBasic     ? -f_[i]
                       : sets_[i] == PairStatus::kAtLower ? map_.lower[i] - z_[i]
                                                          : map_.upper[i] - z_[i];
    }
    system_.solve(right_side_, direction_);
    map_.jacobian().multiply(direction_, map_direction_);
    const int violations = exchange_sets();
    if (round == 0 || violations == 0) {
      newton_point_ = (z_ + direction_).cwiseMax(map_.lower).cwiseMin(map_.upper);
    }
    if (violations == 0) return newton_point_.allFinite();
    if (violations >= least) return false;
    least = violations;
  }
  return false;
}

// Which rows are equations, as mid(z - l, z - u, F) sees it.
void JosephyNewton::classify() {
  for (int i = 0; i < map_.size(); ++i) {
    const double low = map_.lower[i], high = map_.upper[i], x = z_[i] - f_[i];
    sets_[i] = low == high || x <= low ? PairStatus::kAtLower
               : x >= high             ? PairStatus::kAtUpper
                                       : PairStatus::kBasic;
    basic_[i] = sets_[i] == PairStatus::kBasic ? 1.0 : 0.0;
    at_bound_[i] = 1.0 - basic_[i];
  }
}

// Whatever is outside its bounds or has an F of the wrong sign changes sets. @return how many.
int JosephyNewton::exchange_sets() {
  const double slack = kInexact * natural_;
  int violations = 0;
  for (int i = 0; i < map_.size(); ++i) {
    const double low = map_.lower[i], high = map_.upper[i];
    const double z = z_[i] + direction_[i], f = f_[i] + map_direction_[i];
    PairStatus wanted = sets_[i];
    if (low == high) continue;
    if (sets_[i] == PairStatus::kBasic) {
      if (z < low - slack) wanted = PairStatus::kAtLower;
      if (z > high + slack) wanted = PairStatus::kAtUpper;
    } else if (sets_[i] == PairStatus::kAtLower ? f < -slack : f > slack) {
      wanted = PairStatus::kBasic;
    }
    if (wanted == sets_[i]) continue;
    ++violations;
    sets_[i] = wanted;
    basic_[i] = wanted == PairStatus::kBasic ? 1.0 : 0.0;
    at_bound_[i] = 1.0 - basic_[i];
  }
  return violations;
}

// The projected Newton point, where its merit is a good deal lower.
bool JosephyNewton::crash_step() {
  if (newton_point_ == z_) crashing_ = false;  // the first system was singular
  if (!crashing_) return false;
  direction_ = newton_point_ - z_;
  if (step_counts_[static_cast<int>(StepType::kCrash)] < settings.crash_iterations &&
      try_step(1.0) && trial_merit_ <= kCrashGain * merit_) {
    step_ = 1.0;
    accept_trial();
    return true;
  }
  crashing_ = false;
  return false;
}

JosephyNewton::StepType JosephyNewton::path_step() {
  using Origin = LinearisedProblem::Origin;
  const double largest = std::max(map_.jacobian().max_abs(), 1e-300);
  const long pivots = kLeastPivots + kPivotsPerUnknown * map_.size();
  double share = least_proximal_ * std::min(1.0, natural_);
  bool tried_end = false;
  for (int k = 0; k <= kProximalTries; ++k) {
    linearised_.set_point(z_, f_, share * largest);
    PathEnd end = linearised_.solve(origin_, sets_, pivots, time_left());
    if (end != PathEnd::kSolution && origin_ == Origin::kPoint) {
      if (!tried_end && linearised_.share_left() < kPathGain) {
        tried_end = true;
        direction_ = linearised_.point() - z_;
        if (search(false)) return StepType::kPathEnd;
      }
      end = linearised_.solve(Origin::kFarAway, sets_, pivots, time_left());
    }
    if (end == PathEnd::kTimeLimit) return StepType::kNone;
    if (end == PathEnd::kSolution) {
      direction_ = linearised_.point() - z_;
      if (search(true)) return k == 0 ? StepType::kPath : StepType::kProximal;
    } else {
      ++rays_;
    }
    share = std::max(settings.proximal, kProximalGrowth * share);
  }
  return StepType::kNone;
}

// min ||Phi + (D_a + D_b J) d||^2 + mu ||d||^2, mu a share of ||Phi||.
bool JosephyNewton::least_squares_step() {
  right_side_ = -phi_;
  if (!system_.factor_least_squares(da_, db_, damping_ * phi_.norm())) return false;
  system_.solve_least_squares(right_side_, direction_);
  if (!direction_.allFinite() || !(gradient_.dot(direction_) < 0)) return false;
  const bool taken = search(false);
  damping_ = !taken || step_ < 0.25 ? 10.0 * damping_ : step_ == 1.0 ? 0.25 * damping_ : damping_;
  damping_ = std::clamp(damping_, kLeastDamping, kMostDamping);
  return taken;
}

// From the Cauchy step, ||J g||^2 t = ||g||^2, projected.
bool JosephyNewton::gradient_step() {
  map_.jacobian().multiply(gradient_, map_direction_);
  const double curvature =
      (da_.cwiseProduct(gradient_) + db_.cwiseProduct(map_direction_)).squaredNorm();
  const double first = curvature > 0 ? gradient_.squaredNorm() / curvature : 1.0;
  direction_ = -gradient_;
  if (!(first > 0) || !std::isfinite(first)) return false;  // under- or overflow
  for (step_ = first; step_ >= kLeastStep * first; step_ *= 0.25) {
    if (!try_step(step_)) continue;
    const double fall = gradient_.dot(z_ - trial_z_);
    if (fall > 0 && trial_merit_ <= merit_ - kArmijo * fall) {
      accept_trial();
      return true;
    }
  }
  return false;
}

// The relaxed steps led nowhere: a shorter one from where they began.
bool JosephyNewton::return_to_base() {
  z_ = base_z_;
  direction_ = base_direction_;
  relaxed_ = 0;
  returned_ = true;
  return evaluate() && search(false, 0.5);
}

// Nonmonotone search by halving [GrippoLamparielloLucidi1986] on the merit that a full Newton step
// brings to zero.
bool JosephyNewton::search(bool may_relax, double first) {
  const double reference = reference_merit();
  double longest = 0.0;  // that stays in the domain
  for (step_ = first; step_ >= std::max(kLeastStep, kShortest * longest); step_ *= 0.5) {
    if (!try_step(step_)) continue;
    longest = std::max(longest, step_);
    const bool lower = trial_merit_ <= (1.0 - kArmijo * step_) * reference;
    if (lower) {
      relaxed_ = 0;
      returned_ = false;
    } else if (!may_relax || step_ < 1.0 || !relax(reference)) {
      continue;
    }
    accept_trial();
    return true;
  }
  return false;
}

// A full step may miss the reference for a while [FerrisLucidi1994].
bool JosephyNewton::relax(double reference) {
  if (returned_ || relaxed_ >= settings.watchdog || !(trial_merit_ <= kWild * reference)) {
    return false;
  }
  if (relaxed_ == 0) {
    base_z_ = z_;
    base_direction_ = direction_;
  }
  ++relaxed_;
  return true;
}

// @return false where F does not exist at z + step d, put between the bounds.
bool JosephyNewton::try_step(double step) {
  trial_z_ = (z_ + step * direction_).cwiseMax(map_.lower).cwiseMin(map_.upper);
  if (!map_.evaluate(trial_z_, trial_f_)) {
    ++shortened_;
    return false;
  }
  double sum = 0.0;
  for (int i = 0; i < map_.size(); ++i) {
    const double value =
        evaluate_value(function_, trial_z_[i], trial_f_[i], map_.lower[i], map_.upper[i]);
    sum += value * value;
  }
  trial_merit_ = 0.5 * sum;
  return std::isfinite(trial_merit_);
}

void JosephyNewton::accept_trial() {
  previous_z_.swap(z_);
  z_.swap(trial_z_);
  f_.swap(trial_f_);
  set_rows();
}

}  // namespace perp
