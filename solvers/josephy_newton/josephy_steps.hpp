// The steps of JosephyNewton.
#pragma once

#include <perp/solvers/box/box_equation.hpp>
#include <perp/solvers/josephy_newton/linearisation_sets.hpp>
#include <perp/solvers/josephy_newton/linearised_problem.hpp>

namespace perp {

/// Steps to solutions of the linearised problem, found by its sets or by a path of pivots; if these
/// fail, least-squares steps and the projected gradient. Every point lies within the bounds.
class JosephySteps final : public BoxEquation {
 public:
  using Origin = LinearisedProblem::Origin;

  /// Which steps are tried, and their parameters.
  struct Options {
    bool newton = true, least_squares = true;  ///< which steps are tried
    int crash_iterations = 0, set_rounds = 0;
    Origin origin = Origin::kFarAway;
    double proximal = 0.0;       ///< rho / max|J| after a failed path
    double path_proximal = 0.0;  ///< rho / max|J| of every path, over min(1, residual)
  };
  /// Numbers of steps by type, and of paths that ended without a solution.
  struct Counts {
    int crash = 0, path = 0, proximal = 0, least_squares = 0, gradient = 0, failed_paths = 0;
  };

  void attach(BoxProblem& problem);
  /// To be called after an update of the problem: renews the parts that depend on which bounds are
  /// finite or equal.
  void refit();
  /// @param start n values, scaled unknowns @return false if F exists at no point near the start
  bool begin(const ComplementarityFunction& function, const Options& options, double tolerance,
             const Vector& start, const Deadline& deadline);

  Verdict judge() override;
  std::string_view take_step(NewtonDriver& driver) override;
  void describe(IterationRecord& record) const override;

  const Counts& counts() const { return counts_; }
  const LinearisationSets& sets() const { return sets_; }
  const LinearisedProblem& linearised() const { return linearised_; }

 private:
  bool search(NewtonDriver& driver, bool may_relax);
  bool crash_step(NewtonDriver& driver);
  std::string_view path_step(NewtonDriver& driver);
  bool least_squares_step(NewtonDriver& driver);
  bool gradient_step(NewtonDriver& driver);
  double projected_gradient() const;

  Options options_;
  LinearisationSets sets_;
  LinearisedProblem linearised_;
  bool crashing_ = false;
  Counts counts_;
  Deadline deadline_;
};

}  // namespace perp
