// LDL' factorisation of a sparse quasi-definite matrix in dense blocks.
#pragma once

#include <Eigen/Core>
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
  long factor_entries() const { return panel_size_; }
  double operations() const { return operations_; }

 private:
  struct Front {
    int first = 0, pivots = 0;  // of its own unknowns, in the new order
    int size = 0;               // rows: pivots and those below
    long rows = 0;              // where the rows begin in rows_
    long panel = 0;             // where its columns of L begin in panels_
    int parent = -1;
    /// Entries of what it leaves to its parent, the upper triangle included.
    long update_size() const { return static_cast<long>(size - pivots) * (size - pivots); }
  };
  struct Supernode {
    int first, last;        // groups
    int pivots;             // unknowns
    long zeros;             // stored for the merging
    std::vector<int> rows;  // groups below
  };
  using Lists = std::vector<std::vector<int>>;

  void order_groups(const std::vector<int>& starts, const std::vector<int>& rows);
  Lists neighbours_before(const std::vector<int>& starts, const std::vector<int>& rows) const;
  std::vector<int> build_tree(const std::vector<int>& starts, const std::vector<int>& rows);
  std::vector<Supernode> find_supernodes(const std::vector<int>& parent, const Lists& before) const;
  void size_work_space();
  void build_fronts(const std::vector<int>& starts, const std::vector<int>& rows);
  void place_entries(const std::vector<int>& starts, const std::vector<int>& rows);
  void assemble_child(const Front& child, const double* block, const Front& front, double* update);
  bool factor_panel(const Front& front, double least, double substitute);

  int size_ = 0, substituted_ = 0;
  long panel_size_ = 0, stack_size_ = 0;
  double operations_ = 0.0;
  std::vector<int> group_of_, group_sizes_, group_order_;  // old unknown -> group; new -> old group
  std::vector<int> group_first_;                           // unknown of each group in the new order
  std::vector<int> order_, position_;                      // unknowns: new -> old, old -> new
  std::vector<signed char> signs_;
  std::vector<Front> fronts_;  // children before parents
  std::vector<int> rows_;      // of the fronts: own unknowns first
  std::vector<int> first_child_, next_child_;
  std::vector<int> entry_starts_, entries_;  // per front: entries of the pattern that it assembles
  std::vector<long> entry_places_;           // where in panels_
  std::vector<int> local_;                   // unknown -> row of the front at hand
  std::vector<double> panels_, stack_, pivots_, scaled_;
  mutable std::vector<double> work_, gathered_;
};

}  // namespace perp
