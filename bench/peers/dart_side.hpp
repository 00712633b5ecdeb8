// The side of DART (BSD 2-Clause licence), without Eigen: DART is built with Eigen's own alignment
// of memory, perp with a fixed one, so that no vector of one side may be freed by the other, and
// both sides' inline functions must not be merged. This side is a shared library of hidden symbols.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#define PERP_DART_API __attribute__((visibility("default")))

namespace perp::dart_side {

/// A x = b + w, lower <= x <= upper, by DART's solvers of boxed LCPs, which come from the Open
/// Dynamics Engine: rows of A are padded to `row_length(n)` entries.
struct BoxedLcp {
  int n = 0;
  std::vector<double> A, b, lower, upper;  ///< A: n rows, padded with zeros
};

PERP_DART_API int row_length(int n);

/// Dantzig's method. x: what comes out; the start is not used. @return what DART returns
PERP_DART_API bool dantzig(BoxedLcp problem, std::vector<double>& x);

/// Projected Gauss-Seidel from x, until no entry changes by more than `change`.
PERP_DART_API bool projected_gauss_seidel(BoxedLcp problem, int sweeps, double change,
                                          std::vector<double>& x);

using Triple = std::array<double, 3>;

/// Box (moving) or half-space (fixed), SI units, world frame but for the inertia (about the body's
/// axes). Quaternion: w x y z.
struct Solid {
  std::string name;
  bool fixed = false;
  Triple size{};      ///< of a box: its edges
  double offset = 0;  ///< of a half-space: along its normal, the local z axis, from `position`
  double mass = 0, friction = 0;
  Triple inertia{}, position{}, velocity{}, angular_velocity{};
  std::array<double, 4> orientation{1, 0, 0, 0};
};

/// A contact of the last step: solids by their index, the normal into a, the force on a in N.
struct Touch {
  int a = 0, b = 0;
  Triple point{}, normal{}, force{};
  double depth = 0;  ///< how far the solids overlap
};

PERP_DART_API std::string version();

/// DART's world as it comes, with its own collision detector.
class PERP_DART_API World {
 public:
  World(const Triple& gravity, const std::vector<Solid>& solids);
  ~World();
  void apply(int solid, const Triple& force, const Triple& moment);
  void step(double h);
  /// position, orientation and velocities of a moving solid
  Solid read(int solid) const;
  /// Of the last step.
  std::vector<Touch> contacts() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace perp::dart_side
