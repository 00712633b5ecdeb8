// Certificates that no point satisfies the linear constraints of a problem.
#pragma once

#include <optional>
#include <perp/problems/standard/certificates.hpp>
#include <perp/problems/standard/friction_contact.hpp>
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
                                             std::optional<Vector>* feasible = nullptr);
/// The same. If the LCP is that of contacts with friction pyramids (find_pyramid_contacts), the
/// normals decide, as below: slips and edges can always follow.
std::optional<FarkasCertificate> find_farkas(const Lcp& problem, double time_limit,
                                             std::optional<Vector>* feasible = nullptr);
/// The same for friction: that no impulses make all u_n >= 0. If sweeps find no impulses that push
/// all contacts apart, follows Lemke's path of the problem without friction, an LCP of one unknown
/// per contact. If W is symmetric positive semidefinite, the path ends on a ray only if there is a
/// certificate.
/// @param feasible set to normal impulses that make all u_n >= 0 if they were found
std::optional<FarkasCertificate> find_farkas(const FrictionContact& problem, double time_limit,
                                             std::optional<Vector>* feasible = nullptr);

}  // namespace perp
