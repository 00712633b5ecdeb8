// JSON from files that may hold anything.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace perp {

/// Parses a whole document. The depth is limited so that callers may use recursion.
/// @throws InputError "PLACE: ..." if it is not JSON or nested more than 100 levels deep
nlohmann::json parse_foreign_json(std::string_view text, const std::string& place);

}  // namespace perp
