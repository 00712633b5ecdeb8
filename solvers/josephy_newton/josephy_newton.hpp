// Josephy-Newton method for nonlinear mixed complementarity problems.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/josephy_newton/josephy_steps.hpp>

namespace perp {

/// Settings of JosephyNewton.
struct JosephyNewtonSettings {
  int crash_iterations = 50;    ///< projected Newton steps before it pivots, at most
  int set_rounds = 20;          ///< linear systems tried on a linearisation before pivots
  std::string path = "far";     ///< origin of a path of pivots: "far", "point" (the iterate)
  double proximal = 1e-6;       ///< first rho over max |J_ij|, after a failed path [-]
  double path_proximal = 0.0;   ///< rho of every path over max |J_ij| min(1, residual) [-]
  std::string function = "fb";  ///< phi of the merit: "fb" or "penalised"
  double lambda = 0.9;          ///< share of fb in the penalised function, in (0, 1] [-]
  int memory = 1;               ///< number of merits the line search compares with; 1: monotone
  int watchdog = 10;            ///< full steps in a row that need not lower the merit as asked
  int patience = 25;            ///< more steps without progress end the solve
  std::string least_squares = "fallback";  ///< Levenberg-Marquardt: "fallback", "always", "never"
  std::string linear_algebra = "auto";     ///< "auto", "dense" or "sparse"

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("crash_iterations", crash_iterations,
            "projected Newton steps before it pivots; 0: none");
    v.visit("set_rounds", set_rounds, "linear systems tried on a linearisation before pivots");
    v.visit("path", path, "origin of a path of pivots: far, point (the iterate)",
            Choices{"far", "point"});
    v.visit("proximal", proximal, "first rho over the largest entry of J, after a failed path",
            kPositive);
    v.visit("path_proximal", path_proximal,
            "rho of every path over the largest entry of J times min(1, residual)");
    v.visit("function", function, "complementarity function of the merit: fb or penalised",
            Choices{"fb", "penalised"});
    v.visit("lambda", lambda, "share of fb in the penalised function", kShare);
    v.visit("memory", memory, "merits that the line search compares with; 1: monotone",
            kAtLeastOne);
    v.visit("watchdog", watchdog,
            "full steps in a row that need not lower the merit as the search asks; 0: none");
    v.visit("patience", patience,
            "steps in which the lowest merit does not fall by 10 % that end the solve",
            kAtLeastOne);
    v.visit("least_squares", least_squares,
            "Levenberg-Marquardt steps: fallback (if the linear problem is not solved), always "
            "(and no other Newton steps), never",
            Choices{"fallback", "always", "never"});
    v.visit("linear_algebra", linear_algebra, "factorisations: auto, dense or sparse",
            Choices{"auto", "dense", "sparse"});
  }
};

/// Solves mixed complementarity problems l <= z <= u, F(z), also lcp and mlcp, by the method of
/// Josephy [Josephy1979] in the form of [DirkseFerris1995; FerrisKanzowMunson1999]. A step:
///
/// 1. Solve the linear problem l <= z + d <= u, F(z) + J d. First try Newton's method on its active
///    sets, with one linear system per round. If the sets do not settle, try the projected Newton
///    point (the crash). If that is no good, follow a path of complementary pivots from the basis
///    of the sets at z.
/// 2. Search along d, nonmonotone, on the merit 1/2 ||Phi||^2 with Phi of Fischer and Burmeister
///    [Fischer1992; Billups1995]. z, z + d and all points between them lie within the bounds. The
///    step is shortened if F does not exist at a point.
/// 3. If the path ends on a ray, try the point where it ended (only with the path from the
/// iterate),
///    then J + rho I for growing rho, then a Levenberg-Marquardt step on Phi, then the projected
///    gradient.
///
/// Up to `watchdog` full steps in a row need not lower the merit as the search asks
/// [FerrisLucidi1994]. There is one run from one start. A start at which F does not exist is moved.
/// Ends: solved; stationary (the merit has a minimum that is no solution: the message names the
/// rows); stalled; numerical_error (no point near the start at which F and J exist: the message
/// names the row); iteration_limit (200 by default), time_limit, interrupted.
class JosephyNewton final : public Solver {
 public:
  JosephyNewtonSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  void do_prepare(const Problem& problem) override;
  void do_update(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  ComplementarityFunction chosen_function() const;
  JosephySteps::Options options() const;
  void add_statistics(Result& result) const;

  BoxProblem problem_;
  JosephySteps steps_;
  NewtonDriver driver_;
  std::vector<std::string> names_;
  Vector start_;
};

}  // namespace perp
