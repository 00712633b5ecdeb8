#include <perp/solvers/semismooth_newton/newton_fb.hpp>

#include <perp/problems/standard/random.hpp>
#include <perp/problems/standard/reductions.hpp>
#include <perp/problems/standard/residuals.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kAlwaysDense = 40;      // smaller problems are dense
constexpr int kNeverDense = 2500;     // larger ones sparse
constexpr double kSparseCost = 15.0;  // time of a sparse operation over that of a dense one
constexpr double kArmijo = 1e-4;      // sigma of the line search
constexpr double kShortest = 1e-3;    // shortest Newton or least-squares step
constexpr double kShortestGradient = 1e-10;
constexpr double kGoodSlope = 0.1;      // of -||Phi||^2, the slope of an exact Newton step
constexpr double kNegligible = 1e-13;   // b_i below this: the row is z_i alone
constexpr double kLowered = 0.9;        // a merit below this times the lowest is progress
constexpr double kFirstDamping = 1e-6;  // mu / ||Phi||
constexpr double kLeastDamping = 1e-10, kMostDamping = 1.0;
constexpr double kStationary = 1e-6;   // ||J'Phi|| / ||Phi||
constexpr double kClaim = 1.0 - 1e-9;  // rounding of the verifier's own sums
constexpr int kFinishRounds = 4, kRefinements = 6;
constexpr double kSingularShare = 0.1;   // rows with |Phi_i| above this times the largest
constexpr double kLocalShare = 0.05;     // of the unknowns that a local restart makes random
constexpr int kLaterPatience = 4;        // times the patience, from the third attempt on
constexpr double kPenalisedShare = 0.8;  // lambda of restarts

bool one_of(const std::string& text, std::initializer_list<const char*> choices) {
  return std::any_of(choices.begin(), choices.end(), [&](const char* c) { return text == c; });
}

bool is_z_matrix(const Matrix& m) {
  bool is = true;
  for (int j = 0; j < m.cols() && is; ++j) {
    m.for_column(j, [&](int i, double value) { is = is && (i == j || value <= 0); });
  }
  return is;
}

}  // namespace

const SolverTraits& NewtonFb::traits() const {
  static const SolverTraits traits{
      "newton-fb",
      "semismooth Newton on the Fischer-Burmeister function, least-squares steps where singular",
      "DeLucaFacchineiKanzow1996",
      {"lcp", "mlcp"}};
  return traits;
}

void NewtonFb::check_settings() const {
  const auto ask = [](bool right, std::string_view name, std::string_view expected) {
    if (!right) {
      throw std::invalid_argument(fmt::format("setting \"{}\": expected {}", name, expected));
    }
  };
  ask(one_of(settings.function, {"fb", "penalised", "min"}), "function", "fb, penalised or min");
  ask(one_of(settings.least_squares, {"fallback", "always", "never"}), "least_squares",
      "fallback, always or never");
  ask(one_of(settings.inside, {"auto", "always", "never"}), "inside", "auto, always or never");
  ask(one_of(settings.equilibrate, {"auto", "always", "never"}), "equilibrate",
      "auto, always or never");
  ask(one_of(settings.linear_algebra, {"auto", "dense", "sparse"}), "linear_algebra",
      "auto, dense or sparse");
  ask(settings.lambda > 0 && settings.lambda <= 1, "lambda", "a number in (0, 1]");
  ask(settings.memory >= 1, "memory", "at least 1");
}

void NewtonFb::do_prepare(const Problem& problem) {
  check_settings();
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  const Mlcp posed = lcp ? to_mlcp(*lcp) : std::get<Mlcp>(problem.data);
  const auto scaling = settings.equilibrate == "auto"     ? ScaledProblem::Scaling::kWhereBad
                       : settings.equilibrate == "always" ? ScaledProblem::Scaling::kAlways
                                                          : ScaledProblem::Scaling::kNever;
  starts_inside_ =
      settings.inside == "always" || (settings.inside == "auto" && is_z_matrix(posed.M));
  problem_.build(posed, scaling, prefers_sparse(posed));
  system_.attach(problem_);
  names_ = problem.variables;
  const int n = problem_.size();
  for (Vector* v : {&z_, &f_, &phi_, &da_, &db_, &gradient_, &direction_, &map_direction_,
                    &right_side_, &stationary_z_, &at_bound_, &basic_, &tried_, &candidate_,
                    &candidate_f_, &polished_, &best_z_, &stationary_phi_}) {
    v->setZero(n);
  }
}

// Sparse where the operations that KLU foresees for the whole matrix take less time than dense LU.
bool NewtonFb::prefers_sparse(const Mlcp& problem) const {
  const double n = problem.size();
  if (settings.linear_algebra != "auto") return settings.linear_algebra == "sparse";
  if (n > kNeverDense) return true;
  if (n < kAlwaysDense || problem.M.nonzeros() > 0.3 * n * n) return false;
  SparseMatrix pattern = problem.M.to_sparse();
  SparseLu lu;
  lu.begin(problem.size());
  for (int j = 0; j < problem.size(); ++j) {
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

void NewtonFb::do_solve(const Vector* start, Observer* observer, Result& result) {
  check_settings();
  started_ = std::chrono::steady_clock::now();
  iterations_ = finishes_ = least_squares_steps_ = gradient_steps_ = 0;
  system_.factorisations = system_.linear_solves = 0;
  best_natural_ = stationary_merit_ = kInfinity;
  merits_.reserve(settings.memory);
  int attempt = 0;
  Status status = Status::kStalled;
  while (true) {
    begin_attempt(attempt, start);
    status = run_attempt(observer);
    const bool may_restart = status == Status::kStationary || status == Status::kStalled ||
                             status == Status::kNumericalError;
    if (!may_restart || attempt >= settings.restarts) break;
    ++attempt;
  }
  problem_.to_original(best_z_, result.z);
  result.status = status;
  result.iterations = iterations_;
  describe(status, result);
  result.statistics.emplace_back("attempts", attempt + 1);
  result.statistics.emplace_back("factorisations", system_.factorisations);
  result.statistics.emplace_back("linear_solves", system_.linear_solves);
  result.statistics.emplace_back("least_squares_steps", least_squares_steps_);
  result.statistics.emplace_back("gradient_steps", gradient_steps_);
  result.statistics.emplace_back("finishes", finishes_);
  result.statistics.emplace_back("sparse", problem_.has_sparse_systems());
}

ComplementarityFunction NewtonFb::chosen_function() const {
  ComplementarityFunction function;
  function.kind = settings.function == "min"         ? NcpFunction::kMin
                  : settings.function == "penalised" ? NcpFunction::kPenalised
                                                     : NcpFunction::kFischerBurmeister;
  function.lambda = settings.lambda;
  return function;
}

// 0: as set, from the start. 1: the penalised function, from inside where 0 came from the bounds
// and the reverse. 2: least-squares steps from the lowest merit so far. Then starts that are
// random, or the lowest point with what is singular there made random, with functions, elements of
// the generalised Jacobian and kinds of steps in turn.
void NewtonFb::begin_attempt(int attempt, const Vector* start) {
  function_ = chosen_function();
  least_squares_first_ = settings.least_squares == "always";
  z_ = problem_.lower.cwiseMax(0.0).cwiseMin(problem_.upper);
  if (attempt == 0 && start) {
    problem_.from_original(*start, z_);
  } else if (attempt < 2 && (attempt == 0) == starts_inside_) {
    for (double& z : z_) z += 1.0;
    z_ = z_.cwiseMin(problem_.upper);
  } else if (attempt == 2) {
    z_ = stationary_z_;
  } else if (attempt > 2) {
    random_start(attempt, attempt % 4 == 3 ? kLocalShare : 1.0);
    function_.kink = attempt % 4 < 2 ? KinkRule::kTowardsMap : KinkRule::kTowardsBound;
  }
  if (attempt % 2 == 1) {
    function_.kind = NcpFunction::kPenalised;
    function_.lambda = kPenalisedShare;
  }
  if (attempt % 2 == 0 && attempt > 0 && settings.least_squares != "never") {
    least_squares_first_ = true;
  }
  patience_ = settings.patience * (attempt < 2 ? 1 : kLaterPatience);
  merits_.clear();
  attempt_steps_ = since_lower_ = 0;
  lowest_merit_ = kInfinity;
  damping_ = kFirstDamping;
  step_ = 0.0;
  last_step_ = StepType::kNone;
  tried_.setConstant(-1.0);
}

// Half of the unknowns at a bound, the others off it by lengths from 0.1 to 10; for a share below 1
// only that many of them and those of large |Phi_i|, the rest as at the lowest merit so far.
void NewtonFb::random_start(int attempt, double share) {
  Random random(static_cast<std::uint64_t>(attempt));
  const double large = kSingularShare * stationary_phi_.lpNorm<Eigen::Infinity>();
  if (share < 1.0) z_ = stationary_z_;
  for (int i = 0; i < problem_.size(); ++i) {
    const double length = std::exp(random.uniform(-2.3, 2.3)), side = random.uniform();
    const bool kept = random.uniform() >= share && std::abs(stationary_phi_[i]) < large;
    if (kept) continue;
    const double low = problem_.lower[i], high = problem_.upper[i];
    double z = side < 0.5 ? 0.0 : length;
    if (low > -kInfinity) {
      z += low;
    } else if (high < kInfinity) {
      z = high - z;
    } else {
      z = side < 0.5 ? -length : length;
    }
    z_[i] = std::clamp(z, low, high);
  }
}

Status NewtonFb::run_attempt(Observer* observer) {
  while (true) {
    evaluate();
    if (!std::isfinite(merit_)) return Status::kNumericalError;
    remember();
    if (!report_iteration(observer)) return Status::kInterrupted;
    if (accept_if_solved()) return Status::kSolved;
    const bool moved = move_to_finish();
    if (common.max_iterations > 0 && iterations_ >= common.max_iterations) {
      return Status::kIterationLimit;
    }
    if (out_of_time()) return Status::kTimeLimit;
    if (attempt_steps_ >= settings.attempt_iterations || since_lower_ > patience_) {
      return end_of_attempt();
    }
    last_step_ = moved ? StepType::kActiveSet : take_step();
    if (last_step_ == StepType::kNone) return end_of_attempt();
    ++iterations_;
    ++attempt_steps_;
  }
}

// Phi, an element D_a + D_b M of its generalised Jacobian, merit and gradient J'Phi at z.
void NewtonFb::evaluate() {
  problem_.map(z_, f_);
  for (int i = 0; i < problem_.size(); ++i) {
    const ComplementarityRow row =
        evaluate_row(function_, z_[i], f_[i], problem_.lower[i], problem_.upper[i]);
    phi_[i] = row.value;
    da_[i] = row.dz;
    db_[i] = row.df > kNegligible * row.dz ? row.df : 0.0;
  }
  merit_ = 0.5 * phi_.squaredNorm();
  natural_ = problem_.natural_residual(z_, f_);
  system_.multiply_transposed(da_, db_, phi_, gradient_);
}

void NewtonFb::remember() {
  if (natural_ < best_natural_) {
    best_natural_ = natural_;
    best_z_ = z_;
  }
  if (merit_ < stationary_merit_) {
    stationary_merit_ = merit_;
    stationary_gradient_ = gradient_.norm();
    stationary_z_ = z_;
    stationary_phi_ = phi_;
  }
  ++since_lower_;
  if (merit_ < lowest_merit_) {
    if (merit_ < kLowered * lowest_merit_) since_lower_ = 0;
    lowest_merit_ = merit_;
  }
  if (static_cast<int>(merits_.size()) <= attempt_steps_ % settings.memory) {
    merits_.push_back(merit_);
  } else {
    merits_[attempt_steps_ % settings.memory] = merit_;
  }
}

// Solved at z itself, then polished by one round of the finish, or solved by the finish; all is
// judged with residuals in extended precision.
bool NewtonFb::accept_if_solved() {
  polished_natural_ = kInfinity;
  const bool near = natural_ <= common.tolerance;
  bool solved = false;
  if (near) {
    problem_.map_extended(z_, candidate_f_);
    best_z_ = z_;
    best_natural_ = problem_.natural_residual(z_, candidate_f_);
    solved = best_natural_ <= kClaim * common.tolerance;
  }
  const bool close = near || phi_.lpNorm<Eigen::Infinity>() <= settings.finish_below;
  if (!settings.finish || !close) return solved;
  classify(z_, f_);
  if (!near && basic_ == tried_) return false;
  tried_ = basic_;
  return finish(solved ? 1 : kFinishRounds) || solved;
}

// Which rows are equations (basic_), and which unknowns stand at a bound, as min sees it.
void NewtonFb::classify(const Vector& z, const Vector& f) {
  for (int i = 0; i < problem_.size(); ++i) {
    const double x = z[i] - f[i], low = problem_.lower[i], high = problem_.upper[i];
    basic_[i] = low < high && x > low && x < high ? 1.0 : 0.0;
    at_bound_[i] = 1.0 - basic_[i];
    candidate_[i] = basic_[i] != 0 ? z[i] : x <= low ? low : high;
  }
}

// Newton's method on min from the set that classify() found: M_alpha,alpha d = -F_alpha with
// M + eps I for M, corrected until the residual in extended precision settles [Higham2002, Ch. 12].
bool NewtonFb::finish(int rounds) {
  ++finishes_;
  double best = kInfinity;
  for (int round = 0; round < rounds; ++round) {
    if (!system_.factor(at_bound_, basic_, settings.proximal)) break;
    double last = kInfinity;
    for (int k = 0; k <= kRefinements; ++k) {
      problem_.map_extended(candidate_, candidate_f_);
      right_side_ = -basic_.cwiseProduct(candidate_f_);
      const double size = right_side_.lpNorm<Eigen::Infinity>();
      if (size == 0.0 || !(size < 0.5 * last) || k == kRefinements) break;
      last = size;
      system_.solve(right_side_, direction_);
      candidate_ += direction_;
    }
    const double natural = problem_.natural_residual(candidate_, candidate_f_);
    if (!(natural < 0.5 * best)) break;
    best = natural;
    polished_ = candidate_;
    classify(polished_, candidate_f_);
  }
  polished_natural_ = best;
  if (best < best_natural_) {
    best_natural_ = best;
    best_z_ = polished_;
  }
  return best <= kClaim * common.tolerance;
}

// The finish solved nothing, but where it came closer by both measures its point is the next one.
bool NewtonFb::move_to_finish() {
  if (!(polished_natural_ < 0.5 * natural_)) return false;
  problem_.map(polished_, candidate_f_);
  double sum = 0.0;
  for (int i = 0; i < problem_.size(); ++i) {
    const double value = evaluate_value(function_, polished_[i], candidate_f_[i], problem_.lower[i],
                                        problem_.upper[i]);
    sum += value * value;
  }
  if (!(0.5 * sum < merit_)) return false;
  z_ = polished_;
  step_ = 1.0;
  classify(z_, candidate_f_);
  tried_ = basic_;  // the last round of the finish did not gain from it
  return true;
}

NewtonFb::StepType NewtonFb::take_step() {
  for (const StepType type : {StepType::kNewton, StepType::kLeastSquares, StepType::kGradient}) {
    if (type == StepType::kNewton && least_squares_first_) continue;
    if (type == StepType::kLeastSquares && settings.least_squares == "never") continue;
    if (!find_direction(type)) continue;
    const bool taken = search_along(type == StepType::kGradient ? kShortestGradient : kShortest);
    if (type == StepType::kLeastSquares) {
      damping_ = !taken || step_ < 0.25 ? 10.0 * damping_
                 : step_ == 1.0         ? 0.25 * damping_
                                        : damping_;
      damping_ = std::clamp(damping_, kLeastDamping, kMostDamping);
    }
    if (!taken) continue;
    z_ += step_ * direction_;
    least_squares_steps_ += type == StepType::kLeastSquares;
    gradient_steps_ += type == StepType::kGradient;
    return type;
  }
  return StepType::kNone;
}

// @return false where there is no such direction or the merit does not fall along it.
bool NewtonFb::find_direction(StepType type) {
  right_side_ = -phi_;
  if (type == StepType::kNewton) {
    const double size = std::min(1.0, phi_.lpNorm<Eigen::Infinity>());
    const double eps = std::max(settings.proximal, settings.proximal_factor * size);
    if (!system_.factor(da_, db_, eps)) return false;
    system_.solve(right_side_, direction_);
  } else if (type == StepType::kLeastSquares) {
    if (!system_.factor_least_squares(da_, db_, damping_ * phi_.norm())) return false;
    system_.solve_least_squares(right_side_, direction_);
  } else {  // the Cauchy step: ||J g||^2 t = ||g||^2
    problem_.multiply(gradient_, map_direction_);
    const double curvature =
        (da_.cwiseProduct(gradient_) + db_.cwiseProduct(map_direction_)).squaredNorm();
    direction_ = -(curvature > 0 ? gradient_.squaredNorm() / curvature : 1.0) * gradient_;
  }
  slope_ = gradient_.dot(direction_);
  if (!std::isfinite(slope_) || !(slope_ < 0)) return false;
  if (type == StepType::kNewton && slope_ > -kGoodSlope * 2.0 * merit_) return false;
  problem_.multiply(direction_, map_direction_);
  return true;
}

// Nonmonotone Armijo search by halving [GrippoLamparielloLucidi1986].
bool NewtonFb::search_along(double shortest) {
  const double reference = *std::max_element(merits_.begin(), merits_.end());
  for (step_ = 1.0; step_ >= shortest; step_ *= 0.5) {
    if (merit_at(step_) <= reference + kArmijo * step_ * slope_) return true;
  }
  return false;
}

double NewtonFb::merit_at(double t) {
  double sum = 0.0;
  for (int i = 0; i < problem_.size(); ++i) {
    const double value =
        evaluate_value(function_, z_[i] + t * direction_[i], f_[i] + t * map_direction_[i],
                       problem_.lower[i], problem_.upper[i]);
    sum += value * value;
  }
  return 0.5 * sum;
}

bool NewtonFb::report_iteration(Observer* observer) {
  if (!observer) return true;
  static constexpr std::string_view kNames[] = {"newton", "least_squares", "gradient", "active_set",
                                                "start"};
  IterationRecord record;
  record.iteration = iterations_;
  record.step_type = kNames[static_cast<int>(last_step_)];
  record.residual = natural_;
  record.merit = merit_;
  if (last_step_ != StepType::kNone) record.step = step_;
  record.active_set_size = 0;
  for (int i = 0; i < problem_.size(); ++i) {
    const double x = z_[i] - f_[i];
    record.active_set_size += x > problem_.lower[i] && x < problem_.upper[i];
  }
  record.linear_solves = system_.linear_solves;
  record.factorisations = system_.factorisations;
  return observer->on_iteration(record);
}

Status NewtonFb::end_of_attempt() const {
  return stationary_gradient_ <= kStationary * std::sqrt(2.0 * stationary_merit_)
             ? Status::kStationary
             : Status::kStalled;
}

bool NewtonFb::out_of_time() const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_;
  return common.time_limit > 0 && elapsed.count() > common.time_limit;
}

void NewtonFb::describe(Status status, Result& result) {
  if (status == Status::kStalled) {
    result.message = fmt::format("the residual stays at {:.1e}", best_natural_);
  } else if (status == Status::kNumericalError) {
    result.message = "the merit is not finite";
  } else if (status == Status::kStationary) {
    // J'Phi = 0: the rows where Phi is not zero are linearly dependent.
    const double largest = stationary_phi_.lpNorm<Eigen::Infinity>();
    std::string rows;
    int named = 0, singular = 0;
    for (int i = 0; i < problem_.size(); ++i) {
      if (std::abs(stationary_phi_[i]) < kSingularShare * largest) continue;
      ++singular;
      if (++named > 5) continue;
      rows += rows.empty() ? "" : ", ";
      rows += i < static_cast<int>(names_.size()) ? names_[i] : fmt::format("{}", i);
    }
    result.message = fmt::format(
        "a minimum of the merit function that is no solution (residual {:.1e}); rows of the "
        "Jacobian that are linearly dependent: {}{}",
        best_natural_, rows, singular > 5 ? fmt::format(" and {} more", singular - 5) : "");
  }
}

}  // namespace perp
