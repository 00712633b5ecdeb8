// Friction pyramids in place of cones: the rows that complementarity problems of contact share.
#pragma once

#include <Eigen/Core>
#include <perp/problems/standard/problem.hpp>
#include <vector>

namespace perp {

/// The edges of the friction pyramids. A contact without edges has no friction and no slip unknown.
struct FrictionPyramids {
  Vector mu;               ///< one coefficient for each contact
  std::vector<int> first;  ///< the first edge of each contact; last: the number of edges

  /// Number of contacts.
  int contacts() const { return static_cast<int>(mu.size()); }
  /// Number of edges of all contacts.
  int edges() const { return first.back(); }
  /// Whether a contact has edges.
  bool has_friction(int c) const {
    return first[static_cast<std::size_t>(c) + 1] > first[static_cast<std::size_t>(c)];
  }
  /// Number of contacts with friction.
  int slips() const;
};

/// Edge e of the k edges of a pyramid inscribed in the unit circle: (cos, sin) of 2 pi e / k.
Eigen::Vector2d pyramid_edge(int e, int k);

/// Adds the entries E, -E' and mu of [StewartTrinkle1996; AnitescuPotra1997], which the rows
///   w_beta = .. + E lambda,  w_lambda = mu c_n - E' beta
/// have in addition to the Delassus matrix.
/// @param normals, edges, slips indices of the first normal impulse c_n, edge impulse beta and slip
/// lambda
void add_pyramid_border(const FrictionPyramids& pyramids, int normals, int edges, int slips,
                        std::vector<Triplet>& entries);

/// The matrix for unknowns (c_n, beta, lambda, others).
/// @param delassus W of the rows of c_n, beta and the others, with sorted columns
SparseMatrix pyramid_matrix(const SparseMatrix& delassus, const FrictionPyramids& pyramids);

/// The LCP in unknowns (c_n, beta, lambda).
/// @param velocity velocities in the rows of c_n and beta if all these impulses are 0
Lcp pyramid_lcp(const SparseMatrix& delassus, const Vector& velocity,
                const FrictionPyramids& pyramids);

}  // namespace perp
