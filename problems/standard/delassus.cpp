#include <perp/problems/standard/delassus.hpp>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <perp/problems/limits/deadline.hpp>
#include <perp/problems/standard/disjoint_sets.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace perp {

namespace {

// A sparse vector: its indices in ascending order, their values in a vector of full length, which
// is 0 elsewhere.
struct SparseColumn {
  std::vector<int> indices;
  Vector values;

  void append_to(SparseMatrix& matrix, int column) const {
    matrix.startVec(column);
    for (const int i : indices) matrix.insertBack(i, column) = values[i];
  }

  void clear() {
    for (const int i : indices) values[i] = 0.0;
    indices.clear();
  }
};

// Solves with M for few right-hand entries at a time.
class CoupledUnknowns {
 public:
  explicit CoupledUnknowns(const Matrix& m) : size_(m.rows()) {
    ldl_.compute(m.to_sparse());
    if (ldl_.info() != Eigen::Success) throw std::invalid_argument("M: cannot be factorised");
    find_groups();
    work_.setZero(size_);
  }

  // x := M^-1 row', for a row that was not given before.
  void solve(const SparseMatrix& rows_as_columns, int row, SparseColumn& x) {
    members_.clear();
    for (SparseMatrix::InnerIterator it(rows_as_columns, row); it; ++it) {
      const int place = ldl_.permutationP().indices()[it.row()];
      work_[place] = it.value();
      add_group(group_of_[static_cast<std::size_t>(place)], row);
    }
    std::sort(members_.begin(), members_.end());
    substitute();
    for (const int place : members_) {
      const int i = ldl_.permutationPinv().indices()[place];
      if (work_[place] != 0.0) x.indices.push_back(i);
      x.values[i] = work_[place];
      work_[place] = 0.0;
    }
    std::sort(x.indices.begin(), x.indices.end());
  }

 private:
  using Factor = std::remove_cvref_t<
      decltype(std::declval<Eigen::SimplicialLDLT<SparseMatrix>>().matrixL().nestedExpression())>;

  // Unknowns, in the order of the factorisation, that M couples, directly or not.
  void find_groups() {
    factor_ = ldl_.matrixL().nestedExpression();
    DisjointSets sets(size_);
    for (int j = 0; j < size_; ++j) {
      for (Factor::InnerIterator it(factor_, j); it; ++it) sets.join(j, static_cast<int>(it.row()));
    }
    group_of_.assign(static_cast<std::size_t>(size_), -1);
    std::vector<int> number(static_cast<std::size_t>(size_), -1);
    for (int j = 0; j < size_; ++j) {
      int& group = number[static_cast<std::size_t>(sets.root(j))];
      if (group < 0) {
        group = static_cast<int>(groups_.size());
        groups_.emplace_back();
      }
      group_of_[static_cast<std::size_t>(j)] = group;
      groups_[static_cast<std::size_t>(group)].push_back(j);
    }
    last_row_.assign(groups_.size(), -1);
  }

  void add_group(int group, int row) {
    if (std::exchange(last_row_[static_cast<std::size_t>(group)], row) == row) return;
    const std::vector<int>& added = groups_[static_cast<std::size_t>(group)];
    members_.insert(members_.end(), added.begin(), added.end());
  }

  void substitute() {
    for (const int j : members_) {
      if (work_[j] == 0.0) continue;
      for (Factor::InnerIterator it(factor_, j); it; ++it)
        if (it.row() > j) work_[it.row()] -= it.value() * work_[j];
    }
    for (const int j : members_) work_[j] /= ldl_.vectorD()[j];
    for (auto j = members_.rbegin(); j != members_.rend(); ++j) {
      for (Factor::InnerIterator it(factor_, *j); it; ++it)
        if (it.row() > *j) work_[*j] -= it.value() * work_[it.row()];
    }
  }

  int size_;
  Eigen::SimplicialLDLT<SparseMatrix> ldl_;
  Factor factor_;
  std::vector<int> group_of_;
  std::vector<std::vector<int>> groups_;
  std::vector<int> members_;   // of the groups of a right-hand side
  std::vector<int> last_row_;  // that touches each group
  Vector work_;
};

}  // namespace

SparseMatrix delassus(const Matrix& j, const Matrix& m, bool (*is_late)()) {
  CoupledUnknowns mass(m);
  const SparseMatrix columns = j.to_sparse(), rows = columns.transpose();
  SparseMatrix w(j.rows(), j.rows());
  SparseColumn response{{}, Vector::Zero(j.cols())}, velocities{{}, Vector::Zero(j.rows())};
  std::vector<int> seen(static_cast<std::size_t>(j.rows()), -1);
  for (int row = 0; row < j.rows(); ++row) {
    if (is_late && is_late())
      throw DeadlinePassed("the time limit passed while W = J M^-1 J' was formed");
    mass.solve(rows, row, response);
    for (const int k : response.indices) {
      for (SparseMatrix::InnerIterator it(columns, k); it; ++it) {
        const auto i = static_cast<int>(it.row());
        if (seen[static_cast<std::size_t>(i)] != row) velocities.indices.push_back(i);
        seen[static_cast<std::size_t>(i)] = row;
        velocities.values[i] += it.value() * response.values[k];
      }
    }
    response.clear();
    std::sort(velocities.indices.begin(), velocities.indices.end());
    velocities.append_to(w, row);
    velocities.clear();
  }
  w.finalize();
  return w;
}

}  // namespace perp
