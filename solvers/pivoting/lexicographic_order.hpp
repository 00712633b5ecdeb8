// Which of the variables that tie leaves the basis.
#pragma once

#include <perp/problems/limits/deadline.hpp>
#include <perp/solvers/pivoting/basis.hpp>

namespace perp {

/// The lexicographic rule [Eaves1971; CottlePangStone2009, Sec. 4.9]: the right-hand side is
/// thought perturbed by B0 S (e, e^2, ...), B0 the starting basis and S the signs that move its
/// values inwards, so that every basis met is nondegenerate and none repeats. Of the positions that
/// tie, that one leaves whose row of B^-1 B0 S, divided by its entry of the direction, is
/// lexicographically least. Rows are solved for only when a tie occurs.
///
/// Invariant: B0 is nonsingular, and every sign is 1 or -1.
class LexicographicOrder {
 public:
  void attach(int size);
  /// B0 := the basis. The signs are set next, all of them.
  void begin(const Basis& start);
  void set_sign(int position, double sign) { sign_[position] = sign; }

  /// @param tied positions that tie, at least one; @param flip_ties the entering variable's own
  /// bound does too, for which a row of zeros stands; @param equal entries of two rows closer than
  /// this, relative to the largest, are equal.
  /// @return the position that leaves, -1 for the entering variable's own bound; past the deadline
  /// any of them.
  int least(const Basis& basis, const std::vector<int>& tied, bool flip_ties,
            const Vector& direction, double equal, const Deadline& deadline);

  long rows_solved = 0;  ///< rows of the inverse, since attach

 private:
  void solve_row(const Basis& basis, int position, const Vector& direction, Vector& row);

  std::vector<int> head_;  // B0, by position
  Vector sign_;            // S, by position
  Vector best_row_, other_row_, work_;
};

}  // namespace perp
