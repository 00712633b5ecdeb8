// The natural residual of a mixed LCP, as solvers measure it themselves.
#pragma once

#include <perp/problems/standard/lcp.hpp>
#include <vector>

namespace perp {

/// F = Mz + q summed in extended precision and rounded once, and how far z is from solving with it.
class NaturalMap {
 public:
  /// ||mid(z - l, z - u, F)||_inf, with F left in `f`; inf if an entry is no number. Allocates
  /// nothing from the second call of a size on.
  double natural_residual(const Mlcp& problem, const Vector& z, Vector& f);

 private:
  std::vector<long double> sums_;
};

}  // namespace perp
