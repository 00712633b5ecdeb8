// Families of equilibria on networks: monotone, sparse nonlinear complementarity problems.
#pragma once

#include <perp/problems/families/family.hpp>

namespace perp {

Family traffic_equilibrium_family();  ///< Wardrop's equilibrium of traffic on a grid of roads
Family spatial_price_family();        ///< prices and shipments between markets
}  // namespace perp
