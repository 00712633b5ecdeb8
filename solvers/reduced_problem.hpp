// A problem stated as one of another kind, ready to be written.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <string>

namespace perp {

/// The reduction of a problem (problems/standard/reductions.hpp) as a problem of its own.
///
/// Its name and `source` tell what it was made from: source.reduction, source.label ("exact" or
/// "approximate"), source.tolerance_factor, and source.of with kind, name, n, file and source of
/// the problem. Its start is that of the problem, mapped; of an exact reduction also the solution,
/// if it still is one. Names of variables and contacts are kept if the unknowns are the same.
/// @param as a kind (lcp, mlcp, mcp, box_qp, conic_qp), which gives an exact reduction, or the name
/// of one of friction_contact, which may be approximate: pyramid, pyramid:EDGES, convex, fritz-john
/// @param file where the problem comes from, for source.of.file; "" for none
/// @throws std::invalid_argument if there is no such reduction, with a list of those there are, or
/// if it is approximate and `as` is a kind.
Problem reduced_problem(const Problem& posed, const std::string& as, const std::string& file = "");

}  // namespace perp
