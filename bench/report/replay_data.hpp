// The motion of a recorded run for the page to show.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace perp {

/// How much of a page motions may take, bytes.
struct ReplayRoom {
  long left = 6'000'000;
};

/// {"dimension", "shapes", "bodies", "t", "low", "size", "poses", "contacts", "starts"}: of `t`,
/// the frames kept, evenly in time; `poses` in base64, little-endian, for each frame and each
/// moving body three uint16 (position between `low` and `low` + `size`) and four int16 (quaternion
/// w, x, y, z times 32767); `contacts` likewise as seven float32 each (point, m; impulse, N s; 0
/// stick, 1 slide, 2 other), of frame k from starts[k] on. As many frames as there is room. Null if
/// the run has no shapes (it was recorded by an older program) or no motion.
/// @throws InputError for a shapes.json that is none
nlohmann::ordered_json replay_data(const std::string& folder, ReplayRoom& room);

}  // namespace perp
