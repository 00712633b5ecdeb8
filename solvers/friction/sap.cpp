#include <perp/solvers/friction/sap.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr int kSapIterationLimit = 2000;
constexpr int kMostSlopes = 60;      // of one search: bisection of [0, 1] needs no more
constexpr double kFartherOut = 4.0;  // factor on a step at which the objective still falls
constexpr double kNothing = 1e-14;   // decrease, over the objective, that counts as none

}  // namespace

const SolverTraits& Sap::traits() const {
  static const SolverTraits traits{"sap",
                                   "Newton on the convex objective of compliant contact",
                                   "CastroPermenterHan2022",
                                   {"convex_contact"}};
  return traits;
}

void Sap::do_prepare(const Problem& problem) {
  problem_ = std::get<ConvexContact>(problem.data);
  contacts_.build(problem_);
  matrix_.build(problem_.A, contacts_, limits.threads);
  const int n = problem_.size(), rows = 3 * problem_.contacts();
  for (Vector* x : {&point_.v, &point_.change, &point_.gradient, &direction_.v, &direction_.change,
                    &best_, &trial_})
    x->setZero(n);
  for (Vector* x : {&point_.u, &point_.gamma, &direction_.u}) x->setZero(rows);
  stiffness_.resize(problem_.contacts());
}

// Velocities, impulses and the gradient at point_.v.
void Sap::evaluate() {
  trial_ = point_.v - problem_.v_star;
  matrix_.multiply(trial_, point_.change);
  contacts_.multiply(point_.v, point_.u);
  point_.u -= contacts_.bias();
  contacts_.impulses(point_.u, point_.gamma);
  point_.gradient = point_.change;
  contacts_.subtract_transposed(point_.gamma, point_.gradient);
}

double Sap::measure() {
  return point_.gradient.size() > 0 ? point_.gradient.cwiseAbs().maxCoeff() : 0.0;
}

// The verifier sums in extended precision; its residual must be within the tolerance, too.
bool Sap::is_solved(double measure) {
  return measure <= limits.tolerance &&
         evaluate_residuals(problem_, point_.v, &work_).natural <= limits.tolerance;
}

// ||v - v*||^2_A + ||gamma||^2_R, twice the objective.
double Sap::objective_size() {
  trial_ = point_.v - problem_.v_star;
  return trial_.dot(point_.change) + point_.gamma.cwiseAbs2().dot(problem_.R);
}

bool Sap::find_direction() {
  for (int c = 0; c < contacts_.size(); ++c)
    stiffness_[c] = contacts_.stiffness(c, &point_.u[3 * c]);
  ++factorisations_;
  if (!matrix_.factor(stiffness_)) return false;
  direction_.v = -point_.gradient;
  matrix_.solve(direction_.v);
  matrix_.multiply(direction_.v, direction_.change);
  contacts_.multiply(direction_.v, direction_.u);
  direction_.linear = direction_.v.dot(point_.change);
  direction_.quadratic = direction_.v.dot(direction_.change);
  return direction_.v.allFinite();
}

Sap::Slope Sap::slope(double t) {
  ++slopes_;
  Slope s{direction_.linear + t * direction_.quadratic, direction_.quadratic};
  for (int c = 0; c < contacts_.size(); ++c) {
    const Eigen::Vector3d d = direction_.u.segment<3>(3 * c);
    const Eigen::Vector3d u = point_.u.segment<3>(3 * c) + t * d;
    s.first -= d.dot(contacts_.impulse(c, u.data()));
    s.second += d.dot(contacts_.stiffness(c, u.data()) * d);
  }
  return s;
}

// The root of the slope, which rises with t, by Newton steps inside a bracket.
double Sap::search(double slope_at_zero) {
  const double enough = settings.search_tolerance * std::abs(slope_at_zero);
  double low = 0.0, high = std::numeric_limits<double>::infinity(), t = 1.0;
  for (int k = 0; k < kMostSlopes; ++k) {
    const Slope s = slope(t);
    if (!(std::abs(s.first) > enough)) break;
    (s.first < 0 ? low : high) = t;
    double next = t - s.first / s.second;
    if (std::isinf(high)) {
      next = std::min(std::max(next, t), kFartherOut * t);
    } else if (!(next > low && next < high)) {
      next = 0.5 * (low + high);
    }
    if (next == t) break;
    t = next;
  }
  return t;
}

void Sap::do_solve(const Start& start, Observer* observer, Result& result) {
  const int limit = limits.max_iterations > 0 ? limits.max_iterations : kSapIterationLimit;
  factorisations_ = slopes_ = 0;
  best_ = point_.v = start.z ? *start.z : problem_.v_star;
  double best = std::numeric_limits<double>::infinity();
  int idle = 0;
  IterationRecord record;
  for (result.status = Status::kIterationLimit;; ++result.iterations) {
    evaluate();
    record.iteration = result.iterations;
    record.residual = measure();
    idle = record.residual < best ? 0 : idle + 1;
    if (record.residual < best) {
      best = record.residual;
      best_ = point_.v;
    }
    record.factorisations = record.linear_solves = factorisations_;
    if (is_solved(record.residual)) {
      result.status = Status::kSolved;
      best_ = point_.v;  // the point that was measured in extended precision, whatever `best` says
    }
    if (observer && !observer->on_iteration(record)) {
      if (result.status != Status::kSolved) result.status = Status::kInterrupted;
      break;
    }
    if (result.status == Status::kSolved || result.iterations >= limit) break;
    if (deadline().passed()) {
      result.status = Status::kTimeLimit;
      break;
    }
    if (!find_direction()) {
      result.status = Status::kNumericalError;
      break;
    }
    const double fall = direction_.v.dot(point_.gradient);
    if (idle >= settings.patience && -fall <= kNothing * objective_size()) {
      result.status = Status::kStalled;
      result.message = fmt::format("the gradient stays at {:.1e}", best);
      break;
    }
    record.step_type = "newton";
    record.step = fall < 0 ? search(fall) : 1.0;
    point_.v += record.step * direction_.v;
  }
  result.z = best_;
  result.statistics.emplace_back("factorisations", factorisations_);
  result.statistics.emplace_back("line_search_slopes", slopes_);
}

}  // namespace perp
