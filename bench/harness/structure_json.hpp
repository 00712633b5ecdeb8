// What is known of a problem before it is solved, as perp info --json and collections tell it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/solvers/core/structure.hpp>

namespace perp {

/// Members kind, n, bounds, contacts, matrices and class.
nlohmann::ordered_json structure_to_json(const ProblemStructure& structure);

}  // namespace perp
