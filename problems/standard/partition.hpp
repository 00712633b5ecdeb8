// What the unknowns and rows of a conic program of contacts stand for.
#pragma once

#include <vector>

namespace perp {

struct ConicQp;

/// What a model knows of its conic_qp: which unknowns are velocities v and impulses p, which rows
/// say what of them. Everything is optional (empty), unknowns and rows of other meaning (joints,
/// compliance) are not listed, and none is listed twice.
struct Partition {
  struct Velocities {
    std::vector<int> unknowns;  ///< block after block of the mass matrix M; empty: eliminated
    std::vector<int> blocks;    ///< their sizes; P couples velocities of one block alone
    std::vector<int> rows;      ///< of each velocity, M v - J'p = f with the M of P; or empty
    bool operator==(const Velocities&) const = default;
  };
  struct Contacts {
    std::vector<int> unknowns;  ///< impulses, contact after contact; empty: the dual of the rows
    std::vector<int> sizes;     ///< how many of each contact
    std::vector<int> rows;      ///< of each impulse: its row in the cone of the contact
    bool operator==(const Contacts&) const = default;
  };
  struct Held {
    std::vector<int> unknowns;  ///< impulses that must be 0, for there is no friction
    std::vector<int> rows;      ///< that say so
    bool operator==(const Held&) const = default;
  };
  Velocities velocities;
  Contacts contacts;
  Held held;
  std::vector<int> bounds;  ///< rows G v >= w
  int total = -1;           ///< the coupling row e'p <= kappa; -1: none

  bool operator==(const Partition&) const = default;
};

/// Checks all that is said above against the numbers. @throws std::invalid_argument whose text
/// begins with the name of the field, "partition.contacts.rows[3]".
void validate(const Partition& partition, const ConicQp& problem);

}  // namespace perp
