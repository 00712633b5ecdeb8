// What a collection tells about an instance besides its numbers: structure, condition, origin.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <perp/bench/harness/suite.hpp>
#include <string>

namespace perp {

/// Where an instance comes from. It does not depend on where perp and the collection are installed.
struct Origin {
  std::string type;  ///< "family", "scene" or "file"
  std::string path;  ///< of a file, relative to the folder of the recipe or to problems/
  std::string name;  ///< name of the instance; different for all instances of a sensible recipe
};

/// @param recipe the suite file: paths of files are relative to its folder, or to problems/
Origin origin_of(const Instance& instance, const Problem& problem, const std::string& recipe);

/// sigma_1 / sigma_r in the 2-norm. r is the number of singular values above 1e-10 sigma_1, so that
/// the value is useful for rank-deficient matrices, too.
struct ConditionEstimate {
  std::string of;         ///< "M", "H", "A", "W", "J", or "F'" at the answer of an mcp
  double estimate = 0.0;  ///< 1 if the first r singular values are equal
  int rank = 0;           ///< r
};

/// Condition of the matrix that matters for the kind of problem. Returns nothing if the matrix is
/// zero or too large, and for an mcp without an answer.
/// @param z the answer, of size n; empty if there is none
std::optional<ConditionEstimate> condition_of(const Problem& problem, const Vector& z);

/// kind, n, bounds, contacts, matrices, class and condition. @param z as for condition_of()
nlohmann::ordered_json facts_to_json(const Problem& problem, const Vector& z);

}  // namespace perp
