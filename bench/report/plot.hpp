// Drawings: data and labels -> SVG for a page. gnuplot draws, in a process of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace perp {

struct Series {
  enum class Style {
    kLine,
    kSteps,   ///< constant from each x to the next: profiles, counts
    kPoints,  ///< no line between them
    kSpread,  ///< points joined by a line, with bars from low to high
    kPath,    ///< a line with a dot where it begins: seen also where nothing moves
    kGuide,   ///< a thin line: what others are to be compared with
  };
  std::string label;
  std::vector<double> x, y;  ///< of one length; what is not finite or beyond 1e290 is left out
  Style style = Style::kLine;
  std::vector<double> low, high;  ///< of kSpread, as long as y
  /// Colour and dashes; where left out, those of its place among the series drawn.
  std::optional<std::size_t> pen = std::nullopt;
};

struct Plot {
  std::string title, x_label, y_label;
  int log_x = 0, log_y = 0;  ///< base of a logarithmic axis, 2 or 10; 0: linear
  bool same_scale = false;   ///< a unit of x is drawn as long as a unit of y, where it can be
  bool key = true;           ///< name the series beside the drawing
  std::optional<double> x_min, x_max, y_min, y_max;
  /// What values of these axes are measured by: an extent of 1e-9 of it (or of the values
  /// themselves) is rounding and is drawn as a constant.
  double x_scale = 0.0, y_scale = 0.0;
  int width = 620, height = 330;  ///< of the drawing, in pixels at its natural size
  std::vector<Series> series;
};

/// Either an SVG element or the reason why there is none, in one line.
struct Drawing {
  std::string svg, fault;
};

/// Draws. The SVG has no ids and refers to nothing, so that any number of them fit on one page; its
/// axes and letters take the colour of the text around it. It says in words what it shows, with the
/// first and last value of every series.
Drawing draw(const Plot& plot);

/// At most about `most` points of the series, its extremes kept: first, lowest, highest and last of
/// each run of neighbours.
Series thinned(const Series& series, std::size_t most);

}  // namespace perp
