// Rigid bodies in contact, from which families make problems for the impulses of one step.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <perp/problems/standard/problem.hpp>
#include <utility>
#include <vector>

namespace perp {

/// A rigid body for impulse problems: inverse mass, 1/kg, and inverse principal moments of inertia,
/// 1/(kg m^2); its principal axes are those of the world.
struct ContactBody {
  double inverse_mass;
  Eigen::Vector3d inverse_inertia;
};

/// A point contact; body -1 is the ground. The unit normal points into body `a`. The arms lead from
/// the mass centres to the contact point (world frame, metres).
struct ContactPoint {
  int a, b;
  Eigen::Vector3d point, normal, arm_a, arm_b;
};

/// Bodies, their contacts, and 6 velocities for each body before the impulse: linear (m/s), then
/// angular (rad/s).
struct ContactScene {
  std::vector<ContactBody> bodies;
  std::vector<ContactPoint> contacts;
  Vector velocity;
};

/// Orthonormal n, t, s = n x t. In the plane (x, z), s is the axis of rotation and is not used.
struct TangentFrame {
  Eigen::Vector3d n, t, s;
};
TangentFrame tangent_frame(const Eigen::Vector3d& normal, bool planar = false);

/// Row of the contact Jacobian for a direction: 6 entries (column, value) for each body that moves.
std::vector<std::pair<int, double>> contact_row(const ContactPoint& contact,
                                                const Eigen::Vector3d& direction);

/// The diagonal of M^-1, 6 values for each body (SI).
Vector inverse_masses(const ContactScene& scene);

/// Name, bodies, point and frame of a contact, for the `contacts` of a problem.
ContactInfo describe(const ContactPoint& contact, int index, const TangentFrame& frame,
                     bool planar = false);

/// Columns of `tower` cubes of 1 m and 1 kg with 4 contacts in each face (2 in the plane).
/// Velocities: one step of 0.01 s of free fall, 0.1 m/s downwards, and a little random motion. If
/// `contacts` is no multiple of 4 (2), each contact that is left over is that of a sphere on the
/// ground.
/// @param mass_ratio mass of the highest box of a column over that of the lowest; from each box to
/// the next the mass grows by the same factor
ContactScene stacked_boxes(int contacts, int tower, std::uint64_t seed, bool planar = false,
                           double mass_ratio = 1.0);

/// Bodies of 0.5 to 5 kg with random contacts and velocities, one body for every three contacts (at
/// least two bodies).
/// @param mass_ratio the masses are multiplied by a factor that grows from 1 for the first body to
/// this value for the last
ContactScene random_pile(int contacts, std::uint64_t seed, bool planar = false,
                         double mass_ratio = 1.0);

/// Rods of 2 m and 1 kg in the plane (x, z), each with its lower end on the ground and inclined by
/// 30 to 80 degrees. They do not turn; their random velocities are up to 1 m/s along the ground and
/// up to 0.1 m/s normal to it.
ContactScene inclined_rods(int rods, std::uint64_t seed);

/// Spheres of radius 0.04 to 0.06 m and density 1000 kg/m^3. They are dropped one by one on a floor
/// that is periodic in x and y. Each rolls to a place where it rests on three others, or stays
/// where it meets the floor [VisscherBolsterli1972]. Velocities: one step of 0.01 s of free fall,
/// and random ones.
/// @param agitation size of the random velocities, m/s (angular ones: over the radius)
ContactScene settled_spheres(int contacts, std::uint64_t seed, double agitation);

}  // namespace perp
