// Problems as files of Matrix Market [BoisvertPozoRemington1996].
#pragma once

#include <perp/problems/io/matrix_text.hpp>
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

/// A matrix from the text of a Matrix Market file: coordinates (sparse; repeated entries add) or an
/// array by columns (dense), of real or integer values; general, symmetric or skew-symmetric, of
/// which one triangle is listed. Rows and columns count from 1. Of a symmetric file by coordinates
/// it may be either triangle.
/// @param file names it in messages
/// @throws InputError naming the file, the line and the fault: patterns and complex values, numbers
/// and indices out of range, more or fewer entries than stated.
Matrix matrix_from_market(std::string_view text, const std::string& file,
                          Infinities infinities = Infinities::kRefused);

}  // namespace perp
