// Texts with places in braces that are filled in.
#pragma once

#include <functional>
#include <string>

namespace perp {

/// The text with every "{INSIDE}" replaced by what is given for INSIDE. Braces do not nest.
/// @throws std::invalid_argument if a '}' is missing
std::string fill_braces(const std::string& text,
                        const std::function<std::string(const std::string& inside)>& value);

}  // namespace perp
