// Which unknowns of a problem belong to which contact.
#pragma once

#include <Eigen/Core>
#include <perp/problems/standard/problem.hpp>
#include <string>
#include <vector>

namespace perp {

/// Indices of the unknowns of a contact; -1 if there is none.
struct ContactGroup {
  std::string name;
  int normal = -1, slip = -1;
  std::vector<int> friction;
  /// Direction in the contact plane of each friction unknown. If none of them may be negative,
  /// these are the edges of a pyramid with that many edges; else they are the two axes. Of an
  /// elliptic pyramid they are those of the circle it is made from: the axes count in semi-axes.
  std::vector<Eigen::Vector2d> directions;
  std::vector<int> torsion;  ///< both senses of the moment about the normal
  double mu = -1.0;          ///< of a friction_contact; -1 for other kinds, which do not state it
};

/// Finds the contacts: of a friction_contact by its rows, of other kinds by the names of the
/// unknowns. perp's models name them CONTACT.normal, CONTACT.frictionK, CONTACT.torsionK and
/// CONTACT.slip (docs/how-to/analyse.md).
std::vector<ContactGroup> contact_groups(const Problem& problem);

}  // namespace perp
