// The motion of a recorded run, for the page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace perp {

/// Number of bytes of a page that is left for motions.
struct ReplayRoom {
  long left = 6'000'000;
};

/// {"dimension", "shapes", "bodies", "t", "low", "size", "poses", "contacts", "starts"}: `t` has
/// the times of the frames kept, evenly in time. `poses` is base64, little-endian: for each frame
/// and each moving body three uint16 (position between `low` and `low` + `size`) and four int16
/// (quaternion w, x, y, z times 32767). `contacts` is base64, too, with seven float32 for each
/// contact (point, m; impulse, N s; 0 stick, 1 slide, 2 other), those of frame k begin at
/// starts[k]. There are as many frames as fit into the room. Null if the run has no shapes (it was
/// recorded by an older program) or no motion.
/// @param room is reduced by the bytes used @throws InputError if shapes.json is wrong
nlohmann::ordered_json replay_data(const std::string& folder, ReplayRoom& room);

}  // namespace perp
