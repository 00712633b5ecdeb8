// A block diagonal mass matrix with its inverse.
#pragma once

#include <optional>
#include <perp/problems/matrix/matrix.hpp>
#include <string>
#include <vector>

namespace perp {

/// M = diag(M_1, ..., M_k) with dense blocks of at most kLargest velocities, each symmetric and
/// positive definite. Only a change of sizes allocates.
class MassBlocks {
 public:
  static constexpr int kLargest = 12;

  /// Why the rows and columns `unknowns` of p, divided into blocks of the given sizes, cannot be
  /// taken; nothing if they can.
  static std::optional<std::string> refusal(const Matrix& p, const std::vector<int>& unknowns,
                                            const std::vector<int>& sizes);
  /// Takes them; refusal() must return nothing.
  void set(const Matrix& p, const std::vector<int>& unknowns, const std::vector<int>& sizes);

  int size() const { return static_cast<int>(block_of_.size()); }
  int blocks() const { return static_cast<int>(begins_.size()) - 1; }
  /// Block b has the velocities begin(b) <= i < begin(b + 1).
  int begin(int block) const { return begins_[block]; }
  int block_of(int i) const { return block_of_[i]; }
  /// M_ij and (M^-1)_ij for i and j of the same block.
  double value(int i, int j) const { return values_[place(i, j)]; }
  double inverse(int i, int j) const { return inverses_[place(i, j)]; }

  /// y := M x.
  void multiply(const Vector& x, Vector& y) const;
  /// x'Mx.
  double square(const Vector& x) const;
  /// x := M^-1 x.
  void solve(Vector& x) const;

 private:
  int place(int i, int j) const {
    const int b = block_of_[i], first = begins_[b];
    return offsets_[b] + (j - first) * (begins_[b + 1] - first) + i - first;
  }

  std::vector<int> begins_, block_of_, offsets_;  // offsets_: place of the values of each block
  std::vector<double> values_, inverses_;
};

}  // namespace perp
