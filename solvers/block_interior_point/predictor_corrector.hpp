// The central path of an ImpulseProgram.
#pragma once

#include <perp/solvers/block_interior_point/impulse_newton.hpp>

namespace perp {

/// A primal-dual interior-point method with infeasible start: Mehrotra's predictor and corrector
/// [Mehrotra1992] with the scaling of Nesterov and Todd [NesterovTodd1997] on the linear systems of
/// ImpulseNewton, and correctors of centrality [Gondzio1996] that make short steps longer.
/// Impulses, slacks and their multipliers stay inside their cones.
class PredictorCorrector {
 public:
  /// Keeps a reference to the program. Only other sizes allocate.
  void prepare(const ImpulseProgram& program);
  /// Begins at the central start.
  void start();
  /// One step. @return false if there is no progress
  bool step(ImpulseNewton& newton);
  /// Mean product of impulses, slacks and their multipliers.
  double mu() const;
  /// Largest residual of the equations.
  double residual() const { return size_of(missing_); }
  /// Writes p, lambda and nu to x.
  void point(ImpulsePoint& x) const;

  double last_step() const { return last_step_; }

 private:
  struct Iterate {
    Vector v, m, p, s, lambda, slack;  // p and s of self-dual cones
    double nu = 1.0, rest = 1.0;       // rest: kappa - e'p
  };
  /// The scaling of one cone, at the point of the last scale().
  struct Scaling {
    Eigen::Matrix3d w, inverse;  // w s = inverse p
    Eigen::Vector3d scaled;      // w s
  };
  /// What is added to the products that a direction aims at, in the scaled coordinates of the
  /// cones.
  struct Products {
    Vector cones, bounds;
    double total = 0.0;
  };
  /// Residuals of the equations: momentum, its multipliers, cones, bounds, the total.
  struct Missing {
    Vector momentum, multipliers, cones, bounds;
    double total = 0.0;
  };
  /// The program in the units of self-dual cones: rows of normals are divided by the friction.
  struct SelfDual {
    RowMatrix J;
    Vector cost, e;
  };
  /// The present right-hand side, and the column that borders the matrix, with its solution.
  struct System {
    Vector a, b;
    Vector cones;         // the part of dp from the complementarity of the cones
    Vector bounds;        // what the products of slacks and multipliers miss
    double total = 0.0;   // what that of nu misses
    Vector border, v, m;  // border = J'W^2 e
    double pivot = 0.0;   // of nu
  };
  void find_missing();
  void add_linear(const Iterate& x, Missing& r);
  static double size_of(const Missing& r);
  bool scale();
  void scale_cone(const ImpulseCone& cone, Scaling& scaling) const;
  void direction(ImpulseNewton& newton, double target, bool first);
  void refine(ImpulseNewton& newton, double target);
  void solve(ImpulseNewton& newton, const Missing& missing, bool first, Iterate& d);
  void find_products(double target);
  double gather_impulses(const Missing& missing);
  void solve_border(double known, Iterate& d) const;
  void add_second_order();
  void add_centrality(double t, double target);
  double centralise(ImpulseNewton& newton, double target);
  double products_at(double t) const;
  double longest_step() const;
  static void add(double t, const Iterate& x, Iterate& y);

  const ImpulseProgram* program_ = nullptr;
  int degree_ = 0;
  SelfDual own_;
  Iterate x_, d_, correction_, kept_;  // kept_: the direction before the last corrector
  Products added_;
  std::vector<Scaling> scaling_;
  std::vector<ImpulseNewton::ConeBlock> blocks_;
  Vector weights_, work_;
  Missing missing_, error_;
  System system_;
  double first_mu_ = 0.0, last_step_ = 0.0;
};

}  // namespace perp
