// Texts with places in braces for values.
#pragma once

#include <functional>
#include <string>

namespace perp {

/// The text with every "{INSIDE}" replaced by value(INSIDE). Braces cannot be nested.
/// @throws std::invalid_argument if a '}' is missing
std::string fill_braces(const std::string& text,
                        const std::function<std::string(const std::string& inside)>& value);

}  // namespace perp
