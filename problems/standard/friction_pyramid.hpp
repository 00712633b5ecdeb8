// Friction cones replaced by pyramids: the rows that complementarity problems of contact share.
#pragma once

#include <Eigen/Core>
#include <perp/problems/standard/problem.hpp>
#include <vector>

namespace perp {

/// The edges of the pyramids of contacts. A contact without edges has no friction and no slip.
struct FrictionPyramids {
  Vector mu;               ///< by contact
  std::vector<int> first;  ///< of each contact: its first edge; one more at the end

  int contacts() const { return static_cast<int>(mu.size()); }
  int edges() const { return first.back(); }
  bool has_friction(int c) const {
    return first[static_cast<std::size_t>(c) + 1] > first[static_cast<std::size_t>(c)];
  }
  int slips() const;
};

/// Edge e of k of a pyramid that is inscribed in the unit circle, (cos, sin) of 2 pi e / k.
Eigen::Vector2d pyramid_edge(int e, int k);

/// E, -E' and mu of [StewartTrinkle1996; AnitescuPotra1997]: with normal impulses c_n, edge
/// impulses beta and slips lambda standing from the given places on, adds what their rows
///   w_beta = .. + E lambda,  w_lambda = mu c_n - E' beta
/// have beside the Delassus matrix.
void add_pyramid_border(const FrictionPyramids& pyramids, int normals, int edges, int slips,
                        std::vector<Triplet>& entries);

/// All entries of the matrix of unknowns (c_n, beta, lambda, further ones).
/// @param delassus W of the rows of c_n, beta and the further unknowns
std::vector<Triplet> pyramid_matrix(const SparseMatrix& delassus, const FrictionPyramids& pyramids);

/// The LCP of unknowns (c_n, beta, lambda).
/// @param velocity of the rows of c_n and beta without their impulses
Lcp pyramid_lcp(const SparseMatrix& delassus, const Vector& velocity,
                const FrictionPyramids& pyramids);

}  // namespace perp
