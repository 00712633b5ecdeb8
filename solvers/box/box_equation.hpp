// The equation that a Newton method solves for a problem over bounds.
#pragma once

#include <perp/solvers/box/box_problem.hpp>
#include <perp/solvers/box/box_record.hpp>
#include <perp/solvers/box/complementarity_function.hpp>
#include <perp/solvers/box/newton_system.hpp>
#include <perp/solvers/newton/newton_driver.hpp>

namespace perp {

/// Phi_i(z) = phi(z_i - l_i, F_i), two-sided by composition (ComplementarityFunction), with
/// D_a + D_b M of its generalised Jacobian [DeLucaFacchineiKanzow1996; Billups1995]. Phi, D_a, D_b,
/// merit and residual belong to z at all times; the gradient does after linearise(). Directions of
/// least squares and of the gradient are here; what else a method tries is its own.
class BoxEquation : public NewtonEquation {
 public:
  enum class Path { kStraight, kProjected };  ///< of trial points: z + t d, or put on the bounds
  /// F at the points of a linear problem: updated along directions and by plain products, or
  /// summed in extended precision at every point.
  enum class Sums { kPlain, kExtended };

  /// Keeps a reference. Allocates.
  void attach(BoxProblem& problem, Sums sums);
  /// From the start, moved to where F exists (move_into_domain).
  /// @return false if no such point is found
  bool begin(const ComplementarityFunction& function, double tolerance, const Vector& start);

  double merit() const override { return merit_; }
  double try_step(double t) override;
  bool accept_trial() override;
  void describe(IterationRecord& record) const override;

  BoxRecord record;
  NewtonSystem system;

 protected:
  /// Another trial point.
  double try_point(const Vector& z);
  /// Without a search. @return false if F does not exist there
  bool move_to(const Vector& z);
  /// J at z and the gradient of the merit, (D_a + D_b J)' Phi. @return false if J is not finite
  bool linearise();
  /// The residual is small, but F does not hold its signs at the bounds. Steps from there may still
  /// lead to a solution nearby.
  bool is_false_answer();
  /// Whether so many points only looked like answers that a pole must be near.
  bool is_at_pole() const;
  /// Directions; false if there is none or the merit does not fall along it.
  bool find_least_squares_direction(double damping);
  /// The Cauchy step: ||J g||^2 t = ||g||^2.
  bool find_gradient_direction();
  /// Of a direction that a method has chosen: whether the merit falls along it; M d, if trial
  /// points need it.
  bool take_direction();
  double slope() const { return gradient_.dot(direction_); }
  double largest() const { return phi_.lpNorm<Eigen::Infinity>(); }

  BoxProblem* problem_ = nullptr;
  Path path_ = Path::kStraight;
  double tolerance_ = 0.0;
  Vector z_, f_, phi_, da_, db_, gradient_;
  double natural_ = 0.0;
  Vector direction_, map_direction_, right_side_;

 private:
  bool evaluate();
  bool is_defined();
  bool set_rows();
  double set_trial_merit();
  bool move_into_domain();

  Sums sums_ = Sums::kPlain;
  ComplementarityFunction function_;
  double merit_ = 0.0;
  Vector trial_z_, trial_f_;
};

}  // namespace perp
