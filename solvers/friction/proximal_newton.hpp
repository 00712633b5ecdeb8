// Proximal point iterations around semismooth Newton steps for exact friction.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/friction/contact_newton.hpp>
#include <perp/solvers/friction/contact_sweeps.hpp>

namespace perp {

struct ProximalNewtonSettings {
  double alpha = 1e-2;              ///< first alpha, of W with diagonal blocks of order 1 [-]
  double least_alpha = 1e-9;        ///< [-]
  double decrease = 0.3;            ///< of alpha after a step whose inner problem was easy [-]
  double increase = 5.0;            ///< of alpha after an inner problem that was not solved [-]
  double inner_accuracy = 0.5;      ///< inner tolerance over the measure at the centre [-]
  int inner_steps = 30;             ///< Newton steps of an inner problem at most
  int easy_steps = 6;               ///< Newton steps up to which an inner problem was easy
  int first_sweeps = 10;            ///< sweeps of nsgs before the first step
  std::string scaling = "contact";  ///< of W and q: "none", "global" or "contact"

  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("alpha", alpha, "first alpha, for W with diagonal blocks of order 1");
    v.visit("least_alpha", least_alpha, "least alpha");
    v.visit("decrease", decrease, "factor on alpha after an inner problem that was easy");
    v.visit("increase", increase, "factor on alpha after an inner problem that was not solved");
    v.visit("inner_accuracy", inner_accuracy, "inner tolerance over the measure at the centre");
    v.visit("inner_steps", inner_steps, "Newton steps of an inner problem at most");
    v.visit("easy_steps", easy_steps, "Newton steps up to which an inner problem was easy");
    v.visit("first_sweeps", first_sweeps, "sweeps of nsgs before the first step");
    v.visit("scaling", scaling, "of W and q: none, global or contact");
  }
};

class ProximalNewton final : public Solver {
 public:
  ProximalNewtonSettings settings;

  ProximalNewton();
  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override {
    settings.visit(visitor);
    newton_.settings.visit(visitor);
  }

 private:
  void do_prepare(const Problem& problem) override;
  void do_solve(const Vector* start, Observer* observer, Result& result) override;

  ContactProblem problem_;
  ContactSweeps sweeps_;
  ContactNewton newton_;
  Vector r_, centre_, best_, u_;
};

}  // namespace perp
