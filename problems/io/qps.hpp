// Quadratic programs in the text format QPS (MPS with a quadratic part).
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <string>
#include <string_view>

namespace perp {

/// Reads min 1/2 x'Px + c'x from free or fixed QPS [MarosMeszaros1999]. Sections: NAME, OBJSENSE,
/// ROWS, COLUMNS, RHS, RANGES, BOUNDS (LO UP FX FR MI PL, and BV LI UI without integrality),
/// QUADOBJ or QSECTION (one triangle of P), QMATRIX (both triangles), ENDATA. A right-hand side of
/// the objective row is minus its constant, which is kept in source.constant; the signs of a
/// maximum are changed. Without constraint rows the problem is a box_qp, else a conic_qp with the
/// equations in a zero cone, then the other rows and the bounds in a nonnegative cone. In bounds,
/// values from 1e20 on are infinite; a negative upper bound without a lower one makes the lower one
/// -inf.
/// @throws InputError naming the file, the line, the section and the fault; also for parts of SIF
/// that are not QPS
Problem problem_from_qps(std::string_view text, const std::string& file);

}  // namespace perp
