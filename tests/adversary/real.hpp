// Numbers of the adversary's oracle.
#pragma once

#include <gmpxx.h>
#include <perp/problems/expression/number.hpp>

namespace perp::adversary {

/// Sums of a few thousand products of doubles lose nothing that counts with 320 bits.
using Real = Number;
inline constexpr mpfr_prec_t kBits = 320;

inline Real rounded_up(const mpq_class& x) {
  Real r;
  mpfr_set_q(r.data(), x.get_mpq_t(), MPFR_RNDU);
  return r;
}

}  // namespace perp::adversary
