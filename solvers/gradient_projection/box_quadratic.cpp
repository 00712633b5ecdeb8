#include <perp/solvers/gradient_projection/box_quadratic.hpp>

#include <perp/problems/standard/residuals.hpp>
#include <perp/solvers/gradient_projection/tolerances.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr double kUnlike = 64.0;  // largest ratio of curvatures that needs no scaling

}  // namespace

void BoxQuadratic::load(const Problem& problem) {
  rows_.build(problem);
  choose_units();
  matrix_.attach(rows_);
  h_ = &matrix_;
  scale_ = std::max(rows_.max_abs(), 1e-300);
  choose_weights();
}

void BoxQuadratic::attach(SymmetricOperator& h, const Vector& c, const Vector& lower,
                          const Vector& upper, const Vector& diagonal) {
  const auto n = static_cast<Eigen::Index>(h.size());
  rows_.q = c;
  rows_.lower = lower;
  rows_.upper = upper;
  rows_.diagonal = diagonal.size() > 0 ? diagonal : Vector(Vector::Ones(n));
  scale_ = n > 0 ? std::max(rows_.diagonal.cwiseAbs().maxCoeff(), 1e-300) : 1.0;
  unit_.setOnes(n);
  h_ = &h;
  choose_weights();
}

// Scales the unknowns if their curvatures differ much. Curvatures are max(|H_ii|, H_ij^2 / |H_jj|),
// which is H_ii if H is PSD.
void BoxQuadratic::choose_units() {
  const int n = size();
  Vector& curvature = weight_;  // not in use yet
  curvature = rows_.diagonal.cwiseAbs();
  for (int i = 0; i < n; ++i) {
    rows_.for_row(i, [&](int j, double value) {
      const double d = std::abs(rows_.diagonal[j]);
      if (d > 0) curvature[i] = std::max(curvature[i], value * value / d);
    });
  }
  double least = kInfinity, most = 0.0;
  for (const double d : curvature) {
    if (d > 0) least = std::min(least, d);
    most = std::max(most, d);
  }
  unit_.setOnes(n);
  if (!(most > kUnlike * least) || !std::isfinite(most)) return;
  for (int i = 0; i < n; ++i) {
    const double d = curvature[i] > 0 ? curvature[i] : most;
    unit_[i] = std::exp2(-std::round(0.5 * std::log2(d)));
  }
  rows_.scale(unit_);
}

void BoxQuadratic::choose_weights() {
  weight_.resize(size());
  negative_diagonal_ = false;
  for (int i = 0; i < size(); ++i) {
    const double d = rows_.diagonal[i];
    weight_[i] = 1.0 / (d > kFlatCurvature * scale_ ? d : scale_);
    negative_diagonal_ |= d < kNegativeCurvature * scale_ && !rows_.is_fixed(i);
  }
}

double BoxQuadratic::natural_row(int i, double x, double f) const {
  const double s = unit_[i];
  const double r = mid((x - rows_.lower[i]) * s, (x - rows_.upper[i]) * s, f / s);
  return std::isfinite(f) ? std::abs(r) : kInfinity;
}

Mlcp BoxQuadratic::posed() const {
  const int n = size();
  const Vector s = unit_.cwiseInverse();
  const Vector lower = rows_.lower.cwiseQuotient(s), upper = rows_.upper.cwiseQuotient(s);
  if (rows_.is_dense()) {
    DenseMatrix h(n, n);
    for (int i = 0; i < n; ++i)
      h.col(i) = s[i] * s.cwiseProduct(Eigen::Map<const Vector>(rows_.dense_row(i), n));
    return {std::move(h), rows_.q.cwiseProduct(s), lower, upper};
  }
  std::vector<Triplet> entries;
  for (int i = 0; i < n; ++i) {
    rows_.for_row(i, [&](int j, double value) { entries.emplace_back(i, j, s[i] * value * s[j]); });
  }
  return {Matrix::from_triplets(n, n, entries), rows_.q.cwiseProduct(s), lower, upper};
}

}  // namespace perp
