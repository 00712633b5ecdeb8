// Sums of products of doubles, many at a time, in three doubles each.
#pragma once

#include <cmath>
#include <perp/problems/standard/extended.hpp>
#include <perp/problems/standard/row_sum_loop.hpp>
#include <vector>

namespace perp {

/// One sum of products a x for every row, as if in three times the precision of a double: the
/// rounding errors of products and sums are summed up in a second double, those of that sum in a
/// third [OgitaRumpOishi2005, Alg. 5.10, K = 3]. Products are split as [Dekker1971] does, so that
/// every machine gets the same bits. Rows that this may not be enough for say so.
class RowSums {
 public:
  /// All sums are 0. Allocates if there are more rows than ever before.
  void reset(int rows);

  /// Adds a[i] x to row first + i, i < count. Factors are finite, x is not 0.
  void add_rows(int first, int count, const double* a, double x);
  /// Adds a x to a row.
  void add(int row, double a, double x) {
    const double product = a * x;
    if (!(std::abs(product) >= kSmallestProduct) && a != 0.0 && x != 0.0) unsafe_[row] = 1.0;
    add_parts(row, product,
              double_double::error_of(product, double_double::split(a), double_double::split(x)));
  }
  void add(int row, double x) { add_parts(row, x, 0.0); }
  /// That what is added to a row is no product of doubles.
  void doubt(int row) { unsafe_[row] = 1.0; }

  /// The sum of a row.
  Extended value(int row) const;
  /// Not less than the sum of the absolute values of what was added, if the row is not doubtful.
  Extended size(int row) const;
  /// Whether the value may differ from the exact one by more than its rounding.
  bool doubtful(int row) const;

 private:
  void add_parts(int row, double product, double error) {
    using double_double::two_sum;
    const double of_sum = two_sum(sums_[row], product);
    const double of_first = two_sum(errors_[row], error);
    const double of_second = two_sum(errors_[row], of_sum);
    rests_[row] += of_first + of_second;
    sizes_[row] += std::abs(product);
    counts_[row] += 1.0;
  }

  std::vector<double> sums_, errors_, rests_, sizes_, counts_;
  std::vector<double> unsafe_;  // 1: a product is too small
};

/// The loops of add_rows() that this machine can run, the fastest one last. All give the same bits.
std::vector<RowSumLoop> row_sum_loops();

}  // namespace perp
