// Friction problems that state their dynamics, M v = H r + f, as FCLIB and Siconos store them.
#pragma once

#include <perp/problems/standard/friction_contact.hpp>

namespace perp {

/// M^-1 x. @throws std::invalid_argument naming M where it is not positive definite.
Vector solve_mass(const SparseMatrix& M, const Vector& x);

/// M v = H r + f, u = H'v + w [AcaryBremondKoziaraPerignon2014] as the operator J = H', M and
/// q = H' M^-1 f + w. An M of which one triangle alone is stored is completed.
/// @param completed set where it was
/// @throws std::invalid_argument naming M or H where sizes disagree or M is not positive definite.
FrictionContact friction_from_global(int dimension, SparseMatrix M, const SparseMatrix& H,
                                     const Vector& f, const Vector& w, Vector mu, bool& completed);

}  // namespace perp
