// A point inside its bounds, with multipliers, and the steps of an interior-point method from it.
#pragma once

#include <perp/solvers/box/box_problem.hpp>
#include <vector>

namespace perp {

/// z between its bounds, at distances a = z - l and b = u - z above 0, with multipliers v and w
/// above 0 for the bounds there are. At a solution
///   F(z) - v + w = 0,   a_i v_i = 0,   b_i w_i = 0.
/// An unknown whose bounds are equal stays there, and its row is left out.
class InteriorPairs {
 public:
  /// Keeps a reference. Allocates.
  void attach(BoxProblem& problem);
  /// z := the start, moved to `distance` from its bounds if it is nearer or beyond, between two
  /// bounds no further than to their middle; v = w = `multiplier`.
  /// @return false if F does not exist
  bool begin(const Vector& start, double distance, double multiplier);

  const Vector& z() const { return point_.z; }
  const Vector& f() const { return point_.f; }
  double mean_product() const { return point_.mean_product; }  ///< mu, of all a_i v_i and b_i w_i
  double defect() const { return point_.defect; }              ///< ||F - v + w||
  int pairs() const { return pairs_; }

  /// The diagonal that the multipliers add to the Jacobian, v / a + w / b; of fixed unknowns
  /// row_weight is 0 and the diagonal 1 (NewtonSystem).
  void diagonal(Vector& diagonal, Vector& row_weight) const;
  /// -F + t / a - t' / b with the products t, t' that the step is to reach: mu, less what the
  /// direction in hand adds to them to second order if `corrected` [Mehrotra1992].
  void right_side(double target, bool corrected, Vector& right_side) const;
  /// Takes dz, solution for that right side, and finds dv and dw.
  void set_direction(const Vector& dz, double target, bool corrected);
  /// The longest step, up to 1, that keeps distances and multipliers at or above 0.
  double longest_step() const;
  /// mu after a step of that length.
  double mean_product_after(double length) const;

  /// The products and the defect at a trial point.
  struct Trial {
    double mean_product, least_product, defect;  ///< defect: not finite where F does not exist
  };
  Trial try_step(double length);
  /// The point of the last trial is the next one.
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
  /// What the step asks of the product of a pair, and the change of the multiplier.
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
