// Trees of bodies in reduced coordinates.
#pragma once

#include <memory>
#include <optional>
#include <perp/formulations/dynamics/state.hpp>
#include <string>
#include <vector>

namespace perp {

/// Why a scene is no tree of revolute, prismatic and fixed joints that grows from fixed bodies, or
/// nothing. @param loose bodies without joints may be there too
std::optional<std::string> articulation_refusal(const Scene& scene, bool loose = false);

/// Coordinates of the joints that move, in the scene's order: rad and rad/s of revolute ones, m and
/// m/s of prismatic ones; positive where the body that is farther from the ground moves about or
/// along the axis. 0 is the initial state.
struct JointState {
  Vector position;  ///< revolute: between -pi and pi
  Vector rate;
};

/// The bodies of a scene as functions of the coordinates of its joints. The inverse dynamics behind
/// inertia and bias are those of the Orocos KDL (recursive Newton-Euler).
class Articulation {
 public:
  /// @param scene without refusal; must live as long as this.
  explicit Articulation(const Scene& scene);
  ~Articulation();
  Articulation(Articulation&&) noexcept;
  Articulation& operator=(Articulation&&) noexcept;

  /// Joints that move.
  int size() const;
  /// Of a coordinate, in the scene.
  int joint(int coordinate) const;
  JointState read(const State& state) const;
  /// Puts the bodies where the joints say.
  void write(const JointState& joints, State& state) const;

  /// Joint-space inertia, size x size, symmetric positive definite, and the torques or forces that
  /// hold the joints at their rates against gravity, centrifugal and Coriolis forces.
  struct Dynamics {
    DenseMatrix inertia;
    Vector bias;
  };
  Dynamics dynamics(const JointState& joints) const;

  /// Generalised velocities of all bodies (Coordinates) by the rates of the joints, then the
  /// velocities of the bodies without joints in the scene's order.
  SparseMatrix twists(const State& state) const;
  /// Moving bodies without joints.
  const std::vector<int>& loose() const;

  /// Torques and forces on the joints by loads and springs of the scene.
  Vector applied(const State& state) const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

}  // namespace perp
