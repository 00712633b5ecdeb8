// The scaled matrix or Jacobian of a box problem.
#pragma once

#include <perp/problems/standard/lcp.hpp>
#include <perp/solvers/box/box_scaling.hpp>
#include <perp/solvers/box/newton_matrix.hpp>
#include <vector>

namespace perp {

/// R M C (BoxScaling), n x n. store() chooses the storage; set() replaces the values without
/// allocating.
class BoxMatrix : public NewtonMatrix {
 public:
  /// Chooses the storage of a constant M. Products are sparse if systems are, or if M has few
  /// entries.
  void store(const Matrix& m, bool sparse_systems);
  /// Chooses the storage of a Jacobian with this pattern. Its values are not set yet.
  void store(const SparseMatrix& pattern, bool sparse_systems);

  /// Whether store() would choose the storage that is there. @param m with the structure of the
  /// matrix that was stored, perhaps with zeros at other places
  bool stores_alike(const Matrix& m, bool sparse_systems) const;

  /// @return false if M has an entry outside the pattern: it must be stored anew.
  bool set(const Matrix& m, const BoxScaling& scaling);
  /// @param jacobian with the pattern that was stored
  /// @return the row of an entry that is not finite; -1: none
  int set(const SparseMatrix& jacobian, const BoxScaling& scaling);

 private:
  void choose(double stored, int n, bool sparse_systems);

  std::vector<int> places_;  // of the entries of a Jacobian among those of the sparse matrix
};

}  // namespace perp
