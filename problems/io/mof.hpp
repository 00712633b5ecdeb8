// MathOptFormat, the JSON format of the MathOptInterface (JuMP).
#pragma once

#include <perp/problems/json/json.hpp>
#include <perp/problems/standard/problem.hpp>
#include <string>

namespace perp {

/// Reads a feasibility model, version 1.0 to 1.9, whose constraints are bounds of variables,
/// equations and vector functions in `Complements`, square in the sense of
/// ForeignModel::to_problem. Affine, quadratic and nonlinear functions are read.
/// @throws InputError naming file, field and fault: an objective, other sets and functions.
Problem problem_from_mof(std::string_view text, const std::string& file);

/// Writes an lcp, mlcp or mcp as version 1.7: one VectorAffineFunction or VectorNonlinearFunction
/// in Complements, rows in order. Parameters are put in; the known solution, contacts and source
/// have no place in the format.
/// @throws std::invalid_argument for other kinds and for an Mcp given by a callback.
std::string problem_to_mof(const Problem& problem);

}  // namespace perp
