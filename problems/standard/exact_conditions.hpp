// Homogeneous conditions that certificates satisfy, decided without rounding.
#pragma once

#include <perp/problems/standard/conic_qp.hpp>
#include <vector>

namespace perp {

/// Conditions on v: the first `conic_rows` entries of g = rows v lie in a product of cones, and
///   c'v + sum_k support_k(g_k) < 0,   support_k(g) = g high_k if g > 0, g low_k if g <= 0,
/// the sum over the rows behind. They scale with v: a positive factor changes nothing.
struct ConeConditions {
  SparseMatrix rows;        ///< m x n
  std::vector<Cone> cones;  ///< sizes add up to conic_rows
  int conic_rows = 0;
  Vector objective;  ///< n: c
  Vector low, high;  ///< m - conic_rows values, finite
};

/// Whether v, or a v next to it on which the rows that are nearly zero are exactly so, satisfies
/// the conditions in exact integer arithmetic. `false` says that no proof was found.
bool hold_exactly(const ConeConditions& conditions, const Vector& v);

}  // namespace perp
