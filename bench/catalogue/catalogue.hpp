// What there is to choose from, as the command line and Python list it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace perp {

/// "solvers", "strategies", "plans", "peers", "formulations", "compositions", "scenes", "families",
/// "suites", "studies".
const std::vector<std::string>& catalogue_topics();

/// The items of a topic: an array of objects with `name`, `summary` and what else is known of them;
/// solvers and formulations with their settings. Solvers of plug-ins and those that a program has
/// registered are among them. An unknown topic has none.
nlohmann::ordered_json catalogue(const std::string& topic);

}  // namespace perp
