// Linear equations over the integers, solved without rounding.
#pragma once

#include <gmpxx.h>
#include <optional>
#include <vector>

namespace perp {

/// The solution of A x = b as integers over one positive denominator: x = numerators / denominator.
struct RationalVector {
  std::vector<mpz_class> numerators;
  mpz_class denominator;
};

/// Solves by p-adic lifting [Dixon1982]: A is factorised modulo one prime; then every step finds
/// more digits of x with these factors. Nothing if A is singular, or singular modulo the
/// prime, or if the work would exceed `most_work` products of integers.
/// @param a n x n, row by row
std::optional<RationalVector> solve_exactly(const std::vector<std::vector<mpz_class>>& a,
                                            const std::vector<mpz_class>& b, double most_work);

}  // namespace perp
