#include <perp/solvers/semismooth_newton/newton_fb.hpp>

#include <algorithm>

namespace perp {

namespace {

constexpr int kFbAlwaysDense = 40;    // unknowns; smaller problems are dense
constexpr int kNeverDense = 2500;     // unknowns; larger problems are sparse
constexpr double kSparseCost = 15.0;  // time of a sparse operation over that of a dense one
constexpr int kFbMostSteps = 200;     // by default
// Largest merit of a relaxed step over the reference. From a residual of 1e-8 a step far along a
// curve of near solutions may lead to one of 1e-3, and the next steps back to the curve.
constexpr double kFbWild = 1e10;
// Rises without progress before the search is monotone: a third of the patience, at least these.
constexpr int kFbLeastRises = 5;

bool has_z_matrix(const Problem& problem) {
  if (std::holds_alternative<Mcp>(problem.data)) return false;
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  const Matrix& m = lcp ? lcp->M : std::get<Mlcp>(problem.data).M;
  bool is = true;
  for (int j = 0; j < m.cols() && is; ++j) {
    m.for_column(j, [&](int i, double value) { is = is && (i == j || value <= 0); });
  }
  return is;
}

// Sparse if the operations that KLU estimates for the whole matrix take less time than dense LU.
bool sparse_lu_pays(const Matrix& m) {
  const double n = m.rows();
  if (n > kNeverDense) return true;
  if (n < kFbAlwaysDense || static_cast<double>(m.nonzeros()) > 0.3 * n * n) return false;
  const SparseMatrix pattern = m.to_sparse();
  SparseLu lu;
  lu.begin(m.rows());
  for (int j = 0; j < m.rows(); ++j) {
    bool diagonal = false;
    for (SparseMatrix::InnerIterator it(pattern, j); it; ++it) {
      diagonal = diagonal || it.row() == j;
      lu.append(static_cast<int>(it.row()), it.row() == j ? 1.0 : 0.0);
    }
    if (!diagonal) lu.append(j, 1.0);
    lu.end_column();
  }
  lu.factor();
  const double operations = lu.estimated_operations();
  return operations >= 0 && kSparseCost * operations < 2.0 / 3.0 * n * n * n;
}

}  // namespace

const SolverTraits& NewtonFb::traits() const {
  static const SolverTraits traits{
      "newton-fb",
      "semismooth Newton on the Fischer-Burmeister function, least-squares steps if singular",
      "DeLucaFacchineiKanzow1996",
      {"lcp", "mlcp", "mcp"}};
  return traits;
}

void NewtonFb::do_prepare(const Problem& problem) {
  BoxProblem::Options box;
  box.scaling = settings.equilibrate == "auto"     ? BoxProblem::Scaling::kWhereBad
                : settings.equilibrate == "always" ? BoxProblem::Scaling::kAlways
                                                   : BoxProblem::Scaling::kNever;
  box.storage = storage_named(settings.linear_algebra);
  box.prefers_sparse = sparse_lu_pays;
  problem_.build(problem, box, deadline());
  steps_.attach(problem_);
  start_.setZero(problem_.size());
  take_rest(problem);
}

void NewtonFb::do_update(const Problem& problem) {
  if (!problem_.update(problem, deadline())) return do_prepare(problem);
  take_rest(problem);
}

void NewtonFb::take_rest(const Problem& problem) {
  names_ = problem.variables.get();
  only_negative_ = has_z_matrix(problem);
}

void NewtonFb::do_solve(const Start& start, Observer* observer, Result& result) {
  set_start(start.z);
  driver_.begin({settings.memory,
                 settings.patience,
                 settings.watchdog,
                 limits.max_iterations > 0 ? limits.max_iterations : kFbMostSteps,
                 {},
                 kFbWild,
                 // a watchdog takes rises on purpose
                 settings.watchdog > 0 ? 0 : std::max(kFbLeastRises, settings.patience / 3)},
                deadline());
  Status status = steps_.begin(chosen_function(), options(), start_) ? driver_.run(steps_, observer)
                                                                     : Status::kNumericalError;
  if (status == Status::kStalled) status = steps_.record.end();
  problem_.to_original(steps_.record.best_z, result.z);
  result.status = status;
  result.iterations = driver_.iterations;
  result.message = steps_.record.message(status, names_);
  add_statistics(result);
}

void NewtonFb::set_start(const Vector* start) {
  problem_.begin(start, start_);
  if (settings.inside == "never" || (settings.inside == "auto" && (start || !only_negative_)))
    return;
  for (int i = 0; i < problem_.size(); ++i) {
    const double room = problem_.upper[i] - start_[i];
    start_[i] += std::min(1.0, problem_.is_linear() ? room : 0.5 * room);
  }
}

ComplementarityFunction NewtonFb::chosen_function() const {
  ComplementarityFunction function;
  const bool penalised =
      settings.function == "penalised" || (settings.function == "auto" && !problem_.is_linear());
  function.kind = settings.function == "min" ? NcpFunction::kMin
                  : penalised                ? NcpFunction::kPenalised
                                             : NcpFunction::kFischerBurmeister;
  function.lambda = settings.lambda;
  return function;
}

NewtonFbSteps::Options NewtonFb::options() const {
  return {settings.proximal,
          settings.proximal_factor,
          settings.least_squares != "always",
          settings.least_squares != "never",
          {settings.finish, settings.finish_below, settings.proximal, limits.tolerance}};
}

void NewtonFb::add_statistics(Result& result) const {
  const auto add = [&](std::string_view name, int value) {
    result.statistics.emplace_back(name, value);
  };
  add("factorisations", steps_.system.factorisations);
  add("linear_solves", steps_.system.linear_solves);
  add("least_squares_steps", steps_.least_squares_steps);
  add("gradient_steps", steps_.gradient_steps);
  add("finishes", steps_.finishes());
  add("sparse", problem_.matrix().has_sparse_systems());
  if (problem_.is_linear()) return;
  add("function_evaluations", problem_.evaluations());
  add("jacobian_evaluations", problem_.jacobian_evaluations());
  add("undefined_points", steps_.record.undefined_points);
  add("false_answers", steps_.record.false_answers);
}

}  // namespace perp
