// The distance of balls as a function of their positions.
#pragma once

#include <perp/formulations/gap/implicit/implicit_gap.hpp>

namespace perp {

/// The distance of a ball to a plane or to a ball (in 2D of a disc to a line or to a disc) as a
/// function of the positions at the end of the step, so that no contact point is unknown
/// [TrinkleTzitzourisPang2001]. It is an independent check of the gap nearest-points for scenes
/// that both support. It also checks compliant contact,
///   0 <= gap + tau v_n + p_n / (h k)  complementary to  p_n >= 0,
/// with all quantities at the end of the step and not linearised.
std::unique_ptr<ImplicitGap> make_closed_form_gap();

}  // namespace perp
