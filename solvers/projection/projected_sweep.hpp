// The sweep over the rows of a mixed LCP that projected relaxation methods share.
#pragma once

#include <perp/solvers/box/row_problem.hpp>

namespace perp {

/// The proximal term R (z - c), R = diag(weight), added to Mz + q.
struct Proximal {
  Vector weight, centre;
};

/// One sweep over LCP(q - R c, M + R) on [l, u]:
///   z_i := mid(l_i, u_i, z_i - s_i (Mz + q + R (z - c))_i)   [CottlePangStone2009, Ch. 5],
/// rows in order, or in reverse. With s_i = omega / (M_ii + R_ii) this is projected SOR; s_i = 0
/// leaves z_i.
/// @param proximal nullptr where R = 0.
/// @return Euclidean norm of the change of z.
double projected_sweep(const RowProblem& problem, const Vector& step, const Proximal* proximal,
                       bool backward, Vector& z);

}  // namespace perp
