#include <perp/solvers/josephy_newton/josephy_newton.hpp>

#include <algorithm>

namespace perp {

namespace {

constexpr int kJosephyAlwaysDense = 100;  // unknowns; smaller problems are dense
constexpr double kSparseBelow = 0.25;     // share of entries; with more, systems are dense
constexpr int kJosephyMostSteps = 200;    // by default

bool prefers_sparse(const Matrix& m) {
  const double n = m.rows();
  return n > kJosephyAlwaysDense && static_cast<double>(m.nonzeros()) < kSparseBelow * n * n;
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

void JosephyNewton::do_prepare(const Problem& problem) {
  BoxProblem::Options box;
  box.storage = storage_named(settings.linear_algebra);
  box.prefers_sparse = prefers_sparse;
  problem_.build(problem, box, deadline());
  steps_.attach(problem_);
  start_.setZero(problem_.size());
  names_ = problem.variables.get();
}

void JosephyNewton::do_update(const Problem& problem) {
  if (!problem_.update(problem, deadline())) return do_prepare(problem);
  steps_.refit();
  names_ = problem.variables.get();
}

void JosephyNewton::do_solve(const Start& start, Observer* observer, Result& result) {
  problem_.begin(start.z, start_);
  start_ = start_.cwiseMax(problem_.lower).cwiseMin(problem_.upper);
  driver_.begin({settings.memory, settings.patience, settings.watchdog,
                 limits.max_iterations > 0 ? limits.max_iterations : kJosephyMostSteps},
                deadline());
  Status status = steps_.begin(chosen_function(), options(), limits.tolerance, start_, deadline())
                      ? driver_.run(steps_, observer)
                      : Status::kNumericalError;
  if (status == Status::kStalled) status = steps_.record.end();
  problem_.to_original(steps_.record.best_z, result.z);
  result.status = status;
  result.iterations = driver_.iterations;
  result.message = steps_.record.message(status, names_);
  add_statistics(result);
}

ComplementarityFunction JosephyNewton::chosen_function() const {
  ComplementarityFunction function;
  if (settings.function == "penalised") function.kind = NcpFunction::kPenalised;
  function.lambda = settings.lambda;
  return function;
}

JosephySteps::Options JosephyNewton::options() const {
  return {settings.least_squares != "always",
          settings.least_squares != "never",
          settings.crash_iterations,
          settings.set_rounds,
          settings.path == "far" ? JosephySteps::Origin::kFarAway : JosephySteps::Origin::kPoint,
          settings.proximal,
          settings.path_proximal};
}

void JosephyNewton::add_statistics(Result& result) const {
  const auto add = [&](std::string_view name, double value) {
    result.statistics.emplace_back(name, value);
  };
  const JosephySteps::Counts& counts = steps_.counts();
  const LinearisedProblem& linearised = steps_.linearised();
  add("crash_iterations", counts.crash);
  add("major_iterations", driver_.iterations - counts.crash);
  add("minor_iterations", static_cast<double>(linearised.pivots()));
  add("function_evaluations", problem_.evaluations());
  add("jacobian_evaluations", problem_.jacobian_evaluations());
  add("factorisations", steps_.system.factorisations + linearised.factorisations());
  add("linear_solves", steps_.system.linear_solves + linearised.linear_solves());
  add("singular_systems", steps_.sets().singular_systems);
  add("failed_paths", counts.failed_paths);
  add("domain_violations", steps_.record.undefined_points);
  add("false_answers", steps_.record.false_answers);
  add("path_steps", counts.path);
  add("proximal_steps", counts.proximal);
  add("least_squares_steps", counts.least_squares);
  add("gradient_steps", counts.gradient);
  add("watchdog_returns", driver_.watchdog_returns);
  add("sparse", problem_.matrix().has_sparse_systems());
}

}  // namespace perp
