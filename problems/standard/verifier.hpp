// The only judge of what is solved.
#pragma once

#include <optional>
#include <perp/problems/standard/residuals.hpp>

namespace perp {

/// What is claimed to solve a problem: z, and for a conic_qp the dual y.
struct Answer {
  Vector z;
  Vector dual;
};

/// What the verifier found. `measure` is the number compared with the tolerance:
///   lcp, mlcp, mcp, box_qp, convex_contact: ||natural residual||_inf, absolute;
///   conic_qp: the largest of primal residual, dual residual and gap, absolute;
///   friction_contact: ||F_nat||_2 / ||q||_2, absolute where q vanishes to rounding.
struct Verdict {
  bool solved = false;
  double measure = Residuals::kNone;
  double tolerance = 0.0;
  Residuals residuals;
};

/// Judges an answer on the problem as posed. @throws std::invalid_argument where a size is wrong.
Verdict verify(const Problem& problem, const Answer& answer, double tolerance);
Verdict verify(const ProblemData& problem, const Answer& answer, double tolerance);

/// A proof that no point satisfies the linear constraints of an (M)LCP: a vector y with y_i >= 0
/// where F_i >= 0 is asked (finite lower bound only), y_i <= 0 where F_i <= 0 (finite upper bound
/// only), y_i = 0 where F_i is unrestricted (two finite bounds), and
///   sup { y'(M z + q) : l <= z <= u } < 0.
/// For an LCP: y >= 0, M'y <= 0, q'y < 0 [CottlePangStone2009, Sec. 2.7: Farkas].
struct FarkasCheck {
  bool holds = false;
  double supremum = Residuals::kNone;   ///< of y'(Mz + q) over the box, rounding-size terms left
                                        ///< out; < 0 is wanted
  double violation = Residuals::kNone;  ///< largest (M'y)_j of the wrong sign at an infinite bound
  double radius =
      Residuals::kNone;  ///< no feasible z has a 1-norm below this (inf where violation = 0)
};

/// Checks a certificate in extended precision. It holds where the supremum is negative beyond
/// rounding and the radius exceeds 1e10 max(1, ||q|| / ||M||). Entries of y with a sign that is not
/// allowed make it fail.
FarkasCheck check_farkas(const Lcp& problem, const Vector& y);
FarkasCheck check_farkas(const Mlcp& problem, const Vector& y);

/// For a conic_qp: y in K*, A'y = 0, b'y < 0, so that b'y = y'(Ax + s) >= 0 has no feasible (x, s).
/// `supremum` is b'y, `violation` the largest |A'y|_j; it holds as above, with b, A for q, M.
FarkasCheck check_farkas(const ConicQp& problem, const Vector& y);

/// A proof that the dual of a conic_qp has no feasible point, and that the objective has no lower
/// bound where a feasible x exists: Px = 0, -Ax in K, c'x < 0.
struct UnboundedCheck {
  bool holds = false;
  double slope = Residuals::kNone;      ///< c'x
  double violation = Residuals::kNone;  ///< largest entry of Px, and distance of -Ax from K
  double radius = Residuals::kNone;     ///< no dual feasible (u, y), Pu + c + A'y = 0, has a
                                        ///< 1-norm below this (inf where violation = 0)
};

/// In extended precision. It holds where the slope is negative beyond rounding and the radius
/// exceeds 1e10 max(1, ||c|| / max(||P||, ||A||)).
UnboundedCheck check_unbounded(const ConicQp& problem, const Vector& x);

/// Whether z is a direction of the kind that Lemke's method ends on and that explains its end:
///   z >= 0, Mz >= 0, z'Mz = 0, q'z < 0   (free unknowns: any z_i, (Mz)_i = 0).
/// For a copositive M the existence of a solution is only sure where there is no such z
/// [CottlePangStone2009, Sec. 3.8]; in contact problems it is a set of impulses that hold each
/// other in balance and that the gaps ask to work. Relative tolerance 1e-9. False for other bounds
/// than [0, inf) and free.
bool check_ray(const Mlcp& problem, const Vector& z);

}  // namespace perp
