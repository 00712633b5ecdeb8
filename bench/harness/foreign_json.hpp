// JSON from files that may hold anything.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace perp {

/// Parses a whole document. @throws InputError "PLACE: ..." where it is not JSON, or nested more
/// than 100 levels deep: what walks through it may do so by recursion.
nlohmann::json parse_foreign_json(std::string_view text, const std::string& place);

}  // namespace perp
