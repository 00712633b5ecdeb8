#include <perp/bench/report/markup.hpp>

#include <fmt/format.h>
#include <cmath>

namespace perp {

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += c;
  }
  return out;
}

std::string figure(const Plot& plot) {
  const Drawing drawing = draw(plot);
  if (!drawing.fault.empty()) return "<p class=\"missing\">" + escape(drawing.fault) + "</p>\n";
  return fmt::format("<figure style=\"width:min({}px,100%)\">{}</figure>\n", plot.width,
                     drawing.svg);
}

std::string milliseconds(double value) {
  if (std::isnan(value)) return "–";
  return value < 10    ? fmt::format("{:.3f}", value)
         : value < 100 ? fmt::format("{:.1f}", value)
                       : fmt::format("{:.0f}", value);
}

std::string count(double value) { return std::isnan(value) ? "–" : fmt::format("{:.0f}", value); }

std::string range(int low, int high) {
  if (low > high) return "";
  return low == high ? fmt::format("{}", low) : fmt::format("{} – {}", low, high);
}

}  // namespace perp
