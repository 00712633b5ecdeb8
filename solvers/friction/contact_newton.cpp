#include <perp/solvers/friction/contact_newton.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr double kShortestSearch = 0x1p-19;  // step of a search
// These rules are older than the common loop. The rules of newton-fb were not tried here.
constexpr DampingRules kDamping{1e-2, 0.1,   0.2,
                                4.0,  1e-12, std::numeric_limits<double>::infinity()};

}  // namespace

void ContactNewton::attach(const ContactProblem& problem) {
  problem_ = &problem;
  equations_.attach(problem, settings.map, settings.rho, settings.rho_factor);
  system_.attach(problem, settings.linear_algebra);
  for (Pair* pair : {&point_, &direction_, &trial_}) {
    pair->r.setZero(problem.size());
    pair->u.setZero(problem.size());
  }
}

void ContactNewton::begin(const Deadline& deadline, int iteration_limit) {
  deadline_ = &deadline;
  iteration_limit_ = iteration_limit;
  iterations = least_squares_steps = 0;
  system_.factorisations = system_.linear_solves = system_.pivoted = 0;
}

Status ContactNewton::run(double alpha, const Vector& centre, double tolerance, int max_steps,
                          Observer* observer, Vector& r) {
  aim_ = {alpha, tolerance, &centre, &r};
  point_.r = r;
  best_measure_ = std::numeric_limits<double>::infinity();
  evaluate();
  iterations_before_ = iterations;
  driver_.begin({settings.memory, settings.patience - 1, 0,
                 std::min(max_steps, iteration_limit_ - iterations), kDamping},
                *deadline_);
  const Status status = driver_.run(*this, observer);
  iterations = iterations_before_ + driver_.iterations;
  const bool own_limit = status == Status::kIterationLimit && iterations < iteration_limit_;
  return own_limit || status == Status::kNumericalError ? Status::kStalled : status;
}

// Computes u, Phi with its Jacobian, the merit and the measure at r; keeps r if it is the best
// point.
void ContactNewton::evaluate() {
  problem_->velocity(point_.r, point_.u);
  if (aim_.alpha > 0) point_.u += aim_.alpha * (point_.r - *aim_.centre);
  equations_.evaluate(point_.r, point_.u);
  measure_ = problem_->measure(point_.r, point_.u);
  if (!(measure_ < best_measure_)) return;
  best_measure_ = measure_;
  *aim_.r = point_.r;
}

NewtonEquation::Verdict ContactNewton::judge() {
  if (best_measure_ > aim_.tolerance) return Verdict::kGoOn;
  // For the problem itself, the measure is computed like the verifier's, in extended precision.
  if (aim_.alpha == 0) best_measure_ = problem_->measure(*aim_.r);
  return best_measure_ <= aim_.tolerance ? Verdict::kSolved : Verdict::kGoOn;
}

std::string_view ContactNewton::take_step(NewtonDriver&) {
  if (settings.least_squares != "always" && newton_step()) return "newton";
  if (settings.least_squares != "never" && least_squares_step()) return "least_squares";
  return "";
}

bool ContactNewton::newton_step() {
  const double eps =
      std::max(settings.proximal, settings.proximal_factor * std::min(1.0, equations_.largest()));
  return system_.solve(equations_.rows(), aim_.alpha + eps, direction_.r) && search();
}

bool ContactNewton::least_squares_step() {
  const double size = std::sqrt(2.0 * equations_.merit());
  if (!system_.solve_least_squares(equations_.rows(), aim_.alpha, driver_.damping.share() * size,
                                   direction_.r))
    return false;
  ++least_squares_steps;
  const bool taken = search();
  driver_.damping.follow(taken ? driver_.step() : 0.0);
  return taken;
}

bool ContactNewton::search() {
  if (!direction_.r.allFinite()) return false;
  problem_->multiply(direction_.r, direction_.u);
  if (aim_.alpha > 0) direction_.u += aim_.alpha * direction_.r;
  SearchRule rule;
  rule.slope = equations_.slope(direction_.r, direction_.u);
  rule.shortest = kShortestSearch;
  return rule.slope < 0 && driver_.search(*this, rule);
}

double ContactNewton::try_step(double t) {
  trial_.r = point_.r + t * direction_.r;
  trial_.u = point_.u + t * direction_.u;
  return equations_.merit(trial_.r, trial_.u);
}

bool ContactNewton::accept_trial() {
  point_.r.swap(trial_.r);
  evaluate();
  return true;
}

void ContactNewton::describe(IterationRecord& record) const {
  record.iteration = iterations_before_ + driver_.iterations;
  record.residual = measure_;
  if (driver_.iterations > 0) record.active_set_size = system_.kernel_size();
  record.linear_solves = system_.linear_solves;
  record.factorisations = system_.factorisations;
}

}  // namespace perp
