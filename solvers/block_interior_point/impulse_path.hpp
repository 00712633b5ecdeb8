// The central path of an ImpulseProgram.
#pragma once

#include <perp/solvers/block_interior_point/impulse_newton.hpp>

namespace perp {

/// A primal-dual interior-point method with infeasible start: Mehrotra's predictor and corrector
/// [Mehrotra1992] with the scaling of Nesterov and Todd [NesterovTodd1997] on the linear systems of
/// ImpulseNewton.
class ImpulsePath {
 public:
  void prepare(const ImpulseProgram& program);
  /// From the central start. Then step() until the caller is content.
  void start();
  /// One step. @return false where there is no progress
  bool step(ImpulseNewton& newton);
  /// Mean product of impulses, slacks and their multipliers.
  double mu() const;
  /// Largest residual of the equations.
  double residual() const;
  /// p, lambda and nu.
  void point(ImpulsePoint& x) const;

  double last_step() const { return last_step_; }

 private:
  struct Iterate {
    Vector v, m, p, s, lambda, slack;  // p and s of self-dual cones
    double nu = 1.0, rest = 1.0;       // rest: kappa - e'p
  };
  struct Scaling {
    Eigen::Matrix3d w, inverse;  // w s = inverse p
    Eigen::Vector3d scaled;      // that
  };
  void residuals();
  bool scale();
  void direction(ImpulseNewton& newton, double target, bool corrector);
  double longest_step() const;

  const ImpulseProgram* program_ = nullptr;
  int degree_ = 0;
  RowMatrix J_;  // rows of normals over mu
  Vector cost_, e_;
  Iterate x_, d_, affine_;
  std::vector<Scaling> scaling_;
  std::vector<ImpulseNewton::ConeBlock> blocks_;
  Vector r1_, r2_, r3_, r4_, work4_, weights_, a_, b_, total_, u_v_, u_m_, c_p_, work_;
  double r5_ = 0.0, last_step_ = 0.0;
};

}  // namespace perp
