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

struct State {
  double time = 0.0;
  std::vector<BodyState> bodies;  ///< as in the scene, fixed ones included
  std::vector<int> given;         ///< how often the impulses of the scene have been given
};

State initial_state(const Scene& scene);

/// Where the generalised velocity of each body stands: 3 a body in 2D (v_x, v_y, omega_z), 6 in 3D
/// (v, omega in the world frame). Fixed bodies have none.
class Coordinates {
 public:
  explicit Coordinates(const Scene& scene);
  int size() const { return size_; }
  int per_body() const { return per_body_; }
  /// First index, or -1 for fixed bodies.
  int offset(int body) const { return offset_[body]; }

  Vector velocity(const State& state) const;
  /// Adds sign * (force, moment) to a row of a Jacobian: the wrench of a unit impulse on a body.
  void add_wrench(int body, const Vector3d& force, const Vector3d& moment, double sign, int row,
                  std::vector<Triplet>& entries) const;

 private:
  int per_body_, size_ = 0;
  std::vector<int> offset_;
};

/// Inverse of the mass matrix, block diagonal, world frame.
SparseMatrix inverse_mass_matrix(const Scene& scene, const State& state,
                                 const Coordinates& coordinates);

/// A force through the mass centre and a moment, world frame, N and N m.
struct Wrench {
  Vector3d force = Vector3d::Zero(), moment = Vector3d::Zero();
};

/// Displacement of body_a of a revolute or prismatic joint against body_b about or along its axis,
/// 0 in the initial state: rad between -pi and pi, or m; and its rate.
double joint_displacement(const Scene& scene, const State& state, const Joint& joint);
double joint_rate(const Scene& scene, const State& state, const Joint& joint);

/// What gravity, loads and springs do to each body in a state.
std::vector<Wrench> applied_wrenches(const Scene& scene, const State& state);

/// Velocities at the end of a step of free motion: the impulses of the step, gravity, loads and
/// springs at its beginning, and the velocity product -omega x I omega taken implicitly, which
/// cannot raise the energy.
Vector free_velocity(const Scene& scene, const State& state, const Coordinates& coordinates,
                     double h);

/// The state after moving with a generalised velocity for h: p + h v, Q + h/2 (0, omega) Q,
/// normalised.
State moved(const Scene& scene, const State& state, const Coordinates& coordinates,
            const Vector& velocity, double h);

double kinetic_energy(const Scene& scene, const State& state);
/// Of gravity (zero at the origin) and springs, also those of joints.
double potential_energy(const Scene& scene, const State& state);

/// World position of a point given in the world frame of the initial state as moving with a body.
Vector3d carried_point(const Scene& scene, const State& state, int body,
                       const Vector3d& initial_point);
/// Likewise of a direction.
Vector3d carried_direction(const Scene& scene, const State& state, int body,
                           const Vector3d& initial_direction);

}  // namespace perp
