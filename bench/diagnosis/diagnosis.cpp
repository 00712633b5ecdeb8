#include <perp/bench/diagnosis/diagnosis.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <perp/bench/analysis/analysis.hpp>
#include <perp/bench/harness/words.hpp>
#include <perp/bench/processes/interrupt.hpp>
#include <perp/bench/shrink/shrink.hpp>
#include <perp/solvers/core/structure.hpp>
#include <perp/solvers/linear_algebra/dense_equilibration.hpp>

namespace perp {

namespace {

constexpr double kProofSeconds = 10.0;  // time limit of the search for a proof
constexpr double kBadScaling = 1e8;   // ratio of the largest entries of two rows that counts as bad
constexpr double kDependent = 1e-10;  // singular values below this share of the largest count as 0
constexpr double kNegligible = 1e-6;  // entries of unit vectors up to it count as 0
constexpr std::size_t kTail = 30;     // last iterations, from which the speed is estimated
// reduction factors of one iteration from which on a solver is stuck, and one that gave up by
// itself
constexpr double kStuck = 0.9999, kStuckWhoGaveUp = 0.9995;

class TraceObserver final : public InterruptObserver {
 public:
  bool on_iteration(const IterationRecord& r) override {
    add(residual_, r.iteration, r.residual);
    add(merit_, r.iteration, r.merit);
    return InterruptObserver::on_iteration(r);
  }
  Trace trace() {
    Trace& told = residual_.values.empty() ? merit_ : residual_;
    if (!told.values.empty()) told.of = &told == &merit_ ? "merit" : "residual";
    return std::move(told);
  }

 private:
  static void add(Trace& trace, int iteration, double value) {
    if (std::isnan(value)) return;
    trace.iterations.push_back(iteration);
    trace.values.push_back(value);
  }

  Trace residual_, merit_;
};

const Matrix* main_matrix(const Problem& problem) {
  if (const auto* p = std::get_if<Lcp>(&problem.data)) return &p->M;
  if (const auto* p = std::get_if<Mlcp>(&problem.data)) return &p->M;
  if (const auto* p = std::get_if<BoxQp>(&problem.data)) return &p->H;
  if (const auto* p = std::get_if<FrictionContact>(&problem.data))
    return p->is_operator() ? nullptr : &p->W;
  return nullptr;
}

std::string names_of(const Problem& problem, const std::vector<int>& rows) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(rows.size(), kShown); ++k)
    text += (k > 0 ? ", " : "") + problem.variable_name(rows[k]);
  if (rows.size() > kShown) text += fmt::format(" and {} more", rows.size() - kShown);
  return text;
}

// Finds rows with largest entries of very different size: a small error in one row is a large error
// in another.
void see_scaling(const Problem& problem, const DenseMatrix& m, std::vector<Cause>& causes) {
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  int least_row = -1, most_row = -1;
  for (int i = 0; i < m.rows(); ++i) {
    const double largest = m.row(i).cwiseAbs().maxCoeff();
    if (largest > most) most = largest, most_row = i;
    if (largest > 0 && largest < least) least = largest, least_row = i;
  }
  if (least_row < 0 || most < kBadScaling * least) return;
  causes.push_back(
      {"badly scaled",
       fmt::format("entries of row {} are up to {:.1e}, those of row {} up to {:.1e}",
                   problem.variable_name(most_row), most, problem.variable_name(least_row), least),
       {most_row, least_row}});
}

// Finds directions in which z can move without a change of the map, and the unknowns that move.
void see_dependence(const Problem& problem, DenseMatrix m, std::vector<Cause>& causes) {
  Vector row, column;
  equilibrate(m, row, column);  // the same unknowns move
  const Eigen::BDCSVD<DenseMatrix> svd(m, Eigen::ComputeFullV);
  const Vector& values = svd.singularValues();
  const auto rank = (values.array() > kDependent * values[0]).count();
  if (rank == m.cols()) return;
  const DenseMatrix kernel = svd.matrixV().rightCols(m.cols() - rank);
  std::vector<int> rows;
  for (int i = 0; i < kernel.rows(); ++i) {
    if (kernel.row(i).norm() > kNegligible) rows.push_back(i);
  }
  causes.push_back({"dependent rows",
                    fmt::format("the matrix has rank {} of {}; unknowns concerned: {}", rank,
                                m.cols(), names_of(problem, rows)),
                    rows});
}

void see_monotonicity(const Matrix& matrix, std::vector<Cause>& causes) {
  const MatrixStructure s = analyse("M", matrix);
  if (s.definiteness != "indefinite") return;
  causes.push_back({"not monotone",
                    "the symmetric part of the matrix is indefinite: there may be no solution, one "
                    "or many, and methods for convex problems do not apply",
                    {}});
}

// Looks at the end of the trace.
void see_trace(const SolverDiagnosis& d, double tolerance, std::vector<Cause>& causes) {
  const std::vector<double>& v = d.trace.values;
  if (v.size() < 4 || d.trace.of == "nothing") return;
  // The lowest values count: one that bounces up and down makes no progress.
  const std::size_t middle = v.size() - std::min(kTail, v.size()) / 2;
  const double from = *std::min_element(v.begin(), v.begin() + static_cast<long>(middle)),
               least = *std::min_element(v.begin(), v.end()), to = v.back();
  if (!std::isfinite(to)) {
    causes.push_back({"not finite", fmt::format("its {} is not finite", d.trace.of), {}});
    return;
  }
  if (!(from > 0) || !(least > 0)) return;
  const int steps = d.trace.iterations.back() - d.trace.iterations[middle - 1];
  if (steps <= 0) return;  // several methods ran, one after the other
  const double factor = std::pow(least / from, 1.0 / steps),
               stuck = d.result.status == Status::kStalled ? kStuckWhoGaveUp : kStuck;
  if (to > 1e3 * std::max(v.front(), least)) {
    causes.push_back({"diverges",
                      fmt::format("its {} grew from {:.1e} to {:.1e}", d.trace.of, v.front(), to),
                      {}});
  } else if (factor < stuck && least > tolerance) {
    const double more = std::log(tolerance / least) / std::log(factor);
    causes.push_back({"slow",
                      fmt::format("its {} falls by a factor of {:.3f} an iteration; at that pace "
                                  "it needs about {:.0f} more",
                                  d.trace.of, factor, more),
                      {}});
  } else if (to > tolerance) {
    causes.push_back({"stuck",
                      fmt::format("its {} stays at {:.1e} ({:.1e} at best)", d.trace.of, to, least),
                      {}});
  }
}

void see_run(const Problem& problem, double tolerance, SolverDiagnosis& d) {
  const VerifiedResult& r = d.result;
  const Residuals& res = r.verdict.residuals;
  std::vector<int> worst;
  if (res.worst_index >= 0 && !res.worst_is_constraint) worst.push_back(res.worst_index);
  if (r.status == Status::kUnsupported) {
    d.causes.push_back({"refused", r.message, {}});
    return;
  }
  if (r.answer.z.size() > 0 && !r.answer.z.allFinite())
    d.causes.push_back({"not finite", "its answer has numbers that are not finite", {}});
  if (r.status == Status::kWrong) {
    d.causes.push_back(
        {"wrong claim",
         fmt::format(
             "it claims a solution, but the verifier measures {:.1e}; {:.1e} is asked; worst at {}",
             r.verdict.measure, tolerance, worst_in_words(problem, res)),
         worst});
  }
  if (r.verdict.at_floor) {
    d.causes.push_back({"tolerance below rounding",
                        fmt::format("in doubles {} cannot be told from 0 below {:.1e}; {:.1e} is "
                                    "asked",
                                    worst_in_words(problem, res), res.floor, tolerance),
                        worst});
  }
  if (r.status == Status::kTimeLimit)
    d.causes.push_back({"time limit", "the time was up before it ended", {}});
  const bool proved = r.certificate && r.certificate->checked;
  if (!proved) see_trace(d, tolerance, d.causes);  // who proved something was not stuck
  if (d.causes.empty()) {
    std::string text = fmt::format("it ended as {}", to_string(r.status));
    if (!worst.empty())
      text += fmt::format(", {:.1e} off at {}", res.worst_value, worst_in_words(problem, res));
    d.causes.push_back({"ended", text, worst});
  }
}

Problem shrunk(const Problem& problem, const SolverDiagnosis& d, const DiagnosisRequest& request) {
  SolveRequest solve = request.solve;
  solve.solver = d.solver;
  solve.look_for_vacuous = false;
  InterruptObserver observer;
  const auto shows = [&](const Problem& p) {
    try {
      return solve_verified(p, solve, &observer).status == d.result.status;
    } catch (const std::invalid_argument&) {
      return d.result.status == Status::kUnsupported;
    }
  };
  return shrink(problem, shows, Deadline(request.shrink_seconds)).problem;
}

}  // namespace

std::vector<Cause> causes_in(const Problem& problem) {
  std::vector<Cause> causes;
  if (problem.size() > kLargestAnalysed) return causes;
  if (const std::optional<Vector> y = infeasibility(problem, kProofSeconds)) {
    std::vector<int> rows;
    const double size = y->cwiseAbs().maxCoeff();
    for (int i = 0; i < y->size(); ++i) {
      if (std::abs((*y)[i]) > kNegligible * size) rows.push_back(i);
    }
    causes.push_back({"infeasible",
                      fmt::format("no point satisfies the linear constraints (Farkas proof, "
                                  "checked); those in conflict: {}",
                                  names_of(problem, rows)),
                      rows});
  }
  const Matrix* matrix = main_matrix(problem);
  if (!matrix || matrix->rows() == 0) return causes;
  const DenseMatrix m = matrix->to_dense();
  see_monotonicity(*matrix, causes);
  see_scaling(problem, m, causes);
  see_dependence(problem, m, causes);
  return causes;
}

namespace {

// What a solver proved of a problem whose constraints causes_in() does not read.
void add_proof_of_a_solver(const Problem& problem, Diagnosis& diagnosis) {
  if (!std::holds_alternative<ConicQp>(problem.data)) return;
  for (const SolverDiagnosis& d : diagnosis.solvers) {
    const auto& proof = d.result.certificate;
    if (d.result.status != Status::kInfeasible || !proof || !proof->checked) continue;
    const double size = proof->y.size() > 0 ? proof->y.cwiseAbs().maxCoeff() : 0.0;
    std::vector<std::string> rows;
    for (int i = 0; i < proof->y.size(); ++i) {
      if (std::abs(proof->y[i]) > kNegligible * size) rows.push_back(fmt::format("row {}", i));
    }
    const std::size_t shown = std::min<std::size_t>(rows.size(), 6);
    std::string text = fmt::format("{}", fmt::join(rows.begin(), rows.begin() + shown, ", "));
    if (rows.size() > shown) text += fmt::format(" and {} more", rows.size() - shown);
    diagnosis.causes.push_back({"infeasible",
                                fmt::format("no point satisfies the constraints (proof of {}, "
                                            "checked); those in conflict: {}",
                                            d.solver, text),
                                {}});
    return;
  }
}

}  // namespace

Diagnosis diagnose(const Problem& problem, const DiagnosisRequest& request) {
  Diagnosis diagnosis;
  bool all_solved = true;
  for (const std::string& solver : request.solvers) {
    SolverDiagnosis d;
    d.solver = solver;
    SolveRequest solve = request.solve;
    solve.solver = solver;
    TraceObserver observer;
    d.result = solve_verified(problem, solve, &observer);
    d.trace = observer.trace();
    const bool solved = d.result.status == Status::kSolved;
    diagnosis.solved |= solved;
    all_solved &= solved;
    if (!solved) see_run(problem, request.solve.limits.tolerance, d);
    if (!solved && request.shrink_seconds > 0 && d.result.status != Status::kInterrupted)
      d.smallest = shrunk(problem, d, request);
    const bool interrupted = d.result.status == Status::kInterrupted;
    diagnosis.solvers.push_back(std::move(d));
    if (interrupted) return diagnosis;
  }
  if (!all_solved) diagnosis.causes = causes_in(problem);
  add_proof_of_a_solver(problem, diagnosis);
  if (diagnosis.solved) return diagnosis;
  SolveRequest solve = request.solve;
  solve.solver = "auto";
  solve.settings.clear();
  InterruptObserver observer;
  diagnosis.auto_solves = solve_verified(problem, solve, &observer).status == Status::kSolved;
  if (!*diagnosis.auto_solves && problem.size() <= kLargestAnalysed)
    diagnosis.mends = mends_of(problem, solve.limits.tolerance, solve.limits.time_limit);
  return diagnosis;
}

}  // namespace perp
