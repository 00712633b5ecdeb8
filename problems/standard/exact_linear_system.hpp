// Linear equations over the integers, solved without rounding.
#pragma once

#include <gmpxx.h>
#include <limits>
#include <optional>
#include <vector>

namespace perp {

/// The solution of A x = b as integers over one positive denominator: x = numerators / denominator.
struct RationalVector {
  std::vector<mpz_class> numerators;
  mpz_class denominator;
};

/// Products of integers that solve_exactly() may need.
double exact_work(const std::vector<std::vector<mpz_class>>& a, const std::vector<mpz_class>& b,
                  int most_steps = std::numeric_limits<int>::max());

/// Solves by p-adic lifting [Dixon1982]: A is factorised modulo one prime; then every step finds
/// more digits of x with these factors. Nothing if A is singular, or singular modulo the
/// prime, or if exact_work() exceeds `most_work`.
/// @param a n x n, row by row
/// @param most_steps at least 2. Every step finds 61 bits, those of numerators and of the
/// denominator together; if there may be more, only solutions with short numbers are found
std::optional<RationalVector> solve_exactly(const std::vector<std::vector<mpz_class>>& a,
                                            const std::vector<mpz_class>& b, double most_work,
                                            int most_steps = std::numeric_limits<int>::max());

}  // namespace perp
