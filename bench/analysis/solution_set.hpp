// All solutions besides a known one, if they are a convex set that can be written down.
#pragma once

#include <optional>
#include <perp/problems/standard/problem.hpp>
#include <vector>

namespace perp {

/// Least and largest value over a set; infinite if there is no bound, NaN if it was not found.
struct Interval {
  double low, high;
  bool is_point(double tolerance) const { return high - low <= tolerance; }
};

/// { z + N t : H t >= -h, (H_c t + h_c) in its second-order cone for each c }, z a solution.
class SolutionSet {
 public:
  /// Which of the solutions are in the set.
  enum class Part {
    kAll,            ///< all of them
    kSameMap,        ///< those with the same F(z); for an lcp, the same w
    kSameVelocities  ///< friction_contact: those with the same u
  };

  Part part() const { return part_; }
  /// Dimension of the smallest affine space that is known to contain the set; 0 for a single
  /// solution.
  int dimension() const { return static_cast<int>(basis_.cols()); }
  /// Least and largest value of f'z over the set, by two linear or second-order cone programs; none
  /// is solved if f'N = 0. @param functional f, of size n @param programs is increased by the
  /// number of programs solved @param ends the points at which the values were found are appended
  Interval extent(const Vector& functional, int& programs, std::vector<Vector>& ends) const;
  /// Whether the known solution is the only one of the set, by the rays of the cone of the limits
  /// that it is at; no program is solved. Nothing if that would take long, or if there are cones.
  std::optional<bool> is_point() const;

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
  double tolerance_ = 0.0;  // of slacks that count as 0
  std::vector<int> cones_;  // sizes
};

/// The solutions of a monotone problem (M positive semidefinite) are
///   { z in [l, u] : (M + M')(z - z0) = 0, z_i = z0_i if F_i(z0) != 0,
///     F_i(z) = 0 if z0_i is between its bounds, else F_i(z) has the sign of its bound },
/// because (z - z0)'M(z - z0) <= 0 for any two of them, and (z - z0)'F(z) = 0 is a sum of products
/// of one sign [CottlePangStone2009, Sec. 3.1, states it for the lcp]. If M is not monotone, the
/// set
///   { z in [l, u] : M(z - z0) = 0, z_i = z0_i if F_i(z0) != 0 }
/// has the solutions with the same F.
/// @param point z0, a solution @param tolerance F_i and distances from bounds below it count as 0
SolutionSet solutions_beside(const Mlcp& problem, const Vector& point, bool monotone,
                             double tolerance);

/// The impulses r that give the same velocities as r0: W (r - r0) = 0. A contact that opens has no
/// impulse, one that slides has an impulse against its slip, and one that sticks has any impulse in
/// the cone. @param impulses r0, a solution @param tolerance slips and opening velocities below it
/// count as 0
SolutionSet solutions_beside(const FrictionContact& problem, const Vector& impulses,
                             double tolerance);

}  // namespace perp
