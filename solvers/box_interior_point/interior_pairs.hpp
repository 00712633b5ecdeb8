// A point inside its bounds with multipliers, and the steps of an interior-point method from it.
#pragma once

#include <perp/solvers/box/box_problem.hpp>
#include <vector>

namespace perp {

/// z is inside its bounds, with distances a = z - l > 0 and b = u - z > 0 and multipliers v > 0 and
/// w > 0 for the finite bounds. At a solution
///   F(z) - v + w = 0,   a_i v_i = 0,   b_i w_i = 0.
/// An unknown with equal bounds stays there, and its row is left out. All vectors have n values, in
/// scaled unknowns (BoxProblem).
class InteriorPairs {
 public:
  /// Keeps a reference to the problem. Allocates.
  void attach(BoxProblem& problem);
  /// z := the start. If it is nearer to a bound than `distance`, or beyond it, it is moved to this
  /// distance, but not further than to the middle between two bounds. There a multiplier is
  /// `multiplier`; at a bound that is further away it is smaller, for a product of the same size.
  /// @return false if F does not exist
  bool begin(const Vector& start, double distance, double multiplier);

  const Vector& z() const { return point_.z; }
  const Vector& f() const { return point_.f; }
  double mean_product() const { return point_.mean_product; }  ///< mu, of all a_i v_i and b_i w_i
  double defect() const { return point_.defect; }              ///< ||F - v + w||
  int pairs() const { return pairs_; }

  /// The diagonal that the multipliers add to the Jacobian, v / a + w / b, in rows times
  /// `row_weight` (NewtonSystem): a power of two that makes large sums about 1, as an LU takes
  /// pivots for zero that are tiny beside its largest entry. For fixed unknowns row_weight is 0 and
  /// the diagonal 1.
  void diagonal(Vector& diagonal, Vector& row_weight) const;
  /// -F + t / a - t' / b with the products t, t' at which the step aims. They are `target`; if
  /// `corrected`, minus the second-order change by the last direction [Mehrotra1992].
  void right_side(double target, bool corrected, Vector& right_side) const;
  /// Takes dz, the solution for this right-hand side, and finds dv and dw.
  void set_direction(const Vector& dz, double target, bool corrected);
  /// The longest step, up to 1, that keeps distances and multipliers at or above 0.
  double longest_step() const;
  /// mu after a step of that length.
  double mean_product_after(double length) const;

  /// The products and the defect at a trial point.
  struct Trial {
    double mean_product, least_product, defect;  ///< defect: infinite if F does not exist
  };
  Trial try_step(double length);
  /// Takes the point of the last trial as the next one.
  void accept() { std::swap(point_, trial_); }

 private:
  enum Bounds : char { kFree = 0, kLower = 1, kUpper = 2, kFixed = 4 };
  struct Point {
    Vector z, f, lower_gap, upper_gap, lower_dual, upper_dual;
    double mean_product = 0.0, defect = 0.0;
  };
  struct Direction {
    Vector z, lower_dual, upper_dual;
  };

  bool has(int i, Bounds which) const { return (bounds_[i] & which) != 0; }
  bool evaluate(Point& point);
  /// The product of a pair at which the step aims.
  static double target_of(double target, bool corrected, double gap_step, double dual_step) {
    return corrected ? target - gap_step * dual_step : target;
  }

  BoxProblem* problem_ = nullptr;
  std::vector<char> bounds_;
  int pairs_ = 0;
  Point point_, trial_;
  Direction step_;
};

}  // namespace perp
