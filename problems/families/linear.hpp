// Families of LCPs with known properties of M.
#pragma once

#include <perp/problems/families/family.hpp>

namespace perp {

Family psd_family();            ///< M = A A'/n, positive definite, condition of order n^2
Family psd_deficient_family();  ///< rank n/2, a degenerate solution planted
Family p_matrix_family();       ///< nonsymmetric P-matrices
Family nonmonotone_family();    ///< Gaussian M, a solution planted
Family infeasible_family();     ///< a Farkas certificate exists
Family no_solution_family();    ///< feasible, yet without solution
Family murty_family();          ///< exponential for Lemke's method
Family fathi_family();          ///< the same with a symmetric positive definite M
Family obstacle_family();       ///< 2D obstacle problem on a grid, sparse

}  // namespace perp
