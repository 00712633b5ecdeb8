// The values of the basic variables.
#pragma once

#include <perp/solvers/pivoting/basic_set.hpp>
#include <perp/solvers/pivoting/basis.hpp>

namespace perp {

/// What the basic variables are and between which bounds they must stay, by position in the basis.
/// They are scaled by a power of two that brings the largest constant of the problem near 1, so
/// that tolerances for values have a meaning.
///
/// Invariant: B value = scale b - (columns of the nonbasic x at their upper bounds), up to rounding
/// that grows until compute() is called again. lower and upper are the bounds of the variable that
/// stands there: a basic w is of the sign that the bound of its x asks for.
class BasicValues {
 public:
  /// Keeps references.
  void attach(const CanonicalProblem& problem, const Basis& basis, const BasicSet& set);
  /// Takes the scale from the problem's constants.
  void set_scale();
  /// Solves for the values, refined once, and sets all bounds; after a factorisation.
  /// @return false if they are not finite.
  bool compute();
  /// value -= length * direction.
  void move(double length, const Vector& direction);
  /// Another variable stands at this position, with this value.
  void enter(int position, double value);

  /// How far a value is from the bound that it approaches if it falls (rate > 0) or rises.
  double slack(int position, double rate) const {
    return rate > 0 ? value[position] - lower[position] : upper[position] - value[position];
  }
  /// By how much a value is outside its bounds; negative inside.
  double outward(int position) const {
    return std::max(lower[position] - value[position], value[position] - upper[position]);
  }
  bool nearer_to_upper(int position) const {
    return std::abs(upper[position] - value[position]) <
           std::abs(value[position] - lower[position]);
  }

  Vector value, lower, upper;
  Vector range;        ///< of the x of each pair, scaled
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
