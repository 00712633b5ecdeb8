// Verdicts on claims, computed from evidence.
#pragma once

#include <map>
#include <perp/bench/report/claims.hpp>
#include <perp/bench/studies/evidence.hpp>
#include <string>

namespace perp {

/// A value of a claim or of a table. @throws MissingEvidence, InputError, or std::invalid_argument
/// for an expression in what is not known
double value_of(const ClaimValue& value, const std::map<std::string, double>& known,
                const Evidence& evidence);

/// What the expressions on a record are in.
std::map<std::string, double> names_of(const Record& record);

/// Whether a condition holds; "" always does, one in names that are not there does not.
bool counts(const std::string& where, const std::map<std::string, double>& names);

/// "holds", "holds in part" or "does not hold", as the conditions of the claim say; "not tested"
/// with the reason if evidence is missing.
Claim judge(const ClaimRule& rule, const Evidence& evidence);

/// All claims of a paper.
ClaimTable judge(const ClaimTableRule& rules, const Evidence& evidence);

}  // namespace perp
