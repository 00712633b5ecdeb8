// The values of the basic variables.
#pragma once

#include <perp/solvers/pivoting/basic_set.hpp>
#include <perp/solvers/pivoting/basis.hpp>

namespace perp {

/// The values of the basic variables and their bounds, by position in the basis. They are scaled by
/// a power of two that brings the largest constant of the problem near 1, so that absolute
/// tolerances for values make sense.
///
/// Invariant: B value = scale b - (columns of the nonbasic x at their upper bounds), up to rounding
/// that grows until compute() is called again. lower and upper are the bounds of the variable at
/// this position. A basic w has the sign that belongs to the bound of its x.
class BasicValues {
 public:
  /// Keeps references to all three.
  void attach(const CanonicalProblem& problem, const Basis& basis, const BasicSet& set);
  /// Takes the scale from the problem's constants.
  void set_scale();
  /// Solves for the values, refines them once, and sets all bounds. To be called after a
  /// factorisation.
  /// @return false if they are not finite.
  bool compute();
  /// value -= length * direction.
  void move(double length, const Vector& direction);
  /// Sets the value of a variable that has entered at this position.
  void enter(int position, double value);

  /// Distance of a value from the bound that it approaches if it falls (rate > 0) or rises.
  double slack(int position, double rate) const {
    return rate > 0 ? value[position] - lower[position] : upper[position] - value[position];
  }
  /// Distance of a value outside its bounds; negative inside.
  double outward(int position) const {
    return std::max(lower[position] - value[position], value[position] - upper[position]);
  }
  bool nearer_to_upper(int position) const {
    return std::abs(upper[position] - value[position]) <
           std::abs(value[position] - lower[position]);
  }

  Vector value, lower, upper;
  Vector range;        ///< upper bound of the x of each pair, scaled
  double scale = 1.0;  ///< a power of two: value = scale * true value
  double size = 1.0;   ///< max(1, max|value|) after the last move() or compute()

 private:
  void right_hand_side(Vector& b) const;
  void set_bounds(int position);

  const CanonicalProblem* problem_ = nullptr;
  const Basis* basis_ = nullptr;
  const BasicSet* set_ = nullptr;
  Vector work_;
};

}  // namespace perp
