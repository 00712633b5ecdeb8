// The convex relaxation of Coulomb friction as conic programs.
#pragma once

#include <perp/problems/standard/conic_qp.hpp>
#include <perp/problems/standard/partition.hpp>
#include <perp/problems/standard/problem.hpp>

namespace perp {

/// De Saxce's term is left out: r in K_mu, u in K_mu*, r'u = 0 with impulses r and velocities u of
/// contacts in local order (n, t[, o]) [Anitescu2006; AnitescuTasora2010].
struct ConvexRelaxation {
  ConicQp problem;
  /// D: from rows of local order to those of the cones. D r, or with velocities as unknowns D u, is
  /// in cones of second order; contacts without friction have their normal row first, then none or
  /// rows that must vanish.
  SparseMatrix cones;
  Partition partition;  ///< of the contacts; not attached to the problem
};

/// Impulses as unknowns: min 1/2 r'Wr + q'r, r in K_mu; D r = (mu r_n, r_t), and r_n >= 0, r_t = 0
/// without friction. Unknowns behind those of the contacts are free.
/// @param w symmetric positive semidefinite  @param mu by contact  @param dimension 2 or 3
ConvexRelaxation relaxation_in_impulses(Matrix w, Vector q, const Vector& mu, int dimension);

/// Velocities as unknowns: min 1/2 v'Mv + c'v + 1/2 w'Cw, Jv + Cw + q in K_mu*; D u = (u_n, mu
/// u_t), without friction u_n alone. The multipliers x of the cones are impulses, r = D'x. w are
/// the impulses of rows with a compliance, in their order behind v.
struct VelocityRelaxation {
  SparseMatrix mass, jacobian;  ///< M, J
  Vector force;                 ///< c
  Vector velocity;              ///< q
  Vector compliance = {};       ///< the diagonal of C by local row, or empty
  Vector mu;
  int dimension = 3;
};
ConvexRelaxation relaxation_in_velocities(const VelocityRelaxation& data);

}  // namespace perp
