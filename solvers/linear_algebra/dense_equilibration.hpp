// Scaling of a dense matrix whose rank is to be found.
#pragma once

#include <perp/problems/matrix/matrix.hpp>

namespace perp {

/// Multiplies rows and columns by powers of two until their largest entries are about 1
/// [Ruiz2001]. Then the numerical rank does not depend on units.
/// @param[out] row, column the factors
void equilibrate(DenseMatrix& a, Vector& row, Vector& column);

}  // namespace perp
