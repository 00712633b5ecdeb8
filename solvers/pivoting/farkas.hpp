// Certificates that a mixed LCP has no feasible point.
#pragma once

#include <optional>
#include <perp/problems/standard/certificates.hpp>
#include <perp/problems/standard/lcp.hpp>

namespace perp {

/// A certificate that proves infeasibility, or excludes feasible points up to a radius.
struct FarkasCertificate {
  Vector y;
  FarkasCheck check;
};

/// A certificate that no point of an Mlcp satisfies its linear constraints; nothing if a feasible
/// point was found or the search failed. Solves a linear program by its complementarity conditions.
/// Their matrix is skew-symmetric, so Lemke's method ends on a ray only if the program is
/// infeasible [CottlePangStone2009, Sec. 4.4].
/// @param time_limit seconds; 0: none @param feasible set to a feasible point if one was found
std::optional<FarkasCertificate> find_farkas(const Mlcp& problem, double time_limit,
                                             std::optional<Vector>* feasible);

}  // namespace perp
