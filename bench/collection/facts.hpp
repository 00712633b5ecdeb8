// What a collection tells of an instance beside its numbers: structure, condition, origin.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <perp/bench/harness/suite.hpp>
#include <string>

namespace perp {

/// Where an instance comes from; the same wherever perp and the collection are.
struct Origin {
  std::string type;  ///< "family", "scene" or "file"
  std::string path;  ///< of a file, from the folder that it was found in
  std::string name;  ///< for the instance, unlike all others of a sensible recipe
};

/// @param recipe the suite file: files are told by their way from its folder, or from problems/
Origin origin_of(const Instance& instance, const Problem& problem, const std::string& recipe);

/// sigma_1 / sigma_r in the 2-norm: r is the number of singular values above 1e-10 sigma_1, so that
/// it says something of rank deficient matrices, too.
struct ConditionEstimate {
  std::string of;         ///< "M", "H", "A", "W", "J", or "F'" at the answer of an mcp
  double estimate = 0.0;  ///< 1 where all singular values that count are equal
  int rank = 0;           ///< r
};

/// Of the matrix that counts for the kind. Nothing where it is zero or too large, and for an mcp
/// without an answer.
/// @param z the answer; empty where there is none
std::optional<ConditionEstimate> condition_of(const Problem& problem, const Vector& z);

/// kind, n, bounds, contacts, matrices, class and condition.
nlohmann::ordered_json facts_to_json(const Problem& problem, const Vector& z);

}  // namespace perp
