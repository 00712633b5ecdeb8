#include <perp/solvers/friction/contact_newton_system.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/limits/deadline.hpp>
#include <perp/solvers/newton/system_sizes.hpp>

namespace perp {

namespace {

constexpr int kDenseBelow = 60;  // unknowns; up to this number all is dense
// Time of an operation of KLU and of BlockLu over that of the dense LU. The value for BlockLu is
// measured: with it, piles of 25 to 35 contacts change over, where both take the same time.
constexpr double kSparseOverhead = 8.0;
constexpr double kBlockOverhead = 4.5;
// Operations of BlockLu above which SupernodalLu takes less time. Measured on packings and piles of
// 300 to 5000 contacts: from 5e8 on if the pattern is that of the factorisation before, from 1e9 on
// if SupernodalLu has to analyse it.
constexpr double kSupernodesPay = 7e8;

}  // namespace

void ContactNewtonSystem::attach(const ContactProblem& problem, std::string_view algebra) {
  if (problem_ == &problem && attached_.pattern == problem.pattern() &&
      algebra == attached_.algebra)
    return;
  problem_ = &problem;
  attached_ = {problem.pattern(), {}};  // until all of this is done
  width_ = problem.dimension();
  const int nc = problem.contacts(), n = width_ * nc;
  kernel_.reserve(nc);
  position_.assign(nc, -1);
  right_side_.assign(2 * static_cast<std::size_t>(n), 0.0);
  block_column_.padded.assign(static_cast<std::size_t>(kBlockValues) * nc, 0.0);
  block_column_.rows.resize(nc);
  for (auto* blocks : {&block_column_.left, &block_column_.right}) blocks->resize(nc);
  find_columns();
  sparse_lu_.set_pivot_tolerance(kPivotTolerance);
  sparse_ = algebra == "sparse" || algebra == "pivoted";
  blocks_ = width_ == 3 && algebra != "pivoted";
  if (algebra == "auto" && n > kDenseBelow) {
    std::vector<ContactRows> rows(nc);
    for (ContactRows& row : rows) {
      row.open = false;
      for (int k = 0; k < 9; ++k) row.A[k] = row.B[k] = k % 4 == 0 ? 1.0 : 0.0;
    }
    choose_kernel(rows);
    const double dense = 2.0 / 3.0 * n * n * static_cast<double>(n);
    if (blocks_) {
      fill_blocks(rows, 1.0);
      if (!block_lu_.analyse()) throw DeadlinePassed("the time limit passed in an ordering");
      sparse_ = kBlockOverhead * block_lu_.estimated_operations() < dense;
    } else {
      fill_sparse(rows, 1.0);
      sparse_ = sparse_lu_.analyse() && kSparseOverhead * sparse_lu_.estimated_operations() < dense;
    }
  }
  if (!sparse_) dense_lu_.reserve(n);
  if (n <= kDenseLeastSquares) {
    dense_lu_.reserve(n);
    least_squares_.jacobian.resize(n, n);
    least_squares_.normal.resize(n, n);
  }
  attached_.algebra = algebra;
}

void ContactNewtonSystem::find_columns() {
  const int nc = problem_->contacts();
  column_starts_.assign(nc + 1, 0);
  const int count = static_cast<int>(problem_->blocks());
  for (int k = 0; k < count; ++k) ++column_starts_[problem_->column(k) + 1];
  for (int c = 0; c < nc; ++c) column_starts_[c + 1] += column_starts_[c];
  column_blocks_.resize(count);
  column_rows_.resize(count);
  std::vector<int> next(column_starts_.begin(), column_starts_.end() - 1);
  for (int c = 0; c < nc; ++c) {
    for (int k = problem_->row_begin(c); k < problem_->row_begin(c + 1); ++k) {
      const int to = next[problem_->column(k)]++;
      column_blocks_[to] = k;
      column_rows_[to] = c;
    }
  }
}

void ContactNewtonSystem::choose_kernel(const std::vector<ContactRows>& rows) {
  kernel_.clear();
  for (int c = 0; c < problem_->contacts(); ++c) {
    position_[c] = rows[c].open ? -1 : static_cast<int>(kernel_.size());
    if (!rows[c].open) kernel_.push_back(c);
  }
}

// B (w + shift I) (+ A on the diagonal), nine values by columns.
void ContactNewtonSystem::product(const ContactRows& rows, const double* w, double shift,
                                  bool diagonal, double* out) const {
  const double* b = rows.B;
  for (int j = 0; j < 3; ++j) {
    double x[3] = {w[3 * j], w[3 * j + 1], w[3 * j + 2]};
    if (diagonal) x[j] += shift;
    for (int i = 0; i < 3; ++i)
      out[3 * j + i] =
          b[i] * x[0] + b[3 + i] * x[1] + b[6 + i] * x[2] + (diagonal ? rows.A[3 * j + i] : 0.0);
  }
}

void ContactNewtonSystem::fill_dense(const std::vector<ContactRows>& rows, double shift,
                                     double* matrix) const {
  const auto n = static_cast<std::size_t>(width_) * kernel_.size();
  std::fill(matrix, matrix + n * n, 0.0);
  double entries[9];
  for (const int c : kernel_) {
    for (int k = problem_->row_begin(c); k < problem_->row_begin(c + 1); ++k) {
      const int e = problem_->column(k);
      if (position_[e] < 0) continue;
      product(rows[c], problem_->block(k), shift, c == e, entries);
      double* to = matrix + n * width_ * position_[e] + width_ * position_[c];
      for (int j = 0; j < width_; ++j) {
        for (int i = 0; i < width_; ++i) to[n * j + i] = entries[3 * j + i];
      }
    }
  }
}

void ContactNewtonSystem::fill_blocks(const std::vector<ContactRows>& rows, double shift) {
  block_lu_.begin(static_cast<int>(kernel_.size()));
  BlockColumn& column = block_column_;
  for (const int c : kernel_) {
    double* const to = &column.padded[static_cast<std::size_t>(kBlockValues) * c];
    for (int k = 0; k < 9; ++k) to[k / 3 * kBlockStride + k % 3] = rows[c].B[k];
  }
  double shifted[9];
  for (const int e : kernel_) {
    int count = 0, diagonal = -1;
    for (int k = column_starts_[e]; k < column_starts_[e + 1]; ++k) {
      const int c = column_rows_[k];
      if (position_[c] < 0) continue;
      column.rows[count] = position_[c];
      column.left[count] = &column.padded[static_cast<std::size_t>(kBlockValues) * c];
      column.right[count] = problem_->block(column_blocks_[k]);
      if (c == e) diagonal = count;
      ++count;
    }
    if (diagonal >= 0) {
      std::copy_n(column.right[diagonal], 9, shifted);
      for (int i = 0; i < 9; i += 4) shifted[i] += shift;
      column.right[diagonal] = shifted;
    }
    double* const out = block_lu_.append_column(std::span(column.rows).first(count));
    block_kernels().multiply(count, column.left.data(), column.right.data(), out);
    if (diagonal < 0) continue;
    double* const to = out + static_cast<std::ptrdiff_t>(kBlockValues) * diagonal;
    for (int k = 0; k < 9; ++k) to[k / 3 * kBlockStride + k % 3] += rows[e].A[k];
  }
}

void ContactNewtonSystem::fill_sparse(const std::vector<ContactRows>& rows, double shift) {
  sparse_lu_.begin(kernel_size());
  for (const int e : kernel_) {
    for (int j = 0; j < width_; ++j) {
      for (int k = column_starts_[e]; k < column_starts_[e + 1]; ++k) {
        const int c = column_rows_[k];
        if (position_[c] < 0) continue;
        double entries[9];
        product(rows[c], problem_->block(column_blocks_[k]), shift, c == e, entries);
        for (int i = 0; i < width_; ++i)
          sparse_lu_.append(width_ * position_[c] + i, entries[3 * j + i]);
      }
      sparse_lu_.end_column();
    }
  }
}

// Sets d := -phi outside the kernel and the right-hand side of the kernel, -phi - B W d.
void ContactNewtonSystem::right_side(const std::vector<ContactRows>& rows, Vector& d) {
  d.setZero();
  bool moved = false;
  for (int c = 0; c < problem_->contacts(); ++c) {
    if (position_[c] >= 0) continue;
    for (int i = 0; i < 3; ++i) {
      d[3 * c + i] = -rows[c].phi[i];
      moved = moved || d[3 * c + i] != 0.0;
    }
  }
  for (const int c : kernel_) {
    double u[3] = {0.0, 0.0, 0.0};
    if (moved) {
      problem_->velocity(c, d, u);
      for (int i = 0; i < 3; ++i) u[i] -= problem_->q()[3 * c + i];
    }
    const double* b = rows[c].B;
    for (int i = 0; i < width_; ++i) {
      right_side_[static_cast<std::size_t>(width_) * position_[c] + i] =
          -rows[c].phi[i] - b[i] * u[0] - b[3 + i] * u[1] - b[6 + i] * u[2];
    }
  }
}

bool ContactNewtonSystem::solve_by_blocks(const std::vector<ContactRows>& rows, double shift) {
  fill_blocks(rows, shift);
  if (!block_lu_.analyse()) return false;
  factors_.supernodes =
      attached_.algebra == "auto" && block_lu_.estimated_operations() > kSupernodesPay;
  if (factors_.supernodes) {
    fill_sparse(rows, shift);
    if (!sparse_lu_.factor_by_blocks()) return false;
    sparse_lu_.solve(right_side_.data());
    return true;
  }
  return factors_.by_blocks = block_lu_.factor() && block_lu_.solve(right_side_.data());
}

bool ContactNewtonSystem::solve(const std::vector<ContactRows>& rows, double shift, Vector& d) {
  choose_kernel(rows);
  right_side(rows, d);
  ++factorisations;
  factors_.by_blocks = false;
  if (!sparse_) {
    fill_dense(rows, shift, dense_lu_.matrix(kernel_size()));
    if (!dense_lu_.factor()) return false;
    dense_lu_.solve(right_side_.data());
  } else if (!blocks_ || !solve_by_blocks(rows, shift)) {
    if (blocks_) right_side(rows, d);
    pivoted += blocks_;
    fill_sparse(rows, shift);
    // Where supernodes have failed they would fail again.
    if (!(factors_.supernodes ? sparse_lu_.factor_by_columns() : sparse_lu_.factor())) return false;
    sparse_lu_.solve(right_side_.data());
  }
  ++linear_solves;
  take_kernel(right_side_.data(), d);
  return true;
}

void ContactNewtonSystem::divide(Vector& x) {
  for (std::size_t p = 0; p < kernel_.size(); ++p)
    std::copy_n(x.data() + 3 * static_cast<std::ptrdiff_t>(kernel_[p]), width_,
                right_side_.data() + width_ * p);
  if (!sparse_) {
    dense_lu_.solve(right_side_.data());
  } else if (factors_.by_blocks) {
    block_lu_.substitute(right_side_.data());
  } else {
    sparse_lu_.substitute(right_side_.data());
  }
  ++linear_solves;
  take_kernel(right_side_.data(), x);
}

void ContactNewtonSystem::take_kernel(const double* values, Vector& d) const {
  for (std::size_t p = 0; p < kernel_.size(); ++p)
    std::copy_n(values + width_ * p, width_,
                d.data() + 3 * static_cast<std::ptrdiff_t>(kernel_[p]));
}

bool ContactNewtonSystem::factor_least_squares(const std::vector<ContactRows>& rows, double alpha,
                                               double damping) {
  choose_kernel(rows);
  if (kernel_size() > least_squares_.jacobian.rows()) return false;
  ++factorisations;
  const int n = kernel_size();
  // The Jacobian fills the first n^2 values of its matrix, which may have another shape.
  fill_dense(rows, alpha, least_squares_.jacobian.data());
  const Eigen::Map<const DenseMatrix> j(least_squares_.jacobian.data(), n, n);
  for (int column = 0; column < n; column += kHeaplessBlock) {
    const int columns = std::min(kHeaplessBlock, n - column);
    for (int row = column; row < n; row += kHeaplessBlock) {
      const int height = std::min(kHeaplessBlock, n - row);
      auto block = least_squares_.normal.block(row, column, height, columns);
      block.setZero();
      for (int k = 0; k < n; k += kHeaplessBlock) {
        const int depth = std::min(kHeaplessBlock, n - k);
        block.noalias() +=
            j.block(k, row, depth, height).transpose() * j.block(k, column, depth, columns);
      }
    }
  }
  double* matrix = dense_lu_.matrix(n);
  for (int column = 0; column < n; ++column) {
    for (int row = column; row < n; ++row) {
      const double value = least_squares_.normal(row, column) + (row == column ? damping : 0.0);
      matrix[static_cast<std::size_t>(column) * n + row] = value;
      matrix[static_cast<std::size_t>(row) * n + column] = value;
    }
  }
  return dense_lu_.factor();
}

bool ContactNewtonSystem::solve_least_squares(const std::vector<ContactRows>& rows, double alpha,
                                              double damping, Vector& d) {
  if (!factor_least_squares(rows, alpha, damping)) return false;
  right_side(rows, d);
  const int n = kernel_size();
  const Eigen::Map<const DenseMatrix> j(least_squares_.jacobian.data(), n, n);
  const Eigen::Map<const Vector> side(right_side_.data(), n);
  Eigen::Map<Vector> result(right_side_.data() + n, n);
  result.noalias() = j.transpose() * side;
  dense_lu_.solve(result.data());
  ++linear_solves;
  take_kernel(result.data(), d);
  return true;
}

}  // namespace perp
