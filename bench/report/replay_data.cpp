#include <perp/bench/report/replay_data.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <perp/bench/harness/foreign_json.hpp>
#include <perp/bench/report/csv.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/json.hpp>
#include <vector>

namespace perp {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostFrames = 300;  // of one run
// in all frames together; the strongest of each frame are kept
constexpr std::size_t kMostContacts = 20'000;
constexpr std::size_t kPoseBytes = 14;  // seven numbers of 16 bits

std::string base64(const std::vector<unsigned char>& bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - k);
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 3; ++i) word = word << 8 | (i < count ? bytes[k + i] : 0u);
    for (std::size_t i = 0; i < 4; ++i)
      out += i <= count ? kDigits[word >> (18 - 6 * i) & 63u] : '=';
  }
  return out;
}

void put(std::vector<unsigned char>& bytes, std::uint32_t value, int count) {
  for (int k = 0; k < count; ++k) bytes.push_back(static_cast<unsigned char>(value >> (8 * k)));
}

struct Pose {
  std::array<double, 7> v;  // position, quaternion w x y z
};

// Poses at each time, in the order of the bodies.
struct ReplayedMotion {
  std::vector<double> t;
  std::vector<std::vector<Pose>> frames;
};

ReplayedMotion read_motion(const fs::path& path, const std::map<std::string, std::size_t>& place) {
  ReplayedMotion motion;
  std::vector<bool> seen(place.size());
  read_csv(path.string(), {"t", "body", "px", "py", "pz", "qw", "qx", "qy", "qz"},
           [&](std::span<const std::string_view> row) {
             double t = 0.0;
             Pose pose{};
             const auto body = place.find(std::string(row[1]));
             if (!read_number(row[0], t) || body == place.end()) return false;
             for (std::size_t k = 0; k < pose.v.size(); ++k) {
               if (!read_number(row[k + 2], pose.v[k])) return false;
             }
             if (motion.t.empty() || t > motion.t.back()) {
               motion.t.push_back(t);
               // A body without a row at this time keeps its pose.
               motion.frames.push_back(motion.frames.empty() ? std::vector<Pose>(place.size())
                                                             : motion.frames.back());
             }
             motion.frames.back()[body->second] = pose;
             seen[body->second] = true;
             return true;
           });
  if (std::find(seen.begin(), seen.end(), false) != seen.end()) motion.frames.clear();
  return motion;
}

// Chooses at most `most` frames, evenly in time, with the first and the last.
std::vector<std::size_t> chosen_frames(const std::vector<double>& t, std::size_t most) {
  std::vector<std::size_t> chosen;
  if (t.size() <= most) {
    for (std::size_t k = 0; k < t.size(); ++k) chosen.push_back(k);
    return chosen;
  }
  for (std::size_t k = 0; k < most; ++k) {
    const double wanted =
        t.front() + (t.back() - t.front()) * static_cast<double>(k) / static_cast<double>(most - 1);
    const auto at =
        static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), wanted) - t.begin());
    chosen.push_back(std::min(at, t.size() - 1));
  }
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

void put_poses(const ReplayedMotion& motion, const std::vector<std::size_t>& chosen, Json& out) {
  std::array<double, 3> low{}, size{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double least = INFINITY, most = -INFINITY;
    for (const std::size_t k : chosen) {
      for (const Pose& pose : motion.frames[k]) {
        least = std::min(least, pose.v[axis]);
        most = std::max(most, pose.v[axis]);
      }
    }
    low[axis] = least;
    size[axis] = most - least;
  }
  std::vector<unsigned char> bytes;
  for (const std::size_t k : chosen) {
    for (const Pose& pose : motion.frames[k]) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double part = size[axis] > 0 ? (pose.v[axis] - low[axis]) / size[axis] : 0.0;
        put(bytes, static_cast<std::uint32_t>(std::lround(65535 * std::clamp(part, 0.0, 1.0))), 2);
      }
      for (std::size_t i = 3; i < 7; ++i) {
        const long value = std::lround(32767 * std::clamp(pose.v[i], -1.0, 1.0));
        put(bytes, static_cast<std::uint32_t>(value), 2);
      }
    }
  }
  out["low"] = low;
  out["size"] = size;
  out["poses"] = base64(bytes);
}

void put_contacts(const fs::path& path, const std::vector<double>& t, Json& out) {
  std::vector<std::vector<std::array<float, 7>>> by_frame(t.size());
  const std::size_t most = std::max<std::size_t>(1, kMostContacts / t.size());
  if (fs::is_regular_file(path)) {
    read_csv(path.string(),
             {"t", "x", "y", "z", "nx", "ny", "nz", "tx", "ty", "tz", "p_n", "p_t", "p_o", "mode"},
             [&](std::span<const std::string_view> row) {
               std::array<double, 13> v{};
               for (std::size_t k = 0; k < v.size(); ++k) {
                 if (!read_number(row[k], v[k])) return false;
               }
               const auto frame = std::lower_bound(t.begin(), t.end(), v[0] - 1e-9);
               if (frame == t.end() || std::abs(*frame - v[0]) > 1e-9 || !(v[10] > 0)) return true;
               // o = n x t
               const std::array<double, 3> o{v[5] * v[9] - v[6] * v[8], v[6] * v[7] - v[4] * v[9],
                                             v[4] * v[8] - v[5] * v[7]};
               std::array<float, 7> entry{};
               for (std::size_t k = 0; k < 3; ++k) {
                 entry[k] = static_cast<float>(v[1 + k]);
                 entry[3 + k] =
                     static_cast<float>(v[10] * v[4 + k] + v[11] * v[7 + k] + v[12] * o[k]);
               }
               entry[6] = row[13] == "stick" ? 0.0F : row[13] == "slide" ? 1.0F : 2.0F;
               by_frame[static_cast<std::size_t>(frame - t.begin())].push_back(entry);
               return true;
             });
  }
  std::vector<unsigned char> bytes;
  Json starts = Json::array();
  std::size_t start = 0;
  const auto strength = [](const std::array<float, 7>& e) { return std::hypot(e[3], e[4], e[5]); };
  for (auto& entries : by_frame) {
    std::stable_sort(entries.begin(), entries.end(),
                     [&](const auto& a, const auto& b) { return strength(a) > strength(b); });
    entries.resize(std::min(entries.size(), most));
    starts.push_back(start);
    start += entries.size();
    for (const auto& entry : entries) {
      for (const float value : entry) {
        std::uint32_t word = 0;
        std::memcpy(&word, &value, sizeof word);
        put(bytes, word, 4);
      }
    }
  }
  starts.push_back(start);
  out["contacts"] = base64(bytes);
  out["starts"] = starts;
}

}  // namespace

Json replay_data(const std::string& folder, ReplayRoom& room) {
  const fs::path path = fs::path(folder) / "shapes.json";
  if (!fs::is_regular_file(path)) return nullptr;
  const nlohmann::json shapes = parse_foreign_json(read_text_file(path.string()), path.string());
  const auto fits = [](const nlohmann::json& j) {
    return j.is_object() && j.contains("bodies") && j["bodies"].is_array() &&
           j.contains("shapes") && j["shapes"].is_array() && j.contains("dimension");
  };
  if (!fits(shapes)) throw InputError(fmt::format("{}: not the shapes of a run", path.string()));
  std::map<std::string, std::size_t> place;
  for (const auto& body : shapes["bodies"]) {
    if (!body.is_object() || !body.contains("name") || !body["name"].is_string() ||
        !body.contains("fixed") || !body["fixed"].is_boolean())
      throw InputError(fmt::format("{}: not the shapes of a run", path.string()));
    if (!body["fixed"].get<bool>()) place.emplace(body["name"], place.size());
  }
  if (place.empty()) return nullptr;
  const ReplayedMotion motion = read_motion(fs::path(folder) / "trajectory.csv", place);
  const std::size_t frame_bytes = kPoseBytes * place.size() * 4 / 3 + 1;
  // A run may use a quarter of the room that is left, so that later runs have some, too.
  const std::size_t most =
      std::min(kMostFrames, static_cast<std::size_t>(std::max(0L, room.left / 4)) / frame_bytes);
  if (motion.frames.size() < 2 || most < 2) return nullptr;
  const std::vector<std::size_t> chosen = chosen_frames(motion.t, most);
  std::vector<double> t;
  for (const std::size_t k : chosen) t.push_back(motion.t[k]);
  Json out{{"dimension", shapes["dimension"]},
           {"shapes", shapes["shapes"]},
           {"bodies", shapes["bodies"]},
           {"t", t}};
  put_poses(motion, chosen, out);
  put_contacts(fs::path(folder) / "contacts.csv", t, out);
  room.left -= static_cast<long>(out.dump().size());
  return out;
}

}  // namespace perp
