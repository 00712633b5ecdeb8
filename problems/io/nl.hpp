// AMPL's .nl format, in its text form.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <string>
#include <string_view>

namespace perp {

/// Reads a model whose rows are complementarity conditions ("5 k i" in the r segment) or equations.
/// The model must be square in the sense of ForeignModel::to_problem. Defined variables (V) and a
/// start (x) are read. Suffixes (S), a dual start (d) and a constant objective are skipped.
/// Refused: the binary form, inequalities that complement nothing, an objective that is not
/// constant, discrete variables, functions of the user (F), logical conditions, and operations that
/// branch.
/// @param names contents of the .col file, which has one name of a variable in each line; empty: no
/// names
/// @throws InputError naming file, line and fault
Problem problem_from_nl(std::string_view text, std::string_view names, const std::string& file);

/// Writes an lcp, mlcp or mcp; rows and unknowns keep their order. A subexpression that is used
/// more than once becomes a defined variable. Parameters are replaced by their values. The known
/// solution, contacts and source are left out: the format has no place for them.
/// @throws std::invalid_argument for other kinds, for an Mcp given by a callback, and for an Mcp
/// whose rows share so much that the file would be far too large
std::string problem_to_nl(const Problem& problem);

}  // namespace perp
