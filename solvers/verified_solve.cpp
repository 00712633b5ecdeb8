#include <perp/solvers/verified_solve.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <perp/solvers/core/iteration_count.hpp>

namespace perp {

double seconds_since(VerifiedClock::time_point start) {
  return std::chrono::duration<double>(VerifiedClock::now() - start).count();
}

std::string text_of(const std::vector<std::pair<std::string, std::string>>& settings) {
  std::string text;
  for (const auto& [key, value] : settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  return text;
}

bool has_answer(const ProblemData& data, int size, const Answer& answer) {
  const auto* qp = std::get_if<ConicQp>(&data);
  return answer.z.size() == size && (!qp || answer.dual.size() == qp->b.size());
}

namespace {

// Whether the verifier calls a function that may come back here, to verify a problem of its own.
bool calls_back(const Problem& problem) {
  const auto* mcp = std::get_if<Mcp>(&problem.data);
  return mcp && !mcp->graph;
}

std::string fault_of_lengths(const Problem& problem, const Answer& answer) {
  const auto* qp = std::get_if<ConicQp>(&problem.data);
  if (!qp && answer.dual.size() == 0)
    return fmt::format("the answer's z has length {}, expected {}", answer.z.size(),
                       problem.size());
  return fmt::format("the answer's z and dual have lengths {} and {}, expected {} and {}",
                     answer.z.size(), answer.dual.size(), problem.size(), qp ? qp->b.size() : 0);
}

}  // namespace

void check_answer(const Problem& problem, double tolerance, VerifiedResult& result,
                  bool all_residuals) {
  const auto started = VerifiedClock::now();
  static thread_local ResidualWork work;  // every step of a sequence needs the same memory
  // Of others, complete_residuals() completes the last one.
  work.complete_up_to = all_residuals ? tolerance : -1.0;
  result.verdict =
      verify(problem.data, result.answer, tolerance, calls_back(problem) ? nullptr : &work);
  result.verification_time += seconds_since(started);
}

void complete_residuals(const Problem& problem, VerifiedResult& result) {
  const bool complete = std::holds_alternative<ConicQp>(problem.data) ||
                        std::holds_alternative<ConvexContact>(problem.data) ||
                        calls_back(problem) ||
                        !std::isnan(result.verdict.residuals.complementarity);
  if (complete || !has_answer(problem.data, problem.size(), result.answer)) return;
  const auto started = VerifiedClock::now();
  static thread_local ResidualWork work;
  const double tolerance = result.verdict.tolerance;
  result.verdict.residuals = verify(problem.data, result.answer, tolerance, &work).residuals;
  result.verification_time += seconds_since(started);
}

void see_if_vacuous(const Problem& problem, VerifiedResult& result) {
  if (!has_answer(problem.data, problem.size(), result.answer)) return;
  const auto started = VerifiedClock::now();
  result.verdict.vacuous = vacuous_answer(problem, result.verdict.tolerance);
  result.verification_time += seconds_since(started);
}

void charge_setup(VerifiedResult& result, double seconds) {
  result.setup_time += seconds;
  if (!result.route.empty()) result.route.front().time += seconds;
}

RouteStep route_step(const SharedText& name, const VerifiedResult& r) {
  return {name,      r.status, r.claimed,        r.iterations, r.setup_time + r.solve_time,
          r.message, {},       r.verdict.measure};
}

void add_costs(const VerifiedResult& part, VerifiedResult& whole) {
  whole.setup_time += part.setup_time;
  whole.solve_time += part.solve_time;
  whole.verification_time += part.verification_time;
  whole.iterations = sum_of_iterations(whole.iterations, part.iterations);
  whole.own_times |= part.own_times;
  whole.route.insert(whole.route.end(), part.route.begin(), part.route.end());
}

Status judge(Status claimed, const Verdict& verdict) {
  if (verdict.solved) return Status::kSolved;
  return claimed == Status::kSolved ? Status::kWrong : claimed;
}

namespace {

// Checks a certificate. The checked one replaces the one given, and the status that it justifies is
// returned; nothing if it neither proves nor excludes anything.
template <class Check>
std::optional<Status> take_check(const Check& check, Vector v, Certificate& certificate) {
  if (!check.holds && !check.excludes) return {};
  certificate = certificate_of(check, std::move(v));
  return status_of(check);
}

}  // namespace

std::optional<Status> check_certificate(const Problem& problem, Certificate& given) {
  const auto farkas = [&](const auto& data) -> std::optional<Status> {
    if (given.type != "farkas" || given.y.size() != problem.size()) return {};
    return take_check(check_farkas(data, given.y), given.y, given);
  };
  if (const auto* lcp = std::get_if<Lcp>(&problem.data)) return farkas(*lcp);
  if (const auto* mlcp = std::get_if<Mlcp>(&problem.data)) return farkas(*mlcp);
  if (const auto* qp = std::get_if<BoxQp>(&problem.data)) return farkas(to_mlcp(*qp));
  if (const auto* friction = std::get_if<FrictionContact>(&problem.data)) return farkas(*friction);
  const auto* qp = std::get_if<ConicQp>(&problem.data);
  if (!qp) return {};
  if (given.type == "farkas" && given.y.size() == qp->b.size())
    return take_check(check_farkas(*qp, given.y), given.y, given);
  if (given.type == "unbounded" && given.z.size() == qp->size())
    return take_check(check_unbounded(*qp, given.z), given.z, given);
  return {};
}

namespace {

// What a certificate is worth is found here, whatever the solver says of it. A ray is no proof, and
// a certificate of a reduced problem was checked there.
void judge_certificate(const Problem& problem, std::optional<Certificate>& certificate) {
  if (!certificate || certificate->type == "ray" || !certificate->reduction.empty()) return;
  if (!check_certificate(problem, *certificate)) certificate->checked = false;
}

// A claim that there is no solution is judged by its certificate. If that proves nothing, or if
// there is none, the claim is wrong if a solution is known, else stalled.
void judge_claim_of_none(const Problem& problem, VerifiedResult& r) {
  const bool unbounded = r.certificate && r.certificate->type == "unbounded";
  // Of a conic_qp a ray is a direction that can be checked, except for Lemke's ray of a reduction.
  const bool told_alone = r.claimed == Status::kRay &&
                          std::holds_alternative<ConicQp>(problem.data) &&
                          (!r.certificate || r.certificate->reduction.empty());
  if (!told_alone && r.claimed != Status::kInfeasible && r.claimed != Status::kExcluded &&
      !unbounded)
    return judge_certificate(problem, r.certificate);
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

namespace {

// Certificates of a cone program from one of its statement as mlcp, whose unknowns are (x, y). The
// proof v there has Pv_x = 0 and (Av_x)'v_y = 0 for a semidefinite P, so either v_y proves that no
// point satisfies the constraints, or v_x that the dual has no feasible point. Both are checked.
// @return whether one of them holds, or excludes points
bool map_certificate(const ConicQp& problem, VerifiedResult& result) {
  if (!result.certificate || result.certificate->type != "farkas") return false;
  const Vector v = result.certificate->y;
  const int n = problem.size(), m = static_cast<int>(problem.b.size());
  if (v.size() != n + m) return false;
  const FarkasCheck constraints = check_farkas(problem, v.tail(m));
  const UnboundedCheck dual = check_unbounded(problem, v.head(n));
  if (constraints.holds || (constraints.excludes && !dual.holds)) {
    result.certificate = certificate_of(constraints, v.tail(m));
    result.status = status_of(constraints);
    result.message = message_of(constraints);
  } else if (dual.holds || dual.excludes) {
    result.certificate = certificate_of(dual, v.head(n));
    result.status = status_of(dual);
    result.message = message_of(dual);
  } else {
    return false;
  }
  result.claimed = result.status;
  return true;
}

// If the reduced problem has no solution, the original one has none either, provided that the
// reduction changes no number. Duals of a conic_qp are unknowns of its mlcp: its proof is mapped.
void carry_over(const Problem& problem, const Reduction& reduction, Status found,
                VerifiedResult& result) {
  const bool of_none = result.claimed == Status::kInfeasible || found == Status::kExcluded ||
                       result.claimed == Status::kExcluded;
  if (!of_none) return;
  const auto* conic = std::get_if<ConicQp>(&problem.data);
  const bool copies = reduction.exact && reduction.copies;
  if (conic && copies && map_certificate(*conic, result)) return;
  result.status = copies && !conic ? found : Status::kStalled;
  if (result.status == found) return;
  result.message =
      fmt::format("{} has no solution, which proves nothing of the problem itself", reduction.name);
}

}  // namespace

// A claim that holds for the reduced problem but not for the original one is not wrong.
void map_back(const Problem& problem, const Reduction& reduction, const Problem& reduced,
              double tolerance, VerifiedResult& result, bool all_residuals) {
  const bool solved = result.status == Status::kSolved;
  const auto started = VerifiedClock::now();
  const bool answered = has_answer(reduced.data, reduced.size(), result.answer);
  result.answer = answered ? reduction.map_back(result.answer) : Answer{};
  const double spent = seconds_since(started);
  result.solve_time += spent;
  result.verdict = {};
  result.verdict.tolerance = tolerance;
  if (answered) check_answer(problem, tolerance, result, all_residuals);
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
  result.basis.clear();
  for (RouteStep& step : result.route) step.solver = step.solver.str() + " on " + reduction.name;
  if (result.route.size() != 1) return;
  RouteStep& step = result.route.front();
  step.status = result.status;
  step.claimed = result.claimed;
  step.measure = result.verdict.measure;
  step.message = result.message;
  step.time += spent;
}

void take_claim(const Solver& solver, const Problem& problem, const Result& result, bool started,
                double tolerance, VerifiedResult& out, bool all_residuals) {
  if (result.own_times && result.own_times->setup >= 0 && result.own_times->solve >= 0) {
    out.own_times = true;
    out.setup_time = result.own_times->setup;
    out.solve_time = result.own_times->solve;
  }
  if (started && solver.traits().uses_start) out.start = "given";
  out.claimed = result.status;
  out.answer.z = result.z;
  out.answer.dual = result.dual;
  out.basis = result.basis;
  out.message = result.message;
  out.verdict.tolerance = tolerance;
  if (has_answer(problem.data, problem.size(), out.answer)) {
    check_answer(problem, tolerance, out, all_residuals);
  } else if (out.message.empty() && (result.z.size() > 0 || result.status == Status::kSolved)) {
    out.message = fault_of_lengths(problem, out.answer);
  }
  out.status = judge(out.claimed, out.verdict);
  // A solver that returns NaN has failed numerically; it is not called wrong.
  if (out.status == Status::kWrong && !(result.z.allFinite() && result.dual.allFinite())) {
    out.status = Status::kNumericalError;
    if (out.message.empty()) out.message = "its answer has numbers that are not finite";
  }
  out.certificate = result.certificate;
  if (out.verdict.solved) {
    judge_certificate(problem, out.certificate);
  } else {
    judge_claim_of_none(problem, out);
  }
  out.refuted = out.status == Status::kWrong;
  out.solutions = result.solutions;
  out.iterations = std::max(0, result.iterations);
  out.statistics = result.statistics;
  out.route = result.route;
}

VerifiedResult solve_with(Solver& solver, const Problem& problem, const Vector* start,
                          Observer* observer, std::optional<double> tolerance, bool stored_start) {
  const bool stored = !start && stored_start && problem.start;
  if (stored) start = &*problem.start;
  VerifiedResult out;
  const auto began = VerifiedClock::now();
  solver.prepare(problem);
  out.setup_time = seconds_since(began);
  Limits limits = solver.limits;
  if (limits.time_limit > 0)
    limits.time_limit = std::max(limits.time_limit - out.setup_time, kLeastLimit);
  const auto solving = VerifiedClock::now();
  const Result& result = solver.solve(start, limits, observer);
  out.solve_time = seconds_since(solving);
  take_claim(solver, problem, result, start != nullptr, tolerance.value_or(solver.limits.tolerance),
             out, true);
  if (out.route.empty()) {
    out.route.push_back({std::string(solver.traits().name), out.status, out.claimed, out.iterations,
                         out.setup_time + out.solve_time, out.message, "", out.verdict.measure});
  }
  if (stored && out.start == "given") out.start = "stored";
  complete_residuals(problem, out);
  see_if_vacuous(problem, out);
  return out;
}

}  // namespace perp
