// Computes the verdicts on claims from evidence.
#pragma once

#include <map>
#include <perp/bench/report/claims.hpp>
#include <perp/bench/studies/evidence.hpp>
#include <set>
#include <string>

namespace perp {

/// A value of a claim or of a table. @param known values before it, by name
/// @throws MissingEvidence if evidence is missing, InputError if a file is wrong,
/// std::invalid_argument if an expression has an unknown name
double value_of(const ClaimValue& value, const std::map<std::string, double>& known,
                const Evidence& evidence);

/// The names, with values, for expressions about a record: those of names_about_records() that it
/// has.
std::map<std::string, double> names_of(const Record& record);

/// All names that an expression about records may have.
const std::set<std::string>& names_about_records();

/// Whether a condition holds. "" always holds; a condition with a name that is not in `names` does
/// not.
bool counts(const std::string& where, const std::map<std::string, double>& names);

/// "holds", "holds in part" or "does not hold", by the conditions of the claim; "not tested" with
/// the reason if evidence is missing.
Claim judge(const ClaimRule& rule, const Evidence& evidence);

/// Judges all claims of a paper.
ClaimTable judge(const ClaimTableRule& rules, const Evidence& evidence);

}  // namespace perp
