// How bodies move in a time step, contacts and joints apart.
#pragma once

#include <functional>
#include <perp/formulations/dynamics/articulation.hpp>
#include <perp/formulations/dynamics/state.hpp>
#include <vector>

namespace perp {

/// The momentum balance of a step in the velocities that the step has,
///   M (v - v_free) = impulses,
/// and the state that velocities lead to. What pushes is the contact law's matter.
struct Motion {
  SparseMatrix inverse_mass;  ///< symmetric positive definite
  SparseMatrix mass;          ///< M; empty: blocks of at most 3 x 3, to be had from the inverse
  /// M^-1 without what springs add to M; empty: inverse_mass is it.
  SparseMatrix bodies_inverse_mass;
  Vector free;                                ///< velocities at the end of free motion
  std::function<State(const Vector&)> moved;  ///< at the end of the step
  /// Generalised velocities of the bodies (Coordinates) by those of the step; empty: they are the
  /// same.
  SparseMatrix twists;
  /// Velocities that M couples with each other and with no others, every velocity in one block.
  std::vector<std::vector<int>> blocks;
  /// If the velocities are rates of joints, so that these hold by themselves: of each joint of the
  /// scene its displacement (0 if it is fixed), and the velocity that is its rate (-1: none).
  Vector displacements;
  std::vector<int> rates;

  bool reduced() const { return twists.size() > 0; }
};

/// Velocities of the bodies, M and forces at the beginning of the step, q+ = q + h v+: symplectic
/// Euler. The scene must outlive it.
Motion maximal_motion(const Scene& scene, const State& state, double h);

/// Rates of the joints of arms, in the scene's order, then the velocities of bodies without joints;
/// inertia and forces at the beginning of the step, x+ = x + h dx/dt+ of the joints. Scene and arm
/// must outlive it. @param arm of the scene
Motion reduced_motion(const Scene& scene, const Articulation& arm, const State& state, double h);

}  // namespace perp
