#include <perp/solvers/josephy_newton/box_map.hpp>

#include <perp/problems/standard/reductions.hpp>
#include <perp/problems/standard/residuals.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr int kAlwaysDense = 100;      // smaller problems are dense
constexpr double kSparseBelow = 0.25;  // share of entries from which systems are dense

SparseMatrix with_diagonal(const SparseMatrix& pattern) {
  SparseMatrix diagonal(pattern.rows(), pattern.cols());
  diagonal.setIdentity();
  SparseMatrix sum = 0.0 * pattern + 0.0 * diagonal;
  sum.makeCompressed();
  return sum;
}

}  // namespace

void BoxMap::Jacobian::take_pattern(const SparseMatrix& pattern, bool sparse) {
  const auto n = pattern.rows();
  sparse_systems_ = sparse_ = sparse;
  dense_matrix_.resize(0, 0);
  sparse_matrix_.resize(0, 0);
  places.clear();
  if (!sparse) {
    dense_matrix_.setZero(n, n);
    return;
  }
  sparse_matrix_ = with_diagonal(pattern);
  for (int j = 0; j < n; ++j) {
    int place = sparse_matrix_.outerIndexPtr()[j];
    for (SparseMatrix::InnerIterator it(pattern, j); it; ++it) {
      while (sparse_matrix_.innerIndexPtr()[place] != it.row()) ++place;
      places.push_back(place);
    }
  }
}

void BoxMap::Jacobian::take_values(const SparseMatrix& pattern, const double* values) {
  if (sparse_) {
    for (std::size_t k = 0; k < places.size(); ++k)
      sparse_matrix_.valuePtr()[places[k]] = values[k];
    return;
  }
  for (int j = 0; j < pattern.cols(); ++j) {
    for (int k = pattern.outerIndexPtr()[j]; k < pattern.outerIndexPtr()[j + 1]; ++k) {
      dense_matrix_(pattern.innerIndexPtr()[k], j) = values[k];
    }
  }
}

void BoxMap::build(const Problem& problem, SystemStorage storage, const Deadline& deadline) {
  const auto* mcp = std::get_if<Mcp>(&problem.data);
  linear_ = !mcp;
  if (mcp) {
    function_.prepare(*mcp, deadline);
    lower = mcp->lower;
    upper = mcp->upper;
    pattern_ = function_.pattern();
  } else {
    const auto* lcp = std::get_if<Lcp>(&problem.data);
    Mlcp mlcp = lcp ? to_mlcp(*lcp) : std::get<Mlcp>(problem.data);
    lower = mlcp.lower;
    upper = mlcp.upper;
    pattern_ = mlcp.M.to_sparse();
    M_ = std::move(mlcp.M);
    q_ = std::move(mlcp.q);
    sums_.resize(q_.size());
  }
  pattern_.makeCompressed();
  const double n = size(), stored = static_cast<double>(pattern_.nonZeros());
  const bool sparse = storage == SystemStorage::kAuto
                          ? n > kAlwaysDense && stored < kSparseBelow * n * n
                          : storage == SystemStorage::kSparse;
  jacobian_.take_pattern(pattern_, sparse);
  if (linear_) jacobian_.take_values(pattern_, pattern_.valuePtr());
}

bool BoxMap::evaluate(const Vector& z, Vector& f) {
  ++evaluations;
  if (!linear_) {
    function_.evaluate(z, f);
    return f.allFinite();
  }
  const int n = size();
  // q included, as in the verifier: a product rounded before would hide what is left.
  std::fill(sums_.begin(), sums_.end(), 0.0L);
  for (int j = 0; j < n; ++j) {
    if (z[j] == 0.0) continue;
    const long double x = z[j];
    M_.for_column(j, [&](int i, double value) { sums_[i] += value * x; });
  }
  for (int i = 0; i < n; ++i) f[i] = static_cast<double>(sums_[i] + q_[i]);
  return f.allFinite();
}

bool BoxMap::evaluate_jacobian(const Vector& z) {
  ++jacobian_evaluations;
  if (linear_) return true;
  double* const values = pattern_.valuePtr();
  function_.evaluate_jacobian(z, values);
  jacobian_.take_values(pattern_, values);
  const auto count = static_cast<Eigen::Index>(pattern_.nonZeros());
  return Eigen::Map<const Vector>(values, count).allFinite();
}

int BoxMap::bad_row() const {
  int row = -1;
  for (int j = 0; j < pattern_.cols(); ++j) {
    for (SparseMatrix::InnerIterator it(pattern_, j); it; ++it) {
      if (std::isfinite(it.value())) continue;
      const int here = static_cast<int>(it.row());
      row = row < 0 ? here : std::min(row, here);
    }
  }
  return row;
}

bool BoxMap::signs_hold(const Vector& z, const Vector& f, double tolerance) {
  return linear_ || signs_.hold(z, f, lower, upper, tolerance,
                                [this](const Vector& p, Vector& at) { return evaluate(p, at); });
}

double BoxMap::natural_residual(const Vector& z, const Vector& f) const {
  double largest = 0.0;
  for (int i = 0; i < size(); ++i) {
    const double r = std::abs(mid(z[i] - lower[i], z[i] - upper[i], f[i]));
    if (!(r <= largest)) largest = std::isnan(r) ? std::numeric_limits<double>::infinity() : r;
  }
  return largest;
}

}  // namespace perp
