// Families of quadratic programs.
#pragma once

#include <perp/problems/families/family.hpp>

namespace perp {

Family box_qp_family();  ///< random box QPs of any rank, definite or not

}  // namespace perp
