// Sets of numbers that are joined.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace perp {

/// Disjoint sets of 0 to size - 1, each represented by one of its members. They are kept as trees
/// whose paths are halved whenever they are walked.
class DisjointSets {
 public:
  DisjointSets() = default;
  explicit DisjointSets(int size) { reset(size); }

  /// Every number is a set of its own again. Allocates only if the size grows.
  void reset(int size) {
    parents_.resize(static_cast<std::size_t>(size));
    std::iota(parents_.begin(), parents_.end(), 0);
  }
  /// The member that represents the set of i.
  int root(int i) {
    while (at(i) != i) i = at(i) = at(at(i));
    return i;
  }
  /// Joins the sets of i and j; the representative is that of j.
  void join(int i, int j) { at(root(i)) = root(j); }

 private:
  int& at(int i) { return parents_[static_cast<std::size_t>(i)]; }
  std::vector<int> parents_;
};

}  // namespace perp
