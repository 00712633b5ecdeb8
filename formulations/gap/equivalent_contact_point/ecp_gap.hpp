// Line and surface contact by the equivalent contact point.
#pragma once

#include <perp/formulations/gap/implicit/implicit_gap.hpp>

namespace perp {

/// One point for each line or surface contact of boxes, polyhedra, cylinders, spheres and
/// ellipsoids, 3D [XieChakraborty2020]. Setting: form.
std::unique_ptr<ImplicitGap> make_ecp_gap();

}  // namespace perp
