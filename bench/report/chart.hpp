// Charts of simulations: data and labels. The page draws them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace perp {

struct Series {
  std::string label;
  std::vector<double> x, y;  ///< of one length; what is not finite is left out
  bool guide = false;        ///< a thin line: what others are to be compared with
};

struct Chart {
  std::string title, x_label, y_label;
  bool log_y = false;
  bool same_scale = false;  ///< a unit of x is drawn as long as a unit of y
  /// What values are measured by: an extent of 1e-9 of it (or of the values themselves) is rounding
  /// and is drawn as a constant.
  double scale = 0.0;
  std::vector<Series> series;
};

/// At most about `most` points of the series, its extremes kept: first, lowest, highest and last of
/// each run of neighbours.
Series thinned(const Series& series, std::size_t most);

/// The value with so many decimal digits: what a chart or a table shows of it.
double rounded_to(double value, int digits);

/// The chart with constants instead of rounding, see Chart::scale.
Chart without_rounding(Chart chart);

}  // namespace perp
