// The convex relaxation of Coulomb friction as conic programs.
#pragma once

#include <perp/problems/standard/conic_qp.hpp>
#include <perp/problems/standard/partition.hpp>
#include <perp/problems/standard/problem.hpp>

namespace perp {

/// The relaxation leaves de Saxce's term out: r in K_mu, u in K_mu*, r'u = 0 with impulses r and
/// velocities u, contact by contact in local order (n, t[, o]) [Anitescu2006; AnitescuTasora2010].
struct ConvexRelaxation {
  ConicQp problem;
  /// D, which maps local rows to rows of the cones. D r (with velocities as unknowns: D u) lies in
  /// second-order cones. A contact without friction has its normal row in a nonnegative cone
  /// instead; with impulses as unknowns, its tangential rows follow and must be 0.
  SparseMatrix cones;
  Partition partition;  ///< of the contacts; not attached to the problem
};

/// Impulses as unknowns: min 1/2 r'Wr + q'r, r in K_mu. D r = (mu r_n, r_t); without friction r_n
/// >= 0 and r_t = 0. Unknowns after those of the contacts are free.
/// @param w symmetric positive semidefinite
/// @param mu one coefficient for each contact
/// @param dimension 2 or 3
ConvexRelaxation relaxation_in_impulses(Matrix w, Vector q, const Vector& mu, int dimension);

/// Velocities as unknowns: min 1/2 v'Mv + c'v + 1/2 w'Cw, Jv + Cw + q in K_mu*. D u = (u_n, mu
/// u_t);
/// without friction it is u_n alone. The multipliers x of the cones give the impulses r = D'x. The
/// unknowns w are the impulses of the rows with compliance, in their order, after v.
struct VelocityRelaxation {
  SparseMatrix mass, jacobian;  ///< M, J
  Vector force;                 ///< c
  Vector velocity;              ///< q
  Vector compliance = {};       ///< the diagonal of C by local row, or empty
  Vector mu;
  int dimension = 3;
};
/// The relaxation as a conic_qp in v and w.
ConvexRelaxation relaxation_in_velocities(const VelocityRelaxation& data);

}  // namespace perp
