// Verified results as JSON (problems/io/schema/perp-result.schema.json).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/solvers/router.hpp>

namespace perp {

nlohmann::ordered_json residuals_to_json(const Residuals& residuals);
/// Index and name of the worst row, and its contact where one is known.
nlohmann::ordered_json worst_to_json(const Problem& problem, const Residuals& residuals);
nlohmann::ordered_json result_to_json(const Problem& problem, const std::string& solver,
                                      const VerifiedResult& result);

/// z and dual of a result document. @throws InputError naming file and field.
Answer answer_from_text(std::string_view text, const std::string& file);

}  // namespace perp
