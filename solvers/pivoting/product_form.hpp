// Exchanges of basic columns as a product of elementary matrices.
#pragma once

#include <perp/problems/matrix/matrix.hpp>
#include <vector>

namespace perp {

/// E_1 ... E_p, the exchanges since a basis was factorised [DantzigOrchardHays1954]. If column r_k
/// of the basis B_k-1 is replaced by a, then B_k = B_k-1 E_k. E_k is the identity with column r_k
/// replaced by the direction B_k-1^-1 a.
///
/// Invariant: entry r_k of every direction, its pivot, is not zero, so every E_k is nonsingular.
/// The pivot is stored separately; among the entries there is a zero in its place.
class ProductForm {
 public:
  /// Empties the product. @param size columns of a basis @param most exchanges for which memory is
  /// reserved
  void reset(int size, int most);
  void clear();
  /// Adds an exchange. @param position r_k @param direction B_k-1^-1 a, one value per position
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
