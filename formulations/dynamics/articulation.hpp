// Trees of bodies that are connected by joints, in reduced coordinates.
#pragma once

#include <memory>
#include <optional>
#include <perp/formulations/dynamics/state.hpp>
#include <string>
#include <vector>

namespace perp {

/// The reason why a scene is no tree of revolute, prismatic and fixed joints that begins at fixed
/// bodies, or nothing if it is one. Scenes without joints or with impulses are refused too.
/// @param loose bodies without joints are allowed
std::optional<std::string> articulation_refusal(const Scene& scene, bool loose = false);

/// Coordinates of the joints that move, in the order of the scene: rad and rad/s for revolute
/// joints, m and m/s for prismatic ones. Positive means that the body that is farther from the
/// ground turns about the axis or moves along it in the positive sense. The initial state has
/// position 0.
struct JointState {
  Vector position;  ///< revolute joints: between -pi and pi
  Vector rate;
};

/// The bodies of a scene as functions of the coordinates of its joints. Inertia and bias come from
/// the inverse dynamics of the Orocos KDL (recursive Newton-Euler).
class Articulation {
 public:
  /// @param scene one that articulation_refusal() does not refuse; must outlive this object
  explicit Articulation(const Scene& scene);
  ~Articulation();
  Articulation(Articulation&&) noexcept;
  Articulation& operator=(Articulation&&) noexcept;

  /// Number of joints that move, that is, of coordinates.
  int size() const;
  /// Index of the joint of a coordinate in the scene.
  int joint(int coordinate) const;
  /// The coordinates and rates of the joints in a state.
  JointState read(const State& state) const;
  /// Sets positions, orientations and velocities of the bodies from the coordinates of the joints.
  void write(const JointState& joints, State& state) const;

  /// Inertia in the coordinates of the joints, size() x size(), symmetric positive definite; and
  /// the bias: torques (N m) or forces (N) that keep the rates constant against gravity,
  /// centrifugal and Coriolis forces.
  struct Dynamics {
    DenseMatrix inertia;
    Vector bias;
  };
  Dynamics dynamics(const JointState& joints) const;

  /// The matrix that gives the generalised velocities of all bodies (Coordinates). Its columns
  /// belong to the rates of the joints, then to the velocities of the bodies without joints in the
  /// order of the scene.
  SparseMatrix twists(const State& state) const;
  /// Moving bodies without joints.
  const std::vector<int>& loose() const;

  /// Torques (N m) and forces (N) on the joints from loads and springs of the scene.
  Vector applied(const State& state) const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

}  // namespace perp
