// Interface to DART (BSD 2-Clause licence) without Eigen. DART is built with Eigen's own alignment
// of memory, perp with a fixed one. So neither may free vectors of the other, and the linker must
// not merge their inline functions. The code behind this interface is a shared library with hidden
// symbols.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#define PERP_DART_API __attribute__((visibility("default")))

namespace perp::dart_side {

/// A x = b + w with lower <= x <= upper and w complementary to x. DART's solvers for it come from
/// the Open Dynamics Engine, which pads the rows of A to `row_length(n)` entries.
struct BoxedLcp {
  int n = 0;
  /// A: n rows of row_length(n) entries, padded with zeros
  std::vector<double> A, b, lower, upper;
};

/// Number of entries of a padded row.
PERP_DART_API int row_length(int n);

/// Dantzig's method. @param x receives the solution; its start is not used @return what DART
/// returns
PERP_DART_API bool dantzig(BoxedLcp problem, std::vector<double>& x);

/// Projected Gauss-Seidel. Starts at x and stops after `sweeps` sweeps, or if no entry changes by
/// more than `change`. @param x start, and the solution @return what DART returns
PERP_DART_API bool projected_gauss_seidel(BoxedLcp problem, int sweeps, double change,
                                          std::vector<double>& x);

using Triple = std::array<double, 3>;

/// Box (moving) or half-space (fixed). SI units, world frame; the inertia is about the body's axes.
/// Quaternion: w x y z.
struct Solid {
  std::string name;
  bool fixed = false;
  Triple size{};  ///< of a box: lengths of its edges
  /// of a half-space: distance from `position` along its normal, the local z axis
  double offset = 0;
  double mass = 0, friction = 0;
  Triple inertia{}, position{}, velocity{}, angular_velocity{};
  std::array<double, 4> orientation{1, 0, 0, 0};
};

/// A contact of the last step: indices of the solids, normal that points into a, force on a in N.
struct Touch {
  int a = 0, b = 0;
  Triple point{}, normal{}, force{};
  double depth = 0;  ///< m; overlap of the solids
};

PERP_DART_API std::string version();

/// DART's world with its default settings and its own collision detector.
class PERP_DART_API World {
 public:
  World(const Triple& gravity, const std::vector<Solid>& solids);
  ~World();
  void apply(int solid, const Triple& force, const Triple& moment);
  void step(double h);
  /// Position, orientation and velocities of a moving solid.
  Solid read(int solid) const;
  /// Contacts of the last step.
  std::vector<Touch> contacts() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace perp::dart_side
