// A mixed LCP in the form that knows free and nonnegative unknowns only.
#pragma once

#include <perp/problems/standard/lcp.hpp>
#include <vector>

namespace perp::peer {

/// M x + q with the first `free` unknowns free (their rows are equations) and the others
/// nonnegative and complementary to their rows. It states an Mlcp exactly: unknowns are shifted to
/// a finite bound, reflected where only the upper one is finite, and left out where fixed; a second
/// bound u gives the pair 0 <= y, 0 <= (u - l) - x with y added to the row of x.
struct NonnegativeForm {
  explicit NonnegativeForm(const Mlcp& problem);
  Vector map_back(const Vector& x) const;
  /// A point of the Mlcp, brought between its bounds; the y begin at 0.
  Vector map_forward(const Vector& z) const;

  DenseMatrix M;
  Vector q;
  int free = 0;

 private:
  std::vector<int> index_;  // in the Mlcp, of the unknowns that are no y
  Vector sign_, shift_;     // z = shift + sign * x
};

}  // namespace perp::peer
