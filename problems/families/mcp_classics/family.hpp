// The family mcp-classics.
#pragma once

#include <perp/problems/families/family.hpp>

namespace perp {

/// Nonlinear complementarity problems of the literature, each with its usual starts. A member is a
/// problem with one of its starts, named PROBLEM-START.
Family mcp_classics_family();

}  // namespace perp
