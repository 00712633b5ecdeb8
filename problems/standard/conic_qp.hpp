// Convex quadratic programs over products of linear and second-order cones.
#pragma once

#include <memory>
#include <perp/problems/matrix/matrix.hpp>
#include <perp/problems/standard/partition.hpp>
#include <string_view>
#include <vector>

namespace perp {

/// The types of cones: {0}, numbers >= 0, and second-order cones.
enum class ConeType { kZero, kNonnegative, kSecondOrder };

/// One factor of the product cone. second_order: (t, x) with ||x||_2 <= t.
struct Cone {
  ConeType type;
  int size;  ///< >= 1
};

/// "zero", "nonnegative" or "second_order".
std::string_view to_string(ConeType type);

/// min 1/2 x'Px + c'x  subject to  A x + s = b, s in K = K_1 x ... x K_p.
/// Dual: y in K*, P x + c + A'y = 0, s'y = 0.
struct ConicQp {
  Matrix P;                 ///< n x n, symmetric positive semidefinite
  Vector c;                 ///< n
  Matrix A;                 ///< m x n
  Vector b;                 ///< m
  std::vector<Cone> cones;  ///< sizes add up to m
  std::shared_ptr<const Partition> partition =
      {};  ///< what the model knows about the problem, or null
  int size() const { return static_cast<int>(c.size()); }
};

/// @throws std::invalid_argument naming the field (P not symmetric to 1e-12 max|P|, and a
/// partition that does not fit, included).
void validate(const ConicQp& problem);

}  // namespace perp
