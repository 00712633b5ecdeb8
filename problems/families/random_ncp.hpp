// Random nonlinear complementarity problems.
#pragma once

#include <perp/problems/families/family.hpp>

namespace perp {

/// z >= 0 complementary to F(z) = Mz + d atan(z) + exp(cz) - 1 + q (products, atan and exp by
/// components), with a planted solution; monotone or not.
Family random_ncp_family();

}  // namespace perp
