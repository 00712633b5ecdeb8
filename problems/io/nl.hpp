// AMPL's .nl format, in its text form.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <string>
#include <string_view>

namespace perp {

/// Reads a model whose rows are complementarity conditions ("5 k i" in the r segment) or equations,
/// square in the sense of ForeignModel::to_problem. Defined variables (V), suffixes (S), starts (x,
/// d) and a constant objective are read; suffixes and the dual start are dropped. Refused: the
/// binary form, inequalities that complement nothing, an objective that is not constant, discrete
/// variables, functions of the user (F), logical conditions, and operations that branch.
/// @param names what stands in the .col file beside it, one name a line; empty: none.
/// @throws InputError naming file, line and fault.
Problem problem_from_nl(std::string_view text, std::string_view names, const std::string& file);

/// Writes an lcp, mlcp or mcp; rows and unknowns keep their order. A subexpression that is used
/// more than once becomes a defined variable. Parameters are put in; the known solution, contacts
/// and source have no place in the format.
/// @throws std::invalid_argument for other kinds and for an Mcp given by a callback.
std::string problem_to_nl(const Problem& problem);

}  // namespace perp
