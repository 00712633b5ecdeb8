#include <perp/solvers/block_interior_point/impulse_solver.hpp>

#include <cmath>
#include <utility>

namespace perp {

namespace {

constexpr int kImpulseMostSteps = 200;

}  // namespace

std::optional<std::string> ImpulseSolver::do_refusal(const Problem& problem) const {
  return ImpulseProgram::refusal(std::get<ConicQp>(problem.data));
}

void ImpulseSolver::do_prepare(const Problem& problem) {
  program_.read(std::get<ConicQp>(problem.data));
  next_ = program_;
  newton_.prepare(program_);
  make_room();
}

void ImpulseSolver::do_update(const Problem& problem) {
  next_.read(std::get<ConicQp>(problem.data));
  const bool same = next_.has_structure_of(program_);
  std::swap(program_, next_);
  same ? newton_.update() : newton_.prepare(program_);
  make_room();
}

void ImpulseSolver::make_room() {
  for (ImpulsePoint* x : {&point_, &best_}) {
    for (Vector* y : {&x->v, &x->m}) y->setZero(program_.velocities());
    for (Vector* y : {&x->p, &x->s}) y->setZero(program_.impulses());
    x->lambda.setZero(program_.bounds());
    x->nu = 0.0;
  }
  prepare_method();
}

void ImpulseSolver::begin(Result& result) {
  result.z.setZero(program_.unknowns());
  result.dual.setZero(program_.rows());
  result.status = Status::kStalled;
  newton_.begin(limits.threads);
  best_measure_ = INFINITY;
}

double ImpulseSolver::look() {
  const double total = program_.has_total() ? program_.e.dot(point_.p) : 0.0;
  if (total > program_.kappa) point_.p *= program_.kappa / total;
  program_.complete(point_);
  const double measure = program_.measure(point_);
  if (measure < best_measure_) {
    best_measure_ = measure;
    best_ = point_;
  }
  return measure;
}

bool ImpulseSolver::is_solved() const { return best_measure_ <= aim() * limits.tolerance; }

bool ImpulseSolver::goes_on(const char* step_type, double merit, double step, Observer* observer,
                            Result& result) {
  IterationRecord record;
  record.iteration = ++result.iterations;
  record.step_type = step_type;
  record.residual = look();
  record.merit = merit;
  record.step = step;
  record.factorisations = newton_.factorisations;
  record.linear_solves = newton_.linear_solves;
  const int most = limits.max_iterations > 0 ? limits.max_iterations : kImpulseMostSteps;
  if (observer && !observer->on_iteration(record)) {
    result.status = Status::kInterrupted;
  } else if (is_solved()) {
    result.status = Status::kSolved;
  } else if (deadline().passed()) {
    result.status = Status::kTimeLimit;
  } else if (result.iterations >= most) {
    result.status = Status::kIterationLimit;
  } else {
    return true;
  }
  return false;
}

void ImpulseSolver::end(Result& result) const {
  // The measure is at least the verifier's: a point that has not reached the aim may be an answer.
  if (result.status != Status::kInterrupted && best_measure_ <= limits.tolerance)
    result.status = Status::kSolved;
  if (result.status == Status::kStalled && result.message.empty())
    result.message = "no progress; the bounds of the velocities may contradict each other";
  if (std::isfinite(best_measure_)) program_.write(best_, result.z, result.dual);
  result.statistics.emplace_back("factorisations", newton_.factorisations);
  result.statistics.emplace_back("analyses", newton_.analyses);
  result.statistics.emplace_back("linear_solves", newton_.linear_solves);
}

}  // namespace perp
