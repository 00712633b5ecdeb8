// Line and surface contact by the equivalent contact point.
#pragma once

#include <perp/formulations/gap/implicit/implicit_gap.hpp>

namespace perp {

/// One contact point for each line or surface contact of half-spaces, boxes, polyhedra, cylinders,
/// spheres and ellipsoids, in 3D [XieChakraborty2020]. Settings: form, prediction.
std::unique_ptr<ImplicitGap> make_ecp_gap();

}  // namespace perp
