// Numbers of the adversary's oracle.
#pragma once

#include <gmpxx.h>
#include <perp/problems/expression/number.hpp>

namespace perp::adversary {

/// Doubles reach from 2^-1074 to 2^1024: with so many bits no sum of products of two loses a bit that
/// counts, whatever cancels.
using Real = Number;
inline constexpr mpfr_prec_t kBits = 4608;

inline Real rounded_up(const mpq_class& x) {
  Real r;
  mpfr_set_q(r.data(), x.get_mpq_t(), MPFR_RNDU);
  return r;
}

}  // namespace perp::adversary
