#include <perp/solvers/router.hpp>

#include <perp/problems/standard/random.hpp>
#include <perp/problems/standard/reductions.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace perp {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kRestarts = 10;  // of auto, after a path that led nowhere

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// An exact statement of the problem in a kind that the pivoting solvers take, where there is one.
std::optional<Reduction> exact_reduction(const Problem& problem) {
  if (const auto* qp = std::get_if<BoxQp>(&problem.data)) return reduce_to_mlcp(*qp);
  if (const auto* qp = std::get_if<ConicQp>(&problem.data)) {
    const bool linear = std::all_of(qp->cones.begin(), qp->cones.end(),
                                    [](const Cone& c) { return c.type != ConeType::kSecondOrder; });
    if (linear) return reduce_to_mlcp(*qp);
  }
  return {};
}

VerifiedResult unsupported(const std::string& solver, std::string why) {
  VerifiedResult result;
  result.message = std::move(why);
  result.route.push_back(
      {solver, Status::kUnsupported, Status::kUnsupported, 0, 0.0, result.message});
  return result;
}

// Solves a reduction and verifies what it maps back to.
VerifiedResult solve_reduced(Solver& solver, const Problem& problem, const Reduction& reduction,
                             const SolveRequest& request, Observer* observer) {
  const double tolerance = request.common.tolerance;
  Problem reduced;
  reduced.data = reduction.problem;
  reduced.name = problem.name;
  VerifiedResult result =
      solve_with(solver, reduced, nullptr, observer, request.repeats, tolerance);
  result.answer = reduction.map_back(result.answer);
  result.verdict = verify(problem, result.answer, tolerance);
  result.solutions.clear();
  result.certificate.reset();  // it speaks of the reduced problem
  result.status = judge(result.claimed, result.verdict);
  RouteStep& step = result.route.back();
  step.solver += " on " + reduction.name;
  step.status = result.status;
  return result;
}

VerifiedResult solve_by_name(const Problem& problem, const SolveRequest& request,
                             const std::string& name,
                             const std::vector<std::pair<std::string, std::string>>& settings,
                             Observer* observer) {
  const std::unique_ptr<Solver> solver = request.make(name);
  solver->common = request.common;
  for (const auto& [key, value] : settings) set_setting(*solver, key, value);
  const std::optional<std::string> refusal = solver->refusal(problem);
  if (!refusal) {
    return solve_with(*solver, problem, request.start ? &*request.start : nullptr, observer,
                      request.repeats, request.common.tolerance);
  }
  const std::optional<Reduction> reduction = exact_reduction(problem);
  if (!reduction) return unsupported(name, *refusal);
  Problem reduced;
  reduced.data = reduction->problem;
  if (const auto why = solver->refusal(reduced)) return unsupported(name, *why);
  return solve_reduced(*solver, problem, *reduction, request, observer);
}

// Half of the variables at their lower bounds (where they have one), the others off them.
Vector random_start(const Problem& problem, std::uint64_t seed) {
  Random random(seed);
  Vector start = Vector::Zero(problem.size());
  for (int i = 0; i < problem.size(); ++i) {
    double low = 0.0, high = 2.0;
    if (const auto* mlcp = std::get_if<Mlcp>(&problem.data)) {
      low = mlcp->lower[i];
      high = mlcp->upper[i];
    }
    if (std::isinf(low)) low = std::isinf(high) ? -1.0 : high - 2.0;
    if (std::isinf(high)) high = low + 2.0;
    start[i] = random.uniform() < 0.5 ? low : 0.5 * (low + high);
  }
  return start;
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
  for (int k = 0; k < std::max(1, repeats); ++k) {
    const auto solve_start = Clock::now();
    result = &solver.solve(start, observer);
    out.solve_times.push_back(seconds_since(solve_start));
  }
  std::vector<double> times = out.solve_times;
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
  out.solve_time = times[times.size() / 2];
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

// One entry of auto's list.
struct Attempt {
  std::string solver;
  std::vector<std::pair<std::string, std::string>> settings;
  std::uint64_t seed = 0;  // of a random start; 0: the start given
};

// Below this size pivoting is faster than a few sparse factorisations (contact problems, measured).
constexpr int kPivotingSize = 600;
constexpr int kTiny = 50;  // below this nothing beats a few pivots

bool symmetric_with_positive_diagonal(const Problem& problem) {
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  const auto* mlcp = std::get_if<Mlcp>(&problem.data);
  const Matrix* m = lcp ? &lcp->M : mlcp ? &mlcp->M : nullptr;
  if (!m) return false;
  for (int j = 0; j < m->cols(); ++j) {
    double diagonal = 0.0;
    m->for_column(j, [&](int i, double value) {
      if (i == j) diagonal = value;
    });
    if (!(diagonal > 0)) return false;
  }
  return m->is_symmetric(1e-12);
}

std::vector<Attempt> attempts(const Problem& problem, bool lemke_first) {
  std::vector<Attempt> list;
  const Attempt newton{"newton-fb", {{"restarts", "0"}}};
  if (lemke_first || problem.size() < kTiny) {
    list = {{"lemke", {}}, newton};
  } else if (symmetric_with_positive_diagonal(problem)) {
    list = {{"newton-min", {}}, newton, {"lemke", {}}};
  } else if (problem.size() >= kPivotingSize) {
    list = {newton, {"lemke", {}}};
  } else {
    list = {{"lemke", {}}, newton};
  }
  // Another covering vector breaks ties that a difficult path failed at.
  for (const char* covering : {"random:1", "random:2"})
    list.push_back({"lemke", {{"covering", covering}, {"certify", "false"}}});
  list.push_back({"newton-fb", {}});
  for (std::uint64_t seed = 1; seed <= kRestarts; ++seed) {
    list.push_back(
        {"lemke", {{"covering", fmt::format("random:{}", seed)}, {"certify", "false"}}, seed});
  }
  return list;
}

// What a later try cannot change: proofs, and the caller's own limits.
bool settled(Status status) {
  return status == Status::kSolved || status == Status::kInfeasible ||
         status == Status::kInterrupted;
}

VerifiedResult solve_by_attempts(const Problem& problem, const SolveRequest& request,
                                 Observer* observer) {
  const auto started = Clock::now();
  VerifiedResult result;
  bool first = true;
  for (const Attempt& attempt : attempts(problem, !request.settings.empty())) {
    SolveRequest one = request;
    if (request.common.time_limit > 0) {
      one.common.time_limit = request.common.time_limit - seconds_since(started);
      if (!(one.common.time_limit > 0)) break;
    }
    if (attempt.seed > 0) one.start = random_start(problem, attempt.seed);
    auto settings = attempt.settings;
    if (attempt.solver == "lemke")  // those of the request are lemke's
      settings.insert(settings.begin(), request.settings.begin(), request.settings.end());
    VerifiedResult next = solve_by_name(problem, one, attempt.solver, settings, observer);
    if (attempt.seed > 0)
      next.route.back().solver += fmt::format(" from random basis {}", attempt.seed);
    if (first) {
      result = std::move(next);
    } else if (settled(next.status) || better(next, result)) {
      continue_with(result, std::move(next));
    } else {
      result.solve_time += next.solve_time;
      result.setup_time += next.setup_time;
      result.iterations += next.iterations;
      result.route.push_back(next.route.back());
    }
    first = false;
    if (settled(result.status)) break;
  }
  return result;
}

}  // namespace

VerifiedResult solve_verified(const Problem& problem, const SolveRequest& request,
                              Observer* observer) {
  if (request.solver != "auto")
    return solve_by_name(problem, request, request.solver, request.settings, observer);
  const bool pivots =
      std::holds_alternative<Lcp>(problem.data) || std::holds_alternative<Mlcp>(problem.data);
  if (pivots) return solve_by_attempts(problem, request, observer);
  return solve_by_name(problem, request, "lemke", request.settings, observer);
}

}  // namespace perp
