#include <perp/formulations/dynamics/bearings.hpp>

#include <cmath>
#include <numbers>

namespace perp {

namespace {

// The place of a cross-section in the world: an origin on the axis, and the directions in which the
// positions of its corners are given.
struct Section {
  Vector3d center, axis, x, y;

  Section(const Scene& scene, const State& state, const Bearing& b, int body,
          const Vector3d& initial_center)
      : center(carried_point(scene, state, body, initial_center)),
        axis(carried_direction(scene, state, body, b.axis)),
        x(carried_direction(scene, state, body, b.direction)),
        y(axis.cross(x)) {}
};

}  // namespace

std::vector<BearingPoint> bearing_points(const Scene& scene, const State& state, const Bearing& b,
                                         int first_feature, double slack) {
  using Eigen::Vector2d;
  const Section hole(scene, state, b, b.hole, b.center), pin(scene, state, b, b.pin, b.pin_center);
  const double pitch = 2 * std::numbers::pi / b.corners, inner = b.hole_radius();
  // The part across the axis of the hole, in which gaps are measured.
  const auto across = [&](const Vector3d& v) { return Vector2d(hole.x.dot(v), hole.y.dot(v)); };
  const Vector2d center = across(pin.center - hole.center), along = across(pin.axis);
  std::vector<Vector2d> faces;  // their normals, in the hole
  for (int k = 0; k < b.corners; ++k) faces.emplace_back(std::cos(k * pitch), std::sin(k * pitch));
  const Vector2d turn(std::cos(b.turn), std::sin(b.turn));
  const double near = inner - slack;  // no gap is below inner - |arm|
  std::vector<BearingPoint> found;
  for (int v = 0; v < b.corners; ++v) {
    const Vector2d at_pin = faces[v].x() * turn + faces[v].y() * Vector2d(-turn.y(), turn.x());
    const Vector3d spoke = b.radius * (at_pin.x() * pin.x + at_pin.y() * pin.y);
    const Vector2d from_center = center + across(spoke);
    for (std::size_t s = 0; s < b.sections.size(); ++s) {
      const Vector2d arm = from_center + b.sections[s] * along;
      if (near > 0 && arm.squaredNorm() < near * near) continue;
      // The angle in units of faces, from the first face on. Faces: the nearest one, and its
      // neighbour on the side of the vertex.
      const double at = std::atan2(arm.y(), arm.x()) / pitch;
      const int nearest = static_cast<int>(std::lround(at)), next = at < nearest ? -1 : 1;
      for (const int side : {nearest, nearest + next}) {
        const int face = (side + b.corners) % b.corners;
        const double gap = inner - faces[face].dot(arm);
        if (gap > slack) break;
        const int section = static_cast<int>(s);
        found.push_back({first_feature + (section * b.corners + v) * b.corners + face,
                         pin.center + spoke + b.sections[s] * pin.axis,
                         -(faces[face].x() * hole.x + faces[face].y() * hole.y), gap});
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
