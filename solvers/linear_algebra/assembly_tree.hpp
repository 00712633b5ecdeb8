// The fronts of a multifrontal factorisation.
#pragma once

#include <vector>

namespace perp {

/// A supernode: unknowns that follow each other in the order and are eliminated together, in one
/// dense matrix of their rows and those below that they are coupled with.
struct Front {
  int first = 0, pivots = 0;  ///< of its own unknowns, in the new order
  int size = 0;               ///< rows: pivots and those below
  long rows = 0;              ///< where the rows begin in AssemblyTree::rows
  long panel = 0;             ///< where its columns of L begin
  int parent = -1;
  /// Entries of what it leaves to its parent, the upper triangle included.
  long update_size() const { return static_cast<long>(size - pivots) * (size - pivots); }
};

/// The order of elimination, AMD [AmestoyDavisDuff1996] of groups of unknowns, and the fronts
/// [DuffReid1983], relaxed: a front joins its child if few zeros are stored for it. Children stand
/// before their parents, and every unknown is a pivot of one front.
struct AssemblyTree {
  std::vector<int> order, position;  ///< unknowns: new -> old, old -> new
  std::vector<Front> fronts;
  std::vector<int> rows;  ///< of all fronts, in the new order: own unknowns first
  std::vector<int> first_child, next_child;  ///< fronts, or -1
  long panel_size = 0;                       ///< entries of L, zeros that are stored included
  long stack_size = 0;      ///< entries of updates that wait for their parents at the same time
  double operations = 0.0;  ///< multiplications of a factorisation
  int most_rows = 0, most_pivots = 0;  ///< of a front
};

/// Rows that each front leaves, in runs that follow each other in its parent, too: `from` on among
/// the rows that it leaves, `to` on among those of its parent. No run goes on behind the parent's
/// pivots.
struct AssemblyRuns {
  struct Run {
    int from, to, count;
  };
  std::vector<int> starts;  ///< of each front
  std::vector<Run> list;
};
AssemblyRuns assembly_runs(const AssemblyTree& tree);

/// @param starts, rows the upper triangle by columns as of SupernodalLdl
/// @param group_of for each unknown its group, 0 to the number of groups - 1
AssemblyTree assembly_tree(const std::vector<int>& starts, const std::vector<int>& rows,
                           const std::vector<int>& group_of);

}  // namespace perp
