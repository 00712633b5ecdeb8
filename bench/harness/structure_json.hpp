// Facts about a problem that are known before it is solved, for perp info --json and collections.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <perp/solvers/core/structure.hpp>

namespace perp {

/// Members kind, n, bounds, contacts, matrices and class.
nlohmann::ordered_json structure_to_json(const ProblemStructure& structure);

}  // namespace perp
