// LDL' factorisation of a sparse quasi-definite matrix in dense blocks.
#pragma once

#include <perp/solvers/linear_algebra/assembly_tree.hpp>
#include <vector>

namespace perp {

/// K = L D L' of a symmetric matrix whose pivots have known signs, as SparseLdl, for matrices whose
/// factor is large or has blocks: multifrontal [DuffReid1983], with supernodes that are relaxed, so
/// that most of the work is done by products of dense matrices. Unknowns that belong together (a
/// body's velocities) may be stated as a group: then the order (AMD [AmestoyDavisDuff1996]) is that
/// of the groups, which is found sooner and keeps their blocks. factor() and solve() allocate
/// nothing of their own.
class SupernodalLdl {
 public:
  /// The pattern of the upper triangle by columns: rows[starts[j] .. starts[j + 1]) of column j,
  /// the diagonal included, no entry twice. @param signs of the pivots, +1 or -1
  /// @param groups for each unknown the group that it belongs to, 0 to the number of groups - 1;
  /// empty: each is one of its own
  void analyse(int size, const std::vector<int>& starts, const std::vector<int>& rows,
               const std::vector<signed char>& signs, const std::vector<int>& groups = {});

  /// Values in the order of the pattern. A pivot that is not at least `least` in size and of its
  /// sign is replaced by `substitute` with that sign.
  /// @return false where an entry is not finite
  bool factor(const std::vector<double>& values, double least, double substitute);

  /// x := K^-1 x.
  void solve(double* x) const;

  /// Pivots that factor() replaced.
  int substituted() const { return substituted_; }
  /// Entries of L (zeros of its blocks included) and multiplications of a factorisation, after
  /// analyse().
  long factor_entries() const { return tree_.panel_size; }
  double operations() const { return tree_.operations; }

 private:
  /// Entries of the pattern by the front that assembles them.
  struct Entries {
    std::vector<int> starts, of_pattern;
    std::vector<long> places;  // where in the panels
  };

  void place_entries(const std::vector<int>& starts, const std::vector<int>& rows);
  long gather_children(int f, double* update);
  void assemble_child(const Front& child, const double* block, const Front& front, double* update);
  bool factor_panel(const Front& front, double least, double substitute);
  void leave_update(const Front& front, double* update);

  AssemblyTree tree_;
  Entries entries_;
  std::vector<signed char> signs_;
  std::vector<double> panels_, pivots_;  // L of the fronts, and D
  std::vector<double> stack_, scaled_;   // updates that wait; L D of a front
  std::vector<int> local_;               // unknown -> row of the front at hand
  int substituted_ = 0;
  mutable std::vector<double> work_, gathered_;
};

}  // namespace perp
