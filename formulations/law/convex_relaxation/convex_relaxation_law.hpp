// Coulomb friction, convexly relaxed.
#pragma once

#include <perp/formulations/law/law.hpp>

namespace perp {

/// Anitescu and Tasora's step [Anitescu2006; AnitescuTasora2010]: de Saxce's term is left out, and
/// the step is a convex program with second-order cones, a conic_qp in impulses or velocities; with
/// Newton's restitution. Setting: velocities, eliminated or kept as the unknowns.
std::unique_ptr<ContactLaw> make_convex_relaxation_law();

}  // namespace perp
