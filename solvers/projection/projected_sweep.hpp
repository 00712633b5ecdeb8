// The sweep over the rows of a mixed LCP for projected relaxation methods.
#pragma once

#include <perp/solvers/box/row_problem.hpp>

namespace perp {

/// The proximal term R (z - c) that is added to Mz + q, with R = diag(weight) and c = centre, n
/// values each.
struct Proximal {
  Vector weight, centre;
};

/// One sweep over LCP(q - R c, M + R) on [l, u]:
///   z_i := mid(l_i, u_i, z_i - s_i (Mz + q + R (z - c))_i)   [CottlePangStone2009, Ch. 5],
/// rows in order or in reverse order. With s_i = omega / (M_ii + R_ii) this is projected SOR; s_i =
/// 0 keeps z_i.
/// @param step s, n values @param proximal nullptr: R = 0 @param z n values
/// @return Euclidean norm of the change of z.
double projected_sweep(const RowProblem& problem, const Vector& step, const Proximal* proximal,
                       bool backward, Vector& z);

}  // namespace perp
