// Coarse unknowns from a sparse matrix only: aggregates and their smoothed prolongation.
#pragma once

#include <perp/solvers/linear_algebra/csr.hpp>
#include <utility>
#include <vector>

namespace perp {

/// Groups of strongly coupled unknowns, |a_ij| > strength sqrt(a_ii a_jj) [VanekMandelBrezina1996].
/// First, neighbourhoods with no unknown in a group yet become groups. Then unknowns that are left
/// join a neighbouring group. Then the rest forms groups.
///
/// After build() every unknown is in one group, 0 <= group[i] < count, and no group is empty.
/// Allocates only for more unknowns than before.
class Aggregates {
 public:
  void build(const Csr& a, double strength);

  /// P = (I - omega D^-1 A) P0 with P0 the 0/1 matrix of the groups, D = diag(A),
  /// omega = 4 / (3 lambda), and lambda >= rho(D^-1 A) from row sums [VanekMandelBrezina1996].
  /// @param a the matrix of build() @param p size of A rows and `count` columns
  void smoothed_prolongation(const Csr& a, Csr& p);

  std::vector<int> group;
  int count = 0;

 private:
  std::vector<int> first_;
  std::vector<double> diagonal_;
  std::vector<std::pair<int, double>> row_;
};

}  // namespace perp
