// Time stepping with the distance functions of balls.
#pragma once

#include <perp/formulations/formulation.hpp>

namespace perp {

/// Problem: one Mcp a step with unknown velocities and impulses. Method: as geometric-implicit, but
/// the gap is the distance in closed form, ball to plane or ball to ball (disc to line, disc to
/// disc), of the positions at the end of the step, so that no point is unknown
/// [TrinkleTzitzourisPang2001]. An independent check of geometric-implicit where both apply.
///
/// Option "friction=fritz-john|normalised". @throws std::invalid_argument naming the option.
std::unique_ptr<Formulation> make_closed_form_gap(const std::string& options);

}  // namespace perp
