// Coulomb friction with polyhedral friction cones.
#pragma once

#include <perp/formulations/law/law.hpp>

namespace perp {

/// The complementarity problem of Stewart and Trinkle and of Anitescu and Potra
/// [StewartTrinkle1996; AnitescuPotra1997]: one Lcp for each step (an Mlcp with joints, or with
/// velocities kept as free unknowns), and a second one after impacts with restitution, by Poisson's
/// law. Settings: edges, velocities.
std::unique_ptr<ContactLaw> make_pyramid_law();

}  // namespace perp
