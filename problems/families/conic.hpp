// Families of conic quadratic programs.
#pragma once

#include <perp/problems/families/family.hpp>

namespace perp {

Family socp_family();             ///< mixed cones, with a planted primal-dual solution
Family socp_infeasible_family();  ///< with a planted certificate of primal infeasibility
Family socp_unbounded_family();   ///< feasible, but the objective has no lower bound

}  // namespace perp
