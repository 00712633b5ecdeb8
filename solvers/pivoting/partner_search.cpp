#include <perp/solvers/pivoting/partner_search.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kLeastEntry = 1e-11;  // smaller entries of the equilibrated problem are zero
using Kind = CanonicalProblem::PairKind;

}  // namespace

void PartnerSearch::run(const CanonicalProblem& problem, int first_left, const Deadline& deadline,
                        std::vector<PairStatus>& start) {
  const int m = problem.size();
  problem_ = &problem;
  first_left_ = first_left;
  partners_ = 0;
  basis_.attach(problem);
  head_.resize(m);
  waiting_.clear();
  for (int i = 0; i < m; ++i) {
    const bool is_free = problem.kind[i] == Kind::kFree, left = is_free && i >= first_left;
    head_[i] = is_free && !left ? basis_.x_id(i) : basis_.w_id(i);
    if (left) waiting_.push_back(i);
  }
  basis_.set_head(head_);
  if (waiting_.empty()) return;
  // If M_FF has a lower rank than was found, the path will choose independent columns itself.
  if (!basis_.factor()) {
    waiting_.clear();
    return;
  }
  bool progress = true;
  while (progress && !waiting_.empty()) {
    progress = false;
    for (std::size_t k = 0; k < waiting_.size(); ++k) {
      if (!pivot_in(waiting_[k], deadline, start)) continue;
      waiting_.erase(waiting_.begin() + static_cast<long>(k--));
      progress = true;
    }
  }
}

// @return false if there is no chain.
bool PartnerSearch::pivot_in(int i, const Deadline& deadline, std::vector<PairStatus>& start) {
  const int last = find_chain(i, deadline);
  if (last < 0) return false;
  chain_.clear();  // from the last row back to i
  for (int r = last; r != -1; r = parent_[r]) chain_.push_back(r);
  for (std::size_t k = chain_.size(); k-- > 0;) {  // row chain_[k] gets the column of the next one
    const int entering = basis_.x_id(k > 0 ? chain_[k - 1] : i);
    basis_.column(entering, row_);
    basis_.solve(row_);
    basis_.replace(chain_[k], entering, row_);
    if (k > 0) {
      start[chain_[k - 1]] = PairStatus::kBasic;
      ++partners_;
    }
  }
  return true;
}

// The last pair of the shortest chain, or -1.
int PartnerSearch::find_chain(int i, const Deadline& deadline) {
  const int m = problem_->size();
  parent_.assign(m, -1);
  strength_.assign(m, 0.0);
  visited_.assign(m, 0);
  visited_[i] = 1;
  level_.assign(1, i);
  row_.resize(m);
  int last = -1;
  while (!level_.empty() && last < 0) {
    next_.clear();
    double best = kLeastEntry;
    for (const int r : level_) {
      if (deadline.passed()) throw DeadlinePassed("the time limit passed in a search for partners");
      row_.setZero();
      row_[r] = 1.0;  // slacks that have never left are at the positions of their rows
      basis_.solve_transposed(row_);
      const double closing = std::abs(basis_.dot_column(basis_.x_id(i), row_));
      if (closing > best) {
        best = closing;
        last = r;
      }
      for (int j = 0; j < first_left_; ++j) {
        if (visited_[j] || problem_->kind[j] == Kind::kFree || basis_.head(j) != basis_.w_id(j)) {
          continue;
        }
        const double entry = std::abs(basis_.dot_column(basis_.x_id(j), row_));
        if (entry <= std::max(kLeastEntry, strength_[j])) continue;
        if (parent_[j] < 0) next_.push_back(j);
        parent_[j] = r;
        strength_[j] = entry;
      }
    }
    for (const int j : next_) visited_[j] = 1;
    level_.swap(next_);
  }
  return last;
}

}  // namespace perp
