// Exchanges of basic columns as a product of elementary matrices.
#pragma once

#include <perp/problems/matrix/matrix.hpp>
#include <vector>

namespace perp {

/// E_1 ... E_p, the exchanges since a basis was factorised [DantzigOrchardHays1954]: if column r_k
/// of the basis B_k-1 is replaced by a, B_k = B_k-1 E_k, and E_k is the identity with column r_k
/// replaced by the direction B_k-1^-1 a.
///
/// Invariant: entry r_k of every direction is its pivot and not zero, so that every E_k is
/// nonsingular; it is kept apart, and stands as zero among the entries.
class ProductForm {
 public:
  /// Empties it, for bases of m columns. @param most exchanges for which room is held ready
  void reset(int size, int most);
  void clear();
  void append(int position, const Vector& direction);
  /// a := E_p^-1 ... E_1^-1 a, and y := E_1^-T ... E_p^-T y.
  void solve(Vector& a) const;
  void solve_transposed(Vector& y) const;

  int count() const { return static_cast<int>(factors_.size()); }
  std::size_t stored() const { return values_.size(); }

 private:
  struct Factor {
    int position;
    double pivot;
    bool dense;
    std::size_t first, count;  // in values_ (and rows_ if sparse)
  };

  int size_ = 0;
  std::vector<Factor> factors_;
  std::vector<double> values_;
  std::vector<int> rows_;
};

}  // namespace perp
