// Friction problems that state their dynamics, M v = H r + f, as FCLIB and Siconos store them.
#pragma once

#include <perp/problems/standard/friction_contact.hpp>

namespace perp {

/// M^-1 x. @throws std::invalid_argument naming M if it is not positive definite or nearly
/// singular.
Vector solve_mass(const SparseMatrix& M, const Vector& x);

/// M v = H r + f, u = H'v + w [AcaryBremondKoziaraPerignon2014] as the operator J = H', M and
/// q = H' M^-1 f + w. If only one triangle of M is stored, M is completed by symmetry.
/// @param completed set to whether M was completed
/// @throws std::invalid_argument naming M or H if sizes disagree or M is not positive definite
FrictionContact friction_from_global(int dimension, SparseMatrix M, const SparseMatrix& H,
                                     const Vector& f, const Vector& w, Vector mu, bool& completed);

}  // namespace perp
