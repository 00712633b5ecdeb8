// Quadratic programs with bounds.
#pragma once

#include <perp/problems/matrix/matrix.hpp>

namespace perp {

/// min 1/2 x'Hx + c'x subject to lower <= x <= upper, H symmetric. H need not be definite: the
/// verifier checks that a point is stationary, which means optimal only if H is positive
/// semidefinite.
struct BoxQp {
  Matrix H;      ///< n x n, symmetric
  Vector c;      ///< n
  Vector lower;  ///< n, -inf allowed
  Vector upper;  ///< n, +inf allowed
  int size() const { return static_cast<int>(c.size()); }
};

/// @throws std::invalid_argument naming the field (H not symmetric to 1e-12 max|H| included).
void validate(const BoxQp& problem);

}  // namespace perp
