// Rigid bodies in contact, from which families make problems of an impulse.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <perp/problems/standard/problem.hpp>
#include <utility>
#include <vector>

namespace perp {

/// A rigid body for impulse problems: inverse mass and principal inverse inertia about the world
/// axes (SI).
struct ContactBody {
  double inverse_mass;
  Eigen::Vector3d inverse_inertia;
};

/// A point contact; body -1 is the ground. The normal pushes on `a`; the arms lead from the mass
/// centres to the contact point (world frame, metres).
struct ContactPoint {
  int a, b;
  Eigen::Vector3d point, normal, arm_a, arm_b;
};

/// Bodies, their contacts, and 6 velocities a body (linear, angular) before the impulse.
struct ContactScene {
  std::vector<ContactBody> bodies;
  std::vector<ContactPoint> contacts;
  Vector velocity;
};

/// Orthonormal n, t, s = n x t. In a plane (x, z) s is the axis of turning, and unused.
struct TangentFrame {
  Eigen::Vector3d n, t, s;
};
TangentFrame tangent_frame(const Eigen::Vector3d& normal, bool planar = false);

/// Row of the contact Jacobian for a direction: 6 entries (column, value) for each body that moves.
std::vector<std::pair<int, double>> contact_row(const ContactPoint& contact,
                                                const Eigen::Vector3d& direction);

/// Inverse masses as a diagonal, 6 values a body.
Vector inverse_masses(const ContactScene& scene);

/// Names, bodies, point and frame of a contact, for a problem's `contacts`.
ContactInfo describe(const ContactPoint& contact, int index, const TangentFrame& frame,
                     bool planar = false);

/// Columns of `tower` cubes of 1 m and 1 kg with 4 contacts a face (in a plane 2), just pushed
/// down; contacts that are left over are spheres on the ground.
/// @param mass_ratio of the highest to the lowest box of a column, in equal ratios between
ContactScene stacked_boxes(int contacts, int tower, std::uint64_t seed, bool planar = false,
                           double mass_ratio = 1.0);

/// Bodies of 0.5 to 5 kg, one for three contacts, with random contacts and velocities.
/// @param mass_ratio a factor on the masses, from 1 for the first body to this for the last
ContactScene random_pile(int contacts, std::uint64_t seed, bool planar = false,
                         double mass_ratio = 1.0);

/// Rods of 2 m and 1 kg in the plane (x, z), each with its lower end on the ground, inclined by 30
/// to 80 degrees; small velocities of the ends along the ground and normal to it.
ContactScene inclined_rods(int rods, std::uint64_t seed);

/// Spheres of radius 0.04 to 0.06 m, dropped one by one on a floor that is periodic in x and y,
/// each rolling to where it rests on three others (or on the floor) [VisscherBolsterli1972]; then
/// one step of free fall, and random velocities of the size `agitation`, m/s.
ContactScene settled_spheres(int contacts, std::uint64_t seed, double agitation);

}  // namespace perp
