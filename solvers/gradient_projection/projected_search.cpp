// The searches of GradientProjection along projected paths, and where they lead to no bound.
#include <perp/problems/standard/random.hpp>
#include <perp/solvers/gradient_projection/gradient_projection.hpp>
#include <perp/solvers/gradient_projection/tolerances.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

using namespace gradient_projection;

namespace {

constexpr double kSufficient = 0.1;  // of the decrease that the slope promises
constexpr int kTrials = 60;          // of a projected search
constexpr double kOnBound = 1e-14;   // of the way to a bound left: rounding
constexpr double kTrace = 1e-9;      // entries of a flat direction below this share are rounding
constexpr int kInverseIterations = 3;
constexpr double kImage = 1e-4;  // ||Hp|| / |H| where p'Hp is zero: H is not PSD

}  // namespace

// trial := P(x + alpha p), s := trial - x, g's.
bool GradientProjection::project(double alpha) {
  clipped_ = false;
  bool moves = false;
  slope_ = 0.0;
  for (int i = 0; i < problem_.size(); ++i) {
    double to = x_[i] + alpha * p_[i];
    const double bound = p_[i] > 0 ? problem_.upper[i] : problem_.lower[i];
    const double way = std::abs(x_[i] - bound);
    if (way < kInfinity && std::abs(to - bound) <= kOnBound * way) to = bound;
    trial_[i] = std::min(std::max(to, problem_.lower[i]), problem_.upper[i]);
    s_[i] = trial_[i] - x_[i];
    clipped_ = clipped_ || (trial_[i] != to && s_[i] != 0.0);
    moves = moves || s_[i] != 0.0;
    slope_ += g_[i] * s_[i];
  }
  step_length_ = alpha;
  return moves;
}

void GradientProjection::move() {
  gain_ = -(slope_ + 0.5 * bend_);
  gained_ += gain_;
  x_ = trial_;
  g_ += hs_;
}

// The alpha at which the path P(x + alpha p) bends for the first time.
double GradientProjection::first_bend() const {
  double first = kInfinity;
  for (int i = 0; i < problem_.size(); ++i) {
    const double way = (p_[i] > 0 ? problem_.upper[i] : problem_.lower[i]) - x_[i];
    if (p_[i] != 0.0 && way != 0.0) first = std::min(first, way / p_[i]);
  }
  return first;
}

// Along P(x + alpha p) to a sufficient decrease [MoreToraldo1991], where the path is
// straight so far to its minimum. Backtracking stops at the first bend, so that an unknown meets
// its bound where the minimum is beyond.
GradientProjection::Step GradientProjection::search(double alpha) {
  double first = -1.0;
  for (int trial = 0; trial < kTrials; ++trial) {
    if (!project(alpha)) return Step::kNone;
    h_->multiply(s_, hs_);
    ++products_;
    bend_ = s_.dot(hs_);
    const double metric = s_.cwiseQuotient(weight_).dot(s_);
    if (!(bend_ > kFlat * metric)) {
      negative_ |= bend_ < kNegative * metric;
      if (!clipped_ && slope_ < 0) return search_flat();
    }
    const double exact = bend_ > 0 ? -slope_ / bend_ : 0.0;
    const bool far_from_minimum = !clipped_ && alpha != first && !(exact > 0.5 && exact < 1.5);
    if (far_from_minimum && exact > 0) {
      if (first < 0) first = first_bend();
      if (alpha * exact > first) {  // the path bends before
        alpha = trial == 0 ? alpha * exact : first;
        continue;
      }
      alpha *= exact;
      project(alpha);
      hs_ *= exact;
      bend_ *= exact * exact;
      move();
      return Step::kDone;
    }
    if (slope_ < 0 && slope_ + 0.5 * bend_ <= kSufficient * slope_) {
      move();
      return Step::kDone;
    }
    if (first < 0) first = first_bend();
    const double next = alpha * (slope_ < 0 ? std::clamp(exact, 0.1, 0.5) : 0.25);
    alpha = alpha > first ? std::max(next, first) : next;
  }
  return Step::kNone;
}

// Along a direction without positive curvature: as far as its last bound, or less far.
// Where the objective falls without bound on a smaller face, that is to be seen before unknowns are
// released again: the next face is this one without what has met its bound.
GradientProjection::Step GradientProjection::search_flat() {
  stays_ = true;
  const double trace = kTrace * p_.lpNorm<Eigen::Infinity>();
  double first = kInfinity, last = 0.0;
  for (int i = 0; i < problem_.size(); ++i) {
    if (std::abs(p_[i]) <= trace) p_[i] = 0.0;
    if (p_[i] == 0.0) continue;
    const double room = ((p_[i] > 0 ? problem_.upper[i] : problem_.lower[i]) - x_[i]) / p_[i];
    if (!(room > 0)) {
      p_[i] = 0.0;  // it is at the bound already
    } else if (room < kInfinity) {
      first = std::min(first, room);
      last = std::max(last, room);
    }
  }
  if (last == 0.0) return end_unbounded();
  for (double alpha = last;; alpha = std::max(first, 0.25 * alpha)) {
    if (!project(alpha)) return Step::kNone;
    h_->multiply(s_, hs_);
    ++products_;
    bend_ = s_.dot(hs_);
    negative_ |= bend_ < kNegative * s_.cwiseQuotient(weight_).dot(s_);
    // Not beyond a minimum of the chord: what has met its bound would be released again.
    const bool short_of_minimum = alpha <= first || slope_ + bend_ <= 0;
    if (short_of_minimum && slope_ + 0.5 * bend_ < kSufficient * slope_) {
      move();
      return Step::kDone;
    }
    if (alpha <= first) return Step::kNone;
  }
}

// x itself shows the direction where it has gone that far.
GradientProjection::Step GradientProjection::far_away() {
  far_ *= kFar;
  for (int i = 0; i < problem_.size(); ++i) {
    p_[i] = std::isinf(x_[i] > 0 ? problem_.upper[i] : problem_.lower[i]) ? x_[i] : 0.0;
  }
  return end_unbounded() == Step::kUnbounded ? Step::kUnbounded : Step::kDone;
}

// p never meets a bound, and the objective falls along it. Where Hp = 0 it proves that there is no
// stationary point: it is a Farkas certificate against the signs asked of Hx + c.
GradientProjection::Step GradientProjection::end_unbounded() {
  const double size = p_.lpNorm<Eigen::Infinity>();
  if (!(size > 0)) return Step::kNone;
  p_ /= size;
  h_->multiply(p_, hs_);
  ++products_;
  const bool bends = p_.dot(hs_) < kNegative * p_.cwiseQuotient(weight_).dot(p_);
  const double least = kOfTolerance * limits.tolerance;
  if (!bends && !(g_.dot(p_) < -least)) return Step::kNone;
  // For a PSD H, p'Hp = 0 implies Hp = 0.
  const bool negative = bends || hs_.lpNorm<Eigen::Infinity>() > kImage * scale_;
  negative_ |= negative;
  if (negative) {
    certificate_ = Certificate{"ray", {}, p_.cwiseProduct(unit_), 0.0, false, 0.0, ""};
    return Step::kUnbounded;
  }
  return has_matrix_ && prove_unbounded() ? Step::kUnbounded : Step::kNone;
}

bool GradientProjection::prove_unbounded() {
  const int n = problem_.size();
  const Mlcp original = posed(-1.0);
  const auto check_direction = [&] {
    s_ = p_.cwiseProduct(unit_);
    s_ /= s_.lpNorm<Eigen::Infinity>();
    return check_farkas(original, s_);
  };
  for (int i = 0; i < n; ++i) free_[i] = p_[i] != 0.0;
  FarkasCheck check = check_direction();
  if (!check.holds && block_.regularisation() == 0.0)
    block_.set_regularisation(settings.regularisation * scale_);
  if (check.excludes) certificate_ = certificate_of(check, s_);
  if (!check.holds && factor()) {
    purge();
    check = check_direction();
  }
  if (check.holds || (check.excludes && !certificate_)) certificate_ = certificate_of(check, s_);
  return certificate_.has_value();
}

// From a stationary point along negative curvature on its face, where there is some.
bool GradientProjection::escape() {
  choose_face();
  if (face_.empty() || escapes_ >= settings.escapes) return false;
  Random random(static_cast<std::uint64_t>(escapes_) + 1);
  for (int i = 0; i < problem_.size(); ++i) s_[i] = free_[i] ? random.normal() : 0.0;
  h_->set_face(face_);
  const int size = static_cast<int>(face_.size());
  if (cg_.minimise(face_, s_, 0.0, 0.0, 2 * size, p_) != FaceEnd::kFlat) return false;
  if (!(cg_.curvature < kNegative * p_.cwiseQuotient(weight_).dot(p_))) return false;
  if (g_.dot(p_) > 0) p_ = -p_;
  ++escapes_;
  stationary_ = x_;
  return search_flat() == Step::kDone;
}

// Leaves of p, by a few inverse iterations, its part in the null space of H_FF.
void GradientProjection::purge() {
  for (int k = 0; k < kInverseIterations; ++k) {
    block_.solve(p_);
    const double size = p_.lpNorm<Eigen::Infinity>();
    if (size > 0) p_ /= size;
  }
}

}  // namespace perp
