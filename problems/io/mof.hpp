// MathOptFormat, the JSON format of the MathOptInterface (JuMP).
#pragma once

#include <perp/problems/json/json.hpp>
#include <perp/problems/standard/problem.hpp>
#include <string>

namespace perp {

/// Reads a model without objective, version 1.0 to 1.9. Its constraints must be bounds of
/// variables, equations and vector functions in `Complements`, and it must be square in the sense
/// of ForeignModel::to_problem. Affine, quadratic and nonlinear functions are read.
/// @throws InputError naming file, field and fault, also for an objective and for other sets and
/// functions
Problem problem_from_mof(std::string_view text, const std::string& file);

/// Writes an lcp, mlcp or mcp as version 1.7: one VectorAffineFunction or VectorNonlinearFunction
/// in Complements, rows in order. Parameters are replaced by their values. The known solution,
/// contacts and source are left out: the format has no place for them.
/// @throws std::invalid_argument for other kinds and for an Mcp given by a callback.
std::string problem_to_mof(const Problem& problem);

}  // namespace perp
