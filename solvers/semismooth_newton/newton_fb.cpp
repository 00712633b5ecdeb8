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
constexpr double kHalved = 0.5;         // merit after a projected full step over that before
constexpr double kGoodSlope = 0.1;      // of -||Phi||^2, the slope of an exact Newton step
constexpr double kNegligible = 1e-13;   // b_i below this: the row is z_i alone
constexpr double kLowered = 0.9;        // a merit below this times the lowest is progress
constexpr double kFirstDamping = 1e-6;  // mu / ||Phi||
constexpr double kLeastDamping = 1e-10, kMostDamping = 1.0;
constexpr double kStationary = 1e-6;         // ||J'Phi|| / ||Phi||
constexpr double kClaim = 1.0 - 1e-9;        // rounding of the verifier's own sums
constexpr double kNonlinearProximal = 0.01;  // share of proximal_factor that is used there
constexpr double kClaimNonlinear = 0.9;      // its F may be rounded in another order
constexpr double kTryAgain = 0.1;            // fall of ||Phi|| after which a set is tried again
constexpr int kFalseAnswers = 10;            // points of an attempt that only look like answers
constexpr int kFinishRounds = 4, kRefinements = 6;
constexpr double kSingularShare = 0.1;   // rows with |Phi_i| above this times the largest
constexpr double kLocalShare = 0.05;     // of the unknowns that a local restart makes random
constexpr int kLaterPatience = 4;        // times the patience, from the third attempt on
constexpr double kPenalisedShare = 0.8;  // lambda of restarts
constexpr double kFirstRadius = 0.1, kRadiusGrowth = 1.5;  // of starts near the given one
constexpr int kRadii = 20;

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
      {"lcp", "mlcp", "mcp"}};
  return traits;
}

void NewtonFb::check_settings() const {
  const auto ask = [](bool right, std::string_view name, std::string_view expected) {
    if (!right) {
      throw std::invalid_argument(fmt::format("setting \"{}\": expected {}", name, expected));
    }
  };
  ask(one_of(settings.function, {"auto", "fb", "penalised", "min"}), "function",
      "auto, fb, penalised or min");
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
  const auto scaling = settings.equilibrate == "auto"     ? ScaledProblem::Scaling::kWhereBad
                       : settings.equilibrate == "always" ? ScaledProblem::Scaling::kAlways
                                                          : ScaledProblem::Scaling::kNever;
  starts_inside_ = settings.inside == "always";
  if (const auto* mcp = std::get_if<Mcp>(&problem.data)) {
    prepare_nonlinear(*mcp, scaling);
  } else {
    const auto* lcp = std::get_if<Lcp>(&problem.data);
    const Mlcp posed = lcp ? to_mlcp(*lcp) : std::get<Mlcp>(problem.data);
    starts_inside_ = starts_inside_ || (settings.inside == "auto" && is_z_matrix(posed.M));
    problem_.build(posed, scaling, prefers_sparse(posed.M));
  }
  system_.attach(problem_);
  names_ = problem.variables;
  const int n = problem_.size();
  for (Vector* v : {&z_,           &f_,        &phi_,        &da_,
                    &db_,          &gradient_, &direction_,  &map_direction_,
                    &trial_,       &trial_f_,  &right_side_, &stationary_z_,
                    &at_bound_,    &basic_,    &tried_,      &candidate_,
                    &candidate_f_, &polished_, &best_z_,     &stationary_phi_,
                    &start_}) {
    v->setZero(n);
  }
}

void NewtonFb::prepare_nonlinear(const Mcp& problem, ScaledProblem::Scaling scaling) {
  mcp_function_.prepare(problem, Deadline(limits.time_limit));
  SparseMatrix pattern = mcp_function_.pattern();
  pattern.coeffs().setOnes();
  problem_.build(mcp_function_, problem, scaling, prefers_sparse(Matrix(pattern)));
}

// Sparse where the operations that KLU foresees for the whole matrix take less time than dense LU.
bool NewtonFb::prefers_sparse(const Matrix& m) const {
  const double n = m.rows();
  if (settings.linear_algebra != "auto") return settings.linear_algebra == "sparse";
  if (n > kNeverDense) return true;
  if (n < kAlwaysDense || m.nonzeros() > 0.3 * n * n) return false;
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

void NewtonFb::do_solve(const Start& start, Observer* observer, Result& result) {
  check_settings();
  started_ = std::chrono::steady_clock::now();
  iterations_ = finishes_ = least_squares_steps_ = gradient_steps_ = 0;
  system_.factorisations = system_.linear_solves = 0;
  problem_.function_evaluations = problem_.jacobian_evaluations = 0;
  best_natural_ = stationary_merit_ = kInfinity;
  undefined_row_ = -1;
  undefined_points_ = false_answers_ = 0;
  merits_.reserve(settings.memory);
  problem_.begin(start.z, start_);
  best_z_ = stationary_z_ = start_;
  int attempt = 0;
  bool from_start = start.z != nullptr;
  Status status = Status::kStalled;
  while (true) {
    begin_attempt(attempt, from_start);
    status = run_attempt(observer);
    const bool may_restart = status == Status::kStationary || status == Status::kStalled ||
                             status == Status::kNumericalError;
    if (may_restart && from_start && problem_.is_linear()) {
      from_start = false;  // everything goes on as without a start.z
      stationary_merit_ = kInfinity;
      continue;
    }
    if (!may_restart || attempt >= settings.restarts) break;
    ++attempt;
  }
  if (status == Status::kNumericalError && std::isfinite(stationary_merit_)) {
    status = end_of_attempt();
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
  if (problem_.is_linear()) return;
  result.statistics.emplace_back("function_evaluations", problem_.function_evaluations);
  result.statistics.emplace_back("jacobian_evaluations", problem_.jacobian_evaluations);
  result.statistics.emplace_back("undefined_points", undefined_points_);
  result.statistics.emplace_back("false_answers", false_answers_);
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

// 0: as set, from the start. 1: another function, from inside where 0 came from the bounds and the
// reverse. 2: least-squares steps from the lowest merit so far. Then starts that are random, or
// near the given one where F is nonlinear, or the lowest point with what is singular there made
// random, with functions, elements of the generalised Jacobian and kinds of steps in turn.
void NewtonFb::begin_attempt(int attempt, bool has_start) {
  function_ = chosen_function();
  least_squares_first_ = settings.least_squares == "always";
  if (attempt < 2) {
    const bool given = has_start && (attempt == 0 || !problem_.is_linear());
    z_ = problem_.lower.cwiseMax(0.0).cwiseMin(problem_.upper);
    if (given) z_ = start_;
    if ((attempt == 0) == starts_inside_ && !(attempt == 0 && has_start)) move_inside();
  } else if (attempt == 2) {
    z_ = stationary_z_;
  } else {
    if (!problem_.is_linear() && attempt % 4 < 2) {
      start_near(attempt);
    } else {
      random_start(attempt, attempt % 4 == 3 ? kLocalShare : 1.0);
    }
    function_.kink = attempt % 4 < 2 ? KinkRule::kTowardsMap : KinkRule::kTowardsBound;
  }
  if (attempt % 2 == 1 && problem_.is_linear()) {
    function_.kind = NcpFunction::kPenalised;
    function_.lambda = kPenalisedShare;
  } else if (attempt % 2 == 1) {
    function_.kind = NcpFunction::kFischerBurmeister;
  }
  if (attempt % 2 == 0 && attempt > 0 && settings.least_squares != "never") {
    least_squares_first_ = true;
  }
  patience_ = settings.patience * (attempt < 2 ? 1 : kLaterPatience);
  merits_.clear();
  attempt_steps_ = since_lower_ = false_answers_here_ = 0;
  lowest_merit_ = kInfinity;
  damping_ = kFirstDamping;
  step_ = 0.0;
  last_step_ = StepType::kNone;
  tried_.setConstant(-1.0);
}

void NewtonFb::move_inside() {
  for (int i = 0; i < problem_.size(); ++i) {
    const double room = problem_.upper[i] - z_[i];
    z_[i] += std::min(1.0, problem_.is_linear() ? room : 0.5 * room);
  }
}

// Uniform in a box around the start and within the bounds; the box grows, then begins anew.
void NewtonFb::start_near(int attempt) {
  Random random(static_cast<std::uint64_t>(attempt));
  const double radius = kFirstRadius * std::pow(kRadiusGrowth, (attempt - 3) % kRadii);
  for (int i = 0; i < problem_.size(); ++i) {
    const double width = radius * std::max(1.0, std::abs(start_[i]));
    z_[i] =
        std::clamp(start_[i] + random.uniform(-width, width), problem_.lower[i], problem_.upper[i]);
  }
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
    const bool wrong = is_false_answer();
    if (!wrong) remember();
    remember_merit();
    if (!report_iteration(observer)) return Status::kInterrupted;
    if (wrong && ++false_answers_here_ > kFalseAnswers) return Status::kStalled;
    if (accept_if_solved()) return Status::kSolved;
    const bool moved = move_to_finish();
    if (limits.max_iterations > 0 && iterations_ >= limits.max_iterations) {
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
  if (!f_.allFinite() || !problem_.linearise(z_)) {
    note_undefined(f_);
    merit_ = kInfinity;
    return;
  }
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
}

void NewtonFb::remember_merit() {
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

// The residual is small, but F does not hold its signs at the bounds. Steps from there may still
// lead to a solution nearby.
bool NewtonFb::is_false_answer() {
  if (natural_ > limits.tolerance || problem_.signs_hold(z_, f_, limits.tolerance)) return false;
  ++false_answers_;
  return true;
}

// Solved at z itself, then polished by one round of the finish, or solved by the finish; all is
// judged with residuals in extended precision.
bool NewtonFb::accept_if_solved() {
  const double target = (problem_.is_linear() ? kClaim : kClaimNonlinear) * limits.tolerance;
  polished_natural_ = kInfinity;
  const bool near = natural_ <= limits.tolerance;
  bool solved = false;
  if (near) {
    problem_.map_extended(z_, candidate_f_);
    const double natural = problem_.natural_residual(z_, candidate_f_);
    if (problem_.signs_hold(z_, candidate_f_, limits.tolerance)) {
      best_z_ = z_;
      best_natural_ = natural;
      solved = natural <= target;
    }
  }
  const double size = phi_.lpNorm<Eigen::Infinity>();
  if (!settings.finish || !(near || size <= settings.finish_below)) return solved;
  classify(z_, f_);
  const bool same = problem_.is_linear() || size > kTryAgain * tried_size_;
  if (!near && same && basic_ == tried_) return false;
  tried_ = basic_;
  tried_size_ = size;
  return finish(solved ? 1 : kFinishRounds, target) || solved;
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
// Where F is nonlinear these corrections are chord steps, and every round linearises it anew.
bool NewtonFb::finish(int rounds, double target) {
  ++finishes_;
  double best = kInfinity;
  for (int round = 0; round < rounds; ++round) {
    if (!problem_.linearise(candidate_)) break;
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
    if (!problem_.is_linear() && best <= target) break;
    classify(polished_, candidate_f_);
  }
  polished_natural_ = best;
  if (best <= limits.tolerance) {
    problem_.map_extended(polished_, candidate_f_);
    if (!problem_.signs_hold(polished_, candidate_f_, limits.tolerance)) {
      ++false_answers_;
      return false;
    }
  }
  if (best < best_natural_) {
    best_natural_ = best;
    best_z_ = polished_;
  }
  return best <= target;
}

// The finish solved nothing, but where it came closer by both measures its point is the next one.
bool NewtonFb::move_to_finish() {
  if (!(polished_natural_ < 0.5 * natural_)) return false;
  problem_.map(polished_, candidate_f_);
  if (!(merit_of(polished_, candidate_f_) < merit_) || !problem_.linearise(polished_)) return false;
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
    const bool taken = search(type == StepType::kGradient ? kShortestGradient : kShortest);
    if (type == StepType::kLeastSquares) {
      damping_ = !taken || step_ < 0.25 ? 10.0 * damping_
                 : step_ == 1.0         ? 0.25 * damping_
                                        : damping_;
      damping_ = std::clamp(damping_, kLeastDamping, kMostDamping);
    }
    if (!taken) continue;
    z_ = trial_;
    least_squares_steps_ += type == StepType::kLeastSquares;
    gradient_steps_ += type == StepType::kGradient;
    return type;
  }
  return StepType::kNone;
}

// @return false where there is no such direction or the merit does not fall along it.
bool NewtonFb::find_direction(StepType type) {
  problem_.linearise(z_);  // the finish or a search may have left another Jacobian
  right_side_ = -phi_;
  if (type == StepType::kNewton) {
    const double size = std::min(1.0, phi_.lpNorm<Eigen::Infinity>());
    const double share = problem_.is_linear() ? 1.0 : kNonlinearProximal;
    const double eps = std::max(settings.proximal, share * settings.proximal_factor * size);
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
  if (problem_.is_linear()) problem_.multiply(direction_, map_direction_);
  return true;
}

// A nonlinear F may exist within the bounds only. So the full step projected onto them is taken
// where it halves the merit; but such steps make little of directions that need several unknowns to
// move together, hence the straight line otherwise, and the projected one where that fails.
bool NewtonFb::search(double shortest) {
  if (problem_.is_linear()) return search_along(shortest, false);
  step_ = 1.0;
  if (merit_at(1.0, true) <= kHalved * merit_ && problem_.linearise(trial_)) return true;
  return search_along(shortest, false) || search_along(shortest, true);
}

// Nonmonotone Armijo search by halving [GrippoLamparielloLucidi1986], along the straight line or
// along its projection onto the bounds. Steps to where F or its
// Jacobian does not exist do not count among those that `shortest` allows.
bool NewtonFb::search_along(double shortest, bool projected) {
  const double reference = *std::max_element(merits_.begin(), merits_.end());
  for (step_ = 1.0; step_ >= shortest; step_ *= 0.5) {
    const double merit = merit_at(step_, projected);
    const bool lower = merit <= reference + kArmijo * step_ * slope_;
    if (lower && problem_.linearise(trial_)) return true;
    if (lower || !std::isfinite(merit)) {
      note_undefined(trial_f_);
      shortest = std::max(0.5 * shortest, kShortestGradient);
    }
  }
  return false;
}

double NewtonFb::merit_at(double t, bool projected) {
  trial_ = z_ + t * direction_;
  if (projected) trial_ = trial_.cwiseMax(problem_.lower).cwiseMin(problem_.upper);
  if (problem_.is_linear()) {
    trial_f_ = f_ + t * map_direction_;
  } else {
    problem_.map(trial_, trial_f_);
  }
  return merit_of(trial_, trial_f_);
}

double NewtonFb::merit_of(const Vector& z, const Vector& f) const {
  double sum = 0.0;
  for (int i = 0; i < problem_.size(); ++i) {
    const double value =
        evaluate_value(function_, z[i], f[i], problem_.lower[i], problem_.upper[i]);
    sum += value * value;
  }
  return 0.5 * sum;
}

Status NewtonFb::end_of_attempt() const {
  return stationary_gradient_ <= kStationary * std::sqrt(2.0 * stationary_merit_)
             ? Status::kStationary
             : Status::kStalled;
}

bool NewtonFb::out_of_time() const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_;
  return limits.time_limit > 0 && elapsed.count() > limits.time_limit;
}

std::string NewtonFb::row_name(int row) const {
  return row < static_cast<int>(names_.size()) ? names_[row] : fmt::format("{}", row);
}

// Which row of F, or else of the Jacobian evaluated last, has no value at a point that was tried.
void NewtonFb::note_undefined(const Vector& f) {
  int row = problem_.undefined_row();
  for (int i = problem_.size() - 1; i >= 0; --i) {
    if (!std::isfinite(f[i])) row = i;
  }
  if (row < 0) return;
  undefined_row_ = row;
  ++undefined_points_;
}

}  // namespace perp
