// The central path of an ImpulseProgram.
#pragma once

#include <perp/solvers/block_interior_point/impulse_newton.hpp>

namespace perp {

/// A primal-dual interior-point method with infeasible start: Mehrotra's predictor and corrector
/// [Mehrotra1992] with the scaling of Nesterov and Todd [NesterovTodd1997] on the linear systems of
/// ImpulseNewton. Impulses, slacks and their multipliers stay inside their cones.
class PredictorCorrector {
 public:
  /// Keeps a reference to the program. Only other sizes allocate.
  void prepare(const ImpulseProgram& program);
  /// From the central start. Then step() until the caller is content.
  void start();
  /// One step. @return false if there is no progress
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
  /// Of one cone, by the point of scale().
  struct Scaling {
    Eigen::Matrix3d w, inverse;  // w s = inverse p
    Eigen::Vector3d scaled;      // that
  };
  /// What the equations miss: momentum, its multipliers, cones, bounds, the total.
  struct Missing {
    Vector momentum, multipliers, cones, bounds;
    double total = 0.0;
  };
  /// The program in the units of self-dual cones: rows of normals over their friction.
  struct SelfDual {
    RowMatrix J;
    Vector cost, e;
  };
  /// The right-hand side at hand, and the column that borders the matrix with its solution.
  struct System {
    Vector a, b, target;     // target: of the products of slacks and multipliers
    Vector cones;            // what the complementarity of the cones adds to dp
    Vector border, v, m;     // border = J'W^2 e
    double curvature = 0.0;  // e'W^2 e
  };
  void find_missing();
  bool scale();
  void scale_cone(const ImpulseCone& cone, Scaling& scaling) const;
  void direction(ImpulseNewton& newton, double target, bool corrector);
  void right_side(double target, bool corrector);
  double gather_border();
  void solve_border(ImpulseNewton& newton, double target, bool corrector, double known);
  double longest_step() const;

  const ImpulseProgram* program_ = nullptr;
  int degree_ = 0;
  SelfDual own_;
  Iterate x_, d_, affine_;
  std::vector<Scaling> scaling_;
  std::vector<ImpulseNewton::ConeBlock> blocks_;
  Vector weights_, work_;
  Missing missing_;
  System system_;
  double last_step_ = 0.0;
};

}  // namespace perp
