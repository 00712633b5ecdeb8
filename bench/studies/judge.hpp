// Verdicts on claims, computed from evidence.
#pragma once

#include <perp/bench/report/claims.hpp>
#include <perp/bench/studies/evidence.hpp>

namespace perp {

/// "holds", "holds in part" or "does not hold", as the conditions of the claim say; "not tested"
/// with the reason if evidence is missing.
Claim judge(const ClaimRule& rule, const Evidence& evidence);

/// All claims of a paper.
ClaimTable judge(const ClaimTableRule& rules, const Evidence& evidence);

}  // namespace perp
