// Josephy-Newton method for nonlinear mixed complementarity problems.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/josephy_newton/josephy_steps.hpp>

namespace perp {

struct JosephyNewtonSettings {
  int crash_iterations = 50;    ///< projected Newton steps before it pivots
  int set_rounds = 20;          ///< linear systems tried on a linearisation before pivots
  std::string path = "far";     ///< where a path of pivots comes from: "far", "point"
  double proximal = 1e-6;       ///< first rho over the largest entry of J, after a failed path [-]
  double path_proximal = 0.0;   ///< rho of every path, over that entry and the residual up to 1 [-]
  std::string function = "fb";  ///< phi of the merit: "fb" or "penalised"
  double lambda = 0.9;          ///< share of fb in the penalised function, in (0, 1] [-]
  int memory = 1;               ///< merits that the line search compares with; 1: monotone
  int watchdog = 10;            ///< full steps in a row that may miss the merit asked for
  int patience = 25;            ///< steps without a lower merit that end the solve
  std::string least_squares = "fallback";  ///< Levenberg-Marquardt: "fallback", "always", "never"
  std::string linear_algebra = "auto";     ///< "auto", "dense" or "sparse"

  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("crash_iterations", crash_iterations,
            "projected Newton steps before it pivots; 0: none");
    v.visit("set_rounds", set_rounds, "linear systems tried on a linearisation before pivots");
    v.visit("path", path, "where a path of pivots comes from: far, point (the iterate)",
            Choices{"far", "point"});
    v.visit("proximal", proximal, "first rho over the largest entry of J, after a failed path",
            kPositive);
    v.visit(
        "path_proximal", path_proximal,
        "rho of every path, over the largest entry of J and the residual, that counted up to 1");
    v.visit("function", function, "complementarity function of the merit: fb or penalised",
            Choices{"fb", "penalised"});
    v.visit("lambda", lambda, "share of fb in the penalised function", kShare);
    v.visit("memory", memory, "merits that the line search compares with; 1: monotone",
            kAtLeastOne);
    v.visit("watchdog", watchdog, "full steps in a row that may miss the merit asked for; 0: none");
    v.visit("patience", patience, "steps without a lower merit that end the solve", kAtLeastOne);
    v.visit("least_squares", least_squares,
            "Levenberg-Marquardt steps: fallback (where the linear problem is not solved), always "
            "(and no other Newton steps), never",
            Choices{"fallback", "always", "never"});
    v.visit("linear_algebra", linear_algebra, "factorisations: auto, dense or sparse",
            Choices{"auto", "dense", "sparse"});
  }
};

/// Solves mixed complementarity problems l <= z <= u, F(z), and lcp and mlcp as such, by the method
/// of Josephy [Josephy1979] in the manner of [DirkseFerris1995; FerrisKanzowMunson1999]. A step:
///
/// 1. The linear problem l <= z + d <= u, F(z) + J d. First by Newton's method on its sets, one
///    linear system a round; where these do not settle, and the projected Newton point is no good
///    either (the crash), by a path of complementary pivots from the basis of the sets at z.
/// 2. A nonmonotone search along d on the merit 1/2 ||Phi||^2, Phi of Fischer and Burmeister
///    [Fischer1992; Billups1995]. z and z + d lie between the bounds and so does what is between
///    them; where F does not exist, the step is shortened.
/// 3. Where the path ends on a ray: the point where it ended, then J + rho I for growing rho, then
///    a Levenberg-Marquardt step on Phi, then the projected gradient.
///
/// Full steps may miss the merit that the search asks for `watchdog` times in a row
/// [FerrisLucidi1994]. One run from one start; a start where F does not exist is moved. Ends:
/// solved; stationary (the merit has a minimum that is no solution: the message names the rows);
/// stalled; numerical_error (no point near the start where F and J exist: the message names the
/// row); iteration_limit (200 by default), time_limit, interrupted.
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
