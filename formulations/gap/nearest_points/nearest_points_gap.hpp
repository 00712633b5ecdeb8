// The nearest points of smooth convex bodies as unknowns.
#pragma once

#include <perp/formulations/gap/implicit/implicit_gap.hpp>

namespace perp {

/// Each body is the sublevel set of a smooth convex function. The gap is the function of one body
/// at the nearest point of the other [ChakrabortyBerardAkellaTrinkle2007]. Settings: points,
/// gap_of.
std::unique_ptr<ImplicitGap> make_nearest_points_gap();

}  // namespace perp
