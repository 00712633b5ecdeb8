// Gauss-Seidel sweeps over the contacts of a friction problem.
#pragma once

#include <cstdint>
#include <perp/solvers/friction/contact_problem.hpp>
#include <vector>

namespace perp {

/// Sweeps with the exact solution of every contact: a solver of its own (nsgs) and the start and
/// fallback of others.
class ContactSweeps {
 public:
  /// @param problem is kept by reference.
  void attach(const ContactProblem& problem);
  void order_as_given();
  void order_at_random(std::uint64_t seed);

  /// One sweep. With rho > 0 every contact has W_cc + rho |W_cc| I and is pulled to its impulse.
  /// @return the largest change of an impulse, NaN where it is not finite.
  double sweep(double relaxation, double rho, bool backward, Vector& r) const;

 private:
  double update(int c, double relaxation, double rho, Vector& r) const;

  const ContactProblem* problem_ = nullptr;
  std::vector<int> order_;
};

}  // namespace perp
