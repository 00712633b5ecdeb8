#include <perp/problems/scenes/scene.hpp>

#include <cmath>

namespace perp {

bool name_fits(const std::string& pattern, const std::string& name) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

std::string_view to_string(JointType type) {
  switch (type) {
    case JointType::kPoint:
      return "point";
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
  return constant + (amplitude != 0.0 ? amplitude * std::sin(omega * t + phase) : 0.0);
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
