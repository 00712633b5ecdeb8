// The ratio metric as the gap of a model.
#pragma once

#include <perp/formulations/gap/gap.hpp>

namespace perp {

/// Of polygons, boxes and polyhedra: contact points are the events of RatioMetric with gaps
/// rho / |grad rho| within the margin, their normals the gradients. Unit: 1 / |grad rho|, the
/// length that rho counts in.
const Gap& ratio_gap();

}  // namespace perp
