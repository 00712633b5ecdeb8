// Coulomb friction with polyhedral friction cones.
#pragma once

#include <perp/formulations/law/law.hpp>

namespace perp {

/// The complementarity problem of Stewart and Trinkle and of Anitescu and Potra: one Lcp (with
/// joints, or with velocities kept as free unknowns, an Mlcp) a step, and a second one after
/// impacts that restitute, by Poisson's law [StewartTrinkle1996; AnitescuPotra1997]. Settings:
/// edges, velocities.
std::unique_ptr<ContactLaw> make_pyramid_law();

}  // namespace perp
