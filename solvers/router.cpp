#include <perp/solvers/router.hpp>

#include <perp/problems/standard/reductions.hpp>
#include <perp/solvers/active_set/active_set_polish.hpp>
#include <perp/solvers/attempts.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace perp {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kNearlySolved = 1e-4;  // residual of an answer worth polishing
constexpr double kPolished = 1e-3;      // of the tolerance: nothing to gain below

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Exact statements of the problem in other kinds, the one that most solvers take first.
std::vector<Reduction> exact_reductions(const Problem& problem) {
  if (const auto* qp = std::get_if<BoxQp>(&problem.data)) return {reduce_to_mlcp(*qp)};
  if (const auto* qp = std::get_if<ConicQp>(&problem.data)) {
    const bool linear = std::all_of(qp->cones.begin(), qp->cones.end(),
                                    [](const Cone& c) { return c.type != ConeType::kSecondOrder; });
    if (linear) return {reduce_to_mlcp(*qp)};
  }
  if (const auto* contact = std::get_if<FrictionContact>(&problem.data)) {
    validate(*contact);
    if (contact->dimension == 3) return {reduce_to_mcp(*contact)};
    return {reduce_to_pyramid_lcp(*contact), reduce_to_mcp(*contact)};
  }
  return {};
}

// The reduction that a setting names.
Reduction named_reduction(const Problem& problem, const std::string& text) {
  const auto* contact = std::get_if<FrictionContact>(&problem.data);
  if (!contact) {
    throw std::invalid_argument(
        fmt::format("reduction: only a friction_contact has some, not a {}", problem.kind()));
  }
  validate(*contact);
  if (text == "convex") return reduce_to_conic_qp(*contact);
  if (text == "fritz-john") return reduce_to_mcp(*contact);
  if (text == "pyramid") return reduce_to_pyramid_lcp(*contact);
  int edges = 0;
  const std::string_view given = text, prefix = "pyramid:";
  if (given.starts_with(prefix)) {
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + prefix.size(), end, edges);
    if (error == std::errc() && rest == end) return reduce_to_pyramid_lcp(*contact, edges);
  }
  throw std::invalid_argument(
      fmt::format("reduction: \"{}\" is not convex, pyramid, pyramid:EDGES or fritz-john", text));
}

VerifiedResult unsupported(const std::string& solver, std::string why) {
  VerifiedResult result;
  result.message = std::move(why);
  result.route.push_back(
      {solver, Status::kUnsupported, Status::kUnsupported, 0, 0.0, result.message});
  return result;
}

// What an answer to a reduction is worth for the problem as posed. A claim that holds for the
// reduced problem is not wrong where it does not hold for the other.
void map_back(const Problem& problem, const Reduction& reduction, double tolerance,
              VerifiedResult& result) {
  const bool solved = result.status == Status::kSolved;
  result.answer = reduction.map_back(result.answer);
  result.verdict = verify(problem, result.answer, tolerance);
  result.solutions.clear();
  result.certificate.reset();  // it speaks of the reduced problem
  if (solved && !result.verdict.solved) {
    result.claimed = Status::kStalled;
    result.message = fmt::format("{} is solved, {}", reduction.name,
                                 reduction.exact ? "not yet to the tolerance of the problem itself"
                                                 : "which only approximates the problem");
  }
  result.status = judge(result.claimed, result.verdict);
  for (RouteStep& step : result.route) step.solver += " on " + reduction.name;
  if (!result.route.empty()) result.route.back().status = result.status;
}

// Solves a reduction and verifies what it maps back to.
VerifiedResult solve_reduced(Solver& solver, const Problem& problem, const Reduction& reduction,
                             const SolveRequest& request, Observer* observer) {
  const double tolerance = request.common.tolerance * reduction.tolerance_factor;
  solver.common.tolerance = tolerance;
  Problem reduced;
  reduced.data = reduction.problem;
  reduced.name = problem.name;
  VerifiedResult result =
      solve_with(solver, reduced, nullptr, observer, request.repeats, tolerance);
  map_back(problem, reduction, request.common.tolerance, result);
  return result;
}

VerifiedResult solve_by_name(const Problem& problem, const SolveRequest& request,
                             const std::string& name,
                             const std::vector<std::pair<std::string, std::string>>& settings,
                             Observer* observer) {
  const std::unique_ptr<Solver> solver = request.make(name);
  solver->common = request.common;
  for (const auto& [key, value] : settings) set_setting(*solver, key, value);
  if (request.start && request.start_dual) solver->start_dual = *request.start_dual;
  const std::optional<std::string> refusal = solver->refusal(problem);
  if (!refusal) {
    return solve_with(*solver, problem, request.start ? &*request.start : nullptr, observer,
                      request.repeats, request.common.tolerance);
  }
  std::string why = *refusal;
  for (const Reduction& reduction : exact_reductions(problem)) {
    Problem reduced;
    reduced.data = reduction.problem;
    const std::optional<std::string> again = solver->refusal(reduced);
    if (!again) return solve_reduced(*solver, problem, reduction, request, observer);
    why = *again;
  }
  return unsupported(name, why);
}

// The reduction that the settings ask for, with the solver named or auto.
VerifiedResult solve_as_asked(const Problem& problem, const SolveRequest& request,
                              const std::string& reduction_name, Observer* observer) {
  const Reduction reduction = named_reduction(problem, reduction_name);
  SolveRequest inner = request;
  std::erase_if(inner.settings, [](const auto& setting) { return setting.first == "reduction"; });
  inner.start.reset();
  inner.common.tolerance *= reduction.tolerance_factor;
  Problem reduced;
  reduced.data = reduction.problem;
  reduced.name = problem.name;
  VerifiedResult result = solve_verified(reduced, inner, observer);
  if (result.answer.z.size() == reduced.size())
    map_back(problem, reduction, request.common.tolerance, result);
  return result;
}

// Whether an answer that is no solution says more than another: a certificate, or less residual.
bool better(const VerifiedResult& a, const VerifiedResult& b) {
  const auto checked = [](const VerifiedResult& r) {
    return r.certificate && r.certificate->checked;
  };
  if (checked(a) != checked(b)) return checked(a);
  return a.verdict.measure < b.verdict.measure;
}

// The result of a later try with the history of the earlier ones.
void continue_with(VerifiedResult& result, VerifiedResult next) {
  next.setup_time += result.setup_time;
  next.iterations += result.iterations;
  next.solve_time += result.solve_time;
  next.route.insert(next.route.begin(), result.route.begin(), result.route.end());
  result = std::move(next);
}

}  // namespace

Status judge(Status claimed, const Verdict& verdict) {
  if (verdict.solved) return Status::kSolved;
  return claimed == Status::kSolved ? Status::kWrong : claimed;
}

VerifiedResult solve_with(Solver& solver, const Problem& problem, const Vector* start,
                          Observer* observer, int repeats, std::optional<double> tolerance) {
  VerifiedResult out;
  out.verdict.tolerance = tolerance.value_or(solver.common.tolerance);
  const auto setup_start = Clock::now();
  solver.prepare(problem);
  out.setup_time = seconds_since(setup_start);
  const Result* result = nullptr;
  const double limit = solver.common.time_limit;
  double spent = 0.0;
  for (int k = 0; k < std::max(1, repeats) && (k == 0 || limit <= 0 || spent < limit); ++k) {
    const auto solve_start = Clock::now();
    result = &solver.solve(start, observer);
    const double elapsed = seconds_since(solve_start);
    out.solve_times.push_back(result->own_times ? result->own_times->solve : elapsed);
    spent += elapsed;
  }
  std::vector<double> times = out.solve_times;
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  out.solve_time = times[times.size() / 2];
  out.own_times = result->own_times.has_value();
  if (out.own_times) out.setup_time = result->own_times->setup;
  out.claimed = result->status;
  out.answer = {result->z, result->dual};
  out.message = result->message;
  const auto* qp = std::get_if<ConicQp>(&problem.data);
  if (result->z.size() != problem.size() || (qp && result->dual.size() != qp->b.size())) {
    if (out.message.empty()) {
      out.message =
          fmt::format("the answer's z and dual have lengths {} and {}, expected {} and {}",
                      result->z.size(), result->dual.size(), problem.size(), qp ? qp->b.size() : 0);
    }
  } else {
    out.verdict = verify(problem, out.answer, out.verdict.tolerance);
  }
  out.status = judge(out.claimed, out.verdict);
  out.solutions = result->solutions;
  out.certificate = result->certificate;
  out.iterations = result->iterations;
  for (const auto& [name, value] : result->statistics) out.statistics.emplace_back(name, value);
  out.route.push_back({std::string(solver.traits().name), out.status, out.claimed, out.iterations,
                       out.solve_time, out.message});
  return out;
}

namespace {

// Newton steps on the active set of a point, as an entry of the route.
VerifiedResult polish(const Problem& problem, const Vector& point, double tolerance) {
  const auto started = Clock::now();
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
  result.solve_times = {result.solve_time};
  result.iterations = polishing.factorisations;
  result.verdict = verify(problem, result.answer, tolerance);
  result.status = judge(result.claimed, result.verdict);
  result.route.push_back(
      {"polish", result.status, result.claimed, result.iterations, result.solve_time, ""});
  return result;
}

// The tries of auto, and what they have led to so far.
class Attempts {
 public:
  Attempts(const Problem& problem, const SolveRequest& request, Observer* observer)
      : problem_(problem), request_(request), observer_(observer) {}

  VerifiedResult run() {
    const bool settings_given = !request_.settings.empty();
    for (const Attempt& attempt : attempts_for(problem_, settings_given)) {
      if (first_ && request_.start && !attempt.polishes_start) take(polished_start());
      if (settled() || out_of_time()) break;
      if (attempt.after_limit && !limited_) continue;
      take(attempted(attempt));
      if (settled()) break;
      // An answer that is all but right needs an active set, not another method.
      if (linear_ && latest_measure_ <= kNearlySolved && result_.verdict.measure == latest_measure_)
        take(polish(problem_, result_.answer.z, request_.common.tolerance));
      if (settled()) break;
    }
    return std::move(result_);
  }

 private:
  VerifiedResult polished_start() {
    validate(problem_);
    if (request_.start->size() != problem_.size()) {
      throw std::invalid_argument(
          fmt::format("start: length is {}, expected {}", request_.start->size(), problem_.size()));
    }
    return polish(problem_, *request_.start, request_.common.tolerance);
  }

  VerifiedResult attempted(const Attempt& attempt) {
    SolveRequest one = request_;
    if (request_.common.time_limit > 0)
      one.common.time_limit =
          attempt.time_share * (request_.common.time_limit - seconds_since(started_));
    const bool limited =
        attempt.max_iterations > 0 &&
        !(one.common.max_iterations > 0 && one.common.max_iterations <= attempt.max_iterations);
    if (limited) one.common.max_iterations = attempt.max_iterations;
    if (attempt.seed > 0) one.start = random_start(problem_, attempt.seed);
    if (attempt.from_best && !first_ && result_.answer.z.size() == problem_.size() &&
        result_.answer.z.allFinite())
      one.start = result_.answer.z;
    auto settings = attempt.settings;
    // Those of the request are its.
    if (attempt.solver == owner_of_settings(problem_))
      settings.insert(settings.begin(), request_.settings.begin(), request_.settings.end());
    VerifiedResult next = solve_by_name(problem_, one, attempt.solver, settings, observer_);
    limited_ |= limited && next.status == Status::kIterationLimit;
    if (attempt.seed > 0)
      next.route.back().solver +=
          fmt::format(" from random {} {}", linear_ ? "basis" : "start", attempt.seed);
    return next;
  }

  // Keeps the better of the two results with the history of both.
  void take(VerifiedResult next) {
    latest_measure_ = next.verdict.measure;
    if (first_) {
      result_ = std::move(next);
    } else if (ends(next.status) || better(next, result_)) {
      continue_with(result_, std::move(next));
    } else {
      result_.solve_time += next.solve_time;
      result_.setup_time += next.setup_time;
      result_.iterations += next.iterations;
      result_.route.push_back(next.route.back());
    }
    first_ = false;
  }

  // What a later try cannot change: proofs, and the caller's own limits.
  static bool ends(Status status) {
    return status == Status::kSolved || status == Status::kInfeasible ||
           status == Status::kInterrupted;
  }
  bool settled() const { return !first_ && (ends(result_.status) || unbounded()); }
  bool unbounded() const {
    const auto& certificate = result_.certificate;
    return certificate && certificate->checked && certificate->type == "unbounded";
  }
  bool out_of_time() const {
    const double limit = request_.common.time_limit;
    return !first_ && limit > 0 && !(seconds_since(started_) < limit);
  }

  const Problem& problem_;
  const SolveRequest& request_;
  Observer* observer_;
  const bool linear_ = std::holds_alternative<Lcp>(problem_.data) ||
                       std::holds_alternative<Mlcp>(problem_.data) ||
                       std::holds_alternative<BoxQp>(problem_.data);
  Clock::time_point started_ = Clock::now();
  VerifiedResult result_;
  double latest_measure_ = Residuals::kNone;
  bool first_ = true;
  bool limited_ = false;  // a try ended at its own limit, not the caller's
};

// The time limit passed before the first try; the start, or zero, is all there is.
VerifiedResult too_late(const Problem& problem, const SolveRequest& request) {
  VerifiedResult result;
  result.answer.z = request.start.value_or(Vector::Zero(problem.size()));
  result.verdict = verify(problem, result.answer, request.common.tolerance);
  result.claimed = Status::kTimeLimit;
  result.status = judge(result.claimed, result.verdict);
  result.message = "the time limit passed before the Jacobian was derived";
  result.route.push_back({"auto", result.status, result.claimed, 0, 0.0, result.message});
  return result;
}

}  // namespace

VerifiedResult solve_verified(const Problem& problem, const SolveRequest& request,
                              Observer* observer) {
  for (const auto& [key, value] : request.settings) {
    if (key == "reduction") return solve_as_asked(problem, request, value, observer);
  }
  if (request.solver != "auto")
    return solve_by_name(problem, request, request.solver, request.settings, observer);
  if (const auto* mcp = std::get_if<Mcp>(&problem.data)) {
    if (!mcp->graph || mcp->compiled) return Attempts(problem, request, observer).run();
    validate(problem);
    Problem compiled = problem;  // once, not in every try
    try {
      compile(std::get<Mcp>(compiled.data), Deadline(request.common.time_limit));
    } catch (const DeadlinePassed&) {
      return too_late(problem, request);
    }
    return Attempts(compiled, request, observer).run();
  }
  if (std::holds_alternative<ConvexContact>(problem.data))  // nothing takes it yet: lemke says so
    return solve_by_name(problem, request, "lemke", request.settings, observer);
  return Attempts(problem, request, observer).run();
}

}  // namespace perp
