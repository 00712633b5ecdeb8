// The last digits of a conic QP's solution: Newton's method on the active faces of the cones. The
// strategy polish uses it.
#pragma once

#include <perp/solvers/interior_point/kkt_system.hpp>

namespace perp {

/// Semismooth Newton steps on
///   Px + c + A'y = 0,  s - Pi_K(s - y) = 0 with s = b - Ax.
/// With D an element of the generalised Jacobian of Pi_K at s - y, a step solves
///   P dx + A'dy = -(Px + c + A'y),  (I - D) ds + D dy = -(s - Pi_K(s - y)),  ds = -A dx.
/// On linear rows D is 0 or 1: there this is the active-set method. On a second-order cone with s
/// and y on the boundary, D is 1 along (1, axis), 0 along (1, -axis), and in the other directions
/// the ratio of s to s + y [FukushimaLuoTseng2002]. So dy = D^-1 (I - D) A dx + ... has the form of
/// the systems of the interior-point method, and the same code factorises it. The regularisation
/// makes proximal steps, so that dependent active rows do no harm. Residuals are summed in extended
/// precision [Higham2002, Ch. 12].
class ConicPolish {
 public:
  /// Improves an answer (x, y) of the problem as posed until the verifier's measure is at most
  /// `target`, with at most `most_steps` steps. (x, y) becomes the best point found, with y in K*.
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
