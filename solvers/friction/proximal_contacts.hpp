// Proximal point iterations around semismooth Newton steps, which proximal-newton and
// proximal-pyramid use.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/friction/contact_newton.hpp>
#include <string>

namespace perp {

/// Settings of the solvers with proximal point iterations.
struct ProximalContactsSettings {
  double alpha = 1e-2;          ///< first alpha, for W with diagonal blocks of order 1 [-]
  double least_alpha = 1e-9;    ///< [-]
  double decrease = 0.3;        ///< factor on alpha after an inner problem that was easy [-]
  double increase = 5.0;        ///< factor on alpha after an inner problem that was not solved [-]
  double inner_accuracy = 0.5;  ///< inner tolerance over min(1, measure at the centre) [-]
  int inner_steps = 30;         ///< Newton steps of an inner problem at most
  int easy_steps = 6;           ///< an inner problem with at most so many Newton steps was easy
  int outer_iterations = 1000;  ///< proximal steps at most
  std::string scaling = "contact";  ///< of W and q: "none", "global" or "contact"

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("alpha", alpha, "first alpha, for W with diagonal blocks of order 1", kPositive);
    v.visit("least_alpha", least_alpha, "least alpha", kPositive);
    v.visit("decrease", decrease, "factor on alpha after an inner problem that was easy", kShare);
    v.visit("increase", increase, "factor on alpha after an inner problem that was not solved",
            kAtLeastOne);
    v.visit("inner_accuracy", inner_accuracy, "inner tolerance over the measure at the centre");
    v.visit("inner_steps", inner_steps, "Newton steps of an inner problem at most", kAtLeastOne);
    v.visit("easy_steps", easy_steps,
            "an inner problem with at most so many Newton steps was easy");
    v.visit("outer_iterations", outer_iterations, "proximal steps at most", kAtLeastOne);
    v.visit("scaling", scaling, "of W and q by powers of two: none, global or contact",
            Choices{"none", "global", "contact"});
  }
};

/// The proximal point method for a ContactProblem: r^{k+1} solves the problem with
///   u = W r + q + alpha_k (r - r^k)
/// to a share of the measure at r^k, by the steps of ContactNewton. All vectors are scaled.
class ProximalContacts {
 public:
  ProximalContactsSettings settings;
  ContactNewton newton;

  ProximalContacts();
  /// Keeps a reference to the problem.
  void attach(const ContactProblem& problem);
  /// Runs from the centre `best`, which becomes the point with the lowest measure, and fills in
  /// status, message, iterations and statistics of the result, not z.
  /// @param measure_name what the measure is called in the message
  void solve(const Deadline& deadline, const Limits& limits, std::string_view measure_name,
             Observer* observer, Vector& best, Result& result);

 private:
  void look_at(const Vector& r, Vector& best);

  const ContactProblem* problem_ = nullptr;
  Vector r_, centre_, u_;
  double measure_ = 0.0, best_measure_ = 0.0;
};

}  // namespace perp
