#include <perp/solvers/box/box_equation.hpp>

#include <perp/problems/standard/random.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kNegligible = 1e-13;  // b_i below this share of a_i: the row is z_i alone
constexpr int kFalseAnswers = 10;      // so many false answers in a run mean a pole
constexpr double kStartInside[] = {1e-2, 1.0, 1e-6};  // lengths by which a start leaves its bounds
constexpr int kDomainTries = 40;

}  // namespace

void BoxEquation::attach(BoxProblem& problem, Sums sums) {
  problem_ = &problem;
  sums_ = sums;
  system.attach(problem.matrix());
  for (Vector* v : {&z_, &f_, &phi_, &da_, &db_, &gradient_, &direction_, &map_direction_,
                    &right_side_, &trial_.z, &trial_.f, &base_.z, &base_.direction}) {
    v->setZero(problem.size());
  }
  record.begin(z_);
}

bool BoxEquation::begin(const ComplementarityFunction& function, double tolerance,
                        const Vector& start) {
  function_ = function;
  tolerance_ = tolerance;
  system.factorisations = system.linear_solves = 0;
  record.begin(start);
  z_ = start;
  return is_defined() || move_into_domain();
}

bool BoxEquation::evaluate() {
  sums_ == Sums::kExtended ? problem_->map_extended(z_, f_) : problem_->map(z_, f_);
  return f_.allFinite() && set_rows();
}

// Whether F and J exist at z; J is not needed if z is an answer.
bool BoxEquation::is_defined() {
  return evaluate() && (natural_ <= tolerance_ || problem_->linearise(z_));
}

// If F does not exist at the start: tries points inside the bounds, then random points at growing
// distances.
bool BoxEquation::move_into_domain() {
  if (problem_->is_linear()) return false;
  record.note_undefined(f_, problem_->undefined_row());
  const Vector outside = z_;
  const Vector &lower = problem_->lower, &upper = problem_->upper;
  for (const double length : kStartInside) {
    for (int i = 0; i < z_.size(); ++i) {
      const double inside =
          std::min(length * std::max(1.0, std::abs(outside[i])), 0.5 * (upper[i] - lower[i]));
      z_[i] = std::min(std::max(outside[i], lower[i] + inside), upper[i] - inside);
    }
    if (is_defined()) return true;
  }
  Random random(1000);
  for (int k = 0; k < kDomainTries; ++k) {
    const double spread = std::exp2(k / 4 - 3);
    for (int i = 0; i < z_.size(); ++i) {
      const double length = spread * std::max(1.0, std::abs(outside[i]));
      z_[i] = std::clamp(outside[i] + length * random.uniform(-1.0, 1.0), lower[i], upper[i]);
    }
    if (is_defined()) return true;
  }
  z_ = outside;
  return false;
}

// Phi, D_a, D_b, merit and residual from z and F. @return false if they overflow.
bool BoxEquation::set_rows() {
  for (int i = 0; i < z_.size(); ++i) {
    const ComplementarityRow row =
        evaluate_row(function_, z_[i], f_[i], problem_->lower[i], problem_->upper[i]);
    phi_[i] = row.value;
    da_[i] = row.dz;
    db_[i] = row.df > kNegligible * row.dz ? row.df : 0.0;
  }
  merit_ = 0.5 * phi_.squaredNorm();
  natural_ = problem_->natural_residual(z_, f_);
  return std::isfinite(merit_);
}

bool BoxEquation::linearise() {
  if (!problem_->linearise(z_)) return false;
  system.multiply_transposed(da_, db_, phi_, gradient_);
  return true;
}

double BoxEquation::try_step(double t) {
  trial_.z = z_ + t * direction_;
  if (path_ == Path::kProjected)
    trial_.z = trial_.z.cwiseMax(problem_->lower).cwiseMin(problem_->upper);
  if (sums_ == Sums::kExtended) {
    problem_->map_extended(trial_.z, trial_.f);
  } else if (problem_->is_linear()) {
    trial_.f = f_ + t * map_direction_;
  } else {
    problem_->map(trial_.z, trial_.f);
  }
  return set_trial_merit();
}

double BoxEquation::try_point(const Vector& z) {
  trial_.z = z;
  problem_->map(trial_.z, trial_.f);
  return set_trial_merit();
}

bool BoxEquation::move_to(const Vector& z) {
  z_ = z;
  return evaluate();
}

double BoxEquation::set_trial_merit() {
  double sum = 0.0;
  for (int i = 0; i < trial_.z.size(); ++i) {
    const double value =
        evaluate_value(function_, trial_.z[i], trial_.f[i], problem_->lower[i], problem_->upper[i]);
    sum += value * value;
  }
  if (!std::isfinite(sum)) record.note_undefined(trial_.f, -1);
  return 0.5 * sum;
}

bool BoxEquation::accept_trial() {
  const bool answer = problem_->natural_residual(trial_.z, trial_.f) <= tolerance_;
  if (!answer && !problem_->linearise(trial_.z)) {
    record.note_undefined(trial_.f, problem_->undefined_row());
    return false;
  }
  z_.swap(trial_.z);
  f_.swap(trial_.f);
  if (sums_ == Sums::kPlain && problem_->is_linear()) problem_->map(z_, f_);
  set_rows();
  return true;
}

bool BoxEquation::is_false_answer() {
  if (natural_ > tolerance_ || problem_->signs_hold(z_, f_, tolerance_)) return false;
  ++record.false_answers;
  ++record.false_iterates;
  return true;
}

bool BoxEquation::is_at_pole() const { return record.false_iterates > kFalseAnswers; }

bool BoxEquation::find_least_squares_direction(double damping) {
  right_side_ = -phi_;
  if (!system.factor_least_squares(da_, db_, damping * phi_.norm())) return false;
  system.solve_least_squares(right_side_, direction_);
  return take_direction();
}

bool BoxEquation::find_gradient_direction() {
  problem_->matrix().multiply(gradient_, map_direction_);
  const double curvature =
      (da_.cwiseProduct(gradient_) + db_.cwiseProduct(map_direction_)).squaredNorm();
  direction_ = -(curvature > 0 ? gradient_.squaredNorm() / curvature : 1.0) * gradient_;
  return take_direction();
}

bool BoxEquation::take_direction() {
  const double along = slope();
  if (!std::isfinite(along) || !(along < 0)) return false;
  if (problem_->is_linear() && sums_ == Sums::kPlain)
    problem_->matrix().multiply(direction_, map_direction_);
  return true;
}

void BoxEquation::keep_base() {
  base_.z = z_;
  base_.direction = direction_;
}

bool BoxEquation::return_to_base() {
  direction_ = base_.direction;
  return move_to(base_.z);
}

void BoxEquation::describe(IterationRecord& told) const {
  told.residual = natural_;
  told.active_set_size = 0;
  for (int i = 0; i < z_.size(); ++i) {
    const double x = z_[i] - f_[i];
    told.active_set_size += x > problem_->lower[i] && x < problem_->upper[i];
  }
  told.linear_solves = system.linear_solves;
  told.factorisations = system.factorisations;
}

}  // namespace perp
