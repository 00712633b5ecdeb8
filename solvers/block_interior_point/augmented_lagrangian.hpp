// The augmented Lagrangian of the dual of an ImpulseProgram.
#pragma once

#include <perp/solvers/block_interior_point/impulse_newton.hpp>

namespace perp {

/// The method of multipliers by semismooth Newton steps [Rockafellar1976; LiSunToh2018]. The
/// function
///   1/2 v'Mv - f'm - w'lambda + kappa nu + 1/2 |lambda - lambda_k|^2_eps
///     + sum over the cones of |Pi(p_k - sigma s)|^2 / (2 sigma), s = J m + c_p + nu e,
///     + sum over the bounds of ((u_k - tau lambda)+)^2 / (2 tau)
/// of m, lambda and nu >= 0, with v = m + M^-1 (G'lambda - c_v), is convex and once differentiable.
/// At its minimum Pi(p_k - sigma s) are the next impulses, and (u_k - tau lambda)+ the next slacks
/// of G v >= w. With one number, the penalty, sigma is the penalty over the stiffness of a cone,
/// tau the penalty times the stiffness of a row, and eps that stiffness over the penalty. Each step
/// has a line search on the slope, since a slope along the direction costs no more than a product
/// with J.
class AugmentedLagrangian {
 public:
  /// Keeps a reference to the program. Only other sizes allocate.
  void prepare(const ImpulseProgram& program);
  /// Begins at impulses p, multipliers lambda and nu; the other members of x are not used.
  void start(const ImpulsePoint& x, double penalty);
  /// The largest entry of the gradient of the augmented Lagrangian, and the largest change of the
  /// multipliers that an update would make, in units of velocities. If the gradient vanishes, this
  /// change is the residual of the problem.
  double gradient() const { return gradient_.largest; }
  double change() const { return change_; }
  /// @return the step length, 0 if there is no progress
  double step(ImpulseNewton& newton);
  /// Takes the next impulses and slacks as centre, with another penalty.
  void update(double penalty);
  /// Writes p, lambda and nu to x.
  void point(ImpulsePoint& x) const;

 private:
  /// The sizes of J_c M^-1 J_c' and G_i M^-1 G_i' for each cone and each bound; positive.
  struct Stiffness {
    Vector cones, bounds;
  };
  struct Penalties {
    Vector sigma, tau, eps;
  };
  /// p_k, u_k and lambda_k.
  struct Centre {
    Vector p, u, lambda;
  };
  /// (m, lambda, nu), and the quantities that evaluate() computes from it: p = Pi(z) with
  /// z = p_k - sigma s; u; M v; the slack G v - w.
  struct Iterate {
    Vector m, lambda, z, p, u, mv, slack;
    double nu = 0.0;
  };
  struct Gradient {
    Vector m, lambda;
    double nu = 0.0, largest = 0.0;
  };
  struct Direction {
    Vector m, lambda, v, mv, s;
    double nu = 0.0;
  };
  /// The column of nu, J'B e, and the solution with it as right-hand side.
  struct Border {
    Vector pull, v, m;
  };

  void set_penalty(double penalty);
  void evaluate();
  double largest_change() const;
  bool find_direction(ImpulseNewton& newton);
  void add_border();
  void complete_direction();
  double search() const;
  double slope(double t) const;

  const ImpulseProgram* program_ = nullptr;
  Stiffness stiffness_;
  Penalties penalties_;
  Centre centre_;
  Iterate x_;
  Gradient gradient_;
  Direction d_;
  Border border_;
  double change_ = 0.0;
  std::vector<ImpulseNewton::ConeBlock> blocks_;
  Vector weights_, a_, work_;
};

}  // namespace perp
