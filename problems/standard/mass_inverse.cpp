#include <perp/problems/standard/mass_inverse.hpp>

#include <Eigen/SparseCholesky>
#include <cmath>
#include <limits>
#include <type_traits>

namespace perp {

namespace {

using ExtendedSparse = Eigen::SparseMatrix<Extended, Eigen::ColMajor, int>;

constexpr int kRefinements = 60;  // at most; each gains digits or is the last
constexpr Extended kConverged = 4 * std::numeric_limits<Extended>::epsilon();
constexpr Extended kGain = 0.5L;  // a correction must be smaller than this times the one before

}  // namespace

struct MassInverse::Factors {
  Eigen::SimplicialLDLT<ExtendedSparse> ldl;
  bool positive = false;
};

MassInverse::MassInverse(const Matrix& m) : m_(&m), factors_(std::make_unique<Factors>()) {
  const ExtendedSparse extended = m.to_sparse().cast<Extended>();
  factors_->ldl.compute(extended);
  if (factors_->ldl.info() != Eigen::Success) return;
  const ExtendedVector pivots = factors_->ldl.vectorD();
  factors_->positive = (pivots.array() > 0).all() && pivots.allFinite();
}

MassInverse::~MassInverse() = default;

bool MassInverse::positive_definite() const { return factors_->positive; }

ExtendedVector MassInverse::solve(const ExtendedVector& b) const {
  if (b.size() == 0) return b;  // no velocities
  ExtendedVector x = factors_->ldl.solve(b);
  const AffineTerm right = AffineTerm::vector(b);
  Extended before = std::numeric_limits<Extended>::infinity();
  for (int k = 0; k < kRefinements; ++k) {
    const AffineSum residual =
        sum_of({right, AffineTerm::product(*m_, x, -1)}, static_cast<int>(b.size()));
    const ExtendedVector correction = factors_->ldl.solve(residual.values);
    const Extended size = correction.cwiseAbs().maxCoeff(), scale = x.cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) break;
    x += correction;
    if (size <= kConverged * scale) return x;
    if (!(size <= kGain * before)) break;
    before = size;
  }
  return ExtendedVector::Constant(b.size(), std::numeric_limits<Extended>::quiet_NaN());
}

ExtendedVector MassInverse::error_of(const ExtendedVector& x, const ExtendedVector& changes) const {
  const auto& ldl = factors_->ldl;
  const auto& l = ldl.matrixL().nestedExpression();
  ExtendedVector bound = ldl.permutationP() * changes;
  const auto n = static_cast<int>(bound.size());
  for (int j = 0; j < n; ++j) {
    for (std::remove_cvref_t<decltype(l)>::InnerIterator it(l, j); it; ++it) {
      if (it.row() > j) bound[it.row()] += std::abs(it.value()) * bound[j];
    }
  }
  bound.array() /= ldl.vectorD().array().abs();
  for (int j = n - 1; j >= 0; --j) {
    for (std::remove_cvref_t<decltype(l)>::InnerIterator it(l, j); it; ++it) {
      if (it.row() > j) bound[j] += std::abs(it.value()) * bound[it.row()];
    }
  }
  ExtendedVector error = ldl.permutationPinv() * bound;
  // What refinement leaves: its last correction, wrong by half of itself at most.
  if (n > 0) error.array() += 2 * kConverged * x.cwiseAbs().maxCoeff();
  return error;
}

bool is_positive_definite(const Matrix& m) { return MassInverse(m).positive_definite(); }

}  // namespace perp
