#include <perp/bench/report/plot.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <perp/bench/harness/process.hpp>
#include <perp/bench/report/markup.hpp>

namespace perp {

namespace {

constexpr double kSecondsToDraw = 30.0;
constexpr std::size_t kMostPoints = 600;  // of a series: more cannot be told apart

// Okabe and Ito's palette without black and yellow: told apart by the colour-blind, and seen on a
// light and on a dark page. Neighbours differ in their dashes too.
constexpr std::array<const char*, 7> kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                 "#E69F00", "#56B4E9", "#8C8C8C"};
constexpr std::array<const char*, 4> kDashes = {"solid", "(12,5)", "(3,4)", "(12,4,2,4)"};

// Strings in single quotes are taken as they are by gnuplot, but for the quote itself.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "''";
    else
      out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return out + "'";
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  double width() const { return std::max(0.0, high - low); }
};

bool can_be_drawn(double v, int log) { return std::isfinite(v) && (log == 0 || v > 0); }

// A series without what cannot be drawn, and not too long.
Series drawable(const Plot& plot, const Series& s) {
  Series kept{s.label, {}, {}, s.style, {}, {}};
  for (std::size_t k = 0; k < std::min(s.x.size(), s.y.size()); ++k) {
    if (!can_be_drawn(s.x[k], plot.log_x) || !can_be_drawn(s.y[k], plot.log_y)) continue;
    kept.x.push_back(s.x[k]);
    kept.y.push_back(s.y[k]);
    if (s.style != Series::Style::kSpread) continue;
    kept.low.push_back(can_be_drawn(s.low[k], plot.log_y) ? s.low[k] : s.y[k]);
    kept.high.push_back(can_be_drawn(s.high[k], plot.log_y) ? s.high[k] : s.y[k]);
  }
  return s.style == Series::Style::kSpread ? kept : thinned(kept, kMostPoints);
}

std::string axis(char name, int log, const Range& range) {
  std::string out;
  if (log != 0) out += fmt::format("set logscale {} {}\n", name, log);
  const bool powers = log == 10 && (range.low < 1e-3 || range.high > 1e5);
  out += fmt::format("set format {} '{}'\n", name, powers ? "10^{%T}" : "%g");
  return out;
}

// Equal scales only where the drawing does not become a thread.
bool fits_one_scale(const Range& x, const Range& y) {
  return x.width() > 0 && y.width() > 0 && x.width() < 5 * y.width() && y.width() < 2.5 * x.width();
}

std::string settings(const Plot& plot, const Range& x, const Range& y) {
  std::string out = fmt::format(
      "set encoding utf8\n"
      "set terminal svg size {},{} enhanced rounded font 'sans-serif,13' background '#ffffff00'\n"
      "set title {} noenhanced\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n"
      "set border 3 lc rgb '#000000'\nset tics nomirror out scale 0.6\n"
      "set grid lt 1 lc rgb '#808080' lw 0.35\nset bars 0.5\n",
      plot.width, plot.height, quoted(plot.title), quoted(plot.x_label), quoted(plot.y_label));
  out += plot.key && plot.series.size() > 0
             ? "set key outside right center vertical Left reverse samplen 2.6 spacing 1.15 "
               "noenhanced\n"
             : "unset key\n";
  out += axis('x', plot.log_x, x) + axis('y', plot.log_y, y);
  if (plot.y_min || plot.y_max) {
    out += fmt::format("set yrange [{}:{}]\n", plot.y_min ? fmt::format("{:g}", *plot.y_min) : "",
                       plot.y_max ? fmt::format("{:g}", *plot.y_max) : "");
  } else if (plot.log_y == 0 && y.width() <= 1e-9 * std::max(std::abs(y.low), std::abs(y.high))) {
    // What is constant but for rounding is drawn as constant.
    const double middle = 0.5 * (y.low + y.high), room = std::max(1e-3, 0.05 * std::abs(middle));
    out += fmt::format("set yrange [{:.9g}:{:.9g}]\n", middle - room, middle + room);
  }
  if (plot.same_scale && fits_one_scale(x, y)) out += "set size ratio -1\n";
  return out;
}

std::string script(const Plot& plot, const std::vector<Series>& all) {
  Range x, y;
  for (const Series& s : all) {
    for (const double v : s.x) x.add(v);
    for (const double v : s.y) y.add(v);
  }
  std::string data, command;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Series& s = all[k];
    data += fmt::format("$d{} << EOD\n", k);
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      data += fmt::format("{:.9g} {:.9g}", s.x[i], s.y[i]);
      if (s.style == Series::Style::kSpread)
        data += fmt::format(" {:.9g} {:.9g}", s.low[i], s.high[i]);
      data += '\n';
    }
    data += "EOD\n";
    const bool spread = s.style == Series::Style::kSpread,
               points = s.style == Series::Style::kPoints;
    const char* with = spread                             ? "1:2:3:4 with yerrorlines"
                       : points                           ? "1:2 with points"
                       : s.style == Series::Style::kSteps ? "1:2 with steps"
                                                          : "1:2 with lines";
    command += fmt::format("{} $d{} using {} lc rgb '{}' lw 1.8", k == 0 ? "plot" : ",", k, with,
                           kColours[k % kColours.size()]);
    if (!points) command += fmt::format(" dt {}", kDashes[k % kDashes.size()]);
    if (spread || points) command += " pt 7 ps 0.45";
    command += " title " + quoted(s.label);
  }
  return settings(plot, x, y) + data + command + "\n";
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

// Black becomes the colour of the page's text; markers, which gnuplot draws by reference to a
// definition, become circles of their own.
std::string adapted(std::string line) {
  if (line.starts_with("\t<use ")) {
    replace_all(line, "xlink:href='#gpPt6'", "r='1' stroke='none'");
    replace_all(line, "<use ", "<circle ");
    replace_all(line, " color=", " fill=");
  }
  replace_all(line, " color=\"black\"", "");
  replace_all(line, "rgb(  0,   0,   0)", "currentColor");
  replace_all(line, "rgb(0,0,0)", "currentColor");
  replace_all(line, "\"black\"", "\"currentColor\"");
  if (line.starts_with("\t<g id=")) line.replace(0, line.find('>') + 1, "<g>");
  return line;
}

std::string in_words(const Plot& plot, const std::vector<Series>& all) {
  std::string out = fmt::format("{} against {}.", plot.y_label, plot.x_label);
  std::size_t told = 0;
  for (const Series& s : all) {
    if (s.x.empty() || ++told > 20) continue;
    out += fmt::format(" {}: {:.6g} at {:.6g}, {:.6g} at {:.6g}.",
                       s.label.empty() ? fmt::format("series {}", told) : s.label, s.y.front(),
                       s.x.front(), s.y.back(), s.x.back());
  }
  return out;
}

// gnuplot's SVG without its head, definitions, ids and empty groups.
std::string for_the_page(const Plot& plot, const std::string& drawn, const std::string& words) {
  std::string out = fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" style=\"max-width:{0}px\" role=\"img\" aria-label=\"{2}\">\n"
      "<title>{2}</title>\n<desc>{3}</desc>\n<g>\n",
      plot.width, plot.height, escape(plot.title), escape(words));
  std::string waiting;  // a group's beginning, until something is in it
  for (std::size_t at = drawn.find("</defs>"); at < drawn.size();) {
    const std::size_t end = std::min(drawn.find('\n', at), drawn.size());
    const std::string line = drawn.substr(at, end - at);
    at = end + 1;
    if (line.empty() || line == "</defs>") continue;
    if (line == "</g>" && !waiting.empty()) {
      waiting.clear();
      continue;
    }
    out += waiting;
    waiting.clear();
    const bool opens = line.starts_with("<g fill=\"none\"");
    (opens ? waiting : out) += adapted(line) + "\n";
  }
  return out;
}

}  // namespace

Series thinned(const Series& s, std::size_t most) {
  const std::size_t n = s.x.size();
  if (n <= most || most < 8) return s;
  const std::size_t buckets = most / 4;
  Series kept{s.label, {}, {}, s.style, {}, {}};
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

Drawing draw(const Plot& plot) {
  std::vector<Series> all;
  bool empty = true;
  for (const Series& s : plot.series) {
    all.push_back(drawable(plot, s));
    empty = empty && all.back().x.empty();
  }
  std::erase_if(all, [](const Series& s) { return s.x.empty(); });
  if (empty) return {"", fmt::format("{}: nothing to draw.", plot.title)};
  const ChildReport child =
      run_command("exec gnuplot -d 2>/dev/null", script(plot, all), kSecondsToDraw);
  if (child.end == ChildReport::End::kExited && child.code == 127) {
    return {"", fmt::format("{}: not drawn, for gnuplot is not installed (Debian: gnuplot-nox).",
                            plot.title)};
  }
  if (child.end != ChildReport::End::kExited || child.code != 0 ||
      child.output.find("</defs>") == std::string::npos ||
      child.output.find("</svg>") == std::string::npos) {
    return {"", fmt::format("{}: gnuplot could not draw this.", plot.title)};
  }
  return {for_the_page(plot, child.output, in_words(plot, all)), ""};
}

}  // namespace perp
