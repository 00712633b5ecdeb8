#include <perp/formulations/mechanics/bearings.hpp>

#include <cmath>
#include <numbers>

namespace perp {

namespace {

// Where a cross-section is, in the world: an origin on the axis, and the directions that its
// corners are told in.
struct Section {
  Vector3d center, axis, x, y;

  Section(const Scene& scene, const State& state, const Bearing& b, int body,
          const Vector3d& initial_center)
      : center(carried_point(scene, state, body, initial_center)),
        axis(carried_direction(scene, state, body, b.axis)),
        x(carried_direction(scene, state, body, b.direction)),
        y(axis.cross(x)) {}

  Vector3d direction(double angle) const { return std::cos(angle) * x + std::sin(angle) * y; }
};

}  // namespace

std::vector<BearingPoint> bearing_points(const Scene& scene, const State& state, const Bearing& b,
                                         int first_feature, double slack) {
  const Section hole(scene, state, b, b.hole, b.center), pin(scene, state, b, b.pin, b.pin_center);
  const double pitch = 2 * std::numbers::pi / b.corners, inner = b.hole_radius();
  std::vector<Vector3d> spokes, outward;
  for (int k = 0; k < b.corners; ++k) {
    spokes.push_back(b.radius * pin.direction(b.turn + k * pitch));
    outward.push_back(hole.direction(k * pitch));
  }
  std::vector<BearingPoint> found;
  for (std::size_t s = 0; s < b.sections.size(); ++s) {
    const Vector3d center = pin.center + b.sections[s] * pin.axis;
    for (int v = 0; v < b.corners; ++v) {
      const Vector3d point = center + spokes[static_cast<std::size_t>(v)];
      const Vector3d arm = point - hole.center;
      // In faces from the first one; the nearest face, and the next on the vertex's side of it.
      const double at = std::atan2(arm.dot(hole.y), arm.dot(hole.x)) / pitch;
      const int nearest = static_cast<int>(std::lround(at)), next = at < nearest ? -1 : 1;
      for (const int side : {nearest, nearest + next}) {
        const int face = (side % b.corners + b.corners) % b.corners;
        const Vector3d& n = outward[static_cast<std::size_t>(face)];
        const double gap = inner - n.dot(arm);
        if (gap > slack) break;
        const int section = static_cast<int>(s);
        found.push_back(
            {first_feature + (section * b.corners + v) * b.corners + face, point, -n, gap});
      }
    }
  }
  return found;
}

Vector3d relative_velocity(const State& state, const Bearing& b, const Vector3d& point) {
  const auto velocity = [&](int body) {
    const BodyState& s = state.bodies[static_cast<std::size_t>(body)];
    return Vector3d(s.velocity + s.angular_velocity.cross(point - s.position));
  };
  return velocity(b.pin) - velocity(b.hole);
}

}  // namespace perp
