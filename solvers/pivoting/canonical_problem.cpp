#include <perp/solvers/pivoting/canonical_problem.hpp>

#include <perp/solvers/linear_algebra/sparse_lu.hpp>
#include <perp/solvers/pivoting/basis.hpp>

#include <Eigen/LU>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseQR>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRankTolerance = 1e-11;  // relative to the largest pivot of the equilibrated block
constexpr double kClearlyRegular = 1e-7;  // pivot ratio from which rank needs no closer look
constexpr int kDenseFreeBlock = 400;      // above, rank is revealed by sparse QR
constexpr double kDenseAbove = 0.4;       // share of stored entries from which M is kept dense

double power_of_two(double x) { return x > 0 ? std::exp2(std::round(std::log2(x))) : 1.0; }

// Which rows and columns of a square block form a nonsingular part of full rank, paired in order.
struct FreePairing {
  std::vector<int> rows, cols;            // positions in the block, paired
  std::vector<int> left_rows, left_cols;  // what is over, paired
};

FreePairing pair_by_dense_lu(const DenseMatrix& block) {
  const int n = static_cast<int>(block.rows());
  Eigen::FullPivLU<DenseMatrix> lu(block);
  lu.setThreshold(kRankTolerance);
  const int rank = static_cast<int>(lu.rank());
  FreePairing pairing;
  const Eigen::PermutationMatrix<Eigen::Dynamic> row_of = lu.permutationP().inverse();
  for (int k = 0; k < n; ++k) {  // P A Q = L U: row k of PA is row p^-1(k) of A
    const int row = row_of.indices()[k];
    const int col = lu.permutationQ().indices()[k];
    (k < rank ? pairing.rows : pairing.left_rows).push_back(row);
    (k < rank ? pairing.cols : pairing.left_cols).push_back(col);
  }
  return pairing;
}

using SparseRankQr = Eigen::SparseQR<SparseMatrix, Eigen::COLAMDOrdering<int>>;

// Columns first, then rows of those columns: two rank-revealing QR factorisations.
FreePairing pair_by_sparse_qr(const SparseMatrix& block) {
  const int n = static_cast<int>(block.rows());
  const auto independent = [](const SparseMatrix& a, std::vector<int>& in, std::vector<int>& out) {
    SparseRankQr qr;
    qr.setPivotThreshold(kRankTolerance);
    qr.compute(a);
    for (int k = 0; k < a.cols(); ++k) {
      (k < qr.rank() ? in : out).push_back(qr.colsPermutation().indices()[k]);
    }
  };
  FreePairing pairing;
  independent(block, pairing.cols, pairing.left_cols);
  SparseMatrix chosen(n, static_cast<int>(pairing.cols.size()));
  std::vector<Triplet> entries;
  for (std::size_t k = 0; k < pairing.cols.size(); ++k) {
    for (SparseMatrix::InnerIterator it(block, pairing.cols[k]); it; ++it) {
      entries.emplace_back(it.row(), static_cast<int>(k), it.value());
    }
  }
  chosen.setFromTriplets(entries.begin(), entries.end());
  SparseMatrix transposed = chosen.transpose();
  transposed.makeCompressed();
  independent(transposed, pairing.rows, pairing.left_rows);
  return pairing;
}

// M_FF with rows and columns divided by their largest entries.
SparseMatrix equilibrated_block(const Matrix& M, const std::vector<int>& free,
                                const std::vector<int>& position) {
  const int f = static_cast<int>(free.size());
  Vector row_max = Vector::Zero(f), col_max = Vector::Zero(f);
  std::vector<Triplet> entries;
  for (int k = 0; k < f; ++k) {
    M.for_column(free[k], [&](int row, double value) {
      if (position[row] < 0) return;
      entries.emplace_back(position[row], k, value);
      row_max[position[row]] = std::max(row_max[position[row]], std::abs(value));
    });
  }
  for (const Triplet& e : entries) {
    col_max[e.col()] = std::max(col_max[e.col()], std::abs(e.value()) / row_max[e.row()]);
  }
  for (Triplet& e : entries)
    e = Triplet(e.row(), e.col(), e.value() / row_max[e.row()] / col_max[e.col()]);
  SparseMatrix block(f, f);
  block.setFromTriplets(entries.begin(), entries.end());
  return block;
}

// True where elimination shows beyond doubt that the block has full rank.
bool clearly_regular(const SparseMatrix& block) {
  SparseLu lu;
  lu.begin(static_cast<int>(block.cols()));
  for (int j = 0; j < block.cols(); ++j) {
    for (SparseMatrix::InnerIterator it(block, j); it; ++it) {
      if (it.value() != 0.0) lu.append(static_cast<int>(it.row()), it.value());
    }
    lu.end_column();
  }
  return lu.factor() && lu.pivot_ratio() > kClearlyRegular;
}

FreePairing pair_block(const SparseMatrix& block) {
  if (block.rows() == 0) return {};
  if (clearly_regular(block)) {
    FreePairing pairing;
    for (int k = 0; k < block.rows(); ++k) pairing.rows.push_back(k);
    pairing.cols = pairing.rows;
    return pairing;
  }
  return block.rows() <= kDenseFreeBlock ? pair_by_dense_lu(DenseMatrix(block))
                                         : pair_by_sparse_qr(block);
}

}  // namespace

void CanonicalProblem::build(const Mlcp& problem, bool equilibrate) {
  stays_dense_ = false;
  pair_free_variables(problem);
  split_.assign(left_rows_.size(), 0);
  do {
    classify(problem);
    set_pairs(problem);
    if (equilibrate) scale(problem);
    assemble(problem);
  } while (!find_default_start());
}

void CanonicalProblem::build_pairs(const Mlcp& problem) {
  stays_dense_ = !problem.M.is_sparse();
  free_rows_.clear();
  for (int i = 0; i < problem.size(); ++i) {
    const bool is_free = problem.lower[i] == -kInfinity && problem.upper[i] == kInfinity;
    if (is_free) free_rows_.push_back(i);
  }
  free_columns_ = free_rows_;
  left_rows_.clear();
  left_columns_.clear();
  split_.clear();
  classify(problem);
  set_pairs(problem);
  default_start.assign(size(), PairStatus::kAtLower);
  for (int i = 0; i < size(); ++i) {
    if (kind[i] == PairKind::kFree) default_start[i] = PairStatus::kBasic;
  }
  partners = 0;
}

void CanonicalProblem::set_values(const Mlcp& problem, bool equilibrate) {
  set_offset(problem);
  set_signs(problem);
  if (equilibrate) scale(problem);
  assemble(problem);
}

// Pairs that are not free, and the point that x = 0 stands for.
void CanonicalProblem::classify(const Mlcp& problem) {
  const int n = problem.size();
  kind.clear();
  variable.clear();
  set_offset(problem);
  for (int i = 0; i < n; ++i) {
    const bool has_lower = problem.lower[i] > -kInfinity, has_upper = problem.upper[i] < kInfinity;
    if (problem.lower[i] == problem.upper[i]) continue;  // fixed: its row is no condition
    if (!has_lower && !has_upper) continue;
    variable.push_back(i);
    kind.push_back(has_lower && has_upper ? PairKind::kBoxed : PairKind::kLower);
  }
  equation = variable;
}

void CanonicalProblem::set_offset(const Mlcp& problem) {
  offset_.resize(problem.size());
  for (int i = 0; i < problem.size(); ++i) {
    const bool has_lower = problem.lower[i] > -kInfinity, has_upper = problem.upper[i] < kInfinity;
    offset_[i] = has_lower ? problem.lower[i] : has_upper ? problem.upper[i] : 0.0;
  }
}

void CanonicalProblem::pair_free_variables(const Mlcp& problem) {
  std::vector<int> free, position(problem.size(), -1);
  for (int i = 0; i < problem.size(); ++i) {
    if (problem.lower[i] > -kInfinity || problem.upper[i] < kInfinity) continue;
    position[i] = static_cast<int>(free.size());
    free.push_back(i);
  }
  const FreePairing pairing = pair_block(equilibrated_block(problem.M, free, position));
  const auto original = [&](const std::vector<int>& block) {
    std::vector<int> result;
    for (const int k : block) result.push_back(free[k]);
    return result;
  };
  free_rows_ = original(pairing.rows);
  free_columns_ = original(pairing.cols);
  left_rows_ = original(pairing.left_rows);
  left_columns_ = original(pairing.left_cols);
}

// Free pairs after the bounded ones, those left over last, second halves of split ones at the very
// end.
void CanonicalProblem::set_pairs(const Mlcp& problem) {
  const auto add = [&](int row, int column, PairKind k) {
    equation.push_back(row);
    variable.push_back(column);
    kind.push_back(k);
  };
  for (std::size_t i = 0; i < free_rows_.size(); ++i)
    add(free_rows_[i], free_columns_[i], PairKind::kFree);
  first_left_ = size();
  for (std::size_t i = 0; i < left_rows_.size(); ++i) {
    add(left_rows_[i], left_columns_[i], split_[i] ? PairKind::kLower : PairKind::kFree);
  }
  first_split = size();
  for (std::size_t i = 0; i < left_rows_.size(); ++i) {
    if (split_[i]) add(left_rows_[i], left_columns_[i], PairKind::kLower);
  }
  split_pairs = size() - first_split;
  pairs_of_row_.assign(problem.size(), {});
  for (int i = 0; i < size(); ++i) pairs_of_row_[equation[i]].push_back(i);
  set_signs(problem);
}

void CanonicalProblem::set_signs(const Mlcp& problem) {
  row_scale.setOnes(size());
  column_scale.setOnes(size());
  for (int i = 0; i < size(); ++i) {
    const bool reflected = kind[i] == PairKind::kLower && problem.upper[variable[i]] < kInfinity;
    if (reflected || i >= first_split) row_scale[i] = column_scale[i] = -1.0;
  }
}

// Everything at its lower bound, free unknowns basic, and partners for those that M_FF leaves over.
// @return false where pairs had to be split, so that the problem must be assembled anew.
bool CanonicalProblem::find_default_start() {
  const int m = size();
  default_start.assign(m, PairStatus::kAtLower);
  for (int i = 0; i < m; ++i) {
    if (kind[i] == PairKind::kFree) default_start[i] = PairStatus::kBasic;
  }
  partners = 0;
  if (left_rows_.empty()) return true;
  Basis basis;
  basis.attach(*this);
  std::vector<int> head(m), waiting;
  for (int i = 0; i < m; ++i) {
    const bool left = i >= first_left_ && kind[i] == PairKind::kFree;
    head[i] = kind[i] == PairKind::kFree && !left ? basis.x_id(i) : basis.w_id(i);
    if (left) waiting.push_back(i);
  }
  basis.set_head(head);
  if (waiting.empty() || !basis.factor()) return true;
  bool progress = true;
  while (progress && !waiting.empty()) {
    progress = false;
    for (std::size_t k = 0; k < waiting.size(); ++k) {
      if (!pivot_in(basis, waiting[k])) continue;
      waiting.erase(waiting.begin() + static_cast<long>(k--));
      progress = true;
    }
  }
  for (const int i : waiting) split_[i - first_left_] = 1;
  return waiting.empty();
}

// Makes the free x_i basic and w_i nonbasic by a principal pivot on i and as few bounded pairs as
// can be, which become basic. They are found as a shortest chain of nonzero entries of B^-1 M,
// breadth first from row i to column i through pairs whose w is basic; along a shortest chain no
// exchange spoils a later one.
// @return false where there is no chain.
bool CanonicalProblem::pivot_in(Basis& basis, int i) {
  const int m = size();
  std::vector<int> parent(m, -1), level{i};
  std::vector<double> strength(m, 0.0);
  std::vector<char> visited(m, 0);
  visited[i] = 1;
  Vector row(m);
  int last = -1;
  while (!level.empty() && last < 0) {
    std::vector<int> next;
    double best = kRankTolerance;
    for (const int r : level) {
      row.setZero();
      row[r] = 1.0;  // slacks that never left stand at their own rows
      basis.solve_transposed(row);
      const double closing = std::abs(basis.dot_column(basis.x_id(i), row));
      if (closing > best) {
        best = closing;
        last = r;
      }
      for (int j = 0; j < first_left_; ++j) {
        if (visited[j] || kind[j] == PairKind::kFree || basis.head(j) != basis.w_id(j)) continue;
        const double entry = std::abs(basis.dot_column(basis.x_id(j), row));
        if (entry <= std::max(kRankTolerance, strength[j])) continue;
        if (parent[j] < 0) next.push_back(j);
        parent[j] = r;
        strength[j] = entry;
      }
    }
    for (const int j : next) visited[j] = 1;
    level.swap(next);
  }
  if (last < 0) return false;
  std::vector<int> chain;  // from the last row back to i
  for (int r = last; r != -1; r = parent[r]) chain.push_back(r);
  for (std::size_t k = chain.size();
       k-- > 0;) {  // row chain[k] takes in the column of the next one
    const int entering = basis.x_id(k > 0 ? chain[k - 1] : i);
    basis.column(entering, row);
    basis.solve(row);
    basis.replace(chain[k], entering, row);
    if (k > 0) {
      default_start[chain[k - 1]] = PairStatus::kBasic;
      ++partners;
    }
  }
  return true;
}

// Two sweeps of dividing rows and columns by the square roots of their largest entries.
void CanonicalProblem::scale(const Mlcp& problem) {
  const int n = problem.size();
  Vector &r = row_factor_, &c = column_factor_;
  r.setOnes(n);
  c.setOnes(n);
  for (int sweep = 0; sweep < 2; ++sweep) {
    row_max_.setZero(n);
    column_max_.setZero(n);
    for (int j = 0; j < n; ++j) {
      if (problem.lower[j] == problem.upper[j]) continue;
      problem.M.for_column(j, [&](int i, double value) {
        if (problem.lower[i] == problem.upper[i]) return;
        const double size = std::abs(value) * r[i] * c[j];
        row_max_[i] = std::max(row_max_[i], size);
        column_max_[j] = std::max(column_max_[j], size);
      });
    }
    for (int i = 0; i < n; ++i) {
      if (row_max_[i] > 0) r[i] /= std::sqrt(row_max_[i]);
      if (column_max_[i] > 0) c[i] /= std::sqrt(column_max_[i]);
    }
  }
  for (int i = 0; i < size(); ++i) {
    row_scale[i] *= power_of_two(r[equation[i]]);
    column_scale[i] *= power_of_two(c[variable[i]]);
  }
}

void CanonicalProblem::assemble(const Mlcp& problem) {
  assemble_matrix(problem);
  sums_.assign(problem.size(), 0.0L);
  for (int j = 0; j < problem.size(); ++j) {
    if (offset_[j] == 0.0) continue;
    const long double x = offset_[j];
    problem.M.for_column(j, [&](int i, double value) { sums_[i] += value * x; });
  }
  q.resize(size());
  range.resize(size());
  for (int i = 0; i < size(); ++i) {
    q[i] = row_scale[i] * (static_cast<double>(sums_[equation[i]]) + problem.q[equation[i]]);
    const int v = variable[i];
    range[i] = kind[i] == PairKind::kBoxed
                   ? (problem.upper[v] - problem.lower[v]) / std::abs(column_scale[i])
                   : kInfinity;
  }
}

void CanonicalProblem::assemble_matrix(const Mlcp& problem) {
  const int m = size();
  const bool stays_dense = stays_dense_;
  stays_dense ? M.begin_dense(m) : M.begin(m);
  for (int j = 0; j < m; ++j) {
    problem.M.for_column(variable[j], [&](int row, double value) {
      for (const int i : pairs_of_row_[row]) {
        const double scaled = value * row_scale[i] * column_scale[j];
        stays_dense ? M.set(i, j, scaled) : M.append(i, scaled);
      }
    });
    if (!stays_dense) M.end_column();
  }
  if (!stays_dense) M.finish(kDenseAbove);
}

void CanonicalProblem::to_original(const Vector& x, Vector& z) const {
  z = offset_;
  for (int i = 0; i < size(); ++i) z[variable[i]] += column_scale[i] * x[i];
}

void CanonicalProblem::from_point(const Vector& z, const Vector& f, Vector& x, Vector& w) const {
  for (int i = 0; i < size(); ++i) {
    x[i] = (z[variable[i]] - offset_[variable[i]]) / column_scale[i];
    w[i] = row_scale[i] * f[equation[i]];
  }
}

void CanonicalProblem::direction_to_original(const Vector& x, Vector& z) const {
  z.setZero(offset_.size());
  for (int i = 0; i < size(); ++i) z[variable[i]] += column_scale[i] * x[i];
}

void CanonicalProblem::statuses_to_original(const std::vector<PairStatus>& pairs,
                                            std::vector<PairStatus>& original) const {
  std::fill(original.begin(), original.end(), PairStatus::kAtLower);
  for (int i = 0; i < size(); ++i) {
    const bool reflected = kind[i] == PairKind::kLower && column_scale[i] < 0 && i < first_split;
    PairStatus& status = original[variable[i]];
    if (pairs[i] == PairStatus::kBasic) {
      status = PairStatus::kBasic;
    } else if (status != PairStatus::kBasic) {
      status = reflected ? PairStatus::kAtUpper : pairs[i];
    }
  }
}

void CanonicalProblem::from_original(const std::vector<PairStatus>& original,
                                     std::vector<PairStatus>& pairs) const {
  pairs.assign(size(), PairStatus::kAtLower);
  for (int i = 0; i < size(); ++i) {
    const PairStatus status = original[variable[i]];
    if (kind[i] == PairKind::kFree) {
      pairs[i] = PairStatus::kBasic;
    } else if (kind[i] == PairKind::kBoxed) {
      pairs[i] = status;
    } else if (status == PairStatus::kBasic && i < first_split) {
      pairs[i] = PairStatus::kBasic;
    }
  }
}

}  // namespace perp
