// The semismooth Newton method for friction that newton-ac, proximal-newton, newton-pyramid and
// newton-cone use.
#pragma once

#include <perp/problems/limits/deadline.hpp>
#include <perp/problems/settings/settings.hpp>
#include <perp/solvers/friction/contact_equations.hpp>
#include <perp/solvers/friction/contact_newton_system.hpp>
#include <perp/solvers/newton/newton_driver.hpp>
#include <string>

namespace perp {

/// The setting of newton-ac and newton-pyramid besides those of the steps.
struct ContactScalingSetting {
  std::string scaling = "contact";  ///< of W and q: "none", "global" or "contact"

  /// Shows the setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("scaling", scaling, "of W and q by powers of two: none, global or contact",
            Choices{"none", "global", "contact"});
  }
};

/// Settings that these solvers share.
struct ContactNewtonSettings {
  std::string map = "ac";                  ///< "ac" (Alart-Curnier), "natural", "pyramid" or "cone"
  std::string rho = "split";               ///< "split" or "spectral"
  double rho_factor = 2.0;                 ///< factor on the rho of every contact [-]
  double proximal = 1e-9;                  ///< least eps [-]
  double proximal_factor = 1e-3;           ///< eps over min(1, ||Phi||_inf) [-]
  std::string least_squares = "fallback";  ///< "fallback", "always" or "never"
  int memory = 10;                         ///< number of merits the line search compares with
  int patience = 15;  ///< steps that end a run if the lowest merit does not fall by 10 %
  std::string linear_algebra = "auto";  ///< "auto", "dense", "sparse" or "pivoted"

  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("map", map, "equations: ac (Alart-Curnier) or natural", Choices{"ac", "natural"});
    visit_steps(v);
  }
  /// All but the map.
  template <class Visitor>
  void visit_steps(Visitor& v) {
    v.visit("rho", rho, "split: 1/W_nn and 1/|W_tt| of each contact; spectral: 1/|W_cc|",
            Choices{"split", "spectral"});
    v.visit("rho_factor", rho_factor, "factor on the rho of every contact", kPositive);
    v.visit("proximal", proximal, "least eps of the steps with W + eps I");
    v.visit("proximal_factor", proximal_factor, "eps over min(1, largest |Phi_i|)");
    v.visit("least_squares", least_squares, "least-squares steps: fallback, always, never",
            Choices{"fallback", "always", "never"});
    v.visit("memory", memory, "merits that the line search compares with; 1: monotone",
            kAtLeastOne);
    v.visit("patience", patience,
            "steps in which the lowest merit does not fall by 10 % that end a run", kAtLeastOne);
    v.visit("linear_algebra", linear_algebra,
            "factorisations: auto; dense; sparse, in 3D by blocks of 3 x 3; pivoted, sparse with "
            "pivots "
            "from all rows",
            Choices{"auto", "dense", "sparse", "pivoted"});
  }
};

/// Semismooth Newton steps on Phi(r, u) = 0 with u = W r + q + alpha (r - centre), Phi of
/// ContactEquations and the loop of NewtonDriver. alpha = 0 is the problem as posed; alpha > 0 is
/// one step of the proximal point method around the centre. Vectors are scaled, with 3 values per
/// contact.
class ContactNewton final : public NewtonEquation {
 public:
  ContactNewtonSettings settings;

  /// Keeps a reference to the problem.
  void attach(const ContactProblem& problem);
  /// To be called before the runs of a solve: they share these limits. Keeps a reference to the
  /// deadline.
  void begin(const Deadline& deadline, int iteration_limit);

  /// Runs from r; r becomes the point with the lowest measure. Ends: solved if the verifier's
  /// measure (with this u) is at most the tolerance; stalled after `max_steps`, if no step lowers
  /// the merit, or if `patience` is used up; iteration_limit or time_limit at the limits of
  /// begin(); interrupted.
  Status run(double alpha, const Vector& centre, double tolerance, int max_steps,
             Observer* observer, Vector& r);

  /// The measure at r of the last run.
  double measure() const { return best_measure_; }
  int iterations = 0, least_squares_steps = 0;
  const ContactNewtonSystem& system() const { return system_; }

 private:
  /// Impulses and velocities, or changes of them.
  struct Pair {
    Vector r, u;
  };

  /// The arguments of a run; r becomes the best point.
  struct Aim {
    double alpha = 0.0, tolerance = 0.0;
    const Vector* centre = nullptr;
    Vector* r = nullptr;
  };

  // NewtonEquation:
  double merit() const override { return equations_.merit(); }
  Verdict judge() override;
  std::string_view take_step(NewtonDriver& driver) override;
  double try_step(double t) override;
  bool accept_trial() override;
  void describe(IterationRecord& record) const override;

  void evaluate();
  bool newton_step();
  bool least_squares_step();
  bool search();

  const ContactProblem* problem_ = nullptr;
  ContactEquations equations_;
  ContactNewtonSystem system_;
  NewtonDriver driver_;
  Pair point_, direction_, trial_;
  Aim aim_;
  double measure_ = 0.0, best_measure_ = 0.0;  // at point_, at *aim_.r
  const Deadline* deadline_ = nullptr;
  int iteration_limit_ = 0, iterations_before_ = 0;  // of all runs; before this one
};

}  // namespace perp
