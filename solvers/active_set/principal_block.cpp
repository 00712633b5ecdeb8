#include <perp/solvers/active_set/principal_block.hpp>

#include <perp/solvers/linear_algebra/sparse_lu.hpp>

#include <Eigen/SparseCholesky>
#include <algorithm>

namespace perp {

namespace {

constexpr double kSingularBlock = 1e-13;  // least pivot over the largest diagonal entry
constexpr double kIndefinite = 1e-8;      // negative pivots of larger size are no rounding
constexpr double kSingularRatio = 1e-15;  // smallest over largest pivot of a sparse factorisation

}  // namespace

struct PrincipalBlock::Sparse {
  Eigen::SimplicialLDLT<SparseMatrix> cholesky;
  SparseLu lu;
  SparseMatrix block;
  Csr rows, columns;  // the block by rows; its transpose
};

PrincipalBlock::PrincipalBlock() = default;
PrincipalBlock::~PrincipalBlock() = default;

void PrincipalBlock::attach(const RowProblem& problem, bool symmetric) {
  problem_ = &problem;
  symmetric_ = symmetric;
  const int n = problem.size();
  if (problem.is_dense()) {
    (symmetric ? dense_cholesky_.reserve(n) : void());
    dense_lu_.reserve(symmetric ? 0 : n);
    sparse_.reset();
  } else {
    if (!sparse_) sparse_ = std::make_unique<Sparse>();
    const std::size_t most = problem.entries() + static_cast<std::size_t>(n);  // and the diagonal
    for (Csr* m : {&sparse_->rows, &sparse_->columns}) {
      m->start.reserve(static_cast<std::size_t>(n) + 1);
      m->column.reserve(most);
      m->value.reserve(most);
    }
  }
  indices_.clear();
  indices_.reserve(n);
  position_.assign(n, -1);
}

bool PrincipalBlock::factor(const std::vector<char>& set, double rho) {
  for (int i : indices_) position_[i] = -1;
  indices_.clear();
  for (int i = 0; i < problem_->size(); ++i) {
    if (!set[i]) continue;
    position_[i] = size();
    indices_.push_back(i);
  }
  if (indices_.empty()) return true;
  return problem_->is_dense() ? factor_dense(rho) : factor_sparse(rho);
}

bool PrincipalBlock::factor_dense(double rho) {
  const int k = size();
  cholesky_ = symmetric_;
  if (symmetric_) {
    double* const a = dense_cholesky_.matrix(k);
    for (int c = 0; c < k; ++c) {  // M is symmetric: rows are columns
      double* const column = a + static_cast<std::size_t>(c) * k;
      const double* const row = problem_->dense_row(indices_[c]);
      for (int r = c; r < k; ++r) column[r] = row[indices_[r]];
      column[c] += rho;
    }
    if (dense_cholesky_.factor(rho > 0 ? 0.0 : kSingularBlock)) return true;
    cholesky_ = false;
    if (!(dense_cholesky_.failed_pivot() < -kIndefinite)) return false;
  }
  double* const a = dense_lu_.matrix(k);
  for (int c = 0; c < k; ++c) {
    double* const column = a + static_cast<std::size_t>(c) * k;
    for (int r = 0; r < k; ++r) column[r] = problem_->dense_row(indices_[r])[indices_[c]];
    column[c] += rho;
  }
  return dense_lu_.factor();
}

bool PrincipalBlock::factor_sparse(double rho) {
  const int k = size();
  Csr& rows = sparse_->rows;
  rows.rows = rows.cols = k;
  rows.start.assign(1, 0);
  rows.column.clear();
  rows.value.clear();
  const auto add = [&](int column, double value) {
    rows.column.push_back(column);
    rows.value.push_back(value);
  };
  for (int r = 0; r < k; ++r) {
    bool diagonal = false;  // if M has no diagonal entry, the entry is rho
    problem_->for_row(indices_[r], [&](int j, double value) {
      const int c = position_[j];
      if (c < 0) return;
      if (c >= r && !diagonal) {
        if (c > r) add(r, rho);
        diagonal = true;
      }
      add(c, c == r ? rho + value : value);
    });
    if (!diagonal) add(r, rho);
    rows.start.push_back(static_cast<int>(rows.column.size()));
  }
  cholesky_ = symmetric_ && factor_sparse_symmetric(rho);
  if (cholesky_) return true;
  transpose(rows, sparse_->columns);
  const Csr& columns = sparse_->columns;
  sparse_->lu.begin(k);
  for (int c = 0; c < k; ++c) {
    for (int e = columns.start[c]; e < columns.start[c + 1]; ++e)
      sparse_->lu.append(columns.column[e], columns.value[e]);
    sparse_->lu.end_column();
  }
  return sparse_->lu.factor() && sparse_->lu.pivot_ratio() > kSingularRatio;
}

// M is symmetric: its rows are its columns.
bool PrincipalBlock::factor_sparse_symmetric(double rho) {
  const Csr& rows = sparse_->rows;
  SparseMatrix& block = sparse_->block;
  block.resize(rows.rows, rows.cols);
  block.reserve(static_cast<Eigen::Index>(rows.value.size()));
  for (int c = 0; c < rows.rows; ++c) {
    block.startVec(c);
    for (int e = rows.start[c]; e < rows.start[c + 1]; ++e)
      block.insertBack(rows.column[e], c) = rows.value[e];
  }
  block.finalize();
  sparse_->cholesky.compute(block);
  if (sparse_->cholesky.info() != Eigen::Success) return false;
  const auto& d = sparse_->cholesky.vectorD();
  return d.minCoeff() > (rho > 0 ? 0.0 : kSingularBlock) * d.maxCoeff();
}

void PrincipalBlock::first_solve(double* x) {
  if (indices_.empty()) return;
  if (by_halves()) {
    dense_cholesky_.solve_lower(x);
  } else if (!sparse_) {
    dense_lu_.solve(x);
  } else if (cholesky_) {
    Eigen::Map<Vector> view(x, static_cast<Eigen::Index>(indices_.size()));
    view = sparse_->cholesky.solve(view).eval();
  } else {
    sparse_->lu.solve(x);
  }
}

void PrincipalBlock::second_solve(double* x) {
  if (!indices_.empty() && by_halves()) dense_cholesky_.solve_lower_transposed(x);
}

}  // namespace perp
