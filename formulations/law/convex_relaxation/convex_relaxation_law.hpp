// The convex relaxation of Coulomb friction.
#pragma once

#include <perp/formulations/law/law.hpp>

namespace perp {

/// The step of Anitescu and Tasora [Anitescu2006; AnitescuTasora2010], with Newton's restitution.
/// De Saxce's term is left out, so the step is a convex program with second-order cones: a conic_qp
/// in impulses or in velocities. Setting: velocities (eliminated, or kept as the unknowns).
std::unique_ptr<ContactLaw> make_convex_relaxation_law();

}  // namespace perp
