// The scaled matrix or Jacobian of a box problem.
#pragma once

#include <perp/problems/standard/lcp.hpp>
#include <perp/solvers/box/box_scaling.hpp>
#include <perp/solvers/box/newton_matrix.hpp>
#include <vector>

namespace perp {

/// R M C in the storage that was chosen once; its values are replaced without allocating.
class BoxMatrix : public NewtonMatrix {
 public:
  /// Of a constant M. Products are sparse where systems are, or where few entries are stored.
  void store(const Matrix& m, bool sparse_systems);
  /// Of a Jacobian with this pattern, whose values are not set yet.
  void store(const SparseMatrix& pattern, bool sparse_systems);

  /// @return false if M has an entry outside the pattern: it must be stored anew.
  bool set(const Matrix& m, const BoxScaling& scaling);
  /// @param jacobian with the pattern that was stored
  /// @return row of an entry that is not finite, -1: none
  int set(const SparseMatrix& jacobian, const BoxScaling& scaling);

 private:
  void choose(double stored, int n, bool sparse_systems);

  std::vector<int> places_;  // of the entries of a Jacobian among those of the sparse matrix
};

}  // namespace perp
