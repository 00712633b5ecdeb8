#include <perp/solvers/pivoting/basis.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr int kMaxUpdates = 100;
constexpr int kSparseKernelFrom = 150;  // least size of a sparse M with sparse kernels

}  // namespace

void Basis::attach(const CanonicalProblem& problem) {
  problem_ = &problem;
  size_ = problem.size();
  sparse_kernel_ = !problem.M.is_dense() && size_ >= kSparseKernelFrom;
  covering_.setZero(size_);
  head_.assign(size_, 0);
  new_head_.assign(size_, 0);
  kernel_rows_.reserve(size_);
  kernel_columns_.reserve(size_);
  kernel_index_.assign(size_, -1);
  kernel_work_.resize(size_);
  if (!sparse_kernel_) dense_lu_.reserve(size_);
  exchanges_.reset(size_, kMaxUpdates + 1);
  factorisations = linear_solves = 0;
}

void Basis::set_head(const std::vector<PairStatus>& statuses) {
  for (int i = 0; i < size_; ++i) {
    head_[i] = statuses[i] == PairStatus::kBasic ? x_id(i) : w_id(i);
  }
}

bool Basis::factor() {
  kernel_rows_.clear();
  kernel_columns_.clear();
  std::fill(new_head_.begin(), new_head_.end(), -1);
  for (const int id : head_) {
    if (is_slack(id)) {
      new_head_[pair_of(id)] = id;
    } else {
      kernel_columns_.push_back(id);
    }
  }
  for (int row = 0; row < size_; ++row) {
    kernel_index_[row] = -1;
    if (new_head_[row] >= 0) continue;
    const int place = static_cast<int>(kernel_rows_.size());
    kernel_index_[row] = place;
    new_head_[row] = kernel_columns_[place];
    kernel_rows_.push_back(row);
  }
  head_.swap(new_head_);
  exchanges_.clear();
  update_cost_ = 0.0;
  ++factorisations;
  return sparse_kernel_ ? factor_sparse_kernel() : factor_dense_kernel();
}

bool Basis::factor_dense_kernel() {
  const int k = kernel_size();
  double* const a = dense_lu_.matrix(k);
  for (int c = 0; c < k; ++c) {
    double* const out = a + static_cast<std::size_t>(c) * k;
    const int id = kernel_columns_[c];
    if (id == t_id()) {
      for (int r = 0; r < k; ++r) out[r] = covering_[kernel_rows_[r]];
      continue;
    }
    std::fill(out, out + k, 0.0);
    problem_->M.for_column(id, [&](int row, double value) {
      if (kernel_index_[row] >= 0) out[kernel_index_[row]] = value;
    });
  }
  factor_cost_ = 0.7 * k * k * static_cast<double>(k) + 4.0 * k * k;
  return dense_lu_.factor();
}

bool Basis::factor_sparse_kernel() {
  const int k = kernel_size();
  sparse_lu_.begin(k);
  long stored = 0;
  for (int c = 0; c < k; ++c) {
    const int id = kernel_columns_[c];
    const auto append = [&](int row, double value) {
      if (kernel_index_[row] < 0 || value == 0.0) return;
      sparse_lu_.append(kernel_index_[row], value);
      ++stored;
    };
    if (id == t_id()) {
      for (const int row : kernel_rows_) append(row, covering_[row]);
    } else {
      problem_->M.for_column(id, append);
    }
    sparse_lu_.end_column();
  }
  factor_cost_ =
      200.0 * stored + 1000.0 * k;  // of ordering and elimination, measured on contact problems
  return sparse_lu_.factor();
}

void Basis::solve(Vector& a) const {
  ++linear_solves;
  const int k = kernel_size();
  for (int c = 0; c < k; ++c) kernel_work_[c] = a[kernel_rows_[c]];
  if (sparse_kernel_) {
    sparse_lu_.solve(kernel_work_.data());
  } else {
    dense_lu_.solve(kernel_work_.data());
  }
  // Rows with a basic slack: w_i = (M x + d t)_i - a_i.
  a = -a;
  for (int c = 0; c < k; ++c) {
    if (kernel_work_[c] != 0.0) add_column(kernel_columns_[c], kernel_work_[c], a);
  }
  for (int c = 0; c < k; ++c) a[kernel_rows_[c]] = kernel_work_[c];
  exchanges_.solve(a);
}

void Basis::solve_transposed(Vector& y) const {
  ++linear_solves;
  exchanges_.solve_transposed(y);
  // Slack columns give y_i = -c_i; the transpose of the kernel gives the rest.
  const int k = kernel_size();
  for (int c = 0; c < k; ++c) {
    kernel_work_[c] = y[kernel_rows_[c]];
    y[kernel_rows_[c]] = 0.0;
  }
  y = -y;
  for (int c = 0; c < k; ++c) kernel_work_[c] -= dot_column(kernel_columns_[c], y);
  if (sparse_kernel_) {
    sparse_lu_.solve_transposed(kernel_work_.data());
  } else {
    dense_lu_.solve_transposed(kernel_work_.data());
  }
  for (int c = 0; c < k; ++c) y[kernel_rows_[c]] = kernel_work_[c];
}

void Basis::column(int id, Vector& out) const {
  if (id == t_id()) {
    out = covering_;
    return;
  }
  out.setZero();
  add_column(id, 1.0, out);
}

void Basis::add_column(int id, double alpha, Vector& out) const {
  if (id == t_id()) {
    out += alpha * covering_;
  } else if (is_slack(id)) {
    out[pair_of(id)] -= alpha;
  } else {
    problem_->M.add_column(id, alpha, out.data());
  }
}

double Basis::dot_column(int id, const Vector& y) const {
  if (id == t_id()) return y.dot(covering_);
  if (is_slack(id)) return -y[pair_of(id)];
  return problem_->M.dot_column(id, y.data());
}

void Basis::subtract_product(const Vector& x, Vector& r) const {
  for (int p = 0; p < size_; ++p) {
    if (x[p] != 0.0) add_column(head_[p], -x[p], r);
  }
}

void Basis::replace(int position, int entering, const Vector& direction) {
  exchanges_.append(position, direction);
  head_[position] = entering;
  // All updates together make each later pivot more expensive: a solve, a check and a row.
  update_cost_ += 3.0 * 2.0 * static_cast<double>(exchanges_.stored());
}

bool Basis::worth_factoring() const {
  return updates() >= kMaxUpdates || (updates() >= 8 && update_cost_ > factor_cost_);
}

}  // namespace perp
