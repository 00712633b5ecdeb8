// What the unknowns and rows of a conic program of contacts stand for.
#pragma once

#include <vector>

namespace perp {

struct ConicQp;

/// What a model knows about its conic_qp: which unknowns are velocities v and impulses p, and which
/// conditions on them the rows are. Everything is optional (empty). Unknowns and rows with another
/// meaning (joints, compliance) are not listed. Nothing is listed twice.
struct Partition {
  /// Unknowns and rows of the velocities.
  struct Velocities {
    std::vector<int> unknowns;  ///< block after block of the mass matrix M; empty: eliminated
    std::vector<int> blocks;    ///< their sizes; P couples only velocities of the same block
    std::vector<int> rows;      ///< M v - J'p = f of each velocity, with the M of P; or empty
    bool operator==(const Velocities&) const = default;
  };
  /// Unknowns and rows of the contacts.
  struct Contacts {
    std::vector<int> unknowns;  ///< impulses, contact after contact; empty: the impulses are the
                                ///< dual of the rows
    std::vector<int> sizes;     ///< number of impulses of each contact
    std::vector<int> rows;      ///< the row of each impulse in the cone of its contact
    bool operator==(const Contacts&) const = default;
  };
  /// Unknowns that a row holds at 0.
  struct Held {
    std::vector<int> unknowns;  ///< impulses that must be 0, because there is no friction
    std::vector<int> rows;      ///< the equations of a zero cone that make them 0
    bool operator==(const Held&) const = default;
  };
  Velocities velocities;
  Contacts contacts;
  Held held;
  std::vector<int> bounds;  ///< rows G v >= w
  int total = -1;           ///< the coupling row e'p <= kappa; -1: none

  bool operator==(const Partition&) const = default;
};

/// Checks that the numbers of the problem agree with all of the above.
/// @throws std::invalid_argument whose text begins with the field, "partition.contacts.rows[3]"
void validate(const Partition& partition, const ConicQp& problem);

}  // namespace perp
