#include <perp/solvers/pivoting/lexicographic_order.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

bool less(const Vector& a, const Vector& b, double equal) {
  equal *= std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff());
  for (int j = 0; j < a.size(); ++j) {
    if (std::abs(a[j] - b[j]) > equal) return a[j] < b[j];
  }
  return false;
}

}  // namespace

void LexicographicOrder::attach(int size) {
  head_.assign(size, 0);
  for (Vector* v : {&sign_, &best_row_, &other_row_, &work_}) v->setZero(size);
  rows_solved = 0;
}

void LexicographicOrder::begin(const Basis& start) {
  for (int p = 0; p < start.size(); ++p) head_[p] = start.head(p);
}

int LexicographicOrder::least(const Basis& basis, const std::vector<int>& tied, bool flip_ties,
                              const Vector& direction, double equal, const Deadline& deadline) {
  int best = -1;
  std::size_t next = 0;
  if (flip_ties) {
    best_row_.setZero();
  } else {
    best = tied[next++];
    solve_row(basis, best, direction, best_row_);
  }
  for (; next < tied.size() && !deadline.passed(); ++next) {
    solve_row(basis, tied[next], direction, other_row_);
    if (less(other_row_, best_row_, equal)) {
      best = tied[next];
      best_row_.swap(other_row_);
    }
  }
  return best;
}

// The row of B^-1 B0 S at a position over the entry of the direction.
void LexicographicOrder::solve_row(const Basis& basis, int position, const Vector& direction,
                                   Vector& row) {
  ++rows_solved;
  work_.setZero();
  work_[position] = 1.0;
  basis.solve_transposed(work_);
  for (int j = 0; j < basis.size(); ++j) row[j] = sign_[j] * basis.dot_column(head_[j], work_);
  row /= direction[position];
}

}  // namespace perp
