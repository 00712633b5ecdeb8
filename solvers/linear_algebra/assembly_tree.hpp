// The fronts of a multifrontal factorisation.
#pragma once

#include <vector>

namespace perp {

/// A supernode: unknowns that are neighbours in the order and are eliminated together, in one dense
/// matrix. Its rows are these unknowns and the later ones that they are coupled with.
struct Front {
  int first = 0, pivots = 0;  ///< first one and number of its own unknowns, in the new order
  int size = 0;               ///< number of rows: pivots and those below
  long rows = 0;              ///< where the rows begin in AssemblyTree::rows
  long panel = 0;             ///< where its columns of L begin
  int parent = -1;
  long update = 0;  ///< first entry of its update among all that wait (AssemblyTree::updates_size)
  /// Number of entries of the update that it leaves to its parent, the upper triangle included.
  long update_size() const { return static_cast<long>(size - pivots) * (size - pivots); }
};

/// The fronts begin .. end - 1, of which the last one is an ancestor of all others.
struct Subtree {
  int begin, end;
};

/// The order of elimination and the fronts of a multifrontal factorisation [DuffReid1983]. The
/// order is AMD [AmestoyDavisDuff1996] of groups of unknowns. Fronts are relaxed: a front is merged
/// with its child if the merged one stores few zeros. Children stand before their parents, and
/// every unknown is a pivot of exactly one front.
struct AssemblyTree {
  std::vector<int> order, position;  ///< unknowns: new -> old, old -> new
  std::vector<Front> fronts;
  std::vector<int> rows;  ///< of all fronts, in the new order: own unknowns first
  /// Fronts, or -1. The child that leaves the largest update is the first.
  std::vector<int> first_child, next_child;
  long panel_size = 0;      ///< entries of L, stored zeros included
  long updates_size = 0;    ///< entries that hold all updates that wait for their parents
  double operations = 0.0;  ///< multiplications of a factorisation
  int most_rows = 0, most_pivots = 0;  ///< largest numbers of a front
  /// For several threads: subtrees that need nothing of one another, those with most operations
  /// first, and in order the fronts above them. Updates of two subtrees share no memory. For one
  /// thread there are no subtrees, and all fronts are in `above`.
  std::vector<Subtree> subtrees;
  std::vector<int> above;
};

/// The rows that each front leaves to its parent, as runs of rows that are neighbours in the parent
/// too: `count` rows, from row `from` of those it leaves and from row `to` of the parent. A run
/// never contains both pivots of the parent and rows below them.
struct AssemblyRuns {
  /// Consecutive rows that go from one place to another.
  struct Run {
    int from, to, count;
  };
  std::vector<int> starts;  ///< runs of front f: list[starts[f] .. starts[f + 1])
  std::vector<Run> list;
};
/// The runs of all fronts of a tree.
AssemblyRuns assembly_runs(const AssemblyTree& tree);

/// @param starts, rows the upper triangle by columns, as in SupernodalLdl::analyse()
/// @param group_of for each unknown its group, 0 to the number of groups - 1
/// @param order of the groups, new -> old; empty: by find_minimum_degree_order()
/// @param threads for how many the fronts are shared out; if there are few operations, for one
AssemblyTree assembly_tree(const std::vector<int>& starts, const std::vector<int>& rows,
                           const std::vector<int>& group_of, const std::vector<int>& order = {},
                           int threads = 1);

}  // namespace perp
