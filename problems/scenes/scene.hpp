// Mechanical scenes: bodies, shapes, friction, joints, bearings, loads. SI units throughout.
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
///   (p_t/e_t)^2 + (p_o/e_o)^2 + (p_r/e_r)^2 <= (mu p_n)^2.
struct ContactProperties {
  double mu = 0.0;              ///< Coulomb coefficient
  double e_t = 1.0, e_o = 1.0;  ///< semi-axes of the friction ellipsoid along both tangents
  double e_r = 0.0;             ///< that of torsion about the normal, m; 0: none
  double viscous = 0.0;         ///< what friction can do beyond mu p_n, by slip speed, N s/m
  Vector3d direction = Vector3d::Zero();  ///< world; its tangential part is t; zero: any
  double restitution = 0.0;               ///< Poisson's coefficient, 0..1
  double stiffness = kRigid;              ///< of a contact point, N/m; infinite: rigid
  double dissipation = 0.0;  ///< relaxation time of a compliant point, s: p/h = k(-g - tau v_n)

  static constexpr double kRigid = std::numeric_limits<double>::infinity();
  bool rigid() const { return stiffness == kRigid; }
  bool operator==(const ContactProperties&) const = default;
};

/// Which bodies a rule is for: names, or patterns with * at the end.
struct PairRule {
  std::string a, b;
  ContactProperties properties;
  bool operator==(const PairRule&) const = default;
};

/// True where the name is the pattern, or begins with what stands before a final *.
bool name_fits(std::string_view pattern, std::string_view name);

enum class JointType { kSpherical, kRevolute, kPrismatic, kFixed, kDistance };
std::string_view to_string(JointType type);

/// A bilateral joint between two bodies in maximal coordinates. Anchors and axis are given in the
/// world frame of the initial state.
struct Joint {
  std::string name;
  JointType type;
  int body_a, body_b;           ///< indices of bodies
  Vector3d anchor_a, anchor_b;  ///< world frame, initial; the same point but for distance joints
  Vector3d axis = Vector3d::UnitZ();  ///< revolute: of rotation; prismatic: of translation
  /// Friction of revolute and prismatic joints: N m and N m s, or N and N s/m.
  double coulomb = 0.0, viscous = 0.0;
  /// Spring and damper of revolute and prismatic joints on the displacement x of body_a against
  /// body_b, 0 in the initial state: the torque or force -stiffness (x - rest) - damping dx/dt.
  double stiffness = 0.0, damping = 0.0;  ///< N m/rad and N m s, or N/m and N s/m
  double rest = 0.0;                      ///< rad or m

  bool has_friction() const { return coulomb > 0 || viscous > 0; }
  bool has_spring() const { return stiffness > 0 || damping > 0; }
  bool operator==(const Joint&) const = default;
};

/// A regular polygonal pin in a regular polygonal hole with as many corners, both prisms along an
/// axis: a journal, or a piston in its bore. The vertices of the pin's cross-sections touch the
/// faces of the hole from within; bodies of a bearing touch nowhere else. At the beginning both
/// axes are parallel. Vertices and centres of faces have directions at equal angles, the first face
/// at `direction` and the first vertex turned from it by `turn`.
struct Bearing {
  std::string name;
  int pin, hole;                ///< indices of bodies
  Vector3d center, pin_center;  ///< of hole and pin, world frame, initial
  Vector3d axis = Vector3d::UnitZ(), direction = Vector3d::UnitX();  ///< orthonormal, likewise
  double turn = 0.0;                                                 ///< rad
  double radius = 0.0;     ///< of the circle through the pin's vertices, m
  double clearance = 0.0;  ///< gap of the vertices nearest to faces where the centres agree, m
  int corners = 24;
  std::vector<double> sections = {0.0};  ///< where on the axis the pin has vertices, m

  /// Distance of the hole's faces from its centre, m.
  double hole_radius() const;
  bool operator==(const Bearing&) const = default;
};

struct Scene;

/// Moves a revolute or prismatic joint of the initial state: body_a, with all that hangs on it by
/// other joints and the anchors and axes that belong there, turns about the axis (rad) or is
/// shifted along it (m). Velocities stay.
/// @throws std::invalid_argument: what hangs on it is fixed, in a bearing, or is body_b itself (a
/// loop).
void displace(Scene& scene, int joint, double displacement);

/// A linear spring with damper between two points of bodies, along the line between them. With
/// rest length 0 it is linear in all directions: the force is -stiffness d - damping dd/dt, d the
/// vector between the points.
struct Spring {
  int body_a, body_b;
  Vector3d anchor_a, anchor_b;        ///< world frame, initial
  double stiffness, damping, length;  ///< N/m, N s/m, rest length m
  bool operator==(const Spring&) const = default;
};

/// A function of time: constant + amplitude sin(omega t + phase) + table(t). The table is linear
/// between its times and constant before the first and after the last.
struct TimeFunction {
  double constant = 0.0, amplitude = 0.0, omega = 0.0, phase = 0.0;
  std::vector<double> times, values;  ///< of the table: times rise, s
  double operator()(double t) const;
  bool operator==(const TimeFunction&) const = default;
};

/// A force through the mass centre and a moment, world frame.
struct Load {
  int body;
  std::array<TimeFunction, 3> force, moment;  ///< N, N m
  bool operator==(const Load&) const = default;
};

/// A quantity of a body that is compared with a number. kTouching: how many contact points have
/// closed gaps.
struct Condition {
  enum class Quantity { kX, kY, kZ, kVx, kVy, kVz, kWx, kWy, kWz, kSpeed, kTouching } quantity;
  int body;
  bool above;    ///< holds if the quantity is above the value, else if it is below
  double value;  ///< m, m/s, rad/s or a number of points
  bool operator==(const Condition&) const = default;
};

/// An impulse through the mass centre and an angular impulse, world frame, given once or, with a
/// condition, several times.
struct Impulse {
  int body;
  Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero();  ///< N s, N m s
  double time = 0.0;              ///< s; in the step that contains it
  std::optional<Condition> when;  ///< instead: in the first steps at whose beginning it holds
  int times = 1;                  ///< of those, how many
  bool operator==(const Impulse&) const = default;
};

/// Compared by value: what is kept for a scene is looked up by what the scene says, never by where
/// it lies in memory.
struct Scene {
  std::string name, description;
  std::string formulation;  ///< the one it is made for, with options; empty: none in particular
  int dimension = 3;
  Vector3d gravity = Vector3d::Zero();
  std::vector<Body> bodies;
  ContactProperties contact;    ///< of pairs without a rule
  std::vector<PairRule> pairs;  ///< the last one that fits counts
  std::vector<Joint> joints;
  std::vector<Bearing> bearings;
  std::vector<Spring> springs;
  std::vector<Load> loads;
  std::vector<Impulse> impulses;
  double step = 0.01, duration = 1.0;        ///< defaults, s
  std::map<std::string, double> parameters;  ///< as used

  ContactProperties properties(int a, int b) const;
  /// True where bodies of a joint do not collide with each other.
  bool joined(int a, int b) const;
  /// For each body a number that it shares with those that fixed joints hold to it, over others
  /// too: together they are one rigid body, whose parts do not collide with each other.
  std::vector<int> rigid_groups() const;
  bool operator==(const Scene&) const = default;
};

}  // namespace perp
