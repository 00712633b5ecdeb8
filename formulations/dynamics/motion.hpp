// How bodies move in a time step, without the impulses of contacts and joints.
#pragma once

#include <functional>
#include <perp/formulations/dynamics/articulation.hpp>
#include <perp/formulations/dynamics/state.hpp>
#include <vector>

namespace perp {

/// The momentum balance of a step in its velocities v,
///   M (v - v_free) = impulses,
/// and the state that follows from velocities. The contact law determines the impulses.
struct Motion {
  SparseMatrix inverse_mass;  ///< symmetric positive definite
  SparseMatrix mass;  ///< M; empty: inverse_mass has blocks of at most 3 x 3, M is its inverse
  /// M^-1 without the part that springs add to M; empty: equal to inverse_mass.
  SparseMatrix bodies_inverse_mass;
  Vector free;                                ///< velocities at the end of free motion
  std::function<State(const Vector&)> moved;  ///< the state at the end of the step
  /// Matrix from the velocities of the step to the generalised velocities of the bodies
  /// (Coordinates); empty: they are the same.
  SparseMatrix twists;
  /// Sets of velocities that M couples; every velocity is in exactly one of them.
  std::vector<std::vector<int>> blocks;
  /// Only if the velocities are rates of joints (then joints need no equations). For each joint of
  /// the scene: its displacement, rad or m (0 if it is fixed), and the index of the velocity that
  /// is its rate (-1: none).
  Vector displacements;
  std::vector<int> rates;

  /// Whether the velocities are rates of joints.
  bool reduced() const { return twists.size() > 0; }
};

/// The motion in the velocities of the bodies, with M and forces at the beginning of the step and
/// q+ = q + h v+: symplectic Euler. The scene must outlive the result.
Motion maximal_motion(const Scene& scene, const State& state, double h);

/// The motion in the rates of the joints of arms, in the order of the scene, then the velocities of
/// the bodies without joints. Inertia and forces are those at the beginning of the step; joints
/// move by x+ = x + h dx/dt+. Scene and arm must outlive the result. @param arm that of the scene
Motion reduced_motion(const Scene& scene, const Articulation& arm, const State& state, double h);

}  // namespace perp
