// Quadratic programs in the text format QPS (MPS with a quadratic part).
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <string>
#include <string_view>

namespace perp {

/// Reads free or fixed QPS [MarosMeszaros1999]: NAME, OBJSENSE, ROWS, COLUMNS, RHS, RANGES, BOUNDS
/// (LO UP FX FR MI PL, and BV LI UI without integrality), QUADOBJ or QSECTION (one triangle),
/// QMATRIX (both), ENDATA. min 1/2 x'Px + c'x; a right-hand side of the objective is minus its
/// constant, which is kept in source.constant. Without rows the problem is a box_qp, else a
/// conic_qp with the equations in a zero cone, then rows and bounds in a nonnegative one. Values
/// from 1e20 on are infinite in bounds; an upper bound below 0 alone makes the lower one infinite.
/// @throws InputError naming the file, the line, the section and the fault, for SIF beyond QPS too.
Problem problem_from_qps(std::string_view text, const std::string& file);

}  // namespace perp
