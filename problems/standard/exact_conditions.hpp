// Homogeneous conditions of certificates, decided without rounding.
#pragma once

#include <perp/problems/standard/conic_qp.hpp>
#include <vector>

namespace perp {

/// Conditions on v: the first `conic_rows` entries of g = rows v lie in a product of cones, and
///   c'v + sum_k support_k(g_k) < 0,   support_k(g) = g high_k if g > 0, g low_k if g <= 0,
/// with the sum over the other rows. If v satisfies them, so does v times any positive factor.
struct ConeConditions {
  SparseMatrix rows;        ///< m x n
  std::vector<Cone> cones;  ///< sizes add up to conic_rows
  int conic_rows = 0;
  Vector objective;  ///< n: c
  Vector low, high;  ///< m - conic_rows values, finite
};

/// Whether v satisfies the conditions in exact integer arithmetic, or a vector next to v does for
/// which the rows that are nearly zero are exactly zero. `false` means that no proof was found.
/// The last proof on this thread is remembered, so that a method that asks before it claims and the
/// verifier that asks again make it once.
bool hold_exactly(const ConeConditions& conditions, const Vector& v);

/// Forgets that proof. Every solve begins with it, so that its time holds its own proofs.
void forget_proof();

}  // namespace perp
