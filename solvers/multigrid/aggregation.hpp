// Coarse unknowns from a sparse matrix alone: aggregates and their smoothed prolongation.
#pragma once

#include <perp/solvers/multigrid/csr.hpp>
#include <vector>

namespace perp {

/// Groups unknowns that are strongly coupled, |a_ij| > strength sqrt(a_ii a_jj): first whole
/// neighbourhoods that are free, then what is left joins a neighbouring group, then the rest
/// [VanekMandelBrezina1996]. @return group of each unknown; `count` groups.
std::vector<int> aggregate(const Csr& a, double strength, int& count);

/// P = (I - omega D^-1 A) P0, P0 the 0/1 matrix of the groups, D = diag(A),
/// omega = 4 / (3 lambda), lambda >= rho(D^-1 A) by row sums [VanekMandelBrezina1996].
Csr smoothed_prolongation(const Csr& a, const std::vector<int>& group, int count);

}  // namespace perp
