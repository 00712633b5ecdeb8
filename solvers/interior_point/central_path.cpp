#include <perp/solvers/interior_point/central_path.hpp>

#include <perp/problems/standard/residuals.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr double kLeastShift = 1.0;  // shift of a start outside the cones
// First kappa over the mean of s_i z_i. It is larger for a box_qp, which only has bounds: then tau
// does not vanish.
constexpr double kBoxKappa = 30.0, kLeastKappa = 1e-4;
constexpr double kPoorStart = 1e-6;  // relative residual of the least-squares point
// Refinement of a linear solve ends at this relative residual as long as the path leads to an
// answer that is not near yet, mu (of the scaled problem) being above kEarlyMu.
constexpr double kRefinedEarly = 1e-6, kEarlyMu = 1e-4;
constexpr double kPoorSolve = 1e-10;  // relative residual of a poor solve, if refined further
constexpr double kRoundings = 16.0;   // roundings of s_0 z_0 below which mu does not go
constexpr double kCentralGain = 0.9;  // factor on the residual that counts as a gain
constexpr double kLargeGain = 0.1;    // the same for a larger delta, which often gains for a while
constexpr double kRegularisationStep = 100.0, kLeastRegularisation = 1e-14;

}  // namespace

void EmbeddingVector::resize(const ConicData& data) {
  x.setZero(data.variables());
  z.setZero(data.rows());
  s.setZero(data.rows());
}

void CentralPath::prepare(const ConicData& data, KktSystem& kkt) {
  data_ = &data;
  kkt_ = &kkt;
  system_.prepare(data, kkt);
  for (EmbeddingVector* v : {&point_, &affine_, &combined_}) v->resize(data);
  for (Vector* v : {&residual_.x, &residual_.px, &right_x_}) v->setZero(data.variables());
  for (Vector* v : {&residual_.z, &residual_.slack, &lambda_, &right_z_, &jordan_, &scratch_})
    v->setZero(data.rows());
  scaling_.set_identity(data.cones);
  squared_ = scaling_;
}

bool CentralPath::begin(const PathRules& rules) {
  rules_ = rules;
  regularisation_ = rules.regularisation;
  least_regularisation_ = std::min(kLeastRegularisation, rules.regularisation);
  most_regularisation_ = rules.regularisation;
  point_.tau = point_.kappa = 1.0;
  mu_ = 1.0;
  step_ = Residuals::kNone;
  squared_.set_identity(data_->cones);
  if (!kkt_->factor(squared_, 1.0, rules.regularisation)) return false;
  right_x_ = -data_->c;
  const double error =
      kkt_->solve(right_x_, data_->b, point_.x, point_.z, {rules.refinements, kPoorStart});
  if (error > kPoorStart) {  // the equations contradict each other
    point_.x.setZero();
    point_.z.setZero();
  }
  squared_.multiply(data_->cones, point_.z, point_.s);  // zero in zero rows
  point_.s = -point_.s;
  for (Vector* v : {&point_.s, &point_.z}) {
    const double least = data_->cones.smallest_eigenvalue(*v);
    if (least < kLeastShift * 1e-2) data_->cones.add_identity(kLeastShift - least, *v);
  }
  point_.kappa = (data_->natural_gap ? kBoxKappa : 1.0) * data_->cones.dot(point_.s, point_.z) /
                 std::max(1, data_->cones.degree());
  point_.kappa = std::max(point_.kappa, kLeastKappa);
  evaluate(false);
  return point_.x.allFinite() && point_.z.allFinite();
}

void CentralPath::evaluate(bool extended) {
  auto& r = residual_;
  r.extended = extended;
  const auto& [x, z, s, tau, kappa] = point_;
  if (extended) {
    data_->evaluate_extended(x, z, tau, r.px, r.x, r.slack);
  } else {
    data_->multiply_p(x, r.px);
    data_->multiply_at(z, r.x);
    r.x += r.px + tau * data_->c;
    data_->multiply_a(x, r.slack);
    r.slack = tau * data_->b - r.slack;
  }
  r.z = s - r.slack;
  r.xpx = x.dot(r.px);
  r.cx = data_->c.dot(x);
  r.bz = data_->b.dot(z);
  r.tau = kappa + r.cx + r.bz + r.xpx / tau;
  mu_ = (data_->cones.dot(s, z) + tau * kappa) / (data_->cones.degree() + 1);
}

bool CentralPath::advance(double gap) {
  if (!scaling_.set_scaling(data_->cones, point_.s, point_.z)) return false;
  squared_.set_square(data_->cones, scaling_);
  scaling_.multiply(data_->cones, point_.z, lambda_);
  // The affine direction, which only serves for sigma and the correction, need not be refined. If
  // then the combined one is poor, it is refined after all, and delta may change.
  bool solved = factor(regularisation_) &&
                std::isfinite(find_direction(0.0, gap, nullptr, 0, affine_)) &&
                find_combined(gap) <= poor_residual();
  if (!solved) solved = find_affine(gap) && std::isfinite(find_combined(gap));
  if (!solved) return false;
  step_ = std::min(1.0, rules_.step_fraction * largest_step(combined_));
  point_.x += step_ * combined_.x;
  point_.z += step_ * combined_.z;
  point_.s += step_ * combined_.s;
  point_.tau += step_ * combined_.tau;
  point_.kappa += step_ * combined_.kappa;
  return point_.all_finite() && point_.tau > 0 && point_.kappa > 0;
}

bool CentralPath::factor(double delta) {
  return system_.factor(squared_, {point_.x, residual_.px, point_.tau, point_.kappa, residual_.xpx},
                        delta);
}

// The direction with the correction from the affine one. @return as find_direction()
double CentralPath::find_combined(double gap) {
  const double sigma = std::pow(1.0 - largest_step(affine_), 3);
  return find_direction(sigma, gap, &affine_, rules_.refinements, combined_);
}

// The affine direction. Refinement fails if delta is above the eigenvalues that matter, or so small
// that the factors are wrong. If it does not converge, a smaller delta is tried, then a larger one.
bool CentralPath::find_affine(double gap) {
  const auto attempt = [&](double delta) {
    if (!factor(delta)) return kInfinity;
    return find_direction(0.0, gap, nullptr, rules_.refinements, affine_);
  };
  double error = attempt(regularisation_);
  const auto gains = [&](double delta, double least) {
    const double next = attempt(delta);
    if (!(next < least * error)) return false;
    regularisation_ = delta;
    error = next;
    return true;
  };
  if (error > poor_residual()) {
    const double delta = regularisation_;
    bool tried = false, gained = false;
    if (delta > least_regularisation_) {
      tried = true;
      gained = gains(std::max(delta / kRegularisationStep, least_regularisation_), kCentralGain);
      if (!gained) least_regularisation_ = delta;
    }
    if (!gained && delta < most_regularisation_) {
      tried = true;
      gained = gains(std::min(delta * kRegularisationStep, most_regularisation_), kLargeGain);
      if (!gained) most_regularisation_ = delta;
    }
    if (tried && !gained) error = attempt(delta);
  }
  return std::isfinite(error);
}

// Newton's direction to residuals that are sigma times the present ones, and
//   lambda o (W dz + W^-1 ds) = sigma mu e - lambda o lambda - (W^-1 ds_a) o (W dz_a).
// The last term is Mehrotra's correction, from the affine direction.
// @return relative residual of the linear solve, 0 without refinement; infinity if it failed.
double CentralPath::find_direction(double sigma, double gap, const EmbeddingVector* affine,
                                   int refinements, EmbeddingVector& d) {
  const ConeProduct& cones = data_->cones;
  const double tau = point_.tau;
  double kappa_right = -tau * point_.kappa;
  if (affine) {
    // mu need not fall below the value that belongs to `gap`: that would gain nothing, and the
    // linear systems would become worse.
    const double objective = data_->posed_objective() * (cones.degree() + 1) / (tau * tau);
    const double least = std::max(gap / objective, rounding_of_products());
    const double target = std::max(sigma * mu_, std::min(mu_, least));
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
    jordan_ = -point_.s;
  }
  right_x_ = -(1.0 - sigma) * residual_.x;
  right_z_ = -(1.0 - sigma) * residual_.z - jordan_;
  const double right = -(1.0 - sigma) * residual_.tau - kappa_right / tau;
  const double error =
      system_.solve(right_x_, right_z_, right, {refinements, refined_residual()}, d.x, d.z, d.tau);
  squared_.multiply(cones, d.z, scratch_);
  d.s = jordan_ - scratch_;
  // The rounding of W^2 dz grows with W^2, most across the faces of second-order cones. There the
  // residual of the equation of s is added to ds, so that the error is in the products s o z.
  if (point_.tau > point_.kappa) {
    data_->multiply_a(d.x, right_z_);
    right_z_ = d.tau * data_->b - right_z_ - (1.0 - sigma) * residual_.z - d.s;
    for (const auto& block : cones.second_order())
      d.s.segment(block.offset, block.size) += right_z_.segment(block.offset, block.size);
  }
  d.kappa = (kappa_right - point_.kappa * d.tau) / tau;
  return d.x.allFinite() && d.z.allFinite() ? error : kInfinity;
}

// The relative residual at which the refinement of a linear solve ends. The last digits of an
// answer ask for more, and the direction of a proof does: there the last row of the system is
// nearly a combination of the others.
double CentralPath::refined_residual() const {
  const bool early = !residual_.extended && mu_ > kEarlyMu && point_.tau >= point_.kappa;
  return early ? kRefinedEarly : Refinement{}.residual;
}

double CentralPath::poor_residual() const { return std::max(refined_residual(), kPoorSolve); }

// The least mu: points of second-order cones that are closer to the boundary cannot be represented
// in double. s and z must also become aligned, which happens if mu stays the same.
double CentralPath::rounding_of_products() const {
  double product = 0.0;
  if (point_.tau <= point_.kappa) return product;
  for (const auto& block : data_->cones.second_order())
    product = std::max(product, point_.s[block.offset] * point_.z[block.offset]);
  return kRoundings * std::numeric_limits<double>::epsilon() * product;
}

double CentralPath::largest_step(const EmbeddingVector& d) const {
  double step = 1.0 / rules_.step_fraction;
  if (d.tau < 0) step = std::min(step, -point_.tau / d.tau);
  if (d.kappa < 0) step = std::min(step, -point_.kappa / d.kappa);
  step = data_->cones.step_to_boundary(point_.s, d.s, step);
  return data_->cones.step_to_boundary(point_.z, d.z, step);
}

}  // namespace perp
