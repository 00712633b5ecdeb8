// The Delassus matrix of contacts that are given by J and M.
#pragma once

#include <perp/problems/matrix/matrix.hpp>

namespace perp {

/// W = J M^-1 J', sparse if M couples few of its unknowns: M is factorised as LDL', and only the
/// unknowns that are coupled with those of a row of J are solved for. The time grows with the
/// entries of W, not with its size squared.
/// @param j m x n
/// @param m n x n, symmetric
/// @param is_late asked at every row, unless it is null
/// @throws std::invalid_argument if M cannot be factorised
/// @throws DeadlinePassed if is_late() says so
SparseMatrix delassus(const Matrix& j, const Matrix& m, bool (*is_late)() = nullptr);

}  // namespace perp
