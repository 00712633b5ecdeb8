#include <perp/solvers/block_interior_point/mass_blocks.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace perp {

namespace {

// Replaces a symmetric matrix of size n, by columns, by its lower Cholesky factor. @return false if
// it is not positive definite
bool factor(int n, double* a) {
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      double sum = a[j * n + i];
      for (int k = 0; k < j; ++k) sum -= a[k * n + i] * a[k * n + j];
      if (i == j && !(sum > 0)) return false;
      a[j * n + i] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
    }
  }
  return true;
}

// x := the solution with that factor.
void solve_with(int n, const double* a, double* x) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= a[k * n + i] * x[k];
    x[i] /= a[i * n + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) x[i] -= a[i * n + k] * x[k];
    x[i] /= a[i * n + i];
  }
}

}  // namespace

std::optional<std::string> MassBlocks::refusal(const Matrix& p, const std::vector<int>& unknowns,
                                               const std::vector<int>& sizes) {
  std::size_t first = 0;
  for (const int n : sizes) {
    if (n > kLargest) {
      return fmt::format("P: blocks of at most {} coupled velocities are taken, not of {}",
                         kLargest, n);
    }
    double block[kLargest * kLargest];
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i)
        block[j * n + i] = p.coefficient(unknowns[first + i], unknowns[first + j]);
    }
    if (!factor(n, block)) return "P: a block of velocities is not positive definite";
    first += static_cast<std::size_t>(n);
  }
  return {};
}

void MassBlocks::set(const Matrix& p, const std::vector<int>& unknowns,
                     const std::vector<int>& sizes) {
  begins_.assign(1, 0);
  block_of_.clear();
  offsets_.clear();
  values_.clear();
  inverses_.clear();
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    const int n = sizes[b], first = begins_.back();
    begins_.push_back(first + n);
    offsets_.push_back(static_cast<int>(values_.size()));
    double factors[kLargest * kLargest], column[kLargest];
    for (int j = 0; j < n; ++j) {
      block_of_.push_back(static_cast<int>(b));
      for (int i = 0; i < n; ++i) {
        const double value = p.coefficient(unknowns[first + i], unknowns[first + j]);
        values_.push_back(value);
        factors[j * n + i] = value;
      }
    }
    factor(n, factors);
    for (int j = 0; j < n; ++j) {
      std::fill(column, column + n, 0.0);
      column[j] = 1.0;
      solve_with(n, factors, column);
      inverses_.insert(inverses_.end(), column, column + n);
    }
  }
}

void MassBlocks::multiply(const Vector& x, Vector& y) const {
  for (int b = 0; b < blocks(); ++b) {
    for (int i = begins_[b]; i < begins_[b + 1]; ++i) {
      double sum = 0.0;
      for (int j = begins_[b]; j < begins_[b + 1]; ++j) sum += value(i, j) * x[j];
      y[i] = sum;
    }
  }
}

double MassBlocks::square(const Vector& x) const {
  double sum = 0.0;
  for (int b = 0; b < blocks(); ++b) {
    for (int i = begins_[b]; i < begins_[b + 1]; ++i) {
      for (int j = begins_[b]; j < begins_[b + 1]; ++j) sum += value(i, j) * x[i] * x[j];
    }
  }
  return sum;
}

void MassBlocks::solve(Vector& x) const {
  double in[kLargest];
  for (int b = 0; b < blocks(); ++b) {
    const int first = begins_[b], n = begins_[b + 1] - first;
    std::copy_n(&x[first], n, in);
    const double* inverses = &inverses_[offsets_[b]];
    for (int i = 0; i < n; ++i) {
      double sum = 0.0;
      for (int j = 0; j < n; ++j) sum += inverses[j * n + i] * in[j];
      x[first + i] = sum;
    }
  }
}

}  // namespace perp
