// Coarse unknowns from a sparse matrix alone: aggregates and their smoothed prolongation.
#pragma once

#include <perp/solvers/linear_algebra/csr.hpp>
#include <utility>
#include <vector>

namespace perp {

/// Groups of unknowns that are strongly coupled, |a_ij| > strength sqrt(a_ii a_jj): first whole
/// neighbourhoods that are free, then what is left joins a neighbouring group, then the rest
/// [VanekMandelBrezina1996].
///
/// After build() every unknown is in one group, 0 <= group[i] < count, and no group is empty.
/// Allocates only for more unknowns than before.
class Aggregates {
 public:
  void build(const Csr& a, double strength);

  /// P = (I - omega D^-1 A) P0, P0 the 0/1 matrix of the groups, D = diag(A),
  /// omega = 4 / (3 lambda), lambda >= rho(D^-1 A) by row sums [VanekMandelBrezina1996].
  /// @param a that of build()
  void smoothed_prolongation(const Csr& a, Csr& p);

  std::vector<int> group;
  int count = 0;

 private:
  std::vector<int> first_;
  std::vector<double> diagonal_;
  std::vector<std::pair<int, double>> row_;
};

}  // namespace perp
