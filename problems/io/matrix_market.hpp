// Problems as files of Matrix Market.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// One text a matrix or vector of the problem, each with the name of its field: M, q, lower, ...,
/// start, solution, dual, and for a conic_qp `cones`, a row of type (0 zero, 1 nonnegative,
/// 2 second order) and size for each. Dense matrices and vectors are arrays, sparse ones
/// coordinates from 1 on; all are `general`. Infinite bounds are written as inf and -inf. Doubles
/// read back bit for bit. @throws std::invalid_argument for an mcp.
std::vector<std::pair<std::string, std::string>> problem_to_matrix_market(const Problem& problem);

}  // namespace perp
