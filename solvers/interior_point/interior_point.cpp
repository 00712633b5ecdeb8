#include <perp/solvers/interior_point/interior_point.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kIterations = 200;
constexpr double kLeastShift = 1.0;  // of a start outside the cones
constexpr double kShortStep = 1e-5;  // a step below counts towards a stall
// First kappa over the mean of s_i z_i. More where only bounds are: tau then does not give way.
constexpr double kBoxKappa = 30.0, kLeastKappa = 1e-4;
constexpr int kShortSteps = 4;
constexpr int kPatience = 25;          // iterations without a better point
constexpr double kPolishBelow = 1e-2;  // of the first mu, before which faces mean little
constexpr double kMovedFaces = 0.02;   // share of the faces that may move where they have settled
constexpr int kEarlySteps = 4;         // of a polish on the way
constexpr double kPolishRegularisation = 1e-9;
constexpr double kNearlySolved = 1e4;  // tolerances from the end: residuals in extended precision
constexpr double kPolished = 1e-4;     // of the tolerance: nothing to gain below
constexpr double kGain = 0.9;          // of the best residual, that counts as one
constexpr double kLeastGap = 1e-3;     // share of the tolerance
constexpr double kPoorStart = 1e-6;
constexpr double kPoorSolve = 1e-10;  // relative residual of a linear solve
constexpr double kRegularisationStep = 100.0, kLeastRegularisation = 1e-14;

}  // namespace

const SolverTraits& InteriorPoint::traits() const {
  static const SolverTraits traits{
      "interior-point",
      "homogeneous primal-dual interior-point method with active-set polish",
      "GoulartChen2024",
      {"conic_qp", "box_qp"},
      0,
      false};
  return traits;
}

std::optional<std::string> InteriorPoint::do_refusal(const Problem& problem) const {
  asked_.emplace(read(problem));
  const auto negative = asked_->data.negative_curvature();
  if (!negative) return {};
  asked_.reset();
  return fmt::format(
      "interior-point asks for a convex problem, and {0} is not positive semidefinite: x'{0}x <= "
      "{1:.3g} for an x whose entry for {2} is 1",
      std::holds_alternative<BoxQp>(problem.data) ? "H" : "P", negative->value,
      problem.variable_name(negative->row));
}

InteriorPoint::Reading InteriorPoint::read(const Problem& problem) const {
  Reading r;
  if (const auto* box = std::get_if<BoxQp>(&problem.data)) {
    load(*box, r);
  } else {
    r.posed = std::get<ConicQp>(problem.data);
  }
  r.data.natural_gap = std::holds_alternative<BoxQp>(problem.data);
  r.data.build(r.posed, settings.equilibrate);
  return r;
}

void InteriorPoint::do_prepare(const Problem&) {
  posed_ = std::move(asked_->posed);
  lower_ = std::move(asked_->lower);
  upper_ = std::move(asked_->upper);
  data_ = std::move(asked_->data);
  asked_.reset();
  ray_data_ = {};
  kkt_.prepare(data_, settings.linear_algebra);
  system_.prepare(data_, kkt_);
  polish_.prepare(data_);
  const int n = data_.variables(), m = data_.rows();
  for (Vector* v :
       {&x_, &px_, &res_x_, &stationarity_, &right_x_, &best_x_, &scaled_x_, &scaled_px_}) {
    v->setZero(n);
  }
  for (Vector* v : {&z_, &s_, &res_z_, &lambda_, &right_z_, &jordan_, &scratch_, &best_z_,
                    &scaled_z_, &scaled_s_}) {
    v->setZero(m);
  }
  for (Direction* d : {&affine_, &combined_}) {
    d->x.setZero(n);
    d->z.setZero(m);
    d->s.setZero(m);
  }
  scaling_.set_identity(data_.cones);
  squared_ = scaling_;
  face_.assign(data_.cones.degree(), 0);
  last_face_ = face_;
}

// -x + s = -l, x + s = u; x = l where both are the same.
void InteriorPoint::load(const BoxQp& problem, Reading& reading) {
  const int n = problem.size();
  std::vector<Triplet> entries;
  std::vector<double> right;
  const auto add = [&](int j, double sign, double bound) {
    entries.emplace_back(static_cast<int>(right.size()), j, sign);
    right.push_back(sign * bound);
  };
  for (int j = 0; j < n; ++j) {
    if (problem.lower[j] == problem.upper[j]) add(j, 1.0, problem.upper[j]);
  }
  const int fixed = static_cast<int>(right.size());
  for (int j = 0; j < n; ++j) {
    if (problem.lower[j] == problem.upper[j]) continue;
    if (problem.lower[j] > -kInfinity) add(j, -1.0, problem.lower[j]);
    if (problem.upper[j] < kInfinity) add(j, 1.0, problem.upper[j]);
  }
  const int rows = static_cast<int>(right.size());
  ConicQp& posed = reading.posed;
  posed.P = problem.H;
  posed.c = problem.c;
  posed.A = Matrix::from_triplets(rows, n, entries);
  posed.b = Eigen::Map<const Vector>(right.data(), rows);
  posed.cones.clear();
  if (fixed > 0) posed.cones.push_back({ConeType::kZero, fixed});
  if (rows > fixed) posed.cones.push_back({ConeType::kNonnegative, rows - fixed});
  reading.lower = problem.lower;
  reading.upper = problem.upper;
}

void InteriorPoint::do_solve(const Start&, Observer* observer, Result& result) {
  deadline_ = Deadline(limits.time_limit);
  std::optional<Status> end;
  if (!begin()) end = Status::kNumericalError;
  while (!end) {
    evaluate();
    end = assess(observer, result);
    if (end) break;
    if (!newton_step() || short_steps_ >= kShortSteps || without_gain_ >= kPatience)
      end = Status::kStalled;
    ++iteration_;
  }
  result.status = *end;
  result.iterations = iteration_;
  finish(result);
}

// How the solve ends here, if it does.
std::optional<Status> InteriorPoint::assess(Observer* observer, Result& result) {
  IterationRecord record;
  record.iteration = iteration_;
  record.step_type = iteration_ == 0 ? "start" : "predictor-corrector";
  record.residual = measure_;
  record.merit = mu_;
  record.step = step_;
  record.linear_solves = kkt_.linear_solves;
  record.factorisations = kkt_.factorisations;
  if (observer && !observer->on_iteration(record)) return Status::kInterrupted;
  if (best_measure_ <= limits.tolerance) return Status::kSolved;
  if (wants_polish() && polish(kEarlySteps, scaled_x_, scaled_z_)) return Status::kSolved;
  if (const auto end = certify_infeasible(result)) return *end;
  if (const auto end = certify_unbounded(result)) return *end;
  const int limit = limits.max_iterations > 0 ? limits.max_iterations : kIterations;
  if (iteration_ >= limit) return Status::kIterationLimit;
  if (deadline_.passed()) return Status::kTimeLimit;
  return {};
}

// What is left to do at the end of the path: the last digits, which may also be those that are
// missing, and an answer to the problem as posed.
void InteriorPoint::finish(Result& result) {
  const bool may_polish = result.status == Status::kSolved || result.status == Status::kStalled;
  if (may_polish && best_measure_ > kPolished * limits.tolerance && settings.polish_steps > 0) {
    scaled_x_ = best_x_;
    scaled_z_ = best_z_;
    if (polish(settings.polish_steps, scaled_x_, scaled_z_)) result.status = Status::kSolved;
  }
  if (result.status == Status::kSolved && !confirmed()) result.status = Status::kStalled;
  if (exclusion_ && result.status != Status::kSolved && !result.certificate) {
    result.status = Status::kExcluded;
    result.certificate = exclusion_;
    result.message = exclusion_message_;
  } else if (result.status == Status::kStalled || result.status == Status::kNumericalError)
    result.message = fmt::format("no progress below a residual of {:.1e}", best_measure_);
  write_answer(result);
  result.statistics.emplace_back("factorisations", kkt_.factorisations);
  result.statistics.emplace_back("linear_solves", kkt_.linear_solves);
  result.statistics.emplace_back("polishes", polishes_);
  result.statistics.emplace_back("polish_steps", polish_.steps);
  result.statistics.emplace_back("dense", kkt_.dense() ? 1 : 0);
  result.statistics.emplace_back("mu", mu_);
  result.statistics.emplace_back("tau", tau_);
  result.statistics.emplace_back("kappa", kappa_);
}

// The least-squares point of both feasibilities, moved into the cones.
bool InteriorPoint::begin() {
  kkt_.factorisations = kkt_.linear_solves = 0;
  polish_.steps = polishes_ = next_polish_ = iteration_ = 0;
  short_steps_ = without_gain_ = 0;
  best_measure_ = kInfinity;
  regularisation_ = settings.regularisation;
  least_regularisation_ = std::min(kLeastRegularisation, settings.regularisation);
  primal_radius_ = dual_radius_ = 0.0;
  exclusion_.reset();
  best_x_.setZero();
  best_z_.setZero();
  tau_ = kappa_ = 1.0;
  mu_ = first_mu_ = 1.0;
  step_ = Residuals::kNone;
  squared_.set_identity(data_.cones);
  if (!kkt_.factor(squared_, 1.0, settings.regularisation)) return false;
  right_x_ = -data_.c;
  const double error = kkt_.solve(right_x_, data_.b, x_, z_, settings.refinements);
  if (error > kPoorStart) {  // the equations contradict each other
    x_.setZero();
    z_.setZero();
  }
  squared_.multiply(data_.cones, z_, s_);  // zero in zero rows
  s_ = -s_;
  for (Vector* v : {&s_, &z_}) {
    const double least = data_.cones.smallest_eigenvalue(*v);
    if (least < kLeastShift * 1e-2) data_.cones.add_identity(kLeastShift - least, *v);
  }
  evaluate();
  kappa_ = (data_.natural_gap ? kBoxKappa : 1.0) * data_.cones.dot(s_, z_) /
           std::max(1, data_.cones.degree());
  kappa_ = std::max(kappa_, kLeastKappa);
  evaluate();
  first_mu_ = mu_;
  return x_.allFinite() && z_.allFinite();
}

// Residuals of the embedding, and of the problem as posed at (x, z) / tau.
void InteriorPoint::evaluate() {
  if (best_measure_ <= kNearlySolved * limits.tolerance) {
    data_.evaluate_extended(x_, z_, tau_, px_, res_x_, scaled_s_);
  } else {
    data_.multiply_p(x_, px_);
    data_.multiply_at(z_, res_x_);
    res_x_ += px_ + tau_ * data_.c;
    data_.multiply_a(x_, scaled_s_);
    scaled_s_ = tau_ * data_.b - scaled_s_;
  }
  res_z_ = s_ - scaled_s_;
  xpx_ = x_.dot(px_);
  cx_ = data_.c.dot(x_);
  bz_ = data_.b.dot(z_);
  res_tau_ = kappa_ + cx_ + bz_ + xpx_ / tau_;
  mu_ = (data_.cones.dot(s_, z_) + tau_ * kappa_) / (data_.cones.degree() + 1);
  scaled_x_ = x_ / tau_;
  scaled_z_ = z_ / tau_;
  scaled_px_ = px_ / tau_;
  scaled_s_ /= tau_;
  stationarity_ = res_x_ / tau_;
  measure_ = data_.measure(scaled_z_, stationarity_, scaled_s_, scratch_).measure();
  ++without_gain_;
  keep(scaled_x_, scaled_z_, measure_);
}

void InteriorPoint::keep(const Vector& x, const Vector& z, double measure) {
  if (!(measure < best_measure_)) return;
  if (measure < kGain * best_measure_) without_gain_ = 0;
  best_measure_ = measure;
  best_x_ = x;
  best_z_ = z;
}

bool InteriorPoint::newton_step() {
  if (!scaling_.set_scaling(data_.cones, s_, z_)) return false;
  squared_.set_square(data_.cones, scaling_);
  scaling_.multiply(data_.cones, z_, lambda_);
  if (!find_affine()) return false;
  const double affine_step = largest_step(affine_);
  const double sigma = std::pow(1.0 - affine_step, 3);
  if (!std::isfinite(find_direction(sigma, &affine_, combined_))) return false;
  step_ = std::min(1.0, settings.step_fraction * largest_step(combined_));
  short_steps_ = step_ < kShortStep ? short_steps_ + 1 : 0;
  x_ += step_ * combined_.x;
  z_ += step_ * combined_.z;
  s_ += step_ * combined_.s;
  tau_ += step_ * combined_.tau;
  kappa_ += step_ * combined_.kappa;
  return x_.allFinite() && z_.allFinite() && s_.allFinite() && tau_ > 0 && kappa_ > 0;
}

// The affine direction. Refinement cannot undo a delta above the eigenvalues that matter, nor one
// so small that the factors are wrong: where it does not converge, a smaller one is tried.
bool InteriorPoint::find_affine() {
  const auto attempt = [&](double delta) {
    const EmbeddingSystem::Point point{x_, px_, tau_, kappa_, xpx_};
    if (!system_.factor(squared_, point, delta)) return kInfinity;
    return find_direction(0.0, nullptr, affine_);
  };
  double error = attempt(regularisation_);
  if (error > kPoorSolve && regularisation_ > least_regularisation_) {
    const double smaller = std::max(regularisation_ / kRegularisationStep, least_regularisation_);
    const double next = attempt(smaller);
    if (next < kGain * error) {
      regularisation_ = smaller;
      error = next;
    } else {
      least_regularisation_ = regularisation_;
      error = attempt(regularisation_);
    }
  }
  return std::isfinite(error);
}

// Newton's direction towards residuals (1 - sigma) times those here and
//   lambda o (W dz + W^-1 ds) = sigma mu e - lambda o lambda - (W^-1 ds_a) o (W dz_a),
// the last term, of the affine direction, being Mehrotra's correction.
// @return relative residual of the linear solve, infinity where it failed.
double InteriorPoint::find_direction(double sigma, const Direction* affine, Direction& d) {
  const ConeProduct& cones = data_.cones;
  double kappa_right = -tau_ * kappa_;
  // Below what the gap may have mu has nothing to gain, and the linear systems much to lose.
  const double objective = data_.posed_objective() * (cones.degree() + 1) / (tau_ * tau_);
  const double target =
      std::max(sigma * mu_, std::min(mu_, kLeastGap * limits.tolerance / objective));
  if (affine) {
    scaling_.divide(cones, affine->s, scratch_);
    scaling_.multiply(cones, affine->z, d.s);
    cones.product(scratch_, d.s, jordan_);
    cones.product(lambda_, lambda_, scratch_);
    jordan_ = -jordan_ - scratch_;
    cones.add_identity(target, jordan_);
    cones.divide(lambda_, jordan_, jordan_);
    scaling_.multiply(cones, jordan_, jordan_);
    kappa_right += target - affine->tau * affine->kappa;
  } else {
    jordan_ = -s_;
  }
  right_x_ = -(1.0 - sigma) * res_x_;
  right_z_ = -(1.0 - sigma) * res_z_ - jordan_;
  const double right = -(1.0 - sigma) * res_tau_ - kappa_right / tau_;
  const double error =
      system_.solve(right_x_, right_z_, right, settings.refinements, d.x, d.z, d.tau);
  squared_.multiply(cones, d.z, scratch_);
  d.s = jordan_ - scratch_;
  d.kappa = (kappa_right - kappa_ * d.tau) / tau_;
  return d.x.allFinite() && d.z.allFinite() ? error : kInfinity;
}

double InteriorPoint::largest_step(const Direction& d) const {
  double step = 1.0 / settings.step_fraction;
  if (d.tau < 0) step = std::min(step, -tau_ / d.tau);
  if (d.kappa < 0) step = std::min(step, -kappa_ / d.kappa);
  step = data_.cones.step_to_boundary(s_, d.s, step);
  return data_.cones.step_to_boundary(z_, d.z, step);
}

// The best point in extended precision.
bool InteriorPoint::confirmed() {
  data_.evaluate_extended(best_x_, best_z_, 1.0, scaled_px_, stationarity_, scaled_s_);
  best_measure_ = data_.measure(best_z_, stationarity_, scaled_s_, scratch_).measure();
  return best_measure_ <= limits.tolerance;
}

void InteriorPoint::write_answer(Result& result) const {
  result.z.resize(data_.variables());
  for (int j = 0; j < data_.variables(); ++j) result.z[j] = data_.posed_x(j) * best_x_[j];
  if (data_.natural_gap) {
    result.z = result.z.cwiseMax(lower_).cwiseMin(upper_);
    result.dual.resize(0);
    return;
  }
  result.dual.resize(data_.rows());
  for (int i = 0; i < data_.rows(); ++i) result.dual[i] = data_.posed_y(i) * best_z_[i];
}

// Whether the faces of s and z are those of the iteration before.
bool InteriorPoint::wants_polish() {
  std::swap(face_, last_face_);
  std::size_t k = 0;
  for (int i : data_.cones.linear()) face_[k++] = z_[i] > s_[i] ? 1 : 0;
  for (const auto& b : data_.cones.second_order()) {
    const double s_tail = s_.segment(b.offset + 1, b.size - 1).norm();
    const double z_tail = z_.segment(b.offset + 1, b.size - 1).norm();
    const double s = s_[b.offset], z = z_[b.offset];
    face_[k++] = s - s_tail > z + z_tail ? 0 : z - z_tail > s + s_tail ? 1 : 2;
  }
  std::size_t moved = 0;
  for (std::size_t i = 0; i < face_.size(); ++i) moved += face_[i] != last_face_[i];
  return settings.polish_steps > 0 && iteration_ >= next_polish_ &&
         static_cast<double>(moved) <= kMovedFaces * static_cast<double>(face_.size()) &&
         mu_ <= kPolishBelow * first_mu_ && tau_ > kappa_;
}

// Improves (x, z), a point of the scaled problem. @return true where the best point is within the
// tolerance afterwards.
bool InteriorPoint::polish(int steps, Vector& x, Vector& z) {
  next_polish_ = iteration_ + 1 + polishes_++;
  const double regularisation = std::min(kPolishRegularisation, regularisation_);
  const double reached = polish_.improve(data_, kkt_, kPolished * limits.tolerance, regularisation,
                                         std::min(steps, settings.polish_steps), x, z);
  keep(x, z, reached);
  return best_measure_ <= limits.tolerance;
}

}  // namespace perp
