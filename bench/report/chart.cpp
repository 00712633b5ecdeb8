#include <perp/bench/report/chart.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace perp {

Series thinned(const Series& s, std::size_t most) {
  const std::size_t n = s.x.size();
  if (n <= most || most < 8) return s;
  const std::size_t buckets = most / 4;
  Series kept{s.label, {}, {}, s.guide};
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t first = b * n / buckets, end = (b + 1) * n / buckets;
    const auto begin = s.y.begin() + static_cast<long>(first);
    const auto [low, high] = std::minmax_element(begin, s.y.begin() + static_cast<long>(end));
    std::array<std::size_t, 4> picked = {first, static_cast<std::size_t>(low - s.y.begin()),
                                         static_cast<std::size_t>(high - s.y.begin()), end - 1};
    std::sort(picked.begin(), picked.end());
    for (std::size_t k = 0; k < picked.size(); ++k) {
      if (k > 0 && picked[k] == picked[k - 1]) continue;
      kept.x.push_back(s.x[picked[k]]);
      kept.y.push_back(s.y[picked[k]]);
    }
  }
  return kept;
}

double rounded_to(double value, int digits) {
  return std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr);
}

namespace {

// Values that differ only by rounding become one value; it is 0 if it is rounding itself.
void make_constant(std::vector<Series>& series, std::vector<double> Series::*values, double scale) {
  constexpr double kRounding = 1e-9;
  double low = INFINITY, high = -INFINITY;
  for (const Series& s : series) {
    for (const double v : s.*values) {
      if (!std::isfinite(v)) continue;
      low = std::min(low, v);
      high = std::max(high, v);
      scale = std::max(scale, std::abs(v));
    }
  }
  if (!(high - low <= kRounding * scale)) return;
  for (Series& s : series) {
    for (double& v : s.*values) {
      if (std::isfinite(v)) v = std::abs(low) <= kRounding * scale ? 0.0 : low;
    }
  }
}

}  // namespace

Chart without_rounding(Chart chart) {
  if (!chart.log_y) make_constant(chart.series, &Series::y, chart.scale);
  if (chart.same_scale) make_constant(chart.series, &Series::x, chart.scale);
  return chart;
}

}  // namespace perp
