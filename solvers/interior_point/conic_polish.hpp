// The last digits of a conic QP's solution: Newton's method on the cones' active faces. What
// polish(interior-point) is made of.
#pragma once

#include <perp/solvers/interior_point/kkt_system.hpp>

namespace perp {

/// Semismooth Newton steps on
///   Px + c + A'y = 0,  s - Pi_K(s - y) = 0 with s = b - Ax.
/// With D an element of the generalised Jacobian of Pi_K at s - y a step solves
///   P dx + A'dy = -(Px + c + A'y),  (I - D) ds + D dy = -(s - Pi_K(s - y)),  ds = -A dx.
/// D is 0 or 1 on linear rows: there it is the active-set method. On a second-order cone whose s
/// and y both lie on the boundary it is 1 and 0 along (1, +-axis) and s over s + y across
/// [FukushimaLuoTseng2002], so that dy = D^-1 (I - D) A dx + ... has the form of the
/// interior-point method's own systems, and is factorised by the same code. The regularisation
/// makes the steps proximal ones, so that dependent active rows do no harm; residuals are summed in
/// extended precision [Higham2002, Ch. 12].
class ConicPolish {
 public:
  /// Improves an answer (x, y) of the problem as posed until its measure, as the verifier has it,
  /// is at most `target`, or for `most_steps` steps. It becomes the best one met, y in K*.
  /// @return its measure
  double improve(const ConicQp& problem, double target, int most_steps, Vector& x, Vector& y);

  int steps = 0;  ///< of the last call

 private:
  void allocate();
  double iterate(double target, int most_steps, Vector& x, Vector& y);
  double evaluate(const Vector& x, Vector& y);
  bool linearise();
  void linearise_cone(std::size_t k);

  ConicData data_;
  KktSystem kkt_;
  ConeMatrix jacobian_, last_jacobian_;  ///< D^-1 (I - D) ... of the dual: C with A dx - C dy = r
  Vector x_, y_, dual_, px_, stationarity_, s_, moved_, right_x_, right_z_, dx_, dy_, scratch_;
};

}  // namespace perp
