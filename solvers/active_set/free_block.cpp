#include <perp/solvers/active_set/free_block.hpp>

#include <perp/solvers/linear_algebra/sparse_lu.hpp>

#include <Eigen/SparseCholesky>
#include <algorithm>

namespace perp {

namespace {

constexpr int kLargestBorder = 64;
constexpr double kSingular = 1e-13;       // pivots below this times the largest diagonal
constexpr double kIndefinite = 1e-8;      // negative pivots beyond this are no rounding
constexpr double kSingularRatio = 1e-15;  // smallest over largest pivot of a sparse factorisation
constexpr long kBorderEntries = 4'000'000;

}  // namespace

struct FreeBlock::SparseFactors {
  Eigen::SimplicialLDLT<SparseMatrix> cholesky;
  SparseLu lu;
  SparseMatrix block;
};

FreeBlock::FreeBlock() = default;
FreeBlock::~FreeBlock() = default;

void FreeBlock::attach(const RowProblem& problem, bool symmetric) {
  problem_ = &problem;
  symmetric_ = symmetric;
  const int n = problem.size();
  if (problem.is_dense()) {
    (symmetric ? dense_cholesky_.reserve(n) : void());
    dense_lu_.reserve(symmetric ? 0 : n);
    sparse_.reset();
  } else {
    sparse_ = std::make_unique<SparseFactors>();
  }
  base_.reserve(n);
  position_.assign(n, -1);
  in_border_.assign(n, 0);
  border_.reserve(kLargestBorder + 1);
  const int columns = static_cast<int>(std::min<long>(kLargestBorder, kBorderEntries / (n + 1)));
  solved_.setZero(n, columns);
  products_.setZero(columns, columns);
  schur_.reserve(columns);
  right_.setZero(n);
  small_.setZero(columns);
  set_regularisation(0.0);
}

void FreeBlock::set_regularisation(double rho) {
  rho_ = rho;
  valid_ = false;
}

bool FreeBlock::set(const std::vector<char>& free) {
  if (valid_ && update_border(free)) return true;
  return valid_ = factor(free);
}

// A change costs two triangular sweeps, a factorisation k^3/3 at several times their speed.
int FreeBlock::border_limit() const {
  return std::min(static_cast<int>(solved_.cols()), 4 + static_cast<int>(base_.size()) / 16);
}

bool FreeBlock::factor(const std::vector<char>& free) {
  for (int i : base_) position_[i] = -1;
  for (int i : border_) in_border_[i] = 0;
  base_.clear();
  border_.clear();
  for (int i = 0; i < problem_->size(); ++i) {
    if (!free[i]) continue;
    position_[i] = static_cast<int>(base_.size());
    base_.push_back(i);
  }
  if (base_.empty()) return true;
  ++factorisations;
  return problem_->is_dense() ? factor_dense() : factor_sparse();
}

bool FreeBlock::factor_dense() {
  const int k = static_cast<int>(base_.size());
  cholesky_ = symmetric_;
  if (symmetric_) {
    double* const a = dense_cholesky_.matrix(k);
    for (int c = 0; c < k; ++c) {  // rows are columns
      double* const column = a + static_cast<std::size_t>(c) * k;
      const double* const row = problem_->dense_row(base_[c]);
      for (int r = c; r < k; ++r) column[r] = row[base_[r]];
      column[c] += rho_;
    }
    if (dense_cholesky_.factor(rho_ > 0 ? 0.0 : kSingular)) return true;
    cholesky_ = false;
    if (!(dense_cholesky_.failed_pivot() < -kIndefinite)) return false;
  }
  double* const a = dense_lu_.matrix(k);
  for (int c = 0; c < k; ++c) {
    double* const column = a + static_cast<std::size_t>(c) * k;
    for (int r = 0; r < k; ++r) column[r] = problem_->dense_row(base_[r])[base_[c]];
    column[c] += rho_;
  }
  return dense_lu_.factor();
}

bool FreeBlock::factor_sparse() {
  const int k = static_cast<int>(base_.size());
  std::vector<Triplet> entries;
  for (int r = 0; r < k; ++r) {
    entries.emplace_back(r, r, rho_);
    problem_->for_row(base_[r], [&](int j, double value) {
      if (position_[j] >= 0) entries.emplace_back(r, position_[j], value);
    });
  }
  SparseMatrix& block = sparse_->block;
  block.resize(k, k);
  block.setFromTriplets(entries.begin(), entries.end());
  cholesky_ = false;
  if (symmetric_) {
    sparse_->cholesky.compute(block);
    if (sparse_->cholesky.info() == Eigen::Success) {
      const auto& d = sparse_->cholesky.vectorD();
      cholesky_ = d.minCoeff() > (rho_ > 0 ? 0.0 : kSingular) * d.maxCoeff();
      if (cholesky_) return true;
    }
  }
  sparse_->lu.begin(k);
  for (int c = 0; c < k; ++c) {
    for (SparseMatrix::InnerIterator it(block, c); it; ++it) {
      sparse_->lu.append(static_cast<int>(it.row()), it.value());
    }
    sparse_->lu.end_column();
  }
  return sparse_->lu.factor() && sparse_->lu.pivot_ratio() > kSingularRatio;
}

// What is done with a right-hand side before the border is dealt with: x := L^-1 x with a dense
// Cholesky factor, else all of M_BB^-1.
void FreeBlock::first_solve(double* x) {
  if (base_.empty()) return;
  if (by_halves()) {
    dense_cholesky_.solve_lower(x);
  } else if (!sparse_) {
    dense_lu_.solve(x);
  } else if (cholesky_) {
    Eigen::Map<Vector> view(x, static_cast<Eigen::Index>(base_.size()));
    view = sparse_->cholesky.solve(view).eval();
  } else {
    sparse_->lu.solve(x);
  }
}

// What is left to do afterwards.
void FreeBlock::second_solve(double* x) {
  if (!base_.empty() && by_halves()) dense_cholesky_.solve_lower_transposed(x);
}

bool FreeBlock::update_border(const std::vector<char>& free) {
  for (int k = static_cast<int>(border_.size()) - 1; k >= 0; --k) {
    if ((free[border_[k]] != 0) == (position_[border_[k]] >= 0)) drop_border(k);
  }
  const int limit = border_limit();
  int wanted = static_cast<int>(border_.size());
  for (int i = 0; i < problem_->size() && wanted <= limit; ++i) {
    if ((free[i] != 0) != (position_[i] >= 0) && !in_border_[i]) ++wanted;
  }
  if (wanted > limit) return false;
  for (int i = 0; i < problem_->size(); ++i) {
    if ((free[i] != 0) != (position_[i] >= 0) && !in_border_[i]) append_border(i);
  }
  return factor_schur();
}

void FreeBlock::drop_border(int k) {
  const int last = static_cast<int>(border_.size()) - 1;
  in_border_[border_[k]] = 0;
  border_[k] = border_[last];
  border_.pop_back();
  solved_.col(k) = solved_.col(last);
  products_.row(k).head(last + 1) = products_.row(last).head(last + 1);
  products_.col(k).head(last + 1) = products_.col(last).head(last + 1);
}

// Row k of C M_BB^-1 times a right-hand side of which first_solve made x.
double FreeBlock::border_dot(int k, const double* x) const {
  const auto size = static_cast<Eigen::Index>(base_.size());
  if (by_halves()) return solved_.col(k).head(size).dot(Eigen::Map<const Vector>(x, size));
  const int i = border_[k];
  if (position_[i] >= 0) return x[position_[i]];
  double sum = 0.0;
  problem_->for_row(i, [&](int j, double value) {
    if (position_[j] >= 0) sum += value * x[position_[j]];
  });
  return sum;
}

void FreeBlock::append_border(int index) {
  const int k = static_cast<int>(border_.size());
  border_.push_back(index);
  in_border_[index] = 1;
  auto column = solved_.col(k);
  column.setZero();
  if (position_[index] >= 0) {
    column[position_[index]] = 1.0;
  } else if (symmetric_) {
    problem_->for_row(index, [&](int j, double value) {
      if (position_[j] >= 0) column[position_[j]] = value;
    });
  } else {
    for (std::size_t r = 0; r < base_.size(); ++r) column[r] = problem_->entry(base_[r], index);
  }
  first_solve(column.data());
  for (int other = 0; other <= k; ++other) {
    products_(other, k) = border_dot(other, column.data());
    if (other < k) products_(k, other) = border_dot(k, solved_.col(other).data());
  }
  ++updates;
}

bool FreeBlock::factor_schur() {
  const int m = static_cast<int>(border_.size());
  if (m == 0) return true;
  double* const s = schur_.matrix(m);
  for (int c = 0; c < m; ++c) {
    for (int r = 0; r < m; ++r) {
      const bool added = position_[border_[r]] < 0 && position_[border_[c]] < 0;
      double d = added ? problem_->entry(border_[r], border_[c]) : 0.0;
      if (added && r == c) d += rho_;
      s[static_cast<std::size_t>(c) * m + r] = d - products_(r, c);
    }
  }
  return schur_.factor();
}

void FreeBlock::solve(Vector& x) {
  const int k = static_cast<int>(base_.size()), m = static_cast<int>(border_.size());
  for (int r = 0; r < k; ++r) right_[r] = in_border_[base_[r]] ? 0.0 : x[base_[r]];
  first_solve(right_.data());
  ++linear_solves;
  if (m > 0) {
    for (int r = 0; r < m; ++r) {
      const int i = border_[r];
      small_[r] = (position_[i] >= 0 ? 0.0 : x[i]) - border_dot(r, right_.data());
    }
    schur_.solve(small_.data());
    right_.head(k).noalias() -= solved_.topLeftCorner(k, m) * small_.head(m);
  }
  second_solve(right_.data());
  x.setZero();
  for (int r = 0; r < k; ++r) x[base_[r]] = right_[r];
  for (int r = 0; r < m; ++r) {
    const bool removed = position_[border_[r]] >= 0;
    x[border_[r]] = removed ? 0.0 : small_[r];
  }
}

}  // namespace perp
