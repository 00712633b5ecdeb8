// Time stepping with the convex relaxation of Coulomb friction.
#pragma once

#include <perp/formulations/formulation.hpp>

namespace perp {

/// Anitescu and Tasora's step [Anitescu2006; AnitescuTasora2010]: de Saxce's term is left out, and
/// the step is a convex program with second-order cones, a conic_qp in impulses (default) or
/// velocities. Options: see read_cone_settings. @throws std::invalid_argument naming the option.
std::unique_ptr<Formulation> make_anitescu_tasora(const std::string& options);

}  // namespace perp
