// The alternating direction method of multipliers for exact friction.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/friction/shifted_delassus.hpp>

namespace perp {

/// Settings of Admm.
struct AdmmSettings {
  double proximal = 1e-6;    ///< eta, weight of the change of r, for W with blocks of order 1 [-]
  double power = 0.2;        ///< p of the first penalty sqrt(eta L) (L/eta)^p [-]
  double power_step = 0.05;  ///< change of p when the residuals are out of balance [-]
  double balance = 5.0;      ///< ratio of the residuals from which they are out of balance [-]
  int adapt_every = 10;      ///< iterations between changes of the penalty
  bool accelerate = true;    ///< extrapolate, with restarts
  int patience = 1000;       ///< checks (every 5 iterations) without gain before it ends as stalled
  std::string scaling = "contact";  ///< of W and q: "none", "global" or "contact"

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("proximal", proximal, "eta, weight of the change of r, for W with blocks of order 1",
            kPositive);
    v.visit("power", power, "p of the first penalty sqrt(eta L) (L/eta)^p", Range{-2.0, 2.0});
    v.visit("power_step", power_step, "change of p when the residuals are out of balance");
    v.visit("balance", balance, "ratio of the residuals from which they are out of balance",
            kAtLeastOne);
    v.visit("adapt_every", adapt_every, "iterations between changes of the penalty", kAtLeastOne);
    v.visit("accelerate", accelerate, "extrapolate, with restarts");
    v.visit("patience", patience, "checks without a gain of 1 % before the solve ends as stalled",
            kAtLeastOne);
    v.visit("scaling", scaling, "of W and q by powers of two: none, global or contact",
            Choices{"none", "global", "contact"});
  }
};

/// Exact friction as min 1/2 r'Wr + (q + s)'r + I_K(z) subject to r = z. de Saxce's term
/// s = mu ||y_t|| n comes from the multiplier y of the iteration before. Solved by the alternating
/// direction method of multipliers with a spectral penalty [CarpentierLeLidecMontaut2024;
/// BoydParikhChuPeleatoEckstein2011]:
///   (W + (eta + rho) I) r+ = eta r + rho z + y - q - s,
///   z+ = Pi_K(r+ - y/rho),   y+ = y + rho (z+ - r+).
/// W + (eta + rho) I is positive definite; its factors are kept until rho changes.
/// rho = sqrt(eta L) (L/eta)^p with L the largest eigenvalue of W. p changes if the primal residual
/// ||r - z|| / ||z|| and the dual one rho ||z+ - z|| / max(||y||, ||q||) are out of balance. z and
/// y are extrapolated, with restarts [GoldsteinODonoghueSetzerBaraniuk2014]. If W is not symmetric,
/// its symmetric part is factorised and the rest acts on r of the iteration before. If the method
/// converges, it does so linearly; there is no proof of convergence for mu > 0.
/// Ends: solved, stalled, iteration_limit, time_limit, interrupted, numerical_error.
class Admm final : public Solver {
 public:
  AdmmSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  bool set_penalty(double power);
  void begin(const Vector* start);
  /// Forgets the extrapolation.
  void restart();
  /// One iteration. Sets primal_ and dual_.
  void iterate();
  void extrapolate(double change);

  ContactProblem problem_;
  ShiftedDelassus matrix_;
  double largest_ = 0.0, rho_ = 1.0, primal_ = 0.0, dual_ = 0.0;
  double theta_ = 1.0, change_ = 0.0;  // of the extrapolation
  Vector r_, z_, y_, u_, next_, best_, skew_;
  Vector z_hat_, y_hat_, z_before_, y_before_;
};

}  // namespace perp
