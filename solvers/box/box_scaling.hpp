// Scales rows and unknowns of a box problem by powers of two.
#pragma once

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/matrix.hpp>

namespace perp {

/// F^ = R F and z = C z^ with diagonal R and C: a few sweeps divide rows and columns by the square
/// roots of their largest entries in |M| or in a Jacobian [Ruiz2001]. All factors are powers of
/// two, so scaling rounds nothing. If |M| is symmetric, R = C. The diagonals are 1 until
/// equilibrate().
class BoxScaling {
 public:
  Vector row, unknown;  ///< diagonals of R and of C, n values each
  Vector map_unit;      ///< n values: F = map_unit F^, row by row

  void reset(Eigen::Index n) {
    row.setOnes(n);
    unknown.setOnes(n);
    map_unit.setOnes(n);
  }
  /// Whether the maximum of some row or column is beyond 1/100 ... 100.
  /// @param for_entries for_entries(visit) calls visit(i, j, value) for every entry
  template <class ForEntries>
  bool is_needed(const ForEntries& for_entries);
  template <class ForEntries>
  void equilibrate(const ForEntries& for_entries);
  /// Whether a factor is beyond 2^-20 ... 2^20.
  bool is_extreme() const;
  /// From here on z = s C z^ and F = s R^-1 F^. @param s a power of two
  void set_units(double s) {
    unknown *= s;
    map_unit = s * row.cwiseInverse();
  }

  static double power_of_two(double x) { return x > 0 ? std::exp2(std::round(std::log2(x))) : 1.0; }

 private:
  static constexpr int kSweeps = 6;
  static constexpr double kBadScale = 100.0, kLargestScale = 0x1p20;

  Vector row_max_, column_max_;
};

template <class ForEntries>
bool BoxScaling::is_needed(const ForEntries& for_entries) {
  row_max_.setZero(row.size());
  column_max_.setZero(row.size());
  for_entries([&](int i, int j, double value) {
    row_max_[i] = std::max(row_max_[i], std::abs(value));
    column_max_[j] = std::max(column_max_[j], std::abs(value));
  });
  const auto bad = [](double x) { return x > 0 && (x > kBadScale || x < 1.0 / kBadScale); };
  return std::any_of(row_max_.begin(), row_max_.end(), bad) ||
         std::any_of(column_max_.begin(), column_max_.end(), bad);
}

template <class ForEntries>
void BoxScaling::equilibrate(const ForEntries& for_entries) {
  const auto n = row.size();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    row_max_.setZero(n);
    column_max_.setZero(n);
    for_entries([&](int i, int j, double value) {
      const double size = row[i] * std::abs(value) * unknown[j];
      row_max_[i] = std::max(row_max_[i], size);
      column_max_[j] = std::max(column_max_[j], size);
    });
    for (Eigen::Index i = 0; i < n; ++i) {
      if (row_max_[i] > 0) row[i] /= std::sqrt(row_max_[i]);
      if (column_max_[i] > 0) unknown[i] /= std::sqrt(column_max_[i]);
    }
  }
  for (double& x : row) x = power_of_two(x);
  for (double& x : unknown) x = power_of_two(x);
}

inline bool BoxScaling::is_extreme() const {
  const auto extreme = [](double x) { return x > kLargestScale || x < 1.0 / kLargestScale; };
  return std::any_of(row.begin(), row.end(), extreme) ||
         std::any_of(unknown.begin(), unknown.end(), extreme);
}

}  // namespace perp
