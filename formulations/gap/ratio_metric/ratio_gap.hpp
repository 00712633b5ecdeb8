// The ratio metric as the gap of a model.
#pragma once

#include <perp/formulations/gap/gap.hpp>

namespace perp {

/// The gap of polygons, boxes and polyhedra. The contact points are the events of RatioMetric whose
/// gaps rho / |grad rho| are within the margin; their normals are the directions of the gradients.
/// The unit of rho is the length 1 / |grad rho|.
const Gap& ratio_gap();

}  // namespace perp
