// The natural residual of a mixed LCP, as solvers measure it themselves.
#pragma once

#include <perp/problems/standard/lcp.hpp>
#include <vector>

namespace perp {

/// F = Mz + q, summed in extended precision and rounded once, and the natural residual of z from
/// it.
class NaturalMap {
 public:
  /// @param z, f n values each; F is written to f
  /// @return ||mid(z - l, z - u, F)||_inf; infinity if an entry is NaN. Allocates nothing if the
  /// last call had the same size.
  double natural_residual(const Mlcp& problem, const Vector& z, Vector& f);

 private:
  std::vector<long double> sums_;
};

}  // namespace perp
