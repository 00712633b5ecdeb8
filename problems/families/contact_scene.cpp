#include <perp/problems/families/contact_scene.hpp>

#include <perp/problems/standard/random.hpp>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace perp {

namespace {

constexpr double kGravity = 9.81, kStep = 0.01;
using Eigen::Vector3d;

// Velocity of one step of free fall and a downward push, with a little random motion.
Vector pushed(Random& random, int bodies) {
  Vector v(6 * bodies);
  for (double& x : v) x = 0.05 * random.normal();
  for (int k = 0; k < bodies; ++k) v[6 * k + 2] -= kGravity * kStep + 0.1;
  return v;
}

Vector3d normal_vector(Random& random, bool planar) {
  const double x = random.normal(), y = random.normal(), z = random.normal();
  return {x, planar ? 0.0 : y, z};
}

}  // namespace

TangentFrame tangent_frame(const Vector3d& normal, bool planar) {
  const Vector3d n = normal.normalized();
  if (planar) return {n, {n[2], 0.0, -n[0]}, Vector3d::UnitY()};
  const Vector3d axis = std::abs(n[0]) < 0.7 ? Vector3d::UnitX() : Vector3d::UnitY();
  const Vector3d t = n.cross(axis).normalized();
  return {n, t, n.cross(t)};
}

std::vector<std::pair<int, double>> contact_row(const ContactPoint& c, const Vector3d& d) {
  std::vector<std::pair<int, double>> row;
  const auto add = [&](int body, const Vector3d& arm, double sign) {
    if (body < 0) return;
    const Vector3d moment = arm.cross(d);
    for (int k = 0; k < 3; ++k) row.emplace_back(6 * body + k, sign * d[k]);
    for (int k = 0; k < 3; ++k) row.emplace_back(6 * body + 3 + k, sign * moment[k]);
  };
  add(c.a, c.arm_a, 1.0);
  add(c.b, c.arm_b, -1.0);
  return row;
}

Vector inverse_masses(const ContactScene& scene) {
  Vector inverse(6 * scene.bodies.size());
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
    inverse.segment<3>(6 * k).setConstant(scene.bodies[k].inverse_mass);
    inverse.segment<3>(6 * k + 3) = scene.bodies[k].inverse_inertia;
  }
  return inverse;
}

ContactInfo describe(const ContactPoint& c, int index, const TangentFrame& frame, bool planar) {
  const auto list = [planar](const Vector3d& v) {
    return planar ? std::vector<double>{v[0], v[2]} : std::vector<double>{v[0], v[1], v[2]};
  };
  const auto body = [](int k) { return k < 0 ? std::string("ground") : fmt::format("body{}", k); };
  std::vector<std::vector<double>> tangents = {list(frame.t)};
  if (!planar) tangents.push_back(list(frame.s));
  return {fmt::format("contact{}", index),
          body(c.a),
          body(c.b),
          list(c.point),
          list(frame.n),
          std::move(tangents),
          {}};
}

ContactScene stacked_boxes(int contacts, int tower, std::uint64_t seed, bool planar,
                           double mass_ratio) {
  Random random(seed);
  const std::vector<double> sides =
      planar ? std::vector<double>{0.0} : std::vector<double>{-0.5, 0.5};  // y of the contacts
  const int face = planar ? 2 : 4, boxes = contacts / face, spheres = contacts % face;
  ContactScene scene;
  for (int k = 0; k < boxes; ++k) {
    const int column = k / tower, level = k % tower;
    const double mass = tower > 1 ? std::pow(mass_ratio, double(level) / (tower - 1)) : 1.0;
    scene.bodies.push_back({1.0 / mass, Vector3d::Constant(6.0 / mass)});  // side 1 m: m/6 kg m^2
    for (const double x : {-0.5, 0.5}) {
      for (const double y : sides) {
        scene.contacts.push_back({k,
                                  level > 0 ? k - 1 : -1,
                                  {3.0 * column + x, y, double(level)},
                                  Vector3d::UnitZ(),
                                  {x, y, -0.5},
                                  {x, y, 0.5}});
      }
    }
  }
  for (int j = 0; j < spheres; ++j) {
    scene.bodies.push_back({1.0, Vector3d::Constant(10.0)});
    scene.contacts.push_back({boxes + j,
                              -1,
                              {-3.0 * (j + 1), 0.0, 0.0},
                              Vector3d::UnitZ(),
                              {0.0, 0.0, -0.5},
                              Vector3d::Zero()});
  }
  scene.velocity = pushed(random, static_cast<int>(scene.bodies.size()));
  return scene;
}

ContactScene random_pile(int contacts, std::uint64_t seed, bool planar, double mass_ratio) {
  Random random(seed);
  const int count = std::max(2, contacts / 3);
  ContactScene scene;
  std::vector<Vector3d> centres;
  for (int k = 0; k < count; ++k) {
    centres.emplace_back();
    for (double& x : centres.back()) x = random.uniform(-2.0, 2.0);
    if (planar) centres.back()[1] = 0.0;
    const double mass = random.uniform(0.5, 5.0) * std::pow(mass_ratio, double(k) / (count - 1));
    Vector3d inverse_inertia;
    for (double& x : inverse_inertia) x = 1.0 / (mass * random.uniform(0.1, 0.4));
    scene.bodies.push_back({1.0 / mass, inverse_inertia});
  }
  for (int c = 0; c < contacts; ++c) {
    const int a = random.index(count);
    const int b = random.uniform() < 1.0 / 6.0 ? -1 : (a + 1 + random.index(count - 1)) % count;
    const Vector3d normal = normal_vector(random, planar).normalized();
    // Arms of about half a metre on both sides, wherever the centre of b was drawn.
    const Vector3d arm_a = -0.5 * normal + 0.1 * normal_vector(random, planar);
    const Vector3d arm_b = 0.5 * normal - 0.1 * normal_vector(random, planar);
    scene.contacts.push_back({a, b, centres[a] + arm_a, normal, arm_a, arm_b});
  }
  scene.velocity.resize(6 * count);
  for (double& x : scene.velocity) x = random.normal();
  for (int k = 0; k < count; ++k) scene.velocity[6 * k + 2] -= 1.0;
  return scene;
}

ContactScene inclined_rods(int rods, std::uint64_t seed) {
  Random random(seed);
  ContactScene scene;
  scene.velocity = Vector::Zero(6 * rods);
  for (int k = 0; k < rods; ++k) {
    const double angle = random.uniform(30.0, 80.0) * std::numbers::pi / 180.0;
    scene.bodies.push_back({1.0, Vector3d::Constant(3.0)});  // m l^2 / 12 = 1/3 kg m^2
    scene.contacts.push_back({k,
                              -1,
                              {3.0 * k, 0.0, 0.0},
                              Vector3d::UnitZ(),
                              {-std::cos(angle), 0.0, -std::sin(angle)},
                              Vector3d::Zero()});
    scene.velocity[6 * k] = random.uniform(-1.0, 1.0);
    scene.velocity[6 * k + 2] = random.uniform(-0.1, 0.1);
  }
  return scene;
}

}  // namespace perp
