// The method of multipliers for an ImpulseProgram, from a point near the answer.
#pragma once

#include <perp/solvers/block_interior_point/impulse_newton.hpp>

namespace perp {

/// Semismooth Newton steps on the augmented Lagrangian of the dual [Rockafellar1976; LiSunToh2018]:
/// over m, lambda and nu >= 0, with v = m + M^-1 (G'lambda - c_v),
///   1/2 v'Mv - f'm - w'lambda + kappa nu + 1/2 |lambda - lambda_k|^2_eps
///     + sum over the cones of |Pi(p_k - sigma s)|^2 / (2 sigma), s = J m + c_p + nu e,
///     + sum over the bounds of ((u_k - tau lambda)+)^2 / (2 tau)
/// is convex and once differentiable. At its minimum Pi(p_k - sigma s) are the next impulses, and
/// (u_k - tau lambda)+ the next slacks of G v >= w. The penalties sigma and tau are a number over
/// the stiffness of the cones and rows, eps its inverse. Each step has an exact line search, since
/// the slope along a direction costs no more than a product with J.
class ImpulseMultipliers {
 public:
  void prepare(const ImpulseProgram& program);
  /// Begins at impulses p, multipliers lambda and nu; the other members of x are not looked at.
  void start(const ImpulsePoint& x, double penalty);
  /// The gradient of the augmented Lagrangian, and how far the multipliers would move, in units of
  /// velocities: what is left of the problem once the gradient vanishes.
  double gradient() const { return gradient_; }
  double change() const { return change_; }
  /// @return the step length, 0 where there is no progress
  double step(ImpulseNewton& newton);
  /// The next impulses and slacks, with another penalty.
  void update(double penalty);
  /// p, lambda and nu.
  void point(ImpulsePoint& x) const;

 private:
  void set_penalty(double penalty);
  void evaluate();
  double largest_change() const;
  bool find_direction(ImpulseNewton& newton);
  double search() const;
  double slope(double t) const;

  const ImpulseProgram* program_ = nullptr;
  double gradient_ = 0.0, change_ = 0.0, total_ = 0.0;
  Vector cone_size_, bound_size_, sigma_, tau_, eps_;
  Vector m_, lambda_, p_, u_, z_;  // z: what p is the projection of
  Vector p_centre_, u_centre_, lambda_centre_;
  Vector mv_, slack_;                         // M v, G v - w
  Vector g_m_, g_lambda_;                     // gradient
  Vector d_m_, d_lambda_, d_v_, d_mv_, d_s_;  // direction
  double nu_ = 0.0, g_nu_ = 0.0, d_nu_ = 0.0;
  std::vector<ImpulseNewton::ConeBlock> blocks_;
  Vector weights_, a_, pull_, pull_v_, pull_m_, work_;
};

}  // namespace perp
