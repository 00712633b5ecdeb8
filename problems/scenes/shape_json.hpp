// Shapes of scene files (docs/scenes.md).
#pragma once

#include <perp/problems/scenes/number_fields.hpp>
#include <perp/problems/scenes/shapes.hpp>

namespace perp {

/// @param dimension 2 or 3: that of the scene
/// @throws InputError: one line that names file, field and fault.
Shape read_shape(const Field& field, int dimension, const Names& names);

}  // namespace perp
