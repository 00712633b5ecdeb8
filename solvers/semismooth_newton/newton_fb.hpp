// Semismooth Newton method on the Fischer-Burmeister function.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/semismooth_newton/newton_fb_steps.hpp>

namespace perp {

/// Settings of NewtonFb.
struct NewtonFbSettings {
  std::string function = "auto";  ///< phi: "auto", "fb", "penalised" or "min"
  double lambda = 0.9;            ///< share of fb in the penalised function, in (0, 1] [-]
  std::string inside = "auto";    ///< start at z + 1, not at z: "auto", "always", "never"
  double proximal = 1e-6;         ///< least eps added to the diagonal of M in Newton steps [-]
  double proximal_factor = 1e-3;  ///< eps over min(1, max |Phi_i|); for an mcp 1/100 of it [-]
  std::string least_squares = "fallback";  ///< Levenberg-Marquardt: "fallback", "always", "never"
  int memory = 10;                         ///< number of merits the line search compares with
  int patience = 15;                       ///< more steps without progress end the solve
  int watchdog = 0;                  ///< full Newton steps in a row that need not lower the merit
  bool finish = true;                ///< solve the active set's linear system in the end
  double finish_below = 0.01;        ///< try that if the largest |Phi_i| is at most this [-]
  std::string equilibrate = "auto";  ///< scale by powers of two: "auto", "always", "never"
  std::string linear_algebra = "auto";  ///< "auto", "dense" or "sparse"

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("function", function,
            "complementarity function: auto (fb, for mcp penalised), fb, penalised or min",
            Choices{"auto", "fb", "penalised", "min"});
    v.visit("lambda", lambda, "share of fb in the penalised function", kShare);
    v.visit("inside", inside,
            "start at z + 1, not at z: auto (without a start, if M is constant and has no "
            "positive entry off the diagonal), always, never",
            Choices{"auto", "always", "never"});
    v.visit("proximal", proximal, "least eps added to the diagonal of M in Newton steps");
    v.visit("proximal_factor", proximal_factor,
            "eps over min(1, largest |Phi_i|); for an mcp a hundredth of this is used");
    v.visit("least_squares", least_squares,
            "Levenberg-Marquardt steps: fallback (if a Newton step is poor), always, never",
            Choices{"fallback", "always", "never"});
    v.visit("memory", memory, "merits that the line search compares with; 1: monotone",
            kAtLeastOne);
    v.visit("patience", patience,
            "steps in which the lowest merit does not fall by 10 % that end the solve",
            kAtLeastOne);
    v.visit("watchdog", watchdog, "full Newton steps in a row that need not lower the merit");
    v.visit("finish", finish, "solve the linear system of the identified active set in the end");
    v.visit("finish_below", finish_below,
            "the finish is tried if the largest |Phi_i| is at most this");
    v.visit("equilibrate", equilibrate,
            "scale rows and columns by powers of two: auto (if badly scaled), always, never",
            Choices{"auto", "always", "never"});
    v.visit("linear_algebra", linear_algebra, "factorisations: auto, dense or sparse",
            Choices{"auto", "dense", "sparse"});
  }
};

/// Solves LCP(q, M), mixed LCPs and nonlinear MCPs as the semismooth equation Phi(z) = 0 with
/// Phi_i = phi(z_i - l_i, F_i) [DeLucaFacchineiKanzow1996], two-sided bounds by Billups'
/// composition [Billups1995], phi of Fischer and Burmeister [Fischer1992], penalised
/// [ChenChenKanzow2000], or min. M is the Jacobian of F at the iterate.
///
/// Newton step: (D_a + D_b (M + eps I)) d = -Phi. eps is a proximal perturbation [Billups1995] that
/// vanishes with Phi. If d is no good descent direction, a least-squares step follows, (J'J + mu I)
/// d = -J'Phi, then the gradient. The line search on 1/2 ||Phi||^2 is nonmonotone (NewtonDriver); a
/// watchdog may let a few full steps pass. If F is nonlinear, steps are shortened until F and its
/// Jacobian exist, and a full step projected on the bounds is taken if it halves the merit. Near a
/// solution Newton's method solves the system of the active set (ActiveSetFinish). Its point is the
/// answer, or the next iterate if it is better. There is one run from one start. A start at which F
/// does not exist is moved.
///
/// Points at which the residual vanishes but F does not keep its signs at the bounds (poles,
/// BoundSigns) are no answers; after a few of them the solve ends. Ends: solved; stationary
/// (J'Phi = 0 but Phi is not zero: the message names the rows); stalled; iteration_limit (200 by
/// default), time_limit, interrupted; numerical_error (no point near the start at which F and its
/// Jacobian are finite: the message names a row). Only solved proves anything.
class NewtonFb final : public Solver {
 public:
  NewtonFbSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  void do_prepare(const Problem& problem) override;
  void do_update(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  void take_rest(const Problem& problem);
  ComplementarityFunction chosen_function() const;
  NewtonFbSteps::Options options() const;
  void set_start(const Vector* start);
  void add_statistics(Result& result) const;

  BoxProblem problem_;
  NewtonFbSteps steps_;
  NewtonDriver driver_;
  std::vector<std::string> names_;
  bool only_negative_ = false;  // M is constant and has no positive entry off the diagonal
  Vector start_;
};

}  // namespace perp
