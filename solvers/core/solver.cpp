#include <perp/solvers/core/solver.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <perp/problems/limits/current_deadline.hpp>
#include <perp/problems/standard/exact_conditions.hpp>
#include <stdexcept>

namespace perp {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::kSolved:
      return "solved";
    case Status::kWrong:
      return "wrong";
    case Status::kRay:
      return "ray";
    case Status::kInfeasible:
      return "infeasible";
    case Status::kExcluded:
      return "excluded";
    case Status::kStationary:
      return "stationary";
    case Status::kIterationLimit:
      return "iteration_limit";
    case Status::kTimeLimit:
      return "time_limit";
    case Status::kStalled:
      return "stalled";
    case Status::kNumericalError:
      return "numerical_error";
    case Status::kInterrupted:
      return "interrupted";
    case Status::kUnsupported:
      return "unsupported";
  }
  return "unsupported";
}

Certificate certificate_of(const FarkasCheck& check, Vector y) {
  return {"farkas", std::move(y), {}, 0.0, check.holds, check.radius, ""};
}
Certificate certificate_of(const UnboundedCheck& check, Vector x) {
  return {"unbounded", {}, std::move(x), 0.0, check.holds, check.radius, ""};
}
Status status_of(const FarkasCheck& check) {
  return check.holds ? Status::kInfeasible : check.excludes ? Status::kExcluded : Status::kStalled;
}
Status status_of(const UnboundedCheck& check) {
  return check.holds ? Status::kRay : check.excludes ? Status::kExcluded : Status::kStalled;
}

std::string message_of(const FarkasCheck& check) {
  if (check.holds) return "no point satisfies the linear constraints";
  return fmt::format("no feasible point has a 1-norm below {:.1e}; that proves nothing beyond",
                     check.radius);
}
std::string message_of(const UnboundedCheck& check) {
  if (check.holds) {
    return "the dual has no feasible point: if the constraints have one, the objective falls "
           "without end from it along the direction of the certificate";
  }
  return fmt::format(
      "no feasible point of the dual has a 1-norm below {:.1e}; that proves nothing "
      "beyond",
      check.radius);
}

std::optional<std::string> Solver::refusal(const Problem& problem) const {
  const SolverTraits& t = traits();
  if (std::find(t.kinds.begin(), t.kinds.end(), problem.kind()) == t.kinds.end()) {
    return fmt::format("{} takes {}, not {}", t.name, fmt::join(t.kinds, ", "), problem.kind());
  }
  if (t.max_size > 0 && problem.size() > t.max_size) {
    return fmt::format("{} takes at most {} unknowns, not {}", t.name, t.max_size, problem.size());
  }
  return do_refusal(problem);
}

void Solver::prepare(const Problem& problem, bool is_valid) { take(problem, is_valid, false); }

void Solver::update(const Problem& problem, bool is_valid) {
  if (prepared_size_ < 0) throw std::logic_error("update called before prepare");
  if (problem.kind() != prepared_kind_ || problem.size() != prepared_size_) {
    throw std::invalid_argument(
        fmt::format("problem: update with a {} of {} unknowns, prepared is "
                    "a {} of {}",
                    problem.kind(), problem.size(), prepared_kind_, prepared_size_));
  }
  take(problem, is_valid, true);
}

void Solver::check_settings() {
  SettingCheck check;
  visit_settings(check);
  do_check_settings();
}

void Solver::take(const Problem& problem, bool is_valid, bool update) {
  prepared_size_ = -1;
  check_settings();
  if (limits.threads < 1) throw std::invalid_argument("limits: fewer than one thread");
  if (!is_valid) validate(problem);
  if (const auto reason = refusal(problem)) throw std::invalid_argument("problem: " + *reason);
  deadline_ = Deadline(limits.time_limit);
  const CurrentDeadline current(deadline_);
  late_ = false;
  try {
    update ? do_update(problem) : do_prepare(problem);
  } catch (const DeadlinePassed&) {
    late_ = true;
  }
  prepared_size_ = problem.size();
  prepared_kind_ = problem.kind();
  const auto* conic = std::get_if<ConicQp>(&problem.data);
  prepared_rows_ = conic ? static_cast<int>(conic->b.size()) : 0;
}

namespace {

void clear(Result& result) {
  result.status = Status::kNumericalError;
  result.iterations = 0;
  result.basis.clear();
  result.solutions.clear();
  result.certificate.reset();
  result.own_times.reset();
  result.route.clear();
  result.message.clear();
  result.statistics.clear();
}

// Factorisations end at the deadline as if the matrix were singular.
void tell_lateness(Result& result) {
  if (result.status != Status::kNumericalError && result.status != Status::kStalled) return;
  if (!CurrentDeadline::passed()) return;
  const bool interrupted = CurrentDeadline::interrupted();
  result.status = interrupted ? Status::kInterrupted : Status::kTimeLimit;
  result.message = interrupted ? "" : "the time limit passed in a long step";
}

void check_length(std::string_view what, std::ptrdiff_t length, int expected) {
  if (length == expected) return;
  throw std::invalid_argument(fmt::format("{}: length is {}, expected {}", what, length, expected));
}

}  // namespace

const Result& Solver::solve(const Start& start, const Limits& other, Observer* observer) {
  struct Restore {
    Limits& limits;
    Limits own = limits;
    ~Restore() { limits = own; }
  } restore{limits};
  limits = other;
  return solve(start, observer);
}

const Result& Solver::solve(const Start& start, Observer* observer) {
  if (prepared_size_ < 0) throw std::logic_error("solve called before prepare");
  if (start.z) check_length("start", start.z->size(), prepared_size_);
  if (start.basis) check_length("start basis", std::ssize(*start.basis), prepared_size_);
  if (start.dual && prepared_kind_ == "conic_qp")
    check_length("start dual", start.dual->size(), prepared_rows_);
  clear(result_);
  if (late_) {
    result_.status = Status::kTimeLimit;
    result_.message = "the time limit passed before the problem was prepared";
    result_.z.setZero(prepared_size_);
    if (start.z) result_.z = *start.z;
    result_.dual.resize(0);
    return result_;
  }
  check_settings();
  forget_proof();
  deadline_ = Deadline(limits.time_limit);
  const CurrentDeadline current(deadline_);
  do_solve(start, observer, result_);
  tell_lateness(result_);
  return result_;
}

namespace {

void visit_all(Solver& solver, SettingVisitor& visitor) {
  visitor.visit("tolerance", solver.limits.tolerance, "verifier's measure that is aimed at");
  visitor.visit("max_iterations", solver.limits.max_iterations,
                "iterations at most; 0: the solver's own default");
  visitor.visit("time_limit", solver.limits.time_limit, "seconds a solve may take; 0: none");
  solver.visit_settings(visitor);
}

}  // namespace

std::vector<SettingText> list_settings(Solver& solver) {
  return list_settings([&](SettingVisitor& visitor) { visit_all(solver, visitor); });
}

void set_setting(Solver& solver, std::string_view name, std::string_view value) {
  set_setting([&](SettingVisitor& visitor) { visit_all(solver, visitor); }, solver.traits().name,
              name, value);
}

}  // namespace perp
