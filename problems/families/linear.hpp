// Families of LCPs with known properties of M.
#pragma once

#include <perp/problems/families/family.hpp>

namespace perp {

Family psd_family();            ///< M = A A'/n, positive definite, condition number of order n^2
Family psd_deficient_family();  ///< semidefinite M of rank n/2, with a planted degenerate solution
Family p_matrix_family();       ///< nonsymmetric P-matrices, with a planted degenerate solution
Family nonmonotone_family();    ///< Gaussian M, with a planted solution
Family infeasible_family();     ///< a Farkas certificate exists
Family no_solution_family();    ///< feasible, but without solution
Family murty_family();          ///< Lemke's method takes exponentially many pivots
Family fathi_family();          ///< the same with a symmetric positive definite M
Family obstacle_family();       ///< 2D obstacle problem on a grid, sparse

}  // namespace perp
