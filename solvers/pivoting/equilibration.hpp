// Factors for rows and columns of a matrix.
#pragma once

#include <perp/problems/standard/lcp.hpp>

namespace perp {

/// Two sweeps divide rows and columns by the square roots of their largest entries, which brings
/// these near 1 [Ruiz2001]. Fixed unknowns and their rows are left out.
///
/// Invariant: all factors are powers of two, so scaling by them is exact.
class Equilibration {
 public:
  void compute(const Mlcp& problem);

  Vector row, column;

 private:
  Vector row_max_, column_max_;
};

}  // namespace perp
