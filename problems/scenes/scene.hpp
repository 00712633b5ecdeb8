// Mechanical scenes: bodies, shapes, friction, joints, bearings, loads. All units are SI.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <perp/problems/scenes/shapes.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

using Eigen::Quaterniond;

/// A rigid body. In 2D it moves in the plane z = 0 and turns about z.
struct Body {
  std::string name;
  bool fixed = false;
  Shape shape;
  double mass = 0.0;                     ///< kg
  Vector3d inertia = Vector3d::Zero();   ///< principal moments in the body frame, kg m^2
  Vector3d position = Vector3d::Zero();  ///< of the mass centre, m
  Quaterniond orientation = Quaterniond::Identity();
  Vector3d velocity = Vector3d::Zero();          ///< m/s
  Vector3d angular_velocity = Vector3d::Zero();  ///< world frame, rad/s
  bool operator==(const Body&) const = default;
};

/// Contact properties of a pair of bodies. The friction impulse lies in the ellipsoid
///   (p_t/e_t)^2 + (p_o/e_o)^2 + (p_r/e_r)^2 <= (mu p_n)^2
/// with the normal impulse p_n, p_t and p_o along the tangents, and p_r about the normal.
struct ContactProperties {
  double mu = 0.0;              ///< Coulomb coefficient
  double e_t = 1.0, e_o = 1.0;  ///< semi-axes of the friction ellipsoid along both tangents
  double e_r = 0.0;      ///< semi-axis of torsion about the normal, m; 0: no torsional friction
  double viscous = 0.0;  ///< added to the bound mu p_n, per slip speed, N s/m
  Vector3d direction = Vector3d::Zero();  ///< world frame; its tangential part is t; zero: any t
  double restitution = 0.0;               ///< Poisson's coefficient, 0..1
  double stiffness = kRigid;              ///< of each contact point, N/m; infinite: rigid
  double dissipation = 0.0;  ///< relaxation time of a compliant point, s: p/h = k(-g - tau v_n)

  static constexpr double kRigid = std::numeric_limits<double>::infinity();
  /// Whether contacts do not give way.
  bool rigid() const { return stiffness == kRigid; }
  bool operator==(const ContactProperties&) const = default;
};

/// Contact properties of certain pairs; a and b are names of bodies, or patterns with * at the end.
struct PairRule {
  std::string a, b;
  ContactProperties properties;
  bool operator==(const PairRule&) const = default;
};

/// True if the name equals the pattern, or begins with the part of the pattern before its final *.
bool name_fits(std::string_view pattern, std::string_view name);

/// The types of joints (docs/reference/scenes.md).
enum class JointType { kSpherical, kRevolute, kPrismatic, kFixed, kDistance };
/// The name of the type in scene files.
std::string_view to_string(JointType type);

/// A bilateral joint between two bodies in maximal coordinates. Anchors and axis are given in the
/// world frame of the initial state.
struct Joint {
  std::string name;
  JointType type;
  int body_a, body_b;                 ///< indices of bodies
  Vector3d anchor_a, anchor_b;        ///< world frame, initial; equal except for distance joints
  Vector3d axis = Vector3d::UnitZ();  ///< revolute: of rotation; prismatic: of translation
  /// Friction of revolute and prismatic joints: N m and N m s, or N and N s/m.
  double coulomb = 0.0, viscous = 0.0;
  /// Spring and damper of revolute and prismatic joints on the displacement x of body_a against
  /// body_b: the torque or force -stiffness (x - rest) - damping dx/dt. Angles x are between -pi
  /// and pi.
  double stiffness = 0.0, damping = 0.0;  ///< N m/rad and N m s, or N/m and N s/m
  double rest = 0.0;                      ///< rad or m
  double displacement = 0.0;              ///< x in the initial state, rad or m

  /// Whether it has friction.
  bool has_friction() const { return coulomb > 0 || viscous > 0; }
  /// Whether it has a spring or a damper.
  bool has_spring() const { return stiffness > 0 || damping > 0; }
  bool operator==(const Joint&) const = default;
};

/// A regular polygonal pin in a regular polygonal hole with the same number of corners, both prisms
/// along an axis: a journal, or a piston in its bore. The vertices of the pin's cross-sections can
/// touch the faces of the hole from inside; the two bodies of a bearing have no other contacts with
/// each other. At the beginning both axes are parallel. The vertices lie in directions at equal
/// angles, and so do the centres of the faces. The first face is in the direction `direction`, the
/// first vertex is turned from it by `turn`.
struct Bearing {
  std::string name;
  int pin, hole;                ///< indices of bodies
  Vector3d center, pin_center;  ///< centres of hole and pin, world frame, initial
  Vector3d axis = Vector3d::UnitZ(),
           direction = Vector3d::UnitX();  ///< orthonormal, world frame, initial
  double turn = 0.0;                       ///< rad
  double radius = 0.0;                     ///< of the circle through the pin's vertices, m
  double clearance = 0.0;  ///< if the centres agree: gap of the vertices nearest to faces, m
  int corners = 24;
  std::vector<double> sections = {0.0};  ///< places on the axis at which the pin has vertices, m

  /// Distance of the hole's faces from its centre, m.
  double hole_radius() const;
  bool operator==(const Bearing&) const = default;
};

struct Scene;

/// Moves a revolute or prismatic joint of the initial state. body_a turns about the axis (rad) or
/// is shifted along it (m), together with all bodies that other joints connect to it and with their
/// anchors and axes. Velocities do not change.
/// @throws std::invalid_argument if a body that would move is fixed, in a bearing, or body_b itself
/// (a loop)
void displace(Scene& scene, int joint, double displacement);

/// A linear spring with a damper between two points of bodies, along the line between them. With
/// rest length 0 it is linear in all directions: the force is -stiffness d - damping dd/dt with the
/// vector d between the points.
struct Spring {
  int body_a, body_b;
  Vector3d anchor_a, anchor_b;        ///< world frame, initial
  double stiffness, damping, length;  ///< N/m, N s/m, rest length m
  bool operator==(const Spring&) const = default;
};

/// A function of time: constant + amplitude sin(omega t + phase) + table(t), omega in rad/s and
/// phase in rad. The table is linear between its times and constant before the first and after the
/// last.
struct TimeFunction {
  double constant = 0.0, amplitude = 0.0, omega = 0.0, phase = 0.0;
  std::vector<double> times, values;  ///< of the table; times increase, s
  /// The value at a time t, s.
  double operator()(double t) const;
  bool operator==(const TimeFunction&) const = default;
};

/// A force through the mass centre and a moment, world frame.
struct Load {
  int body;
  std::array<TimeFunction, 3> force, moment;  ///< N, N m
  bool operator==(const Load&) const = default;
};

/// Compares a quantity of a body with a number. kTouching: the number of its contact points whose
/// gaps are closed.
struct Condition {
  /// What is compared.
  enum class Quantity { kX, kY, kZ, kVx, kVy, kVz, kWx, kWy, kWz, kSpeed, kTouching } quantity;
  int body;
  bool above;    ///< holds if the quantity is above the value, else if it is below
  double value;  ///< m, m/s, rad/s or a number of points
  bool operator==(const Condition&) const = default;
};

/// An impulse through the mass centre and an angular impulse, world frame. It acts once, or, with a
/// condition, possibly several times.
struct Impulse {
  int body;
  Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero();  ///< N s, N m s
  double time = 0.0;              ///< s; it acts in the step that contains this time
  std::optional<Condition> when;  ///< instead: it acts in the first `times` steps at whose
                                  ///< beginning the condition holds
  int times = 1;
  bool operator==(const Impulse&) const = default;
};

/// A scene. Scenes are compared by value: data that is kept for a scene belongs to all scenes with
/// the same contents, wherever they are in memory.
struct Scene {
  std::string name, description;
  std::string formulation;  ///< the formulation it is made for, with options; or empty
  int dimension = 3;
  Vector3d gravity = Vector3d::Zero();
  std::vector<Body> bodies;
  ContactProperties contact;    ///< for pairs of bodies without a rule
  std::vector<PairRule> pairs;  ///< the last rule that fits a pair counts
  std::vector<Joint> joints;
  std::vector<Bearing> bearings;
  std::vector<Spring> springs;
  std::vector<Load> loads;
  std::vector<Impulse> impulses;
  double step = 0.01, duration = 1.0;        ///< defaults, s
  std::map<std::string, double> parameters;  ///< their values in this scene

  /// Contact properties of the bodies a and b.
  ContactProperties properties(int a, int b) const;
  /// True if a joint connects the two bodies, so that they do not collide with each other.
  bool joined(int a, int b) const;
  /// A number for each body. Bodies that are connected by fixed joints, directly or through other
  /// bodies, have the same number: together they are one rigid body, whose parts do not collide
  /// with each other.
  std::vector<int> rigid_groups() const;
  bool operator==(const Scene&) const = default;
};

}  // namespace perp
