// The index of a collection as JSON (problems/io/schema/perp-collection.schema.json) and CSV.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace perp {

/// Head and instances as one JSON document, with one line for each instance.
/// @param head an object without the member "instances"
std::string index_json_text(const nlohmann::ordered_json& head,
                            const std::vector<nlohmann::ordered_json>& instances);

/// A header line, then one line for each instance; fields are quoted if they must be.
std::string index_csv_text(const std::vector<nlohmann::ordered_json>& instances);

}  // namespace perp
