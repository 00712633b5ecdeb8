#include <perp/solvers/interior_point/convexity_check.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kShift =
    1e-9;  // over the largest entry of P: more than the rounding of its factors

constexpr int kSmall =
    64;  // unknowns; up to here a dense factorisation costs less than an analysis

// The pivot of x_row is the least x'Px over the unknowns before it in the order, with x_row = 1.
NegativeCurvature as_posed(const ConicData& data, int row, double pivot) {
  const double unit = data.column_scale[row];
  return {row, pivot * data.scale_y / (data.scale_x * unit * unit)};
}

}  // namespace

std::optional<NegativeCurvature> ConvexityCheck::negative_curvature(const ConicData& data) {
  return data.dense_p() || data.variables() <= kSmall ? of_dense(data) : of_sparse(data);
}

std::optional<NegativeCurvature> ConvexityCheck::of_dense(const ConicData& data) {
  const int n = data.variables();
  Eigen::Map<DenseMatrix> shifted(cholesky_.matrix(n), n, n);
  if (data.dense_p()) {
    shifted = data.full_p;
  } else if (data.sparse_p.nonZeros() == 0) {
    return {};
  } else {
    shifted = data.sparse_p;
  }
  const double size = shifted.cwiseAbs().maxCoeff();
  if (size == 0.0) return {};
  shifted.diagonal().array() += kShift * size;
  if (cholesky_.factor(0.0)) return {};
  const int row = cholesky_.failed_row();
  return as_posed(data, row, shifted(row, row));  // factor() leaves the pivot there
}

std::optional<NegativeCurvature> ConvexityCheck::of_sparse(const ConicData& data) {
  const SparseMatrix& p = data.sparse_p;
  const int n = data.variables();
  double size = 0.0;
  for (int k = 0; k < p.nonZeros(); ++k) size = std::max(size, std::abs(p.valuePtr()[k]));
  if (size == 0.0) return {};
  new_starts_.assign(1, 0);
  new_rows_.clear();
  values_.clear();
  for (int j = 0; j < n; ++j) {
    double diagonal = kShift * size;
    for (SparseMatrix::InnerIterator it(p, j); it && it.row() <= j; ++it) {
      if (it.row() == j) {
        diagonal += it.value();
      } else {
        new_rows_.push_back(static_cast<int>(it.row()));
        values_.push_back(it.value());
      }
    }
    new_rows_.push_back(j);
    values_.push_back(diagonal);
    new_starts_.push_back(static_cast<int>(new_rows_.size()));
  }
  if (new_starts_ != starts_ || new_rows_ != rows_) {
    std::swap(starts_, new_starts_);
    std::swap(rows_, new_rows_);
    ldl_.analyse(n, starts_, rows_, std::vector<signed char>(static_cast<std::size_t>(n), 1));
  }
  if (!ldl_.factor(values_, 0.0, 1.0)) return NegativeCurvature{0, std::nan("")};
  if (ldl_.substituted() == 0) return {};
  return as_posed(data, ldl_.first_substituted_row(), ldl_.first_substituted());
}

}  // namespace perp
