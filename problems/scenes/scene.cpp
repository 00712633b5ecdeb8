#include <perp/problems/scenes/scene.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

bool name_fits(const std::string& pattern, const std::string& name) {
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

}  // namespace perp
