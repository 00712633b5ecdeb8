#include <perp/solvers/active_set/free_block.hpp>

#include <algorithm>

namespace perp {

namespace {

constexpr int kLargestBorder = 64;
constexpr long kBorderEntries = 4'000'000;

}  // namespace

void FreeBlock::attach(const RowProblem& problem, bool symmetric) {
  problem_ = &problem;
  symmetric_ = symmetric;
  base_.attach(problem, symmetric);
  const int n = problem.size();
  in_border_.assign(n, 0);
  border_.clear();
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

// A changed index costs two triangular solves. A factorisation costs k^3/3 operations, which are
// several times faster.
int FreeBlock::border_limit() const {
  return std::min(static_cast<int>(solved_.cols()), 4 + base_.size() / 16);
}

bool FreeBlock::factor(const std::vector<char>& free) {
  for (int i : border_) in_border_[i] = 0;
  border_.clear();
  const bool good = base_.factor(free, rho_);
  factorisations += base_.size() > 0;
  return good;
}

bool FreeBlock::update_border(const std::vector<char>& free) {
  const auto differs = [&](int i) { return (free[i] != 0) != (base_.position(i) >= 0); };
  for (int k = static_cast<int>(border_.size()) - 1; k >= 0; --k) {
    if (!differs(border_[k])) drop_border(k);
  }
  const int limit = border_limit();
  int wanted = static_cast<int>(border_.size());
  for (int i = 0; i < problem_->size() && wanted <= limit; ++i) {
    if (differs(i) && !in_border_[i]) ++wanted;
  }
  if (wanted > limit) return false;
  for (int i = 0; i < problem_->size(); ++i) {
    if (differs(i) && !in_border_[i]) append_border(i);
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

// Row k of C M_BB^-1 times a right-hand side. @param x first_solve() of that right-hand side
double FreeBlock::border_dot(int k, const double* x) const {
  const Eigen::Index size = base_.size();
  if (base_.by_halves()) return solved_.col(k).head(size).dot(Eigen::Map<const Vector>(x, size));
  const int i = border_[k];
  if (base_.position(i) >= 0) return x[base_.position(i)];
  double sum = 0.0;
  problem_->for_row(i, [&](int j, double value) {
    if (base_.position(j) >= 0) sum += value * x[base_.position(j)];
  });
  return sum;
}

void FreeBlock::append_border(int index) {
  const int k = static_cast<int>(border_.size());
  border_.push_back(index);
  in_border_[index] = 1;
  auto column = solved_.col(k);
  column.setZero();
  if (base_.position(index) >= 0) {
    column[base_.position(index)] = 1.0;
  } else if (symmetric_) {
    problem_->for_row(index, [&](int j, double value) {
      if (base_.position(j) >= 0) column[base_.position(j)] = value;
    });
  } else {
    for (int r = 0; r < base_.size(); ++r) column[r] = problem_->entry(base_.indices()[r], index);
  }
  base_.first_solve(column.data());
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
  const auto added = [&](int k) { return base_.position(border_[k]) < 0; };
  for (int c = 0; c < m; ++c) {
    for (int r = 0; r < m; ++r) {
      double d = added(r) && added(c) ? problem_->entry(border_[r], border_[c]) : 0.0;
      if (r == c && added(r)) d += rho_;
      s[static_cast<std::size_t>(c) * m + r] = d - products_(r, c);
    }
  }
  return schur_.factor();
}

void FreeBlock::solve(Vector& x) {
  const std::vector<int>& base = base_.indices();
  const int k = base_.size(), m = static_cast<int>(border_.size());
  for (int r = 0; r < k; ++r) right_[r] = in_border_[base[r]] ? 0.0 : x[base[r]];
  base_.first_solve(right_.data());
  ++linear_solves;
  if (m > 0) {
    for (int r = 0; r < m; ++r) {
      const int i = border_[r];
      small_[r] = (base_.position(i) >= 0 ? 0.0 : x[i]) - border_dot(r, right_.data());
    }
    schur_.solve(small_.data());
    right_.head(k).noalias() -= solved_.topLeftCorner(k, m) * small_.head(m);
  }
  base_.second_solve(right_.data());
  x.setZero();
  for (int r = 0; r < k; ++r) x[base[r]] = right_[r];
  for (int r = 0; r < m; ++r) {
    const bool removed = base_.position(border_[r]) >= 0;
    x[border_[r]] = removed ? 0.0 : small_[r];
  }
}

}  // namespace perp
