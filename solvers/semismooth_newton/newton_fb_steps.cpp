#include <perp/solvers/semismooth_newton/newton_fb_steps.hpp>

#include <algorithm>

namespace perp {

namespace {

constexpr double kShortestStep = 1e-3;  // shortest length of a Newton or least-squares step
constexpr double kShortestGradient = 1e-10;
constexpr double kHalved = 0.5;              // merit after a projected full step over that before
constexpr double kGoodSlope = 0.1;           // share of -||Phi||^2, the slope of an exact step
constexpr double kNonlinearProximal = 0.01;  // share of proximal_factor for a nonlinear F

}  // namespace

void NewtonFbSteps::attach(BoxProblem& problem) {
  BoxEquation::attach(problem, Sums::kPlain);
  finish_.attach(problem, system);
}

bool NewtonFbSteps::begin(const ComplementarityFunction& function, const Options& options,
                          const Vector& start) {
  options_ = options;
  finish_.begin(options.finish);
  least_squares_steps = gradient_steps = 0;
  return BoxEquation::begin(function, options.finish.tolerance, start);
}

NewtonEquation::Verdict NewtonFbSteps::judge() {
  const bool wrong = is_false_answer();
  if (!wrong) record.note_point(z_, natural_);
  if (wrong && is_at_pole()) return Verdict::kStuck;
  return finish_.solves(z_, f_, largest(), natural_, record) ? Verdict::kSolved : Verdict::kGoOn;
}

std::string_view NewtonFbSteps::take_step(NewtonDriver& driver) {
  if (!linearise()) return {};
  if (natural_ > tolerance_) record.note_merit(merit(), gradient_.norm(), phi_);
  if (move_to_finish()) return "active_set";
  if (options_.newton && find_newton_direction() && search(driver, kShortestStep, true))
    return "newton";
  if (options_.least_squares && problem_->linearise(z_) &&
      find_least_squares_direction(driver.damping.share())) {
    const bool taken = search(driver, kShortestStep);
    driver.damping.follow(driver.step());
    least_squares_steps += taken;
    if (taken) return "least_squares";
  }
  if (problem_->linearise(z_) && find_gradient_direction() && search(driver, kShortestGradient)) {
    ++gradient_steps;
    return "gradient";
  }
  return {};
}

// If the finish came closer by residual and merit without solving the problem, z moves to its
// point.
bool NewtonFbSteps::move_to_finish() {
  if (!finish_.came_closer(natural_)) return false;
  if (!(try_point(finish_.point()) < merit()) || !accept_trial()) return false;
  finish_.note_move();
  return true;
}

// (D_a + D_b (M + eps I)) d = -Phi. @return whether d is a good direction of descent
bool NewtonFbSteps::find_newton_direction() {
  problem_->linearise(z_);  // the finish may have left another Jacobian
  const double share = problem_->is_linear() ? 1.0 : kNonlinearProximal;
  const double eps =
      std::max(options_.proximal, share * options_.proximal_factor * std::min(1.0, largest()));
  right_side_ = -phi_;
  if (!system.factor(da_, db_, eps)) return false;
  system.solve(right_side_, direction_);
  return take_direction() && slope() <= -kGoodSlope * 2.0 * merit();
}

// A nonlinear F may exist only within the bounds. So the full step projected on them is taken if it
// halves the merit. But projected steps lose much of a direction in which several unknowns must
// move together. So otherwise the search follows the straight line, and the projected path if that
// fails.
bool NewtonFbSteps::search(NewtonDriver& driver, double shortest, bool may_relax) {
  SearchRule rule;
  rule.slope = slope();
  rule.shortest = shortest;
  path_ = Path::kStraight;
  if (problem_->is_linear()) return driver.search(*this, rule);
  path_ = Path::kProjected;
  if (driver.take_full_step(*this, kHalved * merit())) return true;
  path_ = Path::kStraight;
  rule.may_relax = may_relax;
  if (driver.search(*this, rule)) return true;
  rule.may_relax = false;
  path_ = Path::kProjected;
  return driver.search(*this, rule);
}

}  // namespace perp
