#include <perp/solvers/projection/row_problem.hpp>

#include <perp/problems/standard/residuals.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

void RowProblem::build(const Problem& problem) {
  const Matrix* m = nullptr;
  if (const auto* lcp = std::get_if<Lcp>(&problem.data)) {
    m = &lcp->M;
    q = lcp->q;
    lower.setZero(q.size());
    upper.setConstant(q.size(), kInfinity);
  } else {
    const Mlcp& mlcp = std::get<Mlcp>(problem.data);
    m = &mlcp.M;
    q = mlcp.q;
    lower = mlcp.lower;
    upper = mlcp.upper;
  }
  dense_ = !m->is_sparse();
  rows_.resize(0, 0);
  starts_.clear();
  columns_.clear();
  values_.clear();
  if (dense_) {
    rows_ = m->dense();
    diagonal = rows_.diagonal();
    return;
  }
  const Eigen::SparseMatrix<double, Eigen::RowMajor, int> rows = m->sparse();
  starts_.assign(rows.outerIndexPtr(), rows.outerIndexPtr() + rows.rows() + 1);
  columns_.assign(rows.innerIndexPtr(), rows.innerIndexPtr() + rows.nonZeros());
  values_.assign(rows.valuePtr(), rows.valuePtr() + rows.nonZeros());
  diagonal = m->sparse().diagonal();
}

double RowProblem::entry(int i, int j) const {
  if (dense_) return rows_(i, j);
  const auto begin = columns_.begin() + starts_[i], end = columns_.begin() + starts_[i + 1];
  const auto found = std::lower_bound(begin, end, j);
  return found != end && *found == j ? values_[found - columns_.begin()] : 0.0;
}

void RowProblem::evaluate(const Vector& z, Vector& w) const {
  if (dense_) {
    w = q;
    w.noalias() += rows_ * z;
    return;
  }
  for (int i = 0; i < size(); ++i) w[i] = row_dot(i, z.data()) + q[i];
}

double RowProblem::natural_residual(const Vector& z) const {
  double largest = 0.0;
  for (int i = 0; i < size(); ++i) {
    long double sum = q[i];
    for_row(i, [&](int j, double value) { sum += static_cast<long double>(value) * z[j]; });
    const double f = static_cast<double>(sum);
    if (!std::isfinite(f) || !std::isfinite(z[i])) return kInfinity;
    largest = std::max(largest, std::abs(mid(z[i] - lower[i], z[i] - upper[i], f)));
  }
  return largest;
}

double projected_sweep(const RowProblem& problem, const Vector& step, const Proximal* proximal,
                       bool backward, Vector& z) {
  const int n = problem.size();
  const double *const s = step.data(), *const q = problem.q.data();
  const double *const l = problem.lower.data(), *const u = problem.upper.data();
  double* const x = z.data();
  double change = 0.0;
  for (int k = 0; k < n; ++k) {
    const int i = backward ? n - 1 - k : k;
    double w = problem.row_dot(i, x) + q[i];
    if (proximal) w += proximal->weight[i] * (x[i] - proximal->centre[i]);
    const double old = x[i];
    x[i] = std::min(std::max(old - s[i] * w, l[i]), u[i]);
    change += (x[i] - old) * (x[i] - old);
  }
  return std::sqrt(change);
}

}  // namespace perp
