#include <perp/solvers/interior_point/interior_point.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr int kIterations = 200;
constexpr double kShortStep = 1e-5;  // kShortSteps shorter steps in a row end the solve
constexpr int kShortSteps = 4;
constexpr int kInteriorPatience = 25;  // iterations without a better point that end the solve
constexpr int kLastPatience = 8;       // the same if the problem is nearly solved
constexpr double kNearTheEnd = 1e4;  // nearly solved: measure over the tolerance. Sums are extended
constexpr double kGain = 0.9;        // factor on the best measure that counts as a gain
// Shares of the tolerance: s'z need not fall below the first. The measure of a box_qp is
// min(s_i, z_i), both of which may vanish: there the root of s_i z_i need not fall below the
// second.
constexpr double kLeastGap = 1e-3, kLeastRoot = 0.1;

bool same_program(const ConicQp& a, const ConicQp& b) {
  const auto same_cone = [](const Cone& x, const Cone& y) {
    return x.type == y.type && x.size == y.size;
  };
  return a.c.size() == b.c.size() && a.b.size() == b.b.size() && a.c == b.c && a.b == b.b &&
         std::equal(a.cones.begin(), a.cones.end(), b.cones.begin(), b.cones.end(), same_cone) &&
         same_entries(a.P, b.P) && same_entries(a.A, b.A);
}

}  // namespace

const SolverTraits& InteriorPoint::traits() const {
  static const SolverTraits traits{"interior-point",
                                   "homogeneous primal-dual interior-point method",
                                   "GoulartChen2024",
                                   {"conic_qp", "box_qp"},
                                   0,
                                   false};
  return traits;
}

std::optional<std::string> InteriorPoint::do_refusal(const Problem& problem) const {
  // Whoever asks before prepare() asks twice: prepare() does so itself.
  const auto* conic = std::get_if<ConicQp>(&problem.data);
  if (conic && asked_.accepted && settings.equilibrate == asked_.equilibrated &&
      same_program(*conic, asked_.posed))
    return {};
  auto refusal = ask(problem);
  asked_.accepted = conic && !refusal;
  asked_.equilibrated = settings.equilibrate;
  return refusal;
}

// Reads the problem, and asks whether it is convex.
std::optional<std::string> InteriorPoint::ask(const Problem& problem) const {
  asked_.accepted = false;
  read(problem, asked_);
  // The prepared problem has passed the check, so the same P in the same scale passes, too.
  if (same_entries(asked_.posed.P, problem_.posed.P) &&
      asked_.data.column_scale == problem_.data.column_scale)
    return {};
  const auto negative = convexity_.negative_curvature(asked_.data);
  if (!negative) return {};
  return fmt::format(
      "interior-point asks for a convex problem, and {0} is not positive semidefinite: x'{0}x <= "
      "{1:.3g} for an x whose entry for {2} is 1",
      std::holds_alternative<BoxQp>(problem.data) ? "H" : "P", negative->value,
      problem.variable_name(negative->row));
}

void InteriorPoint::read(const Problem& problem, Reading& r) const {
  if (const auto* box = std::get_if<BoxQp>(&problem.data)) {
    load(*box, r);
  } else {
    r.posed = std::get<ConicQp>(problem.data);
  }
  r.data.natural_gap = std::holds_alternative<BoxQp>(problem.data);
  r.data.build(r.posed, settings.equilibrate);
}

void InteriorPoint::do_prepare(const Problem&) { take(false); }

void InteriorPoint::do_update(const Problem&) { take(asked_.data.has_pattern_of(problem_.data)); }

void InteriorPoint::take(bool same_pattern) {
  problem_ = asked_;  // a copy, so that both keep their memory
  const ConicData& data = problem_.data;
  same_pattern ? kkt_.update(settings.linear_algebra, limits.threads)
               : kkt_.prepare(data, settings.linear_algebra, limits.threads);
  path_.prepare(data, kkt_);
  certificates_.prepare(problem_.posed, data, kkt_);
  for (Vector* v : {&answer_.x, &answer_.px, &answer_.stationarity, &best_.x})
    v->setZero(data.variables());
  for (Vector* v : {&answer_.z, &answer_.s, &best_.z, &scratch_}) v->setZero(data.rows());
}

// A row -x + s = -l and x + s = u for each finite bound; x = l if both are the same. These
// equations come first.
void InteriorPoint::load(const BoxQp& problem, Reading& reading) {
  const int n = problem.size();
  int fixed = 0, rows = 0;
  for (int j = 0; j < n; ++j) {
    const bool equal = problem.lower[j] == problem.upper[j];
    fixed += equal;
    rows += equal ? 1 : (problem.lower[j] > -kInfinity) + (problem.upper[j] < kInfinity);
  }
  ConicQp& posed = reading.posed;
  if (!posed.A.is_sparse()) posed.A = Matrix(SparseMatrix());
  SparseMatrix& a = posed.A.sparse();
  a.resize(rows, n);
  a.resizeNonZeros(rows);
  posed.b.resize(rows);
  int entries = 0, equation = 0, inequality = fixed;
  const auto put = [&](int row, double sign, double bound) {
    a.innerIndexPtr()[entries] = row;
    a.valuePtr()[entries++] = sign;
    posed.b[row] = sign * bound;
  };
  for (int j = 0; j < n; ++j) {
    a.outerIndexPtr()[j] = entries;
    if (problem.lower[j] == problem.upper[j]) {
      put(equation++, 1.0, problem.upper[j]);
      continue;
    }
    if (problem.lower[j] > -kInfinity) put(inequality++, -1.0, problem.lower[j]);
    if (problem.upper[j] < kInfinity) put(inequality++, 1.0, problem.upper[j]);
  }
  a.outerIndexPtr()[n] = entries;
  posed.P = problem.H;
  posed.c = problem.c;
  posed.cones.clear();
  if (fixed > 0) posed.cones.push_back({ConeType::kZero, fixed});
  if (rows > fixed) posed.cones.push_back({ConeType::kNonnegative, rows - fixed});
  reading.box.M = problem.H;
  reading.box.q = problem.c;
  reading.box.lower = problem.lower;
  reading.box.upper = problem.upper;
}

void InteriorPoint::do_solve(const Start&, Observer* observer, Result& result) {
  std::optional<Status> end;
  if (!begin()) end = Status::kNumericalError;
  while (!end) {
    evaluate();
    end = assess(result.iterations, observer, result);
    if (end) break;
    if (!step()) end = Status::kStalled;
    ++result.iterations;
  }
  result.status = *end;
  finish(result);
}

// The status if the solve ends at this point, else nothing.
std::optional<Status> InteriorPoint::assess(int iteration, Observer* observer, Result& result) {
  IterationRecord record;
  record.iteration = iteration;
  record.step_type = iteration == 0 ? "start" : "predictor-corrector";
  record.residual = answer_.measure;
  record.merit = path_.mu();
  record.step = path_.step();
  record.linear_solves = kkt_.linear_solves;
  record.factorisations = kkt_.factorisations;
  if (observer && !observer->on_iteration(record)) return Status::kInterrupted;
  if (best_.measure <= limits.tolerance && confirmed()) return Status::kSolved;
  if (const auto end = certificates_.look(path_, result)) return end;
  if (certificates_.came_closer()) best_.without_gain = 0;
  const int limit = limits.max_iterations > 0 ? limits.max_iterations : kIterations;
  if (iteration >= limit) return Status::kIterationLimit;
  if (deadline().passed()) return Status::kTimeLimit;
  return {};
}

// Writes message, answer and statistics.
void InteriorPoint::finish(Result& result) {
  const bool ended = result.status == Status::kSolved || result.status == Status::kInterrupted;
  const bool excluded = !ended && !result.certificate && certificates_.exclude(result);
  if (!excluded && (result.status == Status::kStalled || result.status == Status::kNumericalError))
    result.message = fmt::format("no progress below a residual of {:.1e}", best_.measure);
  write_answer(result);
  result.statistics.emplace_back("factorisations", kkt_.factorisations);
  result.statistics.emplace_back("linear_solves", kkt_.linear_solves);
  result.statistics.emplace_back("dense", kkt_.dense() ? 1 : 0);
  result.statistics.emplace_back("mu", path_.mu());
  result.statistics.emplace_back("tau", path_.point().tau);
  result.statistics.emplace_back("kappa", path_.point().kappa);
}

bool InteriorPoint::begin() {
  kkt_.factorisations = kkt_.linear_solves = 0;
  short_steps_ = 0;
  best_.measure = kInfinity;
  best_.without_gain = 0;
  best_.x.setZero();
  best_.z.setZero();
  certificates_.begin(settings.regularisation, settings.refinements, settings.linear_algebra);
  return path_.begin({settings.regularisation, settings.refinements, settings.step_fraction});
}

// Computes residuals of the embedding, and of the problem as posed at (x, z) / tau.
void InteriorPoint::evaluate() {
  path_.evaluate(best_.measure <= kNearTheEnd * limits.tolerance);
  const EmbeddingVector& point = path_.point();
  answer_.x = point.x / point.tau;
  answer_.z = point.z / point.tau;
  answer_.s = path_.residual().slack / point.tau;
  answer_.stationarity = path_.residual().x / point.tau;
  answer_.measure =
      problem_.data.measure(answer_.z, answer_.stationarity, answer_.s, scratch_).measure();
  ++best_.without_gain;
  if (!(answer_.measure < best_.measure)) return;
  if (answer_.measure < kGain * best_.measure) best_.without_gain = 0;
  best_.measure = answer_.measure;
  best_.x = answer_.x;
  best_.z = answer_.z;
}

// One step along the path. @return false if there is no further progress
bool InteriorPoint::step() {
  const ConicData& data = problem_.data;
  const double root = kLeastRoot * limits.tolerance;
  const double gap =
      data.natural_gap ? root * root * (data.cones.degree() + 1) : kLeastGap * limits.tolerance;
  if (!path_.advance(gap)) return false;
  short_steps_ = path_.step() < kShortStep ? short_steps_ + 1 : 0;
  const bool near = best_.measure <= kNearTheEnd * limits.tolerance;
  return short_steps_ < kShortSteps &&
         best_.without_gain < (near ? kLastPatience : kInteriorPatience);
}

// Whether the best point is within the tolerance in extended precision. Of a box_qp, that is the
// point to return, within its bounds: its gradient differs from that of the path.
bool InteriorPoint::confirmed() {
  const ConicData& data = problem_.data;
  if (data.natural_gap) {
    write_box_answer(box_answer_);
    best_.measure = natural_map_.natural_residual(problem_.box, box_answer_, gradient_);
  } else {
    best_.measure =
        data.measure_extended(best_.x, best_.z, answer_.px, answer_.stationarity, answer_.s);
  }
  return best_.measure <= limits.tolerance;
}

void InteriorPoint::write_box_answer(Vector& z) const {
  const ConicData& data = problem_.data;
  z.resize(data.variables());
  for (int j = 0; j < data.variables(); ++j) z[j] = data.posed_x(j) * best_.x[j];
  z = z.cwiseMax(problem_.box.lower).cwiseMin(problem_.box.upper);
}

void InteriorPoint::write_answer(Result& result) const {
  const ConicData& data = problem_.data;
  if (data.natural_gap) {
    write_box_answer(result.z);
    result.dual.resize(0);
    return;
  }
  result.z.resize(data.variables());
  for (int j = 0; j < data.variables(); ++j) result.z[j] = data.posed_x(j) * best_.x[j];
  result.dual.resize(data.rows());
  for (int i = 0; i < data.rows(); ++i) result.dual[i] = data.posed_y(i) * best_.z[i];
}

}  // namespace perp
