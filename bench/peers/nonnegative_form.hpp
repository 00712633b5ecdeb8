// A mixed LCP in a form that has only free and nonnegative unknowns.
#pragma once

#include <perp/problems/standard/lcp.hpp>
#include <vector>

namespace perp::peer {

/// M x + q with the first `free` unknowns free (their rows are equations) and the others
/// nonnegative and complementary to their rows. The form is equivalent to the Mlcp: unknowns are
/// shifted to a finite bound, reflected if only the upper bound is finite, and left out if they are
/// fixed. A second bound u gives the pair 0 <= y, 0 <= (u - l) - x, and y is added to the row of x.
struct NonnegativeForm {
  explicit NonnegativeForm(const Mlcp& problem);
  /// The point z of the Mlcp for a point x of this form.
  Vector map_back(const Vector& x) const;
  /// The point x for a point z of the Mlcp; nonnegative unknowns are raised to 0, and all y are 0.
  Vector map_forward(const Vector& z) const;

  DenseMatrix M;
  Vector q;
  int free = 0;

 private:
  std::vector<int> index_;  // indices in the Mlcp, for all unknowns but the y
  Vector sign_, shift_;     // z = shift + sign * x
};

}  // namespace perp::peer
