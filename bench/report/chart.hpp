// Charts of simulations: data and labels. The page draws them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace perp {

/// A line of a chart.
struct Series {
  std::string label;
  std::vector<double> x, y;  ///< of the same length; points that are not finite are left out
  bool guide = false;        ///< drawn as a thin line, for comparison
};

/// A chart with its lines. Labels contain the units.
struct Chart {
  std::string title, x_label, y_label;
  bool log_y = false;
  bool same_scale = false;  ///< x and y have the same scale
  /// Typical size of the values. If their range is at most 1e-9 of it, or of the values themselves,
  /// it is rounding, and a constant is drawn.
  double scale = 0.0;
  std::vector<Series> series;
};

/// About `most` points of the series or fewer. Of each part of the series the first, lowest,
/// highest and last point are kept.
Series thinned(const Series& series, std::size_t most);

/// The value rounded to that number of significant digits, for charts and tables.
double rounded_to(double value, int digits);

/// The chart with constants instead of rounding, see Chart::scale.
Chart without_rounding(Chart chart);

}  // namespace perp
