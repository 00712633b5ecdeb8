// How the gap of two solids is measured at the beginning of a step.
#pragma once

#include <optional>
#include <perp/formulations/collision/manifold.hpp>
#include <perp/problems/scenes/scene.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// A way to measure gaps: one of the three choices that a model consists of. It can be combined
/// with every contact law whose geometry is that of the beginning of the step.
struct Gap {
  std::string_view name, summary, source;
  /// Contact points of two solids with gaps of at most `margin`, m; the normals point into a.
  std::vector<PairContact> (*contacts)(const PlacedShape& a, const PlacedShape& b, int dimension,
                                       double margin);
  /// The reason why it cannot measure the gaps of a scene, or nothing.
  std::optional<std::string> (*refusal)(const Scene& scene);
  /// True if the measured value is no length; its unit is then PairContact::unit.
  bool has_unit = false;
};

/// The signed distance, linearised: distances of features that face each other (manifold.hpp).
const Gap& linearised_gap();

}  // namespace perp
