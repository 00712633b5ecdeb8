// Time stepping with exact Coulomb friction.
#pragma once

#include <perp/formulations/formulation.hpp>

namespace perp {

/// Impulses over a step with the exact friction cone: the step of Stewart and Trinkle
/// [StewartTrinkle1996] in de Saxce's form [DeSaxceFeng1998; AcaryBremondHuber2018], as a
/// friction_contact. Options: see read_cone_settings.
/// @throws std::invalid_argument naming the option.
std::unique_ptr<Formulation> make_coulomb_implicit(const std::string& options);

}  // namespace perp
