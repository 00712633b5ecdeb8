// Gauss-Seidel sweeps over the contacts of a friction problem.
#pragma once

#include <cstdint>
#include <perp/solvers/friction/contact_problem.hpp>
#include <vector>

namespace perp {

/// Sweeps that solve every contact exactly, for the solver nsgs.
class ContactSweeps {
 public:
  /// @param problem is kept by reference.
  void attach(const ContactProblem& problem);
  void order_as_given();
  void order_at_random(std::uint64_t seed);

  /// One sweep. With rho > 0 it is proximal: every contact has W_cc + rho |W_cc| I instead of W_cc,
  /// around its present impulse.
  /// @param relaxation omega, between 0 and 2 @param backward contacts in reverse order
  /// @param r 3 values per contact, scaled
  /// @return the largest change of an impulse; NaN if one is not finite.
  double sweep(double relaxation, double rho, bool backward, Vector& r) const;

 private:
  double update(int c, double relaxation, double rho, Vector& r) const;

  const ContactProblem* problem_ = nullptr;
  std::vector<int> order_;
};

}  // namespace perp
