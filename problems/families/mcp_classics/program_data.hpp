// Tables and solutions of the nonlinear programs.
#pragma once

#include <perp/problems/matrix/matrix.hpp>

namespace perp::classics {

/// Colville's first problem: HS86 is min e'x + x'Cx + sum d_j x_j^3 over x >= 0, Ax >= b.
struct ColvilleData {
  double a[10][5], b[10], c[5][5], d[5], e[5];
};
const ColvilleData& colville_data();

// Solutions (x, multipliers) to all digits of a double.
Vector hs66_solution();
Vector hs71_solution();
Vector hs76_solution();
Vector hs86_solution();
Vector hs110_solution();
Vector hs117_solution();

}  // namespace perp::classics
