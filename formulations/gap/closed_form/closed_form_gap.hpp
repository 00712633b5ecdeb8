// The distance of balls as a function of their positions.
#pragma once

#include <perp/formulations/gap/implicit/implicit_gap.hpp>

namespace perp {

/// The distance in closed form, ball to plane or ball to ball (disc to line, disc to disc), of the
/// positions at the end of the step, so that no point is unknown [TrinkleTzitzourisPang2001]. An
/// independent check of nearest points if both apply, and of compliant contact: 0 <= gap +
/// tau v_n + p_n / (h k) complementary to p_n >= 0, all at the end of the step and not linearised.
std::unique_ptr<ImplicitGap> make_closed_form_gap();

}  // namespace perp
