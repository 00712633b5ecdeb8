// The equation that a Newton method solves for a problem with bounds.
#pragma once

#include <perp/solvers/box/box_problem.hpp>
#include <perp/solvers/box/box_record.hpp>
#include <perp/solvers/box/complementarity_function.hpp>
#include <perp/solvers/box/newton_system.hpp>
#include <perp/solvers/newton/newton_driver.hpp>

namespace perp {

/// Phi_i(z) = phi(z_i - l_i, F_i), for two bounds by composition (ComplementarityFunction), and the
/// element D_a + D_b M of its generalised Jacobian [DeLucaFacchineiKanzow1996; Billups1995]. Phi,
/// D_a, D_b, merit and residual always belong to z; the gradient does after linearise(). This class
/// finds the directions of least squares and of the gradient; methods add their own directions.
class BoxEquation : public NewtonEquation {
 public:
  /// Trial points: z + t d, or its projection on the bounds.
  enum class Path { kStraight, kProjected };
  /// How F of a linear problem is computed: updated along directions and by plain products, or
  /// summed in extended precision at every point.
  enum class Sums { kPlain, kExtended };

  /// Keeps a reference to the problem. Allocates.
  void attach(BoxProblem& problem, Sums sums);
  /// Begins at the start. If F does not exist there, a point near it is used at which F exists.
  /// @param start n values, scaled unknowns
  /// @return false if no such point is found
  bool begin(const ComplementarityFunction& function, double tolerance, const Vector& start);

  double merit() const override { return merit_; }
  double try_step(double t) override;
  bool accept_trial() override;
  void keep_base() override;
  bool return_to_base() override;
  void describe(IterationRecord& record) const override;

  BoxRecord record;
  NewtonSystem system;

 protected:
  /// Makes z the trial point. @return its merit
  double try_point(const Vector& z);
  /// Moves to z without a search. @return false if F does not exist there
  bool move_to(const Vector& z);
  /// Computes J at z and the gradient of the merit, (D_a + D_b J)' Phi.
  /// @return false if J is not finite
  bool linearise();
  /// Whether the residual of z is small, but F does not keep its signs at the bounds (BoundSigns).
  /// Steps from such a point may still lead to a solution nearby.
  bool is_false_answer();
  /// Whether there were so many points of this kind (is_false_answer) that a pole must be near.
  bool is_at_pole() const;
  /// The direction of Levenberg and Marquardt with mu = `damping`.
  /// @return false if there is none, or if the merit does not fall along it
  bool find_least_squares_direction(double damping);
  /// The Cauchy step along the negative gradient: -t g with ||J g||^2 t = ||g||^2.
  /// @return false as above
  bool find_gradient_direction();
  /// Takes the direction that a method has put into direction_, and computes M d if trial points
  /// need it. @return whether the merit falls along it
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
  struct {
    Vector z, f;
  } trial_;
  struct {
    Vector z, direction;
  } base_;  // of the watchdog
};

}  // namespace perp
