// How the gap of two solids is measured at the beginning of a step.
#pragma once

#include <optional>
#include <perp/formulations/collision/manifold.hpp>
#include <perp/problems/scenes/scene.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// One of the three choices that a model consists of. Models of all contact laws with geometry at
/// the beginning of a step take any of them.
struct Gap {
  std::string_view name, summary, source;
  /// Contact points of two solids with gaps of at most `margin`, m; the normals push on a.
  std::vector<PairContact> (*contacts)(const PlacedShape& a, const PlacedShape& b, int dimension,
                                       double margin);
  /// Why it cannot measure the gaps of a scene, or nothing.
  std::optional<std::string> (*refusal)(const Scene& scene);
  /// What it measures is no length: PairContact::unit is its unit.
  bool has_unit = false;
};

/// The signed distance, linearised: distances of features that meet (manifold.hpp).
const Gap& linearised_gap();

}  // namespace perp
