#include <perp/solvers/pivoting/free_pairing.hpp>

#include <Eigen/LU>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseQR>
#include <cmath>
#include <perp/problems/limits/current_deadline.hpp>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr double kFreeRankTolerance =
    1e-11;                                // relative to the largest pivot of the equilibrated block
constexpr double kClearlyRegular = 1e-7;  // with a larger pivot ratio the rank is certainly full
constexpr int kDenseFreeBlock = 400;      // rows; above, sparse QR reveals the rank

using SparseRankQr = Eigen::SparseQR<SparseMatrix, Eigen::COLAMDOrdering<int>>;

// The columns that are independent of those before them in the order of a rank-revealing QR.
void independent_columns(const SparseMatrix& a, std::vector<int>& in, std::vector<int>& out) {
  SparseRankQr qr;
  qr.setPivotThreshold(kFreeRankTolerance);
  qr.compute(a);
  for (int k = 0; k < a.cols(); ++k) {
    (k < qr.rank() ? in : out).push_back(qr.colsPermutation().indices()[k]);
  }
}

}  // namespace

struct FreePairing::DenseFactors {
  Eigen::FullPivLU<DenseMatrix> lu;
  DenseMatrix block;
  std::vector<int> row_at;  // the row at each place of the elimination
};

FreePairing::FreePairing() = default;
FreePairing::~FreePairing() = default;

void FreePairing::find_free(const Mlcp& problem) {
  free_.clear();
  position_.assign(problem.size(), -1);
  for (int i = 0; i < problem.size(); ++i) {
    if (problem.lower[i] > -kInfinity || problem.upper[i] < kInfinity) continue;
    position_[i] = block_size();
    free_.push_back(i);
  }
  for (std::vector<int>* v : {&rows, &columns, &left_rows, &left_columns}) v->clear();
}

void FreePairing::by_row(const Mlcp& problem) {
  find_free(problem);
  rows = columns = free_;
}

void FreePairing::by_rank(const Mlcp& problem) {
  find_free(problem);
  if (free_.empty()) return;
  equilibrate_block(problem.M);
  if (is_clearly_regular()) {
    rows = columns = free_;
    return;
  }
  if (CurrentDeadline::passed()) throw DeadlinePassed("the time limit passed in a factorisation");
  block_size() <= kDenseFreeBlock ? choose_by_dense_lu() : choose_by_sparse_qr();
  for (std::vector<int>* v : {&rows, &columns, &left_rows, &left_columns}) {
    for (int& k : *v) k = free_[k];
  }
}

void FreePairing::equilibrate_block(const Matrix& M) {
  const int f = block_size();
  row_max_.setZero(f);
  column_max_.setZero(f);
  starts_.assign(1, 0);
  block_rows_.clear();
  values_.clear();
  for (const int unknown : free_) {
    M.for_column(unknown, [&](int row, double value) {
      if (position_[row] < 0) return;
      block_rows_.push_back(position_[row]);
      values_.push_back(value);
      row_max_[position_[row]] = std::max(row_max_[position_[row]], std::abs(value));
    });
    starts_.push_back(static_cast<int>(values_.size()));
  }
  for (int j = 0; j < f; ++j) {
    for (int k = starts_[j]; k < starts_[j + 1]; ++k) {
      column_max_[j] = std::max(column_max_[j], std::abs(values_[k]) / row_max_[block_rows_[k]]);
    }
    for (int k = starts_[j]; k < starts_[j + 1]; ++k) {
      values_[k] = values_[k] / row_max_[block_rows_[k]] / column_max_[j];
    }
  }
}

bool FreePairing::is_clearly_regular() {
  lu_.begin(block_size());
  for (int j = 0; j < block_size(); ++j) {
    for (int k = starts_[j]; k < starts_[j + 1]; ++k) {
      if (values_[k] != 0.0) lu_.append(block_rows_[k], values_[k]);
    }
    lu_.end_column();
  }
  return lu_.factor() && lu_.pivot_ratio() > kClearlyRegular;
}

void FreePairing::choose_by_dense_lu() {
  const int f = block_size();
  if (!dense_) dense_ = std::make_unique<DenseFactors>();
  DenseMatrix& block = dense_->block;
  block.setZero(f, f);
  for (int j = 0; j < f; ++j) {
    for (int k = starts_[j]; k < starts_[j + 1]; ++k) block(block_rows_[k], j) = values_[k];
  }
  Eigen::FullPivLU<DenseMatrix>& lu = dense_->lu;
  lu.compute(block);
  lu.setThreshold(kFreeRankTolerance);
  const int rank = static_cast<int>(lu.rank());
  std::vector<int>& row_at = dense_->row_at;  // P A Q = L U: P takes row i to place p(i)
  row_at.resize(f);
  for (int i = 0; i < f; ++i) row_at[lu.permutationP().indices()[i]] = i;
  for (int k = 0; k < f; ++k) {
    (k < rank ? rows : left_rows).push_back(row_at[k]);
    (k < rank ? columns : left_columns).push_back(lu.permutationQ().indices()[k]);
  }
}

// Chooses independent columns first, then independent rows of these columns.
void FreePairing::choose_by_sparse_qr() {
  const int f = block_size();
  const SparseMatrix block = Eigen::Map<const SparseMatrix>(f, f, starts_[f], starts_.data(),
                                                            block_rows_.data(), values_.data());
  independent_columns(block, columns, left_columns);
  SparseMatrix chosen(f, static_cast<int>(columns.size()));
  std::vector<Triplet> entries;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    for (SparseMatrix::InnerIterator it(block, columns[k]); it; ++it) {
      entries.emplace_back(it.row(), static_cast<int>(k), it.value());
    }
  }
  chosen.setFromTriplets(entries.begin(), entries.end());
  SparseMatrix transposed = chosen.transpose();
  transposed.makeCompressed();
  independent_columns(transposed, rows, left_rows);
}

}  // namespace perp
