#include <perp/solvers/session.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <perp/problems/limits/deadline.hpp>
#include <perp/solvers/method_settings.hpp>
#include <perp/solvers/verified_solve.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr std::string_view kReduction = "reduction";

SolverExpression expression_of(const SolveRequest& request) {
  SolverExpression solver = parse_any_solver(request.solver);
  for (const auto& [key, value] : request.settings) {
    if (key != kReduction) continue;
    SolverExpression reduce;
    reduce.name = "reduce";
    reduce.strategy = true;
    reduce.settings.emplace_back("to", value);
    reduce.parts.push_back(std::move(solver));
    solver = std::move(reduce);
  }
  return solver;
}

Workshop workshop_of(const SolverExpression& solver, const SolveRequest& request) {
  SettingTexts settings = request.settings;
  std::erase_if(settings, [](const auto& s) { return s.first == kReduction; });
  if (settings.empty()) return {request.make, {}};  // no need to know all methods
  return {request.make, settings_by_method(methods_of(solver), settings, request.make)};
}

// Contacts are listed in some files only; a friction_contact always has them.
double contacts_of(const Problem& problem) {
  const auto* friction = std::get_if<FrictionContact>(&problem.data);
  return friction ? friction->contacts() : static_cast<double>(problem.contacts.size());
}

void check_start(const Problem& problem, const Start& start) {
  const auto check = [&](std::string_view what, std::ptrdiff_t length) {
    if (length == problem.size()) return;
    throw std::invalid_argument(
        fmt::format("{}: length is {}, expected {}", what, length, problem.size()));
  };
  if (start.z) check("start", start.z->size());
  if (start.basis) check("start basis", std::ssize(*start.basis));
  const auto* conic = std::get_if<ConicQp>(&problem.data);
  if (start.dual && conic && start.dual->size() != conic->b.size())
    throw std::invalid_argument(
        fmt::format("start dual: length is {}, expected {}", start.dual->size(), conic->b.size()));
}

void check_limits(const SolveRequest& request) {
  const auto check = [](std::string_view what, double value) {
    if (value >= 0.0 && std::isfinite(value)) return;
    throw std::invalid_argument(
        fmt::format("{}: {} is not a finite number of at least 0", what, value));
  };
  check("tolerance", request.limits.tolerance);
  check("time_limit", request.limits.time_limit);
  if (request.verify_at) check("verify_at", *request.verify_at);
}

// Tries tell what their methods took. What is done around and between them (solvers are made when
// their turn comes, starts and answers are passed on) counts as setup.
void charge_the_rest(double whole, VerifiedResult& result) {
  if (result.own_times) return;  // a program measures itself
  const double told = result.setup_time + result.solve_time + result.verification_time;
  result.setup_time += std::max(0.0, whole - told);
}

}  // namespace

Session::Session(const SolveRequest& request, bool once) : name_(request.solver), once_(once) {
  const SolverExpression solver = expression_of(request);
  solver_ = workshop_of(solver, request).build(solver);
}

const VerifiedResult& Session::solve(const Problem& problem, const SolveRequest& request,
                                     Observer* observer) {
  const bool stored = !request.start && request.stored_start && problem.start;
  Start start;
  if (request.start) start.z = &*request.start;
  if (request.start && request.start_dual) start.dual = &*request.start_dual;
  if (request.start_basis) start.basis = &*request.start_basis;
  if (stored) start.z = &*problem.start;
  check_start(problem, start);
  check_limits(request);
  Limits limits = request.limits;
  double spent = 0.0;
  const Problem* posed = compiled(keep(problem), limits, spent);
  if (!posed) return too_late(problem, request, start);
  numbers_["n"] = std::max(posed->size(), 1);
  numbers_["contacts"] = contacts_of(problem);
  const double verify_at = request.verify_at.value_or(request.limits.tolerance);
  Task task{*posed, version_, start, limits, verify_at, observer, &numbers_};
  task.give_up_early = request.give_up_early;
  task.stop_if_excluded = request.stop_if_excluded;
  task.all_residuals = request.all_residuals;
  task.is_valid = true;
  const auto started = VerifiedClock::now();
  Outcome& out = solver_->run(task);
  judge_start(task, out);
  VerifiedResult& result = out.result;
  charge_the_rest(seconds_since(started), result);
  if (result.answer.z.size() == 0) result.verdict.tolerance = verify_at;  // nobody judged
  if (out.skipped) {
    result.message = "there was nothing to do: no start, no earlier try";
    result.route.push_back(
        {name_, result.status, result.claimed, 0, 0.0, result.message, "", Residuals::kNone});
  }
  result.setup_time += spent;
  if (stored && result.start == "given") result.start = "stored";
  if (request.all_residuals) complete_residuals(problem, result);
  if (request.look_for_vacuous) {
    // Versions say nothing of stored starts.
    const bool starts = problem.start.has_value() || vacuous_ == Vacuous::kStart;
    const bool known = !once_ && vacuous_version_ == version_ && vacuous_at_ == verify_at &&
                       (!starts || vacuous_ == Vacuous::kZero);
    if (!known) see_if_vacuous(problem, result);
    if (known) result.verdict.vacuous = vacuous_;
    vacuous_ = result.verdict.vacuous;
    const bool answered = has_answer(problem.data, problem.size(), result.answer);
    vacuous_version_ = answered ? version_ : Version{};  // without an answer it was not checked
    vacuous_at_ = verify_at;
  }
  return result;
}

// The problem itself if once_, else a copy that lives until one of another version comes.
const Problem& Session::keep(const Problem& problem) {
  if (once_) {
    validate(problem);
    version_ = {1, 1};
    return problem;
  }
  validate(problem);  // plans look into the problem before a method does
  const bool known = version_.structure > 0 && same_structure(problem, kept_) &&
                     problem.variables == kept_.variables;
  if (known && same_values(problem, kept_)) {
    keep_words(problem);
    return kept_;
  }
  ++version_.values;
  if (!known) {
    ++version_.structure;
    kept_ = problem;
    return kept_;
  }
  std::shared_ptr<const CompiledFunction> compiled;
  if (const auto* mcp = std::get_if<Mcp>(&kept_.data)) compiled = mcp->compiled;
  kept_.data = problem.data;
  if (auto* mcp = std::get_if<Mcp>(&kept_.data); mcp && !mcp->compiled) mcp->compiled = compiled;
  keep_words(problem);
  return kept_;
}

// Copies the parts of the problem that are not its numbers.
void Session::keep_words(const Problem& problem) {
  kept_.name = problem.name;
  kept_.start = problem.start;
  kept_.solution = problem.solution;
  kept_.contacts = problem.contacts;
  kept_.source = problem.source;
  kept_.extensions = problem.extensions;
}

// A graph is compiled once, not in every try. @return nullptr if there was no time for it
const Problem* Session::compiled(const Problem& problem, Limits& limits, double& spent) {
  const auto* mcp = std::get_if<Mcp>(&problem.data);
  if (!mcp || !mcp->graph || mcp->compiled) return &problem;
  const auto started = VerifiedClock::now();
  if (&problem != &kept_) kept_ = problem;
  try {
    compile(std::get<Mcp>(kept_.data), Deadline(limits.time_limit));
  } catch (const DeadlinePassed&) {
    return nullptr;
  }
  spent = seconds_since(started);
  if (limits.time_limit > 0) limits.time_limit = std::max(limits.time_limit - spent, kLeastLimit);
  return &kept_;
}

// The result if the time limit passed before the first try; its answer is the start, or zero.
VerifiedResult& Session::too_late(const Problem& problem, const SolveRequest& request,
                                  const Start& start) {
  late_.clear();
  VerifiedResult& result = late_.result;
  result.answer.z = start.z ? *start.z : Vector(Vector::Zero(problem.size()));
  check_answer(problem, request.verify_at.value_or(request.limits.tolerance), result,
               request.all_residuals);
  if (request.all_residuals) complete_residuals(problem, result);
  result.claimed = Status::kTimeLimit;
  result.status = judge(result.claimed, result.verdict);
  result.message = "the time limit passed before the Jacobian was derived";
  result.setup_time = request.limits.time_limit;
  result.route.push_back({name_, result.status, result.claimed, 0, result.setup_time,
                          result.message, "", result.verdict.measure});
  return result;
}

VerifiedResult solve_verified(const Problem& problem, const SolveRequest& request,
                              Observer* observer) {
  return Session(request, true).solve(problem, request, observer);
}

}  // namespace perp
