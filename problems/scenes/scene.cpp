#include <perp/problems/scenes/scene.hpp>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <perp/problems/standard/disjoint_sets.hpp>
#include <stdexcept>

namespace perp {

bool name_fits(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

std::string_view to_string(JointType type) {
  switch (type) {
    case JointType::kSpherical:
      return "spherical";
    case JointType::kRevolute:
      return "revolute";
    case JointType::kPrismatic:
      return "prismatic";
    case JointType::kFixed:
      return "fixed";
    default:
      return "distance";
  }
}

double Bearing::hole_radius() const {
  const double pitch = 2 * std::numbers::pi / corners;
  return radius * std::cos(std::remainder(turn, pitch)) + clearance;
}

double TimeFunction::operator()(double t) const {
  double value = constant + (amplitude != 0.0 ? amplitude * std::sin(omega * t + phase) : 0.0);
  if (times.empty()) return value;
  const auto after = std::upper_bound(times.begin(), times.end(), t);
  if (after == times.begin()) return value + values.front();
  if (after == times.end()) return value + values.back();
  const std::size_t k = static_cast<std::size_t>(after - times.begin());
  const double share = (t - times[k - 1]) / (times[k] - times[k - 1]);
  return value + values[k - 1] + share * (values[k] - values[k - 1]);
}

ContactProperties Scene::properties(int a, int b) const {
  ContactProperties result = contact;
  const std::string &name_a = bodies[a].name, &name_b = bodies[b].name;
  for (const PairRule& rule : pairs) {
    if ((name_fits(rule.a, name_a) && name_fits(rule.b, name_b)) ||
        (name_fits(rule.a, name_b) && name_fits(rule.b, name_a))) {
      result = rule.properties;
    }
  }
  return result;
}

bool Scene::joined(int a, int b) const {
  for (const Joint& j : joints) {
    if ((j.body_a == a && j.body_b == b) || (j.body_a == b && j.body_b == a)) return true;
  }
  return false;
}

std::vector<int> Scene::rigid_groups() const {
  const int count = static_cast<int>(bodies.size());
  DisjointSets sets(count);
  for (const Joint& j : joints) {
    if (j.type == JointType::kFixed) sets.join(j.body_a, j.body_b);
  }
  std::vector<int> group(bodies.size());
  for (int b = 0; b < count; ++b) group[static_cast<std::size_t>(b)] = sets.root(b);
  return group;
}

namespace {

// The bodies that move with body_a of a joint, because other joints connect them: 1 if a body
// moves, else 0.
std::vector<char> moved_by(const Scene& scene, int joint) {
  const Joint& j = scene.joints[static_cast<std::size_t>(joint)];
  std::vector<std::pair<int, int>> joined;  // a body and one that another joint connects to it
  for (std::size_t k = 0; k < scene.joints.size(); ++k) {
    const Joint& other = scene.joints[k];
    if (static_cast<int>(k) == joint) continue;
    joined.emplace_back(other.body_a, other.body_b);
    joined.emplace_back(other.body_b, other.body_a);
  }
  std::sort(joined.begin(), joined.end());
  std::vector<char> in_bearing(scene.bodies.size(), 0);
  for (const Bearing& bearing : scene.bearings) {
    for (const int body : {bearing.pin, bearing.hole})
      in_bearing[static_cast<std::size_t>(body)] = 1;
  }
  std::vector<char> moves(scene.bodies.size(), 0);
  std::vector<int> next = {j.body_a};
  while (!next.empty()) {
    const int body = next.back();
    next.pop_back();
    const auto at = static_cast<std::size_t>(body);
    if (moves[at]) continue;
    moves[at] = 1;
    const std::string& name = scene.bodies[at].name;
    if (body == j.body_b)
      throw std::invalid_argument(fmt::format("moves \"{}\" too, by other joints", name));
    if (scene.bodies[at].fixed)
      throw std::invalid_argument(fmt::format("would move \"{}\", which is fixed", name));
    if (in_bearing[at])
      throw std::invalid_argument(fmt::format("would move \"{}\", which is in a bearing", name));
    for (auto it = std::lower_bound(joined.begin(), joined.end(), std::pair(body, 0));
         it != joined.end() && it->first == body; ++it)
      next.push_back(it->second);
  }
  return moves;
}

}  // namespace

void displace(Scene& scene, int joint, double displacement) {
  const Joint j = scene.joints[static_cast<std::size_t>(joint)];
  const std::vector<char> moves = moved_by(scene, joint);
  const bool turns = j.type == JointType::kRevolute;
  const Quaterniond turn(Eigen::AngleAxisd(turns ? displacement : 0.0, j.axis));
  const Vector3d shift = turns ? Vector3d::Zero() : Vector3d(displacement * j.axis);
  const auto moved = [&](const Vector3d& x) {
    return Vector3d(j.anchor_a + turn * (x - j.anchor_a) + shift);
  };
  const auto is_moved = [&](int body) { return moves[static_cast<std::size_t>(body)] != 0; };
  for (std::size_t b = 0; b < moves.size(); ++b) {
    if (!moves[b]) continue;
    scene.bodies[b].position = moved(scene.bodies[b].position);
    scene.bodies[b].orientation = (turn * scene.bodies[b].orientation).normalized();
    scene.bodies[b].velocity = turn * scene.bodies[b].velocity;
    scene.bodies[b].angular_velocity = turn * scene.bodies[b].angular_velocity;
  }
  for (Joint& other : scene.joints) {
    if (!is_moved(other.body_a) || !is_moved(other.body_b)) continue;
    other.anchor_a = moved(other.anchor_a);
    other.anchor_b = moved(other.anchor_b);
    other.axis = turn * other.axis;
  }
  for (Spring& spring : scene.springs) {
    if (is_moved(spring.body_a)) spring.anchor_a = moved(spring.anchor_a);
    if (is_moved(spring.body_b)) spring.anchor_b = moved(spring.anchor_b);
  }
}

}  // namespace perp
