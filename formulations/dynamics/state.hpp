// States of a scene, and the mechanics of rigid bodies in maximal coordinates.
#pragma once

#include <perp/problems/matrix/matrix.hpp>
#include <perp/problems/scenes/scene.hpp>
#include <vector>

namespace perp {

/// Position, orientation and velocity of a body; world frame, SI.
struct BodyState {
  Vector3d position;
  Quaterniond orientation;
  Vector3d velocity;
  Vector3d angular_velocity;
};

/// Where the bodies of a scene are at a time, and how they move.
struct State {
  double time = 0.0;
  std::vector<BodyState> bodies;  ///< in the order of the scene, with the fixed ones
  std::vector<int> given;         ///< how often each impulse of the scene has acted
};

/// The state at which a scene begins.
State initial_state(const Scene& scene);

/// The places of the velocities of each body in the vector of generalised velocities. A body has 3
/// in 2D (v_x, v_y, omega_z) and 6 in 3D (v, omega in the world frame); fixed bodies have none.
class Coordinates {
 public:
  explicit Coordinates(const Scene& scene);
  int size() const { return size_; }
  int per_body() const { return per_body_; }
  /// Index of the first velocity of a body, or -1 if it is fixed.
  int offset(int body) const { return offset_[body]; }

  /// The generalised velocity of a state.
  Vector velocity(const State& state) const;
  /// Adds sign * (force, moment) to a row of a Jacobian: the wrench of a unit impulse on a body.
  void add_wrench(int body, const Vector3d& force, const Vector3d& moment, double sign, int row,
                  std::vector<Triplet>& entries) const;

 private:
  int per_body_, size_ = 0;
  std::vector<int> offset_;
};

/// Geometric mean of the masses of the moving bodies, kg; 1 if there are none. A single body that
/// is much heavier than the others then hardly changes the unit of impulses.
double typical_mass(const Scene& scene);

/// Inverse of the mass matrix, size() x size(), block diagonal, world frame.
SparseMatrix inverse_mass_matrix(const Scene& scene, const State& state,
                                 const Coordinates& coordinates);

/// A force through the mass centre and a moment, world frame, N and N m.
struct Wrench {
  Vector3d force = Vector3d::Zero(), moment = Vector3d::Zero();
};

/// Displacement of body_a of a revolute or prismatic joint relative to body_b, about or along the
/// axis: rad between -pi and pi, or m; 0 in the initial state.
double joint_displacement(const Scene& scene, const State& state, const Joint& joint);
/// x - rest of the spring of a joint, x its displacement: rad, x between -pi and pi, or m.
double joint_extension(const Scene& scene, const State& state, const Joint& joint);
/// Rate of this displacement, rad/s or m/s.
double joint_rate(const Scene& scene, const State& state, const Joint& joint);

/// The wrenches of gravity, loads and springs on each body in a state.
std::vector<Wrench> applied_wrenches(const Scene& scene, const State& state);

/// Velocities at the end of a step of free motion. They include the impulses of the step, gravity,
/// loads and springs at its beginning, and the gyroscopic term -omega x I omega, which is implicit
/// so that it cannot raise the energy.
Vector free_velocity(const Scene& scene, const State& state, const Coordinates& coordinates,
                     double h);

/// Sets the velocities of the moving bodies.
void set_velocity(const Coordinates& coordinates, const Vector& velocity, State& state);

/// The state after moving with a generalised velocity for the time h: p + h v, and Q + h/2 (0,
/// omega) Q, normalised.
State moved(const Scene& scene, const State& state, const Coordinates& coordinates,
            const Vector& velocity, double h);

/// J.
double kinetic_energy(const Scene& scene, const State& state);
/// Energy of gravity (zero at the origin) and of springs, also those of joints, J.
double potential_energy(const Scene& scene, const State& state);

/// World position of a point that moves with a body and had this world position in the initial
/// state.
Vector3d carried_point(const Scene& scene, const State& state, int body,
                       const Vector3d& initial_point);
/// The same for a direction.
Vector3d carried_direction(const Scene& scene, const State& state, int body,
                           const Vector3d& initial_direction);

}  // namespace perp
