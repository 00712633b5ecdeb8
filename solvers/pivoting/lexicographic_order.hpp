// Decides which of the tied variables leaves the basis.
#pragma once

#include <perp/problems/limits/deadline.hpp>
#include <perp/solvers/pivoting/basis.hpp>

namespace perp {

/// The lexicographic rule [Eaves1971; CottlePangStone2009, Sec. 4.9]: it acts as if the right-hand
/// side were perturbed by B0 S (e, e^2, ...), with B0 the starting basis and S the signs that move
/// its values inwards. Then every basis is nondegenerate and none repeats. Of the tied positions
/// that one leaves whose row of B^-1 B0 S, divided by its entry of the direction, is
/// lexicographically least. Rows are computed only if there is a tie.
///
/// Invariant: B0 is nonsingular, and every sign is 1 or -1.
class LexicographicOrder {
 public:
  void attach(int size);
  /// B0 := the basis. Set all signs next.
  void begin(const Basis& start);
  void set_sign(int position, double sign) { sign_[position] = sign; }

  /// @param tied positions that tie, at least one
  /// @param flip_ties the entering variable's own bound ties, too; its row is zero
  /// @param equal entries of two rows closer than this, relative to the largest, are equal
  /// @return the position that leaves, -1 for the entering variable's own bound; any of them if the
  /// deadline has passed
  int least(const Basis& basis, const std::vector<int>& tied, bool flip_ties,
            const Vector& direction, double equal, const Deadline& deadline);

  long rows_solved = 0;  ///< rows of the inverse that were computed, since attach()

 private:
  void solve_row(const Basis& basis, int position, const Vector& direction, Vector& row);

  std::vector<int> head_;  // B0, by position
  Vector sign_;            // S, by position
  Vector best_row_, other_row_, work_;
};

}  // namespace perp
