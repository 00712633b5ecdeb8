#include <perp/formulations/dynamics/impulses.hpp>

#include <perp/formulations/dynamics/contacts.hpp>

#include <algorithm>

namespace perp {

namespace {

// Over the radius of the smaller body. Linearised models leave gaps of this order if bodies rest.
constexpr double kClosed = 1e-4;

double quantity(const Scene& scene, const State& state, const Condition& c) {
  const BodyState& s = state.bodies[c.body];
  const int k = static_cast<int>(c.quantity);
  if (k < 3) return s.position[k];
  if (k < 6) return s.velocity[k - 3];
  if (k < 9) return s.angular_velocity[k - 6];
  if (c.quantity == Condition::Quantity::kSpeed) return s.velocity.norm();
  return touching_points(scene, state, c.body);
}

bool holds(const Scene& scene, const State& state, const Condition& c) {
  const double value = quantity(scene, state, c);
  return c.above ? value > c.value : value < c.value;
}

}  // namespace

int touching_points(const Scene& scene, const State& state, int body) {
  const std::vector<ContactPoint3> points = find_contacts(scene, state, 0.0);
  return static_cast<int>(std::count_if(points.begin(), points.end(), [&](const ContactPoint3& c) {
    const double radius = std::min(bounding_radius(scene.bodies[c.a].shape),
                                   bounding_radius(scene.bodies[c.b].shape));
    return (c.a == body || c.b == body) && c.gap <= kClosed * radius;
  }));
}

std::vector<char> impulses_due(const Scene& scene, const State& state, double h) {
  std::vector<char> due(scene.impulses.size(), 0);
  for (std::size_t k = 0; k < due.size(); ++k) {
    const Impulse& impulse = scene.impulses[k];
    if (state.given[k] >= impulse.times) continue;
    // The times of steps have rounding errors. An impulse at the end of a step belongs to the next.
    const double end = state.time + h - 1e-9 * std::max(h, state.time);
    due[k] = impulse.when ? holds(scene, state, *impulse.when)
             : h > 0      ? impulse.time < end
                          : impulse.time <= state.time;
  }
  return due;
}

Vector velocity_after_impulses(const Scene& scene, const State& state,
                               const Coordinates& coordinates, double h) {
  State struck = state;
  const std::vector<char> due = impulses_due(scene, state, h);
  for (std::size_t k = 0; k < due.size(); ++k) {
    if (!due[k]) continue;
    const Impulse& impulse = scene.impulses[k];
    const Body& body = scene.bodies[impulse.body];
    BodyState& s = struck.bodies[impulse.body];
    s.velocity += impulse.linear / body.mass;
    if (scene.dimension == 2) {
      s.angular_velocity.z() += impulse.angular.z() / body.inertia.z();
    } else {
      s.angular_velocity += s.orientation * body.inertia.cwiseInverse().cwiseProduct(
                                                s.orientation.conjugate() * impulse.angular);
    }
  }
  return coordinates.velocity(struck);
}

}  // namespace perp
