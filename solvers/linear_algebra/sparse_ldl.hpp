// LDL' factorisation of a sparse quasi-definite matrix in a workspace that is kept.
#pragma once

#include <vector>

namespace perp {

/// K = L D L' of a symmetric matrix whose pivots have known signs. Those of a quasi-definite matrix
/// are the same in every order [Vanderbei1995]. So the order is chosen for sparsity only (AMD
/// [AmestoyDavisDuff1996]), once for a pattern. Works row by row, along the elimination tree
/// [Davis2005]. factor() and solve() allocate nothing.
class SparseLdl {
 public:
  /// Takes the pattern of the upper triangle by columns: the rows of column j are
  /// rows[starts[j] .. starts[j + 1]), the diagonal included, no entry twice.
  /// @param signs of the pivots, +1 or -1, one per unknown
  void analyse(int size, const std::vector<int>& starts, const std::vector<int>& rows,
               const std::vector<signed char>& signs);

  /// @param values in the order of the pattern
  /// @param least, substitute a pivot with the wrong sign, or of absolute value below `least`, is
  /// replaced by `substitute` with the right sign
  /// @return false if an entry is not finite
  bool factor(const std::vector<double>& values, double least, double substitute);

  /// x := K^-1 x, `size` values.
  void solve(double* x) const;

  /// The order of elimination, new -> old, after analyse().
  const std::vector<int>& order() const { return k_.order; }
  /// Number of pivots that factor() replaced.
  int substituted() const { return substituted_.count; }
  /// The value of the first of them before that, and its row.
  double first_substituted() const { return substituted_.first; }
  int first_substituted_row() const { return substituted_.row; }
  /// Entries of L below the diagonal, and multiplications of a factorisation, after analyse().
  long factor_entries() const { return l_.starts.empty() ? 0 : l_.starts.back(); }
  double operations() const { return operations_; }
  /// Entries that a factorisation by blocks would pass on from one block to another, after
  /// analyse(): half of (entries below the block) squared, for blocks of columns with equal rows.
  double passed_on() const { return passed_on_; }

 private:
  /// The upper triangle of P K P' by columns, and the signs of its pivots.
  struct Permuted {
    std::vector<int> order, position;  // new -> old, old -> new
    std::vector<int> starts, rows;
    std::vector<int> target;  // place of each value of the pattern in `values`
    std::vector<double> values;
    std::vector<signed char> signs;
  };
  /// L below its diagonal by columns, and D. The first `filled` entries of a column are known.
  struct Factor {
    std::vector<long> starts;
    std::vector<int> rows, filled;
    std::vector<double> values, pivots;
  };
  /// The current row of L: its nonzero columns, children of the tree first, and the values of L D.
  struct Row {
    std::vector<int> mark, path, columns;
    std::vector<double> values;
  };
  struct Substituted {
    int count = 0, row = -1;
    double first = 0.0;
  };

  void permute_pattern(const std::vector<int>& starts, const std::vector<int>& rows);
  void count_columns();
  int find_row(int k, double& pivot);
  void eliminate_row(int k, int top, double& pivot);

  int size_ = 0;
  Permuted k_;
  std::vector<int> parent_;  // elimination tree
  Factor l_;
  Row row_;
  Substituted substituted_;
  double operations_ = 0.0, passed_on_ = 0.0;
  mutable std::vector<double> work_;
};

}  // namespace perp
