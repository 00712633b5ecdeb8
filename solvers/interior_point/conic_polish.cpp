#include <perp/solvers/interior_point/conic_polish.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kInPlaceOfInfinity = 1e8;  // stands for 1 / 0 in D (I - D)^-1
constexpr double kRegularisation = 1e-9;    // makes proximal steps
constexpr int kPolishRefinements = 3;
constexpr double kRoundingCounts = 1e-4;  // measure; below, sums are extended
constexpr double kSameJacobian = 1e-6;    // relative change that needs no new factorisation
constexpr double kPolishGain = 0.5;
constexpr int kPolishPatience = 3;

// D (I - D)^-1 for an eigenvalue of D in [0, 1].
double flatness(double eigenvalue) {
  return std::min(eigenvalue / std::max(1.0 - eigenvalue, 1e-300), kInPlaceOfInfinity);
}

bool close(double a, double b) { return std::abs(a - b) <= kSameJacobian * std::max(a, b); }

// Whether a factorisation for one can be used for the other: since steps are repeated, a few digits
// suffice.
bool alike(const ConeProduct& cones, const ConeMatrix& a, const ConeMatrix& b) {
  for (int i : cones.linear()) {
    if (a.diagonal[i] != b.diagonal[i]) return false;
  }
  for (std::size_t k = 0; k < a.spectrum.size(); ++k) {
    const auto &x = a.spectrum[k], &y = b.spectrum[k];
    if (!close(x.plus, y.plus) || !close(x.tangent, y.tangent) || !close(x.minus, y.minus))
      return false;
  }
  return (a.axis - b.axis).lpNorm<Eigen::Infinity>() <= kSameJacobian;
}

}  // namespace

double ConicPolish::improve(const ConicQp& problem, double target, int most_steps, Vector& x,
                            Vector& y) {
  data_.build(problem, true);
  kkt_.prepare(data_, "auto");
  allocate();
  Vector best_x(x.size()), best_y(y.size());
  for (int j = 0; j < data_.variables(); ++j) best_x[j] = x[j] / data_.posed_x(j);
  for (int i = 0; i < data_.rows(); ++i) best_y[i] = y[i] / data_.posed_y(i);
  const double measure = iterate(target, most_steps, best_x, best_y);
  for (int j = 0; j < data_.variables(); ++j) x[j] = data_.posed_x(j) * best_x[j];
  for (int i = 0; i < data_.rows(); ++i) y[i] = data_.posed_y(i) * best_y[i];
  return measure;
}

void ConicPolish::allocate() {
  for (Vector* v : {&x_, &px_, &stationarity_, &right_x_, &dx_}) v->setZero(data_.variables());
  for (Vector* v : {&y_, &dual_, &s_, &moved_, &right_z_, &dy_, &scratch_})
    v->setZero(data_.rows());
  jacobian_.set_identity(data_.cones);
  last_jacobian_ = jacobian_;
}

// (x, y) of the scaled problem.
double ConicPolish::iterate(double target, int most_steps, Vector& x, Vector& y) {
  steps = 0;
  x_ = x;
  y_ = y;
  double best = std::numeric_limits<double>::infinity(), reference = best;
  bool factorised = false;
  for (int without_gain = 0;; ++steps) {
    const double measure = evaluate(x_, y_);
    if (measure < best) {
      best = measure;
      x = x_;
      y = dual_;
    }
    if (!std::isfinite(measure) || best <= target || steps == most_steps) break;
    without_gain = measure <= kPolishGain * reference ? 0 : without_gain + 1;
    if (without_gain == 0) reference = measure;
    if (without_gain >= kPolishPatience || !linearise()) break;
    if (!factorised || !alike(data_.cones, jacobian_, last_jacobian_)) {
      if (!kkt_.factor(jacobian_, 1.0, kRegularisation)) break;
      last_jacobian_ = jacobian_;
      factorised = true;
    }
    kkt_.solve(right_x_, right_z_, dx_, dy_, {kPolishRefinements});
    x_ += dx_;
    y_ += dy_;
  }
  return best;
}

// The measure at x and dual_ := Pi_K*(y). Afterwards stationarity_ belongs to y itself.
double ConicPolish::evaluate(const Vector& x, Vector& y) {
  dual_ = y;
  data_.cones.project(dual_, false);
  data_.evaluate(x, dual_, px_, stationarity_, s_);
  double measure = data_.measure(dual_, stationarity_, s_, scratch_).measure();
  if (measure <= kRoundingCounts)
    measure = data_.measure_extended(x, dual_, px_, stationarity_, s_);
  moved_ = y - dual_;
  data_.multiply_at(moved_, dx_);
  stationarity_ += dx_;
  return measure;
}

// jacobian_ := D (I - D)^-1 at s - y, right_z_ := (I - D)^-1 (s - Pi_K(s - y)).
bool ConicPolish::linearise() {
  right_x_ = -stationarity_;
  right_z_ = s_;  // zero rows: s = 0
  for (int i : data_.cones.linear()) {
    const bool inactive = s_[i] > y_[i];
    jacobian_.diagonal[i] = inactive ? kInPlaceOfInfinity : 0.0;
    if (inactive) right_z_[i] = kInPlaceOfInfinity * y_[i];
  }
  for (std::size_t k = 0; k < jacobian_.spectrum.size(); ++k) linearise_cone(k);
  return right_x_.allFinite() && right_z_.allFinite();
}

void ConicPolish::linearise_cone(std::size_t k) {
  const auto& block = data_.cones.second_order()[k];
  const int o = block.offset, tail = block.size - 1;
  auto& e = jacobian_.spectrum[k];
  moved_.segment(o, block.size) = s_.segment(o, block.size) - y_.segment(o, block.size);
  const double head = moved_[o], length = moved_.segment(o + 1, tail).norm();
  auto axis = jacobian_.axis.segment(o + 1, tail);
  if (length > 0) axis = moved_.segment(o + 1, tail) / length;
  if (head >= length) {
    e = {kInPlaceOfInfinity, kInPlaceOfInfinity, kInPlaceOfInfinity};
    right_z_.segment(o, block.size) = kInPlaceOfInfinity * y_.segment(o, block.size);
    return;
  }
  if (head <= -length) {
    e = {0.0, 0.0, 0.0};
    return;  // the right-hand side stays s
  }
  const double across = flatness(0.5 * (1.0 + head / length));
  e = {kInPlaceOfInfinity, across, 0.0};
  // The residual s - Pi(s - y) = y + (s - y) - Pi(s - y) has parts along (1, axis), along (1,
  // -axis) and across both. Pi keeps the first part of s - y and drops the second; s - y has no
  // third part.
  const double y_along = axis.dot(y_.segment(o + 1, tail));
  const double s_along = axis.dot(s_.segment(o + 1, tail));
  const double plus = 0.5 * (y_[o] + y_along) * kInPlaceOfInfinity;
  const double minus = 0.5 * (s_[o] - s_along);
  right_z_[o] = plus + minus;
  right_z_.segment(o + 1, tail) =
      (1.0 + across) * (y_.segment(o + 1, tail) - y_along * axis) + (plus - minus) * axis;
}

}  // namespace perp
