#include <perp/solvers/block_interior_point/block_interior_point.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace perp {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostSteps = 200;
constexpr double kAim = 0.5;             // of the tolerance
constexpr double kInnerAccuracy = 0.1;   // gradient over the change of the multipliers
constexpr double kSmallGradient = 0.01;  // of the tolerance: no Newton step gains more
constexpr double kLargestPenalty = 1e8;

}  // namespace

struct BlockInteriorPoint::Run {
  Observer* observer;
  Result& result;
  Clock::time_point began = Clock::now();
  double best = INFINITY;
  int multiplier_steps = 0, path_steps = 0;
  bool ended = false;  // by a limit or an observer
};

const SolverTraits& BlockInteriorPoint::traits() const {
  static const SolverTraits traits{
      "block-interior-point",
      "interior point on the graph of the bodies, for velocities and impulses of many contacts",
      "Mehrotra1992",
      {"conic_qp"}};
  return traits;
}

std::optional<std::string> BlockInteriorPoint::do_refusal(const Problem& problem) const {
  return asked_.read(std::get<ConicQp>(problem.data));
}

void BlockInteriorPoint::do_prepare(const Problem&) {
  std::swap(program_, asked_);
  newton_.prepare(program_);
  multipliers_.prepare(program_);
  path_.prepare(program_);
  point_.p.setZero(program_.impulses());
  point_.lambda.setZero(program_.bounds());
  best_ = point_;
}

// p, lambda and nu of a start; without a dual there are no multipliers.
bool BlockInteriorPoint::read_start(const Start& start) {
  program_.read_start(*start.z, point_.p);
  point_.lambda.setZero();
  point_.nu = 0.0;
  if (start.dual && start.dual->size() == program_.rows())
    program_.read_dual(*start.dual, point_.lambda, point_.nu);
  const auto kept = [&](double x) { return x >= settings.negligible ? x : 0.0; };
  for (double& lambda : point_.lambda) lambda = kept(lambda);
  point_.nu = kept(point_.nu);
  for (const ImpulseCone& cone : program_.cones)
    project_on(cone, point_.p.data() + cone.first, point_.p.data() + cone.first);
  return point_.p.allFinite() && point_.lambda.allFinite() && std::isfinite(point_.nu);
}

// The measure of the point's p, lambda and nu; the best one is kept.
double BlockInteriorPoint::candidate(Run& run) {
  const double total = program_.e.size() > 0 ? program_.e.dot(point_.p) : 0.0;
  if (total > program_.kappa) point_.p *= program_.kappa / total;
  program_.complete(point_);
  const double measure = program_.measure(point_);
  if (measure < run.best) {
    run.best = measure;
    best_ = point_;
  }
  return measure;
}

// Records a step. @return whether there is a reason, and leave, for another one.
bool BlockInteriorPoint::goes_on(Run& run, const char* step_type, double merit, double step) {
  Result& result = run.result;
  ++result.iterations;
  IterationRecord record;
  record.iteration = result.iterations;
  record.step_type = step_type;
  record.residual = candidate(run);
  record.merit = merit;
  record.step = step;
  record.factorisations = newton_.factorisations;
  record.linear_solves = newton_.linear_solves;
  const std::chrono::duration<double> elapsed = Clock::now() - run.began;
  const int most = limits.max_iterations > 0 ? limits.max_iterations : kMostSteps;
  run.ended = true;
  if (run.observer && !run.observer->on_iteration(record)) {
    result.status = Status::kInterrupted;
  } else if (run.best <= kAim * limits.tolerance) {
    result.status = Status::kSolved;
  } else if (limits.time_limit > 0 && elapsed.count() > limits.time_limit) {
    result.status = Status::kTimeLimit;
  } else if (result.iterations >= most) {
    result.status = Status::kIterationLimit;
  } else {
    run.ended = false;
  }
  return !run.ended;
}

void BlockInteriorPoint::follow_multipliers(Run& run, int most_steps) {
  double penalty = settings.penalty;
  multipliers_.start(point_, penalty);
  for (int steps = 0; steps < most_steps;) {
    const double small =
        std::max(kInnerAccuracy * multipliers_.change(), kSmallGradient * limits.tolerance);
    if (multipliers_.gradient() <= small) {
      if (penalty >= kLargestPenalty) return;
      penalty *= settings.increase;
      multipliers_.update(penalty);
      continue;
    }
    const double step = multipliers_.step(newton_);
    if (step == 0.0) return;
    ++steps;
    ++run.multiplier_steps;
    multipliers_.point(point_);
    if (!goes_on(run, "multipliers", penalty, step)) return;
  }
}

void BlockInteriorPoint::follow_path(Run& run) {
  path_.start();
  double least = INFINITY;
  for (int waited = 0; waited < settings.patience;) {
    if (!path_.step(newton_)) return;
    ++run.path_steps;
    path_.point(point_);
    if (!goes_on(run, "path", path_.mu(), path_.last_step())) return;
    const double now = std::max(path_.mu(), path_.residual());
    waited = now < least ? 0 : waited + 1;
    least = std::min(least, now);
  }
}

void BlockInteriorPoint::do_solve(const Start& start, Observer* observer, Result& result) {
  Run run{observer, result};
  result.z.setZero(program_.unknowns());
  result.dual.setZero(program_.rows());
  result.status = Status::kStalled;
  newton_.clear_counts();
  if (start.z && read_start(start)) {
    const double measure = candidate(run);
    if (measure <= kAim * limits.tolerance) {
      result.status = Status::kSolved;
      run.ended = true;
    } else if (measure <= settings.start_measure) {
      follow_multipliers(run, settings.start_steps);
    }
  }
  if (!run.ended) follow_path(run);
  if (!run.ended && settings.finish_steps > 0 && std::isfinite(run.best)) {
    point_ = best_;
    follow_multipliers(run, settings.finish_steps);
  }
  if (!run.ended && result.status == Status::kStalled)
    result.message = "no progress; the bounds of the velocities may contradict each other";
  if (std::isfinite(run.best)) program_.write(best_, result.z, result.dual);
  result.statistics.emplace_back("factorisations", newton_.factorisations);
  result.statistics.emplace_back("analyses", newton_.analyses);
  result.statistics.emplace_back("linear_solves", newton_.linear_solves);
  result.statistics.emplace_back("multiplier_steps", run.multiplier_steps);
  result.statistics.emplace_back("path_steps", run.path_steps);
}

}  // namespace perp
