// Checks whether the quadratic part of a conic_qp is convex.
#pragma once

#include <optional>
#include <perp/solvers/interior_point/conic_data.hpp>
#include <perp/solvers/linear_algebra/dense_cholesky.hpp>
#include <perp/solvers/linear_algebra/quasidefinite_ldl.hpp>

namespace perp {

/// There is an x with x_row = 1 and x'Px <= value < 0, P as posed.
struct NegativeCurvature {
  int row;
  double value;
};

/// Factorises P + 1e-9 max|P| I, P scaled. The work space is kept. The analysis of a sparse P is
/// kept as long as its pattern stays the same.
class ConvexityCheck {
 public:
  /// @return a negative curvature if the factorisation breaks down; nothing for a P that counts as
  /// positive semidefinite.
  std::optional<NegativeCurvature> negative_curvature(const ConicData& data);

 private:
  std::optional<NegativeCurvature> of_dense(const ConicData& data);
  std::optional<NegativeCurvature> of_sparse(const ConicData& data);

  DenseCholesky cholesky_;
  QuasidefiniteLdl ldl_;
  std::vector<int> starts_{0}, rows_;  // of the upper triangle that ldl_ has analysed
  std::vector<int> new_starts_, new_rows_;
  std::vector<double> values_;
};

}  // namespace perp
