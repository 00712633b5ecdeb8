#include <perp/solvers/box/row_problem.hpp>

#include <perp/problems/standard/residuals.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/extended.hpp>

namespace perp {

namespace {

constexpr Eigen::Index kRowBlock = 32;
constexpr double kLargeTerms = 1e5;  // smaller sums are right to 1e-14 in extended precision

}  // namespace

void RowProblem::build(const Problem& problem) {
  const Matrix* m = nullptr;
  if (const auto* lcp = std::get_if<Lcp>(&problem.data)) {
    m = &lcp->M;
    q = lcp->q;
    lower.setZero(q.size());
    upper.setConstant(q.size(), kInfinity);
  } else if (const auto* qp = std::get_if<BoxQp>(&problem.data)) {
    m = &qp->H;
    q = qp->c;
    lower = qp->lower;
    upper = qp->upper;
  } else {
    const Mlcp& mlcp = std::get<Mlcp>(problem.data);
    m = &mlcp.M;
    q = mlcp.q;
    lower = mlcp.lower;
    upper = mlcp.upper;
  }
  if (m->shares(M_)) return;
  M_ = Matrix();  // until the rows are there: an allocation may throw
  dense_ = !m->is_sparse();
  max_abs_ = m->max_abs();
  if (dense_) {
    const DenseMatrix& columns = m->dense();
    const Eigen::Index n = columns.rows();
    rows_.resize(n, n);
    for (Eigen::Index j = 0; j < n; j += kRowBlock) {  // by blocks: one of both has long strides
      const Eigen::Index width = std::min(kRowBlock, n - j);
      for (Eigen::Index i = 0; i < n; i += kRowBlock) {
        const Eigen::Index height = std::min(kRowBlock, n - i);
        rows_.block(i, j, height, width) = columns.block(i, j, height, width);
      }
    }
    diagonal = rows_.diagonal();
    if (m->is_shared()) M_ = *m;
    return;
  }
  to_csr(m->sparse(), sparse_);
  diagonal.setZero(m->rows());
  for (int i = 0; i < m->rows(); ++i) diagonal[i] = entry(i, i);
  if (m->is_shared()) M_ = *m;
}

double RowProblem::entry(int i, int j) const {
  if (dense_) return rows_(i, j);
  const auto first = sparse_.column.begin();
  const auto end = first + sparse_.start[i + 1];
  const auto found = std::lower_bound(first + sparse_.start[i], end, j);
  return found != end && *found == j ? sparse_.value[found - first] : 0.0;
}

void RowProblem::evaluate(const Vector& z, Vector& w) const {
  if (dense_) {
    w = q;
    w.noalias() += rows_ * z;
    return;
  }
  for (int i = 0; i < size(); ++i) w[i] = row_dot(i, z.data()) + q[i];
}

void RowProblem::scale(const Vector& s) {
  M_ = {};
  max_abs_ = 0.0;
  const auto change = [&](int i, int j, double& value) {
    value *= s[i] * s[j];
    max_abs_ = std::max(max_abs_, std::abs(value));
  };
  for (int i = 0; i < size(); ++i) {
    for (int j = 0; dense_ && j < size(); ++j) change(i, j, rows_(i, j));
    for (int k = dense_ ? 0 : sparse_.start[i]; !dense_ && k < sparse_.start[i + 1]; ++k)
      change(i, sparse_.column[k], sparse_.value[k]);
    diagonal[i] *= s[i] * s[i];
  }
  q.array() *= s.array();
  lower.array() /= s.array();
  upper.array() /= s.array();
}

// Three partial sums, because one chain of extended additions is slow.
long double RowProblem::extended_row(int i, const double* z) const {
  if (!dense_) {
    Extended sum = q[i];
    for_row(i, [&](int j, double value) { sum += Extended(value) * z[j]; });
    return sum;
  }
  const double* const m = dense_row(i);
  Extended a = q[i], b = 0.0L, c = 0.0L;
  int k = 0;
  for (; k + 2 < size(); k += 3) {
    a += Extended(m[k]) * z[k];
    b += Extended(m[k + 1]) * z[k + 1];
    c += Extended(m[k + 2]) * z[k + 2];
  }
  for (; k < size(); ++k) a += Extended(m[k]) * z[k];
  return (a + b) + c;
}

bool RowProblem::is_symmetric(const Matrix& m, double tolerance) const {
  if (!dense_) return m.is_symmetric(tolerance / std::max(m.max_abs(), 1e-300));
  const Eigen::Map<const Vector> rows(rows_.data(), rows_.size());
  const Eigen::Map<const Vector> columns(m.dense().data(), m.dense().size());
  return rows.size() == 0 || (rows - columns).cwiseAbs().maxCoeff() <= tolerance;
}

double RowProblem::row_sum_norm() const {
  if (dense_) return size() > 0 ? rows_.cwiseAbs().rowwise().sum().maxCoeff() : 0.0;
  double largest = 0.0;
  for (int i = 0; i < size(); ++i) {
    double sum = 0.0;
    for_row(i, [&](int, double value) { sum += std::abs(value); });
    largest = std::max(largest, sum);
  }
  return largest;
}

// The sum as the verifier computes it: as if exactly, rounded once.
double RowProblem::exact_row(int i, const Vector& z) const {
  ExtendedVector row(size() + 1), factors(size() + 1);
  Eigen::Index terms = 0;
  row[terms] = q[i];
  factors[terms++] = 1;
  for_row(i, [&](int j, double value) {
    row[terms] = value;
    factors[terms++] = z[j];
  });
  return static_cast<double>(dot_product(row.head(terms), factors.head(terms)));
}

double RowProblem::natural_residual(const Vector& z) const {
  if (!z.allFinite()) return kInfinity;
  const bool exactly =
      size() > 0 && !(max_abs_ * z.lpNorm<Eigen::Infinity>() * size() < kLargeTerms);
  double largest = 0.0;
  for (int i = 0; i < size(); ++i) {
    const double f = exactly ? exact_row(i, z) : static_cast<double>(extended_row(i, z.data()));
    if (!std::isfinite(f)) return kInfinity;
    largest = std::max(largest, std::abs(mid(z[i] - lower[i], z[i] - upper[i], f)));
  }
  return largest;
}

}  // namespace perp
