#include <perp/formulations/stepping/colliding_pairs.hpp>

#include <perp/formulations/collision/separation.hpp>

#include <fmt/format.h>
#include <cmath>
#include <set>

namespace perp {

namespace {

constexpr std::size_t kMaxBodies = 2000;  // with shapes; every pair of them is a candidate

}  // namespace

double nearest(const Scene& scene, const State& state, StartContact& c) {
  const auto placed = [&](int body) {
    const BodyState& s = state.bodies[static_cast<std::size_t>(body)];
    return PlacedShape{&scene.bodies[static_cast<std::size_t>(body)].shape, s.position,
                       s.orientation.toRotationMatrix()};
  };
  const PlacedShape a = placed(c.a), b = placed(c.b);
  double gap = 0.0;
  if (const auto* space = std::get_if<HalfSpace>(b.shape)) {
    c.normal = b.axes * space->normal;
    c.point_a = a.support(-c.normal);
    gap = c.normal.dot(c.point_a - b.position) - space->offset;
    c.point_b = c.point_a - gap * c.normal;
  } else {
    const Separation s = separation(a, b);
    check_contact(scene, c.a, c.b, s.normal, s.gap);
    c.normal = s.normal;
    c.point_a = s.point_a;
    c.point_b = s.point_b;
    gap = s.gap;
  }
  c.tangent = contact_frame(c.normal, scene.dimension, scene.properties(c.a, c.b).direction).t;
  return gap;
}

bool can_overlap(const Scene& scene, const State& state, int a, int b) {
  const auto reach = [&](int body) {
    return bounding_radius(scene.bodies[static_cast<std::size_t>(body)].shape);
  };
  const double r = reach(a) + reach(b);
  return std::isinf(r) || (state.bodies[static_cast<std::size_t>(a)].position -
                           state.bodies[static_cast<std::size_t>(b)].position)
                                  .norm() <= r * (1 + 1e-6);
}

std::vector<std::pair<int, int>> colliding_pairs(const Scene& scene) {
  const auto body_of = [&](int body) -> const Body& {
    return scene.bodies[static_cast<std::size_t>(body)];
  };
  const auto space = [&](int body) {
    return std::holds_alternative<HalfSpace>(body_of(body).shape);
  };
  std::vector<int> usable;
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
    if (!std::holds_alternative<std::monostate>(body_of(b).shape)) usable.push_back(b);
  }
  if (usable.size() > kMaxBodies)
    throw CollisionError(fmt::format("{} bodies with shapes; this formulation takes at most {}",
                                     usable.size(), kMaxBodies));
  std::set<std::pair<int, int>> joined;
  for (const Joint& j : scene.joints)
    joined.emplace(std::max(j.body_a, j.body_b), std::min(j.body_a, j.body_b));
  const std::vector<int> group = scene.rigid_groups();
  const auto one_body = [&](int a, int b) {
    return group[static_cast<std::size_t>(a)] == group[static_cast<std::size_t>(b)];
  };
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i < usable.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const int a = usable[i], b = usable[k];
      if ((space(a) && space(b)) || (body_of(a).fixed && body_of(b).fixed)) continue;
      if (joined.contains({a, b}) || one_body(a, b)) continue;
      pairs.push_back(space(a) ? std::pair(b, a) : std::pair(a, b));
    }
  }
  return pairs;
}

}  // namespace perp
