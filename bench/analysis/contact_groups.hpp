// Which unknowns of a problem belong to which contact.
#pragma once

#include <Eigen/Core>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace perp {

/// Unknowns of a contact; -1 where there is none.
struct ContactGroup {
  std::string name;
  int normal = -1, slip = -1;
  std::vector<int> friction;
  /// Direction in the contact plane of each friction unknown: the edge of a pyramid with as many
  /// edges if none of them may be negative, else the axis that it is of.
  std::vector<Eigen::Vector2d> directions;
  double mu = -1.0;  ///< of a friction_contact; -1: not told
};

/// Of a friction_contact by its rows, of other kinds by the names of the unknowns, which perp's
/// models write CONTACT.normal, CONTACT.frictionK and CONTACT.slip (docs/reference/formats.md).
std::vector<ContactGroup> contact_groups(const Problem& problem);

}  // namespace perp
