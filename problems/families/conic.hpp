// Families of conic quadratic programs.
#pragma once

#include <perp/problems/families/family.hpp>

namespace perp {

Family socp_family();             ///< mixed cones, a primal-dual solution planted
Family socp_infeasible_family();  ///< a certificate of primal infeasibility planted
Family socp_unbounded_family();   ///< feasible, with a direction of descent without end

}  // namespace perp
