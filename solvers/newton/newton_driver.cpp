#include <perp/solvers/newton/newton_driver.hpp>

#include <cmath>

namespace perp {

namespace {

constexpr double kArmijo = 1e-4;      // share of the slope that a search asks for
constexpr double kLeastStep = 1e-12;  // a search for a valid point ends below it

}  // namespace

void NewtonDriver::begin(const DriverSettings& settings, const Deadline& deadline) {
  history_.begin(settings.memory, settings.patience, settings.most_rises);
  watchdog_ = {settings.watchdog, settings.wild};
  deadline_ = deadline;
  most_steps_ = settings.most_steps;
  damping.begin(settings.damping);
  iterations = rejected = invalid = watchdog_returns = 0;
  step_ = 0.0;
  step_type_ = "start";
}

Status NewtonDriver::run(NewtonEquation& equation, Observer* observer) {
  for (;; ++iterations) {
    if (!std::isfinite(equation.merit())) return Status::kNumericalError;
    history_.record(equation.merit(), watchdog_.relaxed == 0);
    if (!tell(equation, observer)) return Status::kInterrupted;
    const NewtonEquation::Verdict verdict = equation.judge();
    if (verdict == NewtonEquation::Verdict::kSolved) return Status::kSolved;
    if (verdict == NewtonEquation::Verdict::kStuck) return Status::kStalled;
    if (iterations >= most_steps_) return Status::kIterationLimit;
    if (deadline_.passed()) return Status::kTimeLimit;
    if (history_.out_of_patience()) return Status::kStalled;
    step_type_ = take_step(equation);
    if (step_type_.empty()) return deadline_.passed() ? Status::kTimeLimit : Status::kStalled;
  }
}

bool NewtonDriver::tell(const NewtonEquation& equation, Observer* observer) const {
  if (!observer) return true;
  IterationRecord record;
  record.iteration = iterations;
  record.step_type = step_type_;
  record.merit = equation.merit();
  if (iterations > 0) record.step = step_;
  equation.describe(record);
  return observer->on_iteration(record);
}

std::string_view NewtonDriver::take_step(NewtonEquation& equation) {
  step_ = 1.0;
  const bool due = watchdog_.relaxed > 0 && watchdog_.relaxed >= watchdog_.most;
  const std::string_view type = due ? std::string_view() : equation.take_step(*this);
  if (!type.empty() || watchdog_.relaxed == 0) return type;
  return return_to_base(equation) ? "watchdog" : "";
}

bool NewtonDriver::search(NewtonEquation& equation, const SearchRule& rule) {
  const double reference = history_.reference();
  double shortest = rule.shortest * rule.first;
  for (step_ = rule.first; step_ >= shortest && step_ >= kLeastStep; step_ *= 0.5) {
    switch (try_length(equation, rule, reference)) {
      case Trial::kAccepted:
        return true;
      case Trial::kRejected:
        ++rejected;
        break;
      case Trial::kInvalid:
        ++invalid;
        shortest *= 0.5;
        break;
    }
  }
  step_ = 0.0;
  return false;
}

NewtonDriver::Trial NewtonDriver::try_length(NewtonEquation& equation, const SearchRule& rule,
                                             double reference) {
  const double merit = equation.try_step(step_);
  if (!std::isfinite(merit)) return Trial::kInvalid;
  const bool low = merit <= reference + kArmijo * step_ * rule.slope;
  const bool relaxed = !low && rule.may_relax && step_ == 1.0 && !watchdog_.returned &&
                       watchdog_.relaxed < watchdog_.most && merit <= watchdog_.wild * reference;
  if (!low && !relaxed) return Trial::kRejected;
  if (relaxed && watchdog_.relaxed == 0) {
    equation.keep_base();
    base_slope_ = rule.slope;
  }
  if (!equation.accept_trial()) return Trial::kInvalid;
  watchdog_.relaxed = relaxed ? watchdog_.relaxed + 1 : 0;
  if (low) watchdog_.returned = false;
  return Trial::kAccepted;
}

bool NewtonDriver::take_full_step(NewtonEquation& equation, double highest_merit) {
  step_ = 1.0;
  return equation.try_step(1.0) <= highest_merit && equation.accept_trial();
}

// The relaxed steps were of no use: takes a shorter step from the point where they began.
bool NewtonDriver::return_to_base(NewtonEquation& equation) {
  watchdog_.relaxed = 0;
  watchdog_.returned = true;
  ++watchdog_returns;
  SearchRule rule;
  rule.slope = base_slope_;
  rule.first = 0.5;
  return equation.return_to_base() && search(equation, rule);
}

}  // namespace perp
