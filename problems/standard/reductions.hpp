// Problems stated as other problems, with the way back for their solutions.
#pragma once

#include <functional>
#include <perp/problems/standard/problem.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <string>

namespace perp {

/// A problem in another form. `exact`: a solution of the reduced problem maps to one of the
/// original.
struct Reduction {
  ProblemData problem;
  std::string name;
  bool exact = true;
  std::function<Answer(const Answer&)> map_back;
  /// A point of the reduced problem for one of the original (its dual may be empty). A solution
  /// maps to a solution, of approximate reductions if what they leave out is zero.
  std::function<Answer(const Answer&)> map_start;
  /// Tolerance that the reduced problem asks for, as a factor on that of the original: their
  /// residuals are in different units.
  double tolerance_factor = 1.0;
};

/// z >= 0 stated as bounds. Exact.
Mlcp to_mlcp(const Lcp& problem);
/// Stationarity over the box. Exact (an optimum only where H is positive semidefinite).
Mlcp to_mlcp(const BoxQp& problem);

Reduction reduce_to_mlcp(const Lcp& problem);
Reduction reduce_to_mlcp(const BoxQp& problem);
/// Unknowns (x, y): P x + c + A'y = 0 with x free, b - A x complementary to y. Exact for zero and
/// nonnegative cones. @throws std::invalid_argument where a cone is of second order.
Reduction reduce_to_mlcp(const ConicQp& problem);
/// For a symmetric M: min 1/2 z'Mz + q'z over z >= 0. Exact where M is positive semidefinite.
/// @throws std::invalid_argument where M is not symmetric.
Reduction reduce_to_box_qp(const Lcp& problem);

/// Friction cones replaced by pyramids with `edges` edges inscribed in them (even, at least 4; in
/// 2D two, whatever is asked): unknowns (r_n of all contacts, edge impulses beta, slips lambda),
/// the last two of contacts with mu > 0 [StewartTrinkle1996; AnitescuPotra1997]. Exact in 2D and
/// where all mu are 0, approximate else. W may be any matrix; an operator is multiplied out.
/// @throws std::invalid_argument for an odd or too small number of edges.
Reduction reduce_to_pyramid_lcp(const FrictionContact& problem, int edges = 8);

/// Anitescu and Tasora's relaxation, which leaves de Saxce's term out: r in K_mu, u in K_mu*,
/// r'u = 0 [Anitescu2006; AnitescuTasora2010]. With a matrix W the unknown is r,
///   min 1/2 r'Wr + q'r,  r in K_mu;
/// with J and M it is the change of velocity (and of compliant rows, their impulse),
///   min 1/2 v'Mv,  Jv + q in K_mu*,
/// sparse, with W never formed. Exact where all mu are 0, approximate else: sliding contacts
/// separate at mu |u_t|.
/// @throws std::invalid_argument where W is not symmetric positive semidefinite.
Reduction reduce_to_conic_qp(const FrictionContact& problem);

/// Compliant contact as a program over second-order cones, with the impulses scaled by R as
/// unknowns beside v [CastroPermenterHan2022]:
///   min 1/2 ||v - v*||^2_A + 1/2 ||s||^2_R,  J v - bias + R s in F*,
/// whose multipliers are the impulses, = s. Exact.
Reduction reduce_to_conic_qp(const ConvexContact& problem);

/// Fritz John's conditions of maximum dissipation: per contact with mu > 0 the unknowns (r_n, r_t,
/// lambda),
///   0 <= r_n _|_ u_n >= 0,  mu r_n u_t + lambda r_t = 0,  0 <= lambda _|_ (mu r_n)^2 - |r_t|^2 >=
///   0
/// [TrinkleTzitzourisPang2001], without friction r_n alone; with J and M also the change of
/// velocity v, Mv = J'r. Exact. F is a callback with an exact sparse Jacobian.
Reduction reduce_to_mcp(const FrictionContact& problem);

}  // namespace perp
