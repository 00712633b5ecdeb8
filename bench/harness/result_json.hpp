// Verified results as JSON (problems/io/schema/perp-result.schema.json).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/solvers/router.hpp>

namespace perp {

/// The member "residuals" of a result.
nlohmann::ordered_json residuals_to_json(const Residuals& residuals);
/// Index and name of the worst row, and its contact if one is known.
nlohmann::ordered_json worst_to_json(const Problem& problem, const Residuals& residuals);
/// A perp-result document.
nlohmann::ordered_json result_to_json(const Problem& problem, const std::string& solver,
                                      const VerifiedResult& result);

/// A starting point from a result document: z, and also dual and basis if they are there.
struct StoredStart {
  Vector z;
  std::optional<Vector> dual;
  std::optional<std::vector<PairStatus>> basis;
};
/// @param file name for messages. @throws InputError with file and field if the text is wrong
StoredStart start_from_text(std::string_view text, const std::string& file);

/// z and dual of a result document. @param file name for messages. @throws InputError with file and
/// field if the text is wrong
Answer answer_from_text(std::string_view text, const std::string& file);

/// What a result document holds: an answer, a certificate, or both. A null in an answer, which
/// results of programs that answer NaN have, is NaN.
struct StoredResult {
  std::optional<Answer> answer;
  std::optional<Certificate> certificate;
};
/// @throws InputError as answer_from_text(), also if there is neither z nor a certificate
StoredResult result_from_text(std::string_view text, const std::string& file);

/// The member "certificate" of a result; null if there is none.
nlohmann::ordered_json certificate_to_json(const std::optional<Certificate>& certificate);

}  // namespace perp
