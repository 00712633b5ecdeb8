#include <perp/solvers/verified_solve.hpp>

#include <perp/solvers/active_set/active_set_polish.hpp>
#include <perp/solvers/statements.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kPolished = 1e-3;  // of the tolerance: nothing to gain below

std::string text_of(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::string text;
  for (const auto& [key, value] : settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  return text;
}

// Verifies, outside the clock. Whether the problem asks for anything at all is seen to once, at the
// end (see_if_vacuous).
void check(const Problem& problem, double tolerance, VerifiedResult& result) {
  const auto started = VerifiedClock::now();
  result.verdict = verify(problem.data, result.answer, tolerance);
  result.verification_time += seconds_since(started);
}

}  // namespace

double seconds_since(VerifiedClock::time_point start) {
  return std::chrono::duration<double>(VerifiedClock::now() - start).count();
}

VerifiedResult unsupported(const std::string& solver, std::string why, double seconds) {
  VerifiedResult result;
  result.message = std::move(why);
  result.setup_time = seconds;
  result.route.push_back({solver, Status::kUnsupported, Status::kUnsupported, 0, seconds,
                          result.message, "", Residuals::kNone});
  return result;
}

bool has_answer(const ProblemData& data, int size, const Answer& answer) {
  const auto* qp = std::get_if<ConicQp>(&data);
  return answer.z.size() == size && (!qp || answer.dual.size() == qp->b.size());
}

void see_if_vacuous(const Problem& problem, VerifiedResult& result) {
  if (!has_answer(problem.data, problem.size(), result.answer)) return;
  const auto started = VerifiedClock::now();
  result.verdict.vacuous = vacuous_answer(problem, result.verdict.tolerance);
  result.verification_time += seconds_since(started);
}

namespace {

VerifiedResult try_with(Solver& solver, const Problem& problem, const Start& start,
                        Observer* observer, double tolerance);

// That the reduced problem has no solution says so of the other, too, if the reduction changes no
// number of it: those of QPs copy their matrices, those of friction compute with them.
void carry_over(const Problem& problem, const Reduction& reduction, Status found,
                VerifiedResult& result) {
  const bool of_none = result.claimed == Status::kInfeasible || found == Status::kExcluded ||
                       result.claimed == Status::kExcluded;
  if (!of_none) return;
  const bool copies =
      std::holds_alternative<BoxQp>(problem.data) || std::holds_alternative<ConicQp>(problem.data);
  result.status = reduction.exact && copies ? found : Status::kStalled;
  if (result.status == found) return;
  result.message =
      fmt::format("{} has no solution, which proves nothing of the problem itself", reduction.name);
}

// What an answer to a reduction is worth for the problem as posed. A claim that holds for the
// reduced problem is not wrong where it does not hold for the other.
void map_back(const Problem& problem, const Reduction& reduction, const Problem& reduced,
              double tolerance, VerifiedResult& result) {
  const bool solved = result.status == Status::kSolved;
  const auto started = VerifiedClock::now();
  const bool answered = has_answer(reduced.data, reduced.size(), result.answer);
  result.answer = answered ? reduction.map_back(result.answer) : Answer{};
  const double spent = seconds_since(started);
  result.solve_time += spent;
  result.verdict = {};
  result.verdict.tolerance = tolerance;
  if (answered) check(problem, tolerance, result);
  result.solutions.clear();
  const Status found = result.status;
  if (result.certificate) result.certificate->reduction = reduction.name;
  if (solved && !result.verdict.solved) {
    result.claimed = Status::kStalled;
    result.message = fmt::format("{} is solved, {}", reduction.name,
                                 reduction.exact ? "not yet to the tolerance of the problem itself"
                                                 : "which only approximates the problem");
  }
  result.refuted = !result.verdict.solved && (result.refuted || (solved && reduction.exact));
  result.status = judge(result.claimed, result.verdict);
  if (!result.verdict.solved && !solved) carry_over(problem, reduction, found, result);
  for (RouteStep& step : result.route) step.solver += " on " + reduction.name;
  if (result.route.size() != 1) return;
  RouteStep& step = result.route.front();
  step.status = result.status;
  step.claimed = result.claimed;
  step.measure = result.verdict.measure;
  step.message = result.message;
  step.time += spent;
}

}  // namespace

double verified_at(const SolveRequest& request) {
  return request.verify_at.value_or(request.limits.tolerance);
}

void charge_setup(VerifiedResult& result, double seconds) {
  result.setup_time += seconds;
  if (!result.route.empty()) result.route.front().time += seconds;
}

namespace {

Start start_of(const std::optional<Answer>& answer) {
  if (!answer) return {};
  return {&answer->z, answer->dual.size() > 0 ? &answer->dual : nullptr};
}

Start start_of(const SolveRequest& request) {
  if (!request.start) return {};
  return {&*request.start, request.start_dual ? &*request.start_dual : nullptr};
}

// Solves a reduction and verifies what it maps back to.
VerifiedResult solve_reduced(Solver& solver, const Problem& problem, const Reduction& reduction,
                             const Problem& reduced, const SolveRequest& request,
                             Observer* observer) {
  solver.limits.tolerance = request.limits.tolerance * reduction.tolerance_factor;
  const std::optional<Answer> start = start_of_reduction(reduction, request);
  VerifiedResult result = try_with(solver, reduced, start_of(start), observer,
                                   verified_at(request) * reduction.tolerance_factor);
  map_back(problem, reduction, reduced, verified_at(request), result);
  return result;
}

}  // namespace

VerifiedResult solve_by_name(const Problem& problem, const SolveRequest& request,
                             const std::string& name,
                             const std::vector<std::pair<std::string, std::string>>& settings,
                             Observer* observer) {
  const auto started = VerifiedClock::now();
  const std::unique_ptr<Solver> solver = request.make(name);
  solver->limits = request.limits;
  for (const auto& [key, value] : settings) set_setting(*solver, key, value);
  VerifiedResult result;
  const std::optional<std::string> refusal = solver->refusal(problem);
  if (!refusal) {  // prepare() refuses again, on the clock
    result = try_with(*solver, problem, start_of(request), observer,
                      verified_at(request));
    result.route.front().settings = text_of(settings);
    return result;
  }
  std::string why = *refusal;
  for (const MakeReduction& make : exact_reductions(problem)) {
    const Reduction reduction = make();
    Problem reduced;
    reduced.data = reduction.problem;
    reduced.name = problem.name;
    if (const auto again = solver->refusal(reduced)) {
      if (!again->starts_with(fmt::format("{} takes", name)))
        why += fmt::format("; as {}: {}", reduction.name, *again);
      continue;
    }
    const double spent = seconds_since(started);
    if (solver->limits.time_limit > 0)  // one limit for all
      solver->limits.time_limit = std::max(solver->limits.time_limit - spent, kLeastLimit);
    result = solve_reduced(*solver, problem, reduction, reduced, request, observer);
    charge_setup(result, spent);
    result.route.front().settings = text_of(settings);
    return result;
  }
  return unsupported(name, why + advice(*solver, problem), seconds_since(started));
}

VerifiedResult solve_on_reduction(const Problem& problem, const SolveRequest& request,
                                  const std::string& reduction_name, Observer* observer) {
  const auto started = VerifiedClock::now();
  const Reduction reduction = named_reduction(problem, reduction_name);
  SolveRequest inner = request;
  std::erase_if(inner.settings, [](const auto& setting) { return setting.first == "reduction"; });
  inner.start.reset();
  inner.start_dual.reset();
  if (const auto start = start_of_reduction(reduction, request)) {
    inner.start = start->z;
    if (start->dual.size() > 0) inner.start_dual = start->dual;
  }
  inner.limits.tolerance *= reduction.tolerance_factor;
  if (inner.verify_at) *inner.verify_at *= reduction.tolerance_factor;
  Problem reduced;
  reduced.data = reduction.problem;
  reduced.name = problem.name;
  const double spent = seconds_since(started);
  if (inner.limits.time_limit > 0)
    inner.limits.time_limit = std::max(inner.limits.time_limit - spent, kLeastLimit);
  inner.stored_start = false;
  VerifiedResult result = solve_verified(reduced, inner, observer);
  charge_setup(result, spent);
  map_back(problem, reduction, reduced, verified_at(request), result);
  return result;
}

namespace {

// What a certificate is worth for the problem, in the verifier's hands: it replaces the one given,
// and the status that it justifies is returned; nothing if it proves and excludes nothing.
template <class Check>
std::optional<Status> take_check(const Check& check, Vector v, Certificate& certificate) {
  if (!check.holds && !check.excludes) return {};
  certificate = certificate_of(check, std::move(v));
  return status_of(check);
}

std::optional<Status> check_certificate(const Problem& problem, Certificate& given) {
  const auto farkas = [&](const auto& data) -> std::optional<Status> {
    if (given.type != "farkas" || given.y.size() != problem.size()) return {};
    return take_check(check_farkas(data, given.y), given.y, given);
  };
  if (const auto* lcp = std::get_if<Lcp>(&problem.data)) return farkas(*lcp);
  if (const auto* mlcp = std::get_if<Mlcp>(&problem.data)) return farkas(*mlcp);
  if (const auto* qp = std::get_if<BoxQp>(&problem.data)) return farkas(to_mlcp(*qp));
  const auto* qp = std::get_if<ConicQp>(&problem.data);
  if (!qp) return {};
  if (given.type == "farkas" && given.y.size() == qp->b.size())
    return take_check(check_farkas(*qp, given.y), given.y, given);
  if (given.type == "unbounded" && given.z.size() == qp->size())
    return take_check(check_unbounded(*qp, given.z), given.z, given);
  return {};
}

// A claim that there is no solution is worth what its certificate is, whoever makes it. Without one
// it is refuted if a solution is known, and a claim if not.
void judge_claim_of_none(const Problem& problem, VerifiedResult& r) {
  const bool unbounded = r.certificate && r.certificate->type == "unbounded";
  if (r.claimed != Status::kInfeasible && r.claimed != Status::kExcluded && !unbounded) return;
  if (r.certificate) {
    if (const auto status = check_certificate(problem, *r.certificate)) {
      r.status = *status;
      return;
    }
    r.certificate->checked = false;
  }
  const auto& known = problem.solution;
  const bool refuted = known && has_answer(problem.data, problem.size(), {known->z, known->dual}) &&
                       verify(problem.data, {known->z, known->dual}, r.verdict.tolerance).solved;
  r.status = refuted ? Status::kWrong : Status::kStalled;
  const std::string_view why = refuted         ? "a solution is known"
                               : r.certificate ? "its certificate proves nothing"
                                               : "no proof";
  r.message = fmt::format("claims that there is no solution: {}{}{}", why,
                          r.message.empty() ? "" : "; ", r.message);
}

}  // namespace

Status judge(Status claimed, const Verdict& verdict) {
  if (verdict.solved) return Status::kSolved;
  return claimed == Status::kSolved ? Status::kWrong : claimed;
}

namespace {

VerifiedResult try_with(Solver& solver, const Problem& problem, const Start& start,
                        Observer* observer, double tolerance) {
  VerifiedResult out;
  out.verdict.tolerance = tolerance;
  const auto setup_start = VerifiedClock::now();
  solver.prepare(problem);
  out.setup_time = seconds_since(setup_start);
  const double limit = solver.limits.time_limit;
  if (limit > 0) solver.limits.time_limit = std::max(limit - out.setup_time, kLeastLimit);
  const auto solve_start = VerifiedClock::now();
  const Result& result = solver.solve(start, observer);
  out.solve_time = seconds_since(solve_start);
  solver.limits.time_limit = limit;
  if (result.own_times) {
    out.own_times = true;
    out.setup_time = result.own_times->setup;
    out.solve_time = result.own_times->solve;
  }
  if (start.z && solver.traits().uses_start) out.start = "given";
  out.claimed = result.status;
  out.answer = {result.z, result.dual};
  out.message = result.message;
  if (has_answer(problem.data, problem.size(), out.answer)) {
    check(problem, out.verdict.tolerance, out);
  } else if (out.message.empty()) {
    const auto* qp = std::get_if<ConicQp>(&problem.data);
    out.message =
        fmt::format("the answer's z and dual have lengths {} and {}, expected {} and {}",
                    result.z.size(), result.dual.size(), problem.size(), qp ? qp->b.size() : 0);
  }
  out.status = judge(out.claimed, out.verdict);
  out.certificate = result.certificate;
  if (!out.verdict.solved) judge_claim_of_none(problem, out);
  out.refuted = out.status == Status::kWrong;
  out.solutions = result.solutions;
  out.iterations = result.iterations;
  for (const auto& [name, value] : result.statistics) out.statistics.emplace_back(name, value);
  out.route.push_back({std::string(solver.traits().name), out.status, out.claimed, out.iterations,
                       out.setup_time + out.solve_time, out.message, "", out.verdict.measure});
  return out;
}

}  // namespace

VerifiedResult solve_with(Solver& solver, const Problem& problem, const Vector* start,
                          Observer* observer, std::optional<double> tolerance, bool stored_start) {
  const bool stored = !start && stored_start && problem.start;
  VerifiedResult result = try_with(solver, problem, stored ? &*problem.start : start, observer,
                                   tolerance.value_or(solver.limits.tolerance));
  if (stored && result.start == "given") result.start = "stored";
  see_if_vacuous(problem, result);
  return result;
}

VerifiedResult polish_point(const Problem& problem, const Vector& point,
                            const SolveRequest& request) {
  const auto started = VerifiedClock::now();
  const double tolerance = request.limits.tolerance;
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  const auto* qp = std::get_if<BoxQp>(&problem.data);
  const Mlcp posed = lcp ? to_mlcp(*lcp) : qp ? to_mlcp(*qp) : std::get<Mlcp>(problem.data);
  VerifiedResult result;
  result.answer.z = point;
  ActiveSetPolish polishing;
  const double natural =
      polishing.improve(posed, tolerance, kPolished * tolerance, result.answer.z);
  result.claimed = natural <= tolerance ? Status::kSolved : Status::kStalled;
  result.solve_time = seconds_since(started);
  result.iterations = polishing.factorisations;
  check(problem, verified_at(request), result);
  result.status = judge(result.claimed, result.verdict);
  result.refuted = result.status == Status::kWrong;
  result.route.push_back({"polish", result.status, result.claimed, result.iterations,
                          result.solve_time, "", "", result.verdict.measure});
  return result;
}

}  // namespace perp
