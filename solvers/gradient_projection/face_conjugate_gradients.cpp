#include <perp/solvers/gradient_projection/face_conjugate_gradients.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kFlatDirection = 1e-14;  // curvature over the largest one so far; below: none
constexpr double kGradientRounding =
    1e-24;  // squared gradient over the first one; below, it is rounding

}  // namespace

void FaceConjugateGradients::attach(SymmetricOperator& h, const Vector& weight,
                                    const Vector& unit) {
  h_ = &h;
  weight_ = &weight;
  unit_ = &unit;
  for (Vector* v : {&d_, &r_, &p_, &hp_}) v->setZero(h.size());
}

FaceEnd FaceConjugateGradients::minimise(const std::vector<int>& face, const Vector& g,
                                         double target, double progress, int limit,
                                         const Deadline& deadline, Vector& d) {
  const auto size = static_cast<Eigen::Index>(face.size());
  const auto weight = [&](Eigen::Index k) { return (*weight_)[face[k]]; };
  double rho = 0.0, steepest = 0.0, best_gain = 0.0;
  for (Eigen::Index k = 0; k < size; ++k) {
    d_[k] = 0.0;
    r_[k] = -g[face[k]];
    p_[k] = weight(k) * r_[k];
    rho += r_[k] * p_[k];
  }
  const double first = rho;
  FaceEnd end = FaceEnd::kLimit;
  for (int k = 0; k < limit; ++k) {
    double largest = 0.0;
    for (Eigen::Index i = 0; i < size; ++i)
      largest = std::max(largest, std::abs(r_[i]) / (*unit_)[face[i]]);
    if (!(largest > target)) {
      end = FaceEnd::kMinimum;
      break;
    }
    if (deadline.passed()) break;
    h_->multiply_face(p_, hp_);
    ++iterations;
    double scale = 0.0;  // p'p in the metric of the preconditioner
    for (Eigen::Index i = 0; i < size; ++i) scale += p_[i] * p_[i] / weight(i);
    const double bend = p_.head(size).dot(hp_.head(size));
    steepest = std::max(steepest, bend / scale);
    if (!(bend > kFlatDirection * std::max(steepest, 1.0) * scale)) {
      if (rho <= kGradientRounding * first) break;
      curvature = bend;
      end = FaceEnd::kFlat;
      break;
    }
    const double alpha = rho / bend, gain = 0.5 * alpha * rho;
    d_.head(size) += alpha * p_.head(size);
    r_.head(size) -= alpha * hp_.head(size);
    if (gain <= progress * best_gain) {
      end = FaceEnd::kLittleGained;
      break;
    }
    best_gain = std::max(best_gain, gain);
    double next = 0.0;
    for (Eigen::Index i = 0; i < size; ++i) next += r_[i] * r_[i] * weight(i);
    const double beta = next / rho;
    rho = next;
    for (Eigen::Index i = 0; i < size; ++i) p_[i] = weight(i) * r_[i] + beta * p_[i];
  }
  d.setZero();
  for (Eigen::Index k = 0; k < size; ++k) d[face[k]] = end == FaceEnd::kFlat ? p_[k] : d_[k];
  return end;
}

}  // namespace perp
