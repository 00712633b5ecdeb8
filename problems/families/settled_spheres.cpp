// Random packings of spheres by ballistic deposition.
#include <perp/problems/families/contact_scene.hpp>

#include <perp/problems/standard/random.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

namespace perp {

namespace {

using Eigen::Vector3d;

constexpr double kRadius = 0.05, kSpread = 0.2;  // m, and relative
constexpr double kSphereDensity = 1000.0, kFallenSpeed = 9.81 * 0.01;
constexpr double kOverlap = 1e-9;  // m, below which two spheres only touch

struct DroppedSphere {
  Vector3d centre;
  double radius;
};

struct Resting {
  Vector3d centre;
  std::vector<int> on;  // the spheres that carry it; none: the floor
};

class Deposition {
 public:
  Deposition(int contacts, std::uint64_t seed) : random_(seed) {
    // About as deep as wide, if a sphere has about 3 contacts and fills about half of its space.
    const double volume = contacts / 3.0 * 8.0 * kRadius * kRadius * kRadius;
    side_ = std::max(7.0 * kRadius, std::cbrt(volume));
  }

  // Drops spheres until they have so many contacts.
  void run(int contacts) {
    for (int found = 0; found < contacts;) {
      const double radius = kRadius * random_.uniform(1.0 - kSpread, 1.0 + kSpread);
      const double x = random_.uniform(0.0, side_), y = random_.uniform(0.0, side_);
      const std::optional<Resting> place = drop({x, y, 0.0}, radius);
      if (!place) continue;
      spheres.push_back({place->centre, radius});
      carriers.push_back(place->on);
      found += std::max<int>(1, static_cast<int>(place->on.size()));
    }
  }

  std::vector<DroppedSphere> spheres;
  std::vector<std::vector<int>> carriers;

  // The image of a sphere that is nearest to a point.
  Vector3d image(int j, const Vector3d& near) const {
    Vector3d d = spheres[j].centre - near;
    for (int k = 0; k < 2; ++k) d[k] -= side_ * std::round(d[k] / side_);
    return near + d;
  }

 private:
  // Where a sphere that falls along a line comes to rest; nothing if it finds no place.
  std::optional<Resting> drop(const Vector3d& line, double radius) const {
    double height = radius;  // of its centre when it meets something first
    bool floor = true;
    for (int j = 0; j < static_cast<int>(spheres.size()); ++j) {
      const Vector3d d = image(j, line) - line;
      const double touch = radius + spheres[j].radius;
      const double rest = touch * touch - d[0] * d[0] - d[1] * d[1];
      if (rest <= 0.0 || spheres[j].centre[2] + std::sqrt(rest) <= height) continue;
      height = spheres[j].centre[2] + std::sqrt(rest);
      floor = false;
    }
    if (floor) return Resting{{line[0], line[1], radius}, {}};
    std::vector<int> near;
    const double reach = 4.0 * kRadius;
    for (int j = 0; j < static_cast<int>(spheres.size()); ++j) {
      const Vector3d d = image(j, line) - line;
      const bool beside = d[0] * d[0] + d[1] * d[1] < reach * reach;
      if (beside && std::abs(spheres[j].centre[2] - height) < reach) near.push_back(j);
    }
    return nearest_rest(line, radius, near);
  }

  std::optional<Resting> nearest_rest(const Vector3d& line, double radius,
                                      const std::vector<int>& near) const {
    std::optional<Resting> best;
    double least = 1e300;
    const int count = static_cast<int>(near.size());
    for (int i = 0; i < count; ++i) {
      for (int j = i + 1; j < count; ++j) {
        for (int k = j + 1; k < count; ++k) {
          const std::optional<Vector3d> at = resting_on({near[i], near[j], near[k]}, line, radius);
          if (!at) continue;
          const double distance = (*at - line).head<2>().squaredNorm();
          if (distance >= least || !free_at(*at, radius)) continue;
          least = distance;
          best = Resting{*at, {near[i], near[j], near[k]}};
        }
      }
    }
    return best;
  }

  // The higher of the two places in which a sphere touches three others, if these carry it there.
  std::optional<Vector3d> resting_on(const std::array<int, 3>& on, const Vector3d& line,
                                     double radius) const {
    const Vector3d p = image(on[0], line);
    const Vector3d a = image(on[1], line) - p, b = image(on[2], line) - p;
    const double r0 = radius + spheres[on[0]].radius, r1 = radius + spheres[on[1]].radius,
                 r2 = radius + spheres[on[2]].radius;
    // c - p = x a + y b + w a x b with |c - p| = r0, |c - p - a| = r1, |c - p - b| = r2.
    const Vector3d cross = a.cross(b);
    const double aa = a.dot(a), bb = b.dot(b), ab = a.dot(b), det = aa * bb - ab * ab;
    if (det <= 1e-6 * aa * bb) return {};
    const double ca = (r0 * r0 - r1 * r1 + aa) / 2, cb = (r0 * r0 - r2 * r2 + bb) / 2;
    const double x = (ca * bb - cb * ab) / det, y = (cb * aa - ca * ab) / det;
    const Vector3d base = x * a + y * b;
    const double rest = (r0 * r0 - base.dot(base)) / cross.dot(cross);
    if (rest <= 0.0 || cross[2] == 0.0) return {};
    const Vector3d up = cross[2] > 0 ? cross : Vector3d(-cross);
    const Vector3d d = base + std::sqrt(rest) * up;
    // It rests if its weight acts inside the triangle of its carriers.
    const auto area = [](const Vector3d& u, const Vector3d& v) {
      return u[0] * v[1] - u[1] * v[0];
    };
    const double whole = area(a, b), s = area(d, b) / whole, t = area(a, d) / whole;
    if (!(s > 0.0 && t > 0.0 && s + t < 1.0) || p[2] + d[2] < radius) return {};
    return Vector3d(p + d);
  }

  bool free_at(const Vector3d& at, double radius) const {
    for (int j = 0; j < static_cast<int>(spheres.size()); ++j) {
      if ((image(j, at) - at).norm() < radius + spheres[j].radius - kOverlap) return false;
    }
    return true;
  }

  Random random_;
  double side_;
};

}  // namespace

ContactScene settled_spheres(int contacts, std::uint64_t seed, double agitation) {
  Deposition deposition(contacts, seed);
  deposition.run(contacts);
  Random random(~seed);
  ContactScene scene;
  const int count = static_cast<int>(deposition.spheres.size());
  scene.velocity.resize(6 * count);
  for (int a = 0; a < count; ++a) {
    const auto& [centre, radius] = deposition.spheres[a];
    const double mass = kSphereDensity * 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
    scene.bodies.push_back({1.0 / mass, Vector3d::Constant(1.0 / (0.4 * mass * radius * radius))});
    for (int k = 0; k < 6; ++k)
      scene.velocity[6 * a + k] = agitation * random.normal() / (k < 3 ? 1.0 : radius);
    scene.velocity[6 * a + 2] -= kFallenSpeed;
    const auto touch = [&, &centre = centre, &radius = radius](int b, const Vector3d& normal,
                                                               double other) {
      if (static_cast<int>(scene.contacts.size()) == contacts) return;
      scene.contacts.push_back(
          {a, b, centre - radius * normal, normal, -radius * normal, other * normal});
    };
    if (deposition.carriers[a].empty()) touch(-1, Vector3d::UnitZ(), 0.0);
    for (const int b : deposition.carriers[a])
      touch(b, (centre - deposition.image(b, centre)).normalized(), deposition.spheres[b].radius);
  }
  return scene;
}

}  // namespace perp
