// Sums of products of doubles, many at a time, in three doubles each.
#pragma once

#include <cmath>
#include <perp/problems/standard/extended.hpp>
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
    const Halves u = split(a), v = split(x);
    add_parts(row, product, error_of(product, u, v));
  }
  void add(int row, double x) { add_parts(row, x, 0.0); }
  /// That what is added to a row is no product of doubles.
  void doubt(int row) { unsafe_[row] = 1.0; }

  Extended value(int row) const;
  /// Not less than the sum of the absolute values of what was added, if the row is not doubtful.
  Extended size(int row) const;
  /// Whether the value may differ from the exact one by more than its rounding.
  bool doubtful(int row) const;

 private:
  struct Halves {
    double high, low;
  };
  // Of 26 bits each.
  static Halves split(double x) {
    const double c = 0x1p27 * x + x, high = c - (c - x);
    return {high, x - high};
  }
  static double error_of(double product, const Halves& u, const Halves& v) {
    return ((u.high * v.high - product) + u.high * v.low + u.low * v.high) + u.low * v.low;
  }
  // sum + error = a + b [Knuth1998, Sec. 4.2.2].
  static double two_sum(double& a, double b) {
    const double sum = a + b, virtual_b = sum - a;
    const double error = (a - (sum - virtual_b)) + (b - virtual_b);
    a = sum;
    return error;
  }
  void add_parts(int row, double product, double error) {
    const double of_sum = two_sum(sums_[row], product);
    const double of_first = two_sum(errors_[row], error);
    const double of_second = two_sum(errors_[row], of_sum);
    rests_[row] += of_first + of_second;
    sizes_[row] += std::abs(product);
    counts_[row] += 1.0;
  }

  // Below it the error of a product may be no double.
  static constexpr double kSmallestProduct = 1e-280;

  std::vector<double> sums_, errors_, rests_, sizes_, counts_;
  std::vector<double> unsafe_;  // 1: a product is too small
};

}  // namespace perp
