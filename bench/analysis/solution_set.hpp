// All solutions beside a known one, where they are a convex set that can be written down.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <vector>

namespace perp {

/// Least and largest value over a set; infinite if there is none, NaN if it was not found.
struct Interval {
  double low, high;
  bool is_point(double tolerance) const { return high - low <= tolerance; }
};

/// { z + N t : H t >= -h, (H_c t + h_c) in its second-order cone for each c }, z a solution.
class SolutionSet {
 public:
  /// What of the solutions the set has.
  enum class Part {
    kAll,            ///< every one
    kSameMap,        ///< those with the same F(z): of an lcp the same w
    kSameVelocities  ///< friction_contact: those with the same u
  };

  Part part() const { return part_; }
  /// Dimension of the smallest affine space that is known to hold it: 0 of a single solution.
  int dimension() const { return static_cast<int>(basis_.cols()); }
  /// Least and largest value of f'z over the set, by two linear or second-order cone programs; none
  /// is solved if f'N = 0. @param programs counts those that are solved
  Interval extent(const Vector& functional, int& programs) const;

 private:
  friend SolutionSet solutions_beside(const Mlcp&, const Vector&, bool, double);
  friend SolutionSet solutions_beside(const FrictionContact&, const Vector&, double);
  void bound(const DenseMatrix& rows, const Vector& slack);
  void set_basis(const std::vector<Vector>& equations, int size);

  Part part_ = Part::kAll;
  Vector point_;
  DenseMatrix basis_;  // n x k, orthonormal columns
  DenseMatrix rows_;   // H and h: of the inequalities, then of the cones
  Vector slack_;
  std::vector<int> cones_;  // sizes
};

/// The solutions of a monotone problem (M positive semidefinite) are
///   { z in [l, u] : (M + M')(z - z0) = 0, z_i = z0_i if F_i(z0) != 0, F_i(z) = 0 if z0_i is
///   between
///     its bounds, F_i(z) of the sign of its bound elsewhere },
/// because (z - z0)'M(z - z0) <= 0 for any two of them, and (z - z0)'F(z) = 0 is a sum of products
/// of one sign [CottlePangStone2009, Sec. 3.1, states it for the lcp]. Of another problem
///   { z in [l, u] : M(z - z0) = 0, z_i = z0_i if F_i(z0) != 0 }
/// are those with the same F.
/// @param point z0, a solution @param tolerance below it F_i, and distances from bounds, count as 0
SolutionSet solutions_beside(const Mlcp& problem, const Vector& point, bool monotone,
                             double tolerance);

/// Impulses that give the same velocities: W (r - r0) = 0, no impulse in a contact that opens, one
/// against its slip in a contact that slides, any within the cone in one that sticks.
SolutionSet solutions_beside(const FrictionContact& problem, const Vector& impulses,
                             double tolerance);

}  // namespace perp
