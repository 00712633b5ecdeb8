// LDL' factorisation of a sparse quasi-definite matrix in a workspace that is kept.
#pragma once

#include <vector>

namespace perp {

/// K = L D L' of a symmetric matrix whose pivots have known signs, as those of a quasi-definite
/// matrix do in every order [Vanderbei1995]: so the order serves sparsity alone (AMD
/// [AmestoyDavisDuff1996]) and is found once for a pattern. Row by row, along the elimination tree
/// [Davis2005]. factor() and solve() allocate nothing.
class SparseLdl {
 public:
  /// The pattern of the upper triangle by columns: rows[starts[j] .. starts[j + 1]) of column j,
  /// the diagonal included, no entry twice. @param signs of the pivots, +1 or -1
  void analyse(int size, const std::vector<int>& starts, const std::vector<int>& rows,
               const std::vector<signed char>& signs);

  /// Values in the order of the pattern. A pivot that is not at least `least` in size and of its
  /// sign is replaced by `substitute` with that sign.
  /// @return false where an entry is not finite
  bool factor(const std::vector<double>& values, double least, double substitute);

  /// x := K^-1 x.
  void solve(double* x) const;

  /// Pivots that factor() replaced.
  int substituted() const { return substituted_; }
  /// The first of them, and its row.
  double first_substituted() const { return first_substituted_; }
  int first_substituted_row() const { return first_substituted_row_; }
  /// Entries of L below the diagonal, and multiplications of a factorisation, after analyse().
  long factor_entries() const { return l_starts_.empty() ? 0 : l_starts_.back(); }
  double operations() const { return operations_; }

 private:
  void permute_pattern(const std::vector<int>& starts, const std::vector<int>& rows);
  void count_columns();

  int size_ = 0, substituted_ = 0, first_substituted_row_ = -1;
  double operations_ = 0.0, first_substituted_ = 0.0;
  std::vector<int> order_, position_;        // new -> old, old -> new
  std::vector<int> starts_, rows_, target_;  // permuted upper triangle; where each value goes
  std::vector<int> parent_;                  // elimination tree
  std::vector<long> l_starts_;
  std::vector<int> l_rows_, filled_, mark_, path_, pattern_;
  std::vector<double> values_, l_values_, pivots_, row_;
  std::vector<signed char> signs_;
  mutable std::vector<double> work_;
};

}  // namespace perp
