// The theta-method without contact: its momentum balance as a problem, and its linearisation.
#pragma once

#include <memory>
#include <perp/formulations/dynamics/motion.hpp>
#include <perp/formulations/stepping/theta_method/free_motion_recorder.hpp>
#include <perp/problems/standard/problem.hpp>

namespace perp {

/// The momentum balance of a step from (q_0, v_0), in the velocities of the bodies,
///   m(v) = M(q^theta) (v - v_0) - h k(q^theta, v^theta) = 0,  q = q_0 + h N(q^theta) v^theta_vq,
/// with gravity, loads, springs, dampers and gyroscopic terms in k. It is recorded once for a
/// scene. Derivation: README.md.
class FreeMotion {
 public:
  /// @param scene is copied; its contacts and the equations of its joints are not used
  explicit FreeMotion(const Scene& scene);
  FreeMotion(const FreeMotion&) = delete;  // the recording points at scene_
  FreeMotion& operator=(const FreeMotion&) = delete;

  /// Sets the numbers of a step.
  void begin(const State& state, double h, const Theta& theta);

  /// Whether m is linear with a constant M, so that explicit_velocity() solves m(v) = 0.
  bool is_explicit() const;
  /// v_0 - M(q_0)^-1 m(v_0): one step of Newton's method.
  Vector explicit_velocity() const;
  /// m(v*) = 0 as an mcp without bounds, in dimensionless changes of the velocities; and the
  /// velocities of its answer z, m/s and rad/s.
  Problem problem() const;
  Vector velocity(const Vector& z) const;

  /// m(v), N s and N m s.
  Vector residual(const Vector& v) const;
  /// A, the symmetric positive definite part of dm/dv at v: M + h^2 theta_q theta_vq K +
  /// h theta_v D, with M, the material stiffness K and the damping D at (q^theta(v), v).
  /// @param printed A has the factor theta_vq twice, as the paper prints it
  SparseMatrix linearisation(const Vector& v, bool printed = false) const;
  /// Position and velocity at the end of a step with v.
  State moved(const Vector& v) const;
  /// The motion with A (v - v*) = impulses. @param free_velocity v*
  Motion motion(const Vector& free_velocity, bool printed = false) const;

  const Vector& initial_velocity() const { return in_.initial; }

 private:
  State between(const Vector& v) const;
  Vector unknowns(const Vector& v) const;

  Scene scene_;
  Coordinates coordinates_;
  RecordedFreeMotion recorded_;
  std::shared_ptr<const CompiledFunction> compiled_;
  FreeMotionInput in_;  // the step
};

}  // namespace perp
