// The rays of a polyhedral cone.
#pragma once

#include <functional>
#include <perp/problems/matrix/matrix.hpp>
#include <vector>

namespace perp {

/// Columns x with A x = 0; none if there is only 0.
/// @param tolerance pivots of this share of the largest count as 0
DenseMatrix null_space(const DenseMatrix& a, double tolerance);

/// Vectors whose sums with factors >= 0 are a whole cone, each with a largest entry of 1.
struct ConeRays {
  /// One for every edge, beside the lines, and two opposite ones for every vector of a basis of the
  /// lines.
  std::vector<Vector> rays;
  int lines = 0;  ///< dimension of the space of the lines
};

/// The rays of { t : L t >= 0 }. An edge meets so many of the limits with equality that only a line
/// is left; all choices of as many limits are tried.
/// @param limits L, as many columns as t has entries
/// @param stop asked again and again; if true, the search ends with what is found
ConeRays rays_of_cone(const DenseMatrix& limits, const std::function<bool()>& stop);

}  // namespace perp
