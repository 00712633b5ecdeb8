// Problems to and from perp's JSON (docs/reference/formats.md).
#pragma once

#include <perp/problems/json/json.hpp>
#include <perp/problems/standard/problem.hpp>
#include <string>

namespace perp {

/// Reads and validates a problem. @param file named in messages
/// @throws InputError: one line that names the file, the field and the fault.
Problem problem_from_json(const json::Value& document, const std::string& file);
/// The same from a text.
Problem problem_from_text(std::string_view text, const std::string& file);

/// The perp-problem document. Doubles that are read back have the same bits; dense matrices stay
/// dense.
/// @throws std::invalid_argument for an Mcp given by a callback: only graphs can be written.
std::string problem_to_text(const Problem& problem);

}  // namespace perp
