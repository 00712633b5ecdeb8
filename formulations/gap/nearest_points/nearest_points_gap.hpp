// The nearest points of smooth convex bodies as unknowns.
#pragma once

#include <perp/formulations/gap/implicit/implicit_gap.hpp>

namespace perp {

/// Bodies are sublevel sets of one smooth convex function each; the gap is one body's function at
/// the nearest point of the other [ChakrabortyBerardAkellaTrinkle2007]. Settings: points,
/// gap_of.
std::unique_ptr<ImplicitGap> make_nearest_points_gap();

}  // namespace perp
