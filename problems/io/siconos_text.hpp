// Problems in the text format of Siconos.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <string>
#include <string_view>

namespace perp {

/// Reads an LCP, MLCP, relay or friction-contact problem. The files do not say which they hold; the
/// layout does:
///   LCP       n, matrix, q
///   relay     n, matrix, q, lower, upper
///   friction  dimension, contacts, matrix, q, mu
///   global    dimension, contacts, M, H, f, w, mu: M v = H r + f, u = H'v + w
///   MLCP      two flags, n, m, numbers of equations by blocks..., matrix, q
/// Matrices are dense by columns (storage 0), sparse by blocks (1) or, refused here, sparse by
/// columns (2). The numbers must be used up exactly, but for a flag behind a friction problem and a
/// solution behind an MLCP; what follows them and is no number is a remark.
/// @throws InputError naming the file and what is wrong.
Problem problem_from_siconos_text(std::string_view text, const std::string& file);

}  // namespace perp
