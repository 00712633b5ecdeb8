// Linear complementarity problems, plain and with bounds.
#pragma once

#include <perp/problems/matrix/matrix.hpp>

namespace perp {

/// LCP(q, M): find z with z >= 0, w := M z + q >= 0, z'w = 0 [CottlePangStone2009,
/// Eq. 1.1.1-1.1.3].
struct Lcp {
  Matrix M;  ///< n x n
  Vector q;  ///< n
  int size() const { return static_cast<int>(q.size()); }
};

/// Mixed (box) LCP: l <= z <= u, and with F = M z + q for every i:
/// F_i >= 0 if z_i = l_i, F_i <= 0 if z_i = u_i, F_i = 0 between.
/// A free variable (l = -inf, u = inf) makes its row an equation; l_i = u_i fixes z_i and leaves
/// F_i free.
struct Mlcp {
  Matrix M;      ///< n x n
  Vector q;      ///< n
  Vector lower;  ///< n, -inf allowed
  Vector upper;  ///< n, +inf allowed, lower <= upper
  int size() const { return static_cast<int>(q.size()); }
};

/// @throws std::invalid_argument naming the field: sizes that disagree, entries that are not
/// finite, lower > upper, lower = +inf, upper = -inf.
void validate(const Lcp& problem);
/// @overload
void validate(const Mlcp& problem);

}  // namespace perp
