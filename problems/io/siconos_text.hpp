// Problems in the text format of Siconos.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <string>
#include <string_view>

namespace perp {

/// Reads an LCP, MLCP, relay or friction-contact problem. The files do not say which of them they
/// hold; it is found from their layout:
///   LCP       n, matrix, q
///   relay     n, matrix, q, lower, upper
///   friction  dimension, contacts, matrix, q, mu
///   global    dimension, contacts, M, H, f, w, mu: M v = H r + f, u = H'v + w
///   MLCP      two flags, n, m, numbers of equations by blocks..., matrix, q
/// Matrices are dense by columns (storage 0), sparse by blocks (1) or sparse by columns (2, which
/// is refused). Every number of the file must belong to the problem; only a flag after a friction
/// problem and a solution after an MLCP may follow. Text after the numbers is a remark.
/// @throws InputError naming the file and what is wrong
Problem problem_from_siconos_text(std::string_view text, const std::string& file);

}  // namespace perp
