// Line and surface contact by the equivalent contact point: Xie and Chakraborty's time stepping.
#pragma once

#include <perp/formulations/formulation.hpp>

namespace perp {

/// Options "form=plane|distance|faces" (default: contacts with half-spaces by the smaller equations
/// of planes, others by those with the distance) and "friction=normalised|fritz-john" (default
/// normalised), separated by commas.
/// @throws std::invalid_argument naming the option.
std::unique_ptr<Formulation> make_ecp_step(const std::string& options);

}  // namespace perp
