// Lists of everything that users can choose, for the command line and Python.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace perp {

/// The topics: "solvers", "strategies", "plans", "peers", "formulations", "compositions", "scenes",
/// "families", "suites", "studies".
const std::vector<std::string>& catalogue_topics();

/// The items of a topic: an array of objects with `name`, `summary` and further facts, for solvers
/// and formulations also their settings. Solvers of plug-ins and registered solvers are included.
/// The array is empty for an unknown topic.
nlohmann::ordered_json catalogue(const std::string& topic);

}  // namespace perp
