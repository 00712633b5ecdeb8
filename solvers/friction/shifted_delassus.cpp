#include <perp/solvers/friction/shifted_delassus.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kDenseShare = 0.25;
constexpr int kSmall = 60;  // unknowns; below, a dense factorisation is never slower

}  // namespace

void ShiftedDelassus::attach(const ContactProblem& problem) {
  factorisations = 0;
  if (problem_ == &problem && pattern_ == problem.pattern()) return gather_values();
  problem_ = &problem;
  pattern_ = -1;  // until all of this is done
  gather_pattern();
  gather_values();
  const int n = problem.size();
  dense_ = n <= kSmall;
  if (!dense_) {
    sparse_.analyse(n, starts_, rows_, std::vector<signed char>(n, 1));
    dense_ = static_cast<double>(sparse_.factor_entries()) > kDenseShare * 0.5 * n * n;
  }
  if (dense_) cholesky_.reserve(n);
  shifted_ = values_;
  x_.resize(n);
  y_.resize(n);
  pattern_ = problem.pattern();
}

void ShiftedDelassus::gather_pattern() {
  const int n = problem_->size();
  std::vector<Triplet> upper;
  const auto for_entries = [&](const auto& take) {
    for (int c = 0; c < problem_->contacts(); ++c) {
      for (int k = problem_->row_begin(c); k < problem_->row_begin(c + 1); ++k) {
        for (int entry = 0; entry < 9; ++entry) {
          const int row = 3 * c + entry % 3, column = 3 * problem_->column(k) + entry / 3;
          take(std::min(row, column), std::max(row, column));
        }
      }
    }
  };
  for_entries([&](int row, int column) { upper.emplace_back(row, column, 1.0); });
  SparseMatrix h(n, n);
  h.setFromTriplets(upper.begin(), upper.end());
  starts_.assign(h.outerIndexPtr(), h.outerIndexPtr() + n + 1);
  rows_.assign(h.innerIndexPtr(), h.innerIndexPtr() + h.nonZeros());
  values_.assign(rows_.size(), 0.0);
  targets_.clear();
  for_entries([&](int row, int column) {
    const auto first = rows_.begin() + starts_[column], last = rows_.begin() + starts_[column + 1];
    targets_.push_back(static_cast<int>(std::lower_bound(first, last, row) - rows_.begin()));
  });
}

// An entry of W below the diagonal adds its half to the entry of H above the diagonal.
void ShiftedDelassus::gather_values() {
  std::fill(values_.begin(), values_.end(), 0.0);
  const int* target = targets_.data();
  for (int c = 0; c < problem_->contacts(); ++c) {
    for (int k = problem_->row_begin(c); k < problem_->row_begin(c + 1); ++k) {
      const double* block = problem_->block(k);
      for (int entry = 0; entry < 9; ++entry) {
        const bool diagonal = problem_->column(k) == c && entry % 4 == 0;
        values_[*target++] += (diagonal ? 1.0 : 0.5) * block[entry];
      }
    }
  }
}

bool ShiftedDelassus::factor(double shift) {
  const int n = problem_->size();
  ++factorisations;
  if (dense_) {
    double* a = cholesky_.matrix(n);
    std::fill(a, a + static_cast<std::size_t>(n) * n, 0.0);
    for (int j = 0; j < n; ++j) {
      for (int k = starts_[j]; k < starts_[j + 1]; ++k)  // H_ij above is H_ji below
        a[j + static_cast<std::size_t>(rows_[k]) * n] = values_[k];
      a[j + static_cast<std::size_t>(j) * n] += shift;
    }
    return cholesky_.factor(0.0);
  }
  shifted_ = values_;
  for (int j = 0; j < n; ++j) shifted_[starts_[j + 1] - 1] += shift;  // the diagonal comes last
  return sparse_.factor(shifted_, 0.0, shift) && sparse_.substituted() == 0;
}

void ShiftedDelassus::solve(Vector& x) const {
  if (dense_) {
    cholesky_.solve(x.data());
  } else {
    sparse_.solve(x.data());
  }
}

void ShiftedDelassus::multiply(const Vector& x, Vector& y) const {
  y.setZero();
  for (int j = 0; j < x.size(); ++j) {
    for (int k = starts_[j]; k < starts_[j + 1]; ++k) {
      const int i = rows_[k];
      y[i] += values_[k] * x[j];
      if (i != j) y[j] += values_[k] * x[i];
    }
  }
}

double ShiftedDelassus::largest_eigenvalue(int steps) {
  const auto n = static_cast<int>(x_.size());
  if (n == 0) return 0.0;
  for (int i = 0; i < n; ++i)
    x_[i] = 1.0 + 0.5 * std::sin(i + 1.0);  // no symmetry, so that no eigenvector is missed
  double value = 0.0;
  for (int step = 0; step < steps; ++step) {
    const double norm = x_.norm();
    if (!(norm > 0)) return 0.0;
    x_ /= norm;
    multiply(x_, y_);
    value = y_.norm();
    x_ = y_;
  }
  return value;
}

}  // namespace perp
