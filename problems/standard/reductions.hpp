// Problems written as other problems, with maps of their solutions back.
#pragma once

#include <functional>
#include <perp/problems/standard/problem.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <string>

namespace perp {

/// A problem in another form. `exact`: every solution of the reduced problem maps back to a
/// solution of the original.
struct Reduction {
  ProblemData problem;
  std::string name;
  bool exact = true;
  std::function<Answer(const Answer&)> map_back;
  /// Maps a point of the original problem (its dual may be empty) to a point of the reduced one. A
  /// solution becomes a solution; for an approximate reduction only if the terms that it leaves out
  /// are zero.
  std::function<Answer(const Answer&)> map_start;
  /// Factor from the tolerance of the original problem to that of the reduced one: their residuals
  /// have different units.
  double tolerance_factor = 1.0;
  /// Whether its numbers are those of the original problem, none of them computed: then a proof
  /// that it has no solution is one of the original.
  bool copies = false;
};

/// A reduction of a reduction: `second` reduces the problem of `first`.
Reduction composed(Reduction first, Reduction second);

/// z >= 0 written as bounds. Exact.
Mlcp to_mlcp(const Lcp& problem);
/// The conditions of a stationary point in the box. Exact (an optimum only if H is positive
/// semidefinite).
Mlcp to_mlcp(const BoxQp& problem);

/// z >= 0 written as bounds. Exact.
Reduction reduce_to_mlcp(const Lcp& problem);
/// The conditions of a stationary point in the box. Exact, as to_mlcp().
Reduction reduce_to_mlcp(const BoxQp& problem);
/// Unknowns (x, y): P x + c + A'y = 0 with x free, b - A x complementary to y. Exact.
/// @throws std::invalid_argument if there is a second-order cone
Reduction reduce_to_mlcp(const ConicQp& problem);
/// Nonnegative unknowns: z_i = l_i + y_i, u_i - y_i if only u_i is finite, or y_i - y_k if neither
/// is, so that F_i >= 0 and -F_i >= 0. If both are, y_k is the multiplier of z_i <= u_i:
///   0 <= y_i _|_ F_i + y_k >= 0,  0 <= y_k _|_ u_i - l_i - y_i >= 0.
/// Exact up to the rounding of M l + q and u - l. Unknowns keep their places; those numbered k
/// follow. If all bounds are 0 and infinity, the numbers are those of the mlcp.
Reduction reduce_to_lcp(const Mlcp& problem);
/// For a symmetric M: min 1/2 z'Mz + q'z over z >= 0. A stationary point is a solution, so exact;
/// an optimum only if M is positive semidefinite.
/// @throws std::invalid_argument if M is not symmetric
Reduction reduce_to_box_qp(const Lcp& problem);
/// The same in the box of the bounds.
Reduction reduce_to_box_qp(const Mlcp& problem);
/// The rows of M z + q as an expression graph. Exact.
Reduction reduce_to_mcp(const Mlcp& problem);

/// Whether all mu are 0.
bool is_frictionless(const FrictionContact& problem);

/// Friction cones are replaced by inscribed pyramids [StewartTrinkle1996; AnitescuPotra1997].
/// Unknowns: r_n of all contacts, then edge impulses beta and slips lambda of the contacts with mu
/// > 0. Exact in 2D and if all mu are 0, else approximate. W may be any matrix; with J and M, W is
/// multiplied out.
/// @param edges number of edges, see check_edges(); in 2D there are always two
/// @throws std::invalid_argument as check_edges()
Reduction reduce_to_pyramid_lcp(const FrictionContact& problem, int edges = 8);
/// @throws std::invalid_argument if it is not an even number from 4 to 360
void check_edges(int edges);

/// The relaxation of Anitescu and Tasora, which leaves de Saxce's term out: r in K_mu, u in K_mu*,
/// r'u = 0 [Anitescu2006; AnitescuTasora2010]. With a matrix W the unknown is r,
///   min 1/2 r'Wr + q'r,  r in K_mu.
/// With J and M the unknowns are the change v of the velocity and the impulses of compliant rows,
///   min 1/2 v'Mv,  Jv + q in K_mu*   (without compliance),
/// which is sparse; W is never formed. Exact if all mu are 0, else approximate: sliding contacts
/// separate at the velocity mu |u_t|.
/// @throws std::invalid_argument if W is not symmetric positive semidefinite
Reduction reduce_to_conic_qp(const FrictionContact& problem);

/// Compliant contact as a program over second-order cones, with the impulses scaled by R as
/// unknowns beside v [CastroPermenterHan2022]:
///   min 1/2 ||v - v*||^2_A + 1/2 ||s||^2_R,  J v - bias + R s in F*.
/// At the solution both its multipliers and s are the impulses. Exact.
Reduction reduce_to_conic_qp(const ConvexContact& problem);

/// The Fritz John conditions of maximum dissipation [TrinkleTzitzourisPang2001]. Each contact with
/// mu > 0 has the unknowns (r_n, r_t, lambda) and the conditions
///   0 <= r_n _|_ u_n >= 0,  mu r_n u_t + lambda r_t = 0,
///   0 <= lambda _|_ (mu r_n)^2 - |r_t|^2 >= 0;
/// a contact without friction has r_n alone. With J and M the change of velocity v is an unknown
/// too, Mv = J'r. Exact. F is a callback with an exact sparse Jacobian.
Reduction reduce_to_mcp(const FrictionContact& problem);
/// The problem of reduce_to_mcp with F as an expression graph: what a file can hold. The same
/// unknowns, rows and bounds. @throws std::invalid_argument if the problem is not valid.
Mcp fritz_john_graph(const FrictionContact& problem);

}  // namespace perp
