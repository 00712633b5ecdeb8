#include <perp/solvers/josephy_newton/josephy_steps.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kCrashGain = 0.5;  // largest merit of a crash step over the one before
constexpr double kPathGain = 0.9;   // the end of a path is tried if it leaves less of the violation
constexpr int kProximalTries = 4;
constexpr double kProximalGrowth = 100.0;
constexpr long kLeastPivots = 200, kPivotsPerUnknown = 10;  // of one path

}  // namespace

void JosephySteps::attach(BoxProblem& problem) {
  BoxEquation::attach(problem, Sums::kExtended);
  path_ = Path::kProjected;
  sets_.attach(problem, system);
  linearised_.attach(problem);
}

void JosephySteps::refit() {
  if (!linearised_.fits(*problem_)) linearised_.attach(*problem_);
}

bool JosephySteps::begin(const ComplementarityFunction& function, const Options& options,
                         double tolerance, const Vector& start, const Deadline& deadline) {
  options_ = options;
  crashing_ = options.crash_iterations > 0;
  counts_ = {};
  deadline_ = deadline;
  sets_.begin();
  linearised_.reset_counts();
  return BoxEquation::begin(function, tolerance, start);
}

NewtonEquation::Verdict JosephySteps::judge() {
  const bool wrong = is_false_answer();
  if (wrong) return is_at_pole() ? Verdict::kStuck : Verdict::kGoOn;
  record.note_point(z_, natural_);
  const double share = problem_->is_linear() ? kClaim : kClaimNonlinear;
  return natural_ <= share * tolerance_ ? Verdict::kSolved : Verdict::kGoOn;
}

std::string_view JosephySteps::take_step(NewtonDriver& driver) {
  if (!linearise()) return {};
  if (natural_ > tolerance_) record.note_merit(merit(), projected_gradient(), phi_);
  if (options_.newton) {
    if (sets_.solve(z_, f_, natural_, options_.set_rounds)) {
      direction_ = sets_.point() - z_;
      if (search(driver, true)) return "newton";
    } else {
      if (crash_step(driver)) return "crash";
      const std::string_view taken = path_step(driver);
      if (!taken.empty() || deadline_.passed()) return taken;
    }
  }
  if (options_.least_squares && least_squares_step(driver)) return "least_squares";
  return gradient_step(driver) ? "gradient" : "";
}

// The slope of the search is that of a merit which a full Newton step brings to zero.
bool JosephySteps::search(NewtonDriver& driver, bool may_relax) {
  SearchRule rule;
  rule.slope = -driver.reference();
  rule.may_relax = may_relax;
  return driver.search(*this, rule);
}

// Takes the projected Newton point if its merit is much lower. If the point is z, there is none.
bool JosephySteps::crash_step(NewtonDriver& driver) {
  crashing_ = crashing_ && sets_.point() != z_ && counts_.crash < options_.crash_iterations;
  if (!crashing_) return false;
  direction_ = sets_.point() - z_;
  crashing_ = driver.take_full_step(*this, kCrashGain * merit());
  counts_.crash += crashing_;
  return crashing_;
}

std::string_view JosephySteps::path_step(NewtonDriver& driver) {
  const double largest = std::max(problem_->matrix().max_abs(), 1e-300);
  const long pivots = kLeastPivots + kPivotsPerUnknown * problem_->size();
  double share = options_.path_proximal * std::min(1.0, natural_);
  bool tried_end = false;
  for (int k = 0; k <= kProximalTries; ++k) {
    problem_->linearise(z_);  // a search may have left another Jacobian
    linearised_.set_point(z_, f_, share * largest);
    PathEnd end = linearised_.solve(options_.origin, sets_.sets(), pivots, deadline_.left());
    if (end != PathEnd::kSolution && options_.origin == Origin::kPoint) {
      if (!tried_end && linearised_.share_left() < kPathGain) {
        tried_end = true;
        direction_ = linearised_.point() - z_;
        if (search(driver, false)) {
          ++counts_.path;
          return "path_end";
        }
      }
      end = linearised_.solve(Origin::kFarAway, sets_.sets(), pivots, deadline_.left());
    }
    if (end == PathEnd::kTimeLimit) return {};
    if (end == PathEnd::kSolution) {
      direction_ = linearised_.point() - z_;
      if (search(driver, true)) {
        ++(k == 0 ? counts_.path : counts_.proximal);
        return k == 0 ? "path" : "proximal";
      }
    } else {
      ++counts_.failed_paths;
    }
    share = std::max(options_.proximal, kProximalGrowth * share);
  }
  return {};
}

bool JosephySteps::least_squares_step(NewtonDriver& driver) {
  problem_->linearise(z_);
  if (!find_least_squares_direction(driver.damping.share())) return false;
  const bool taken = search(driver, false);
  driver.damping.follow(driver.step());
  counts_.least_squares += taken;
  return taken;
}

// Searches on the segment from z to the Cauchy step projected on the bounds.
bool JosephySteps::gradient_step(NewtonDriver& driver) {
  problem_->linearise(z_);
  if (!find_gradient_direction()) return false;
  direction_ = (z_ + direction_).cwiseMax(problem_->lower).cwiseMin(problem_->upper) - z_;
  if (!take_direction()) return false;
  SearchRule rule;
  rule.slope = slope();
  rule.shortest = 1e-12;
  const bool taken = driver.search(*this, rule);
  counts_.gradient += taken;
  return taken;
}

// The largest entry of the projected gradient.
double JosephySteps::projected_gradient() const {
  double largest = 0.0;
  for (int i = 0; i < z_.size(); ++i) {
    const double moved =
        std::clamp(z_[i] - gradient_[i], problem_->lower[i], problem_->upper[i]) - z_[i];
    largest = std::max(largest, std::abs(moved));
  }
  return largest;
}

void JosephySteps::describe(IterationRecord& told) const {
  BoxEquation::describe(told);
  told.pivots = static_cast<int>(linearised_.pivots());
  told.linear_solves += linearised_.linear_solves();
  told.factorisations += linearised_.factorisations();
}

}  // namespace perp
