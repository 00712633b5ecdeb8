#include <perp/bench/report/plot.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <perp/bench/processes/process.hpp>
#include <perp/bench/report/markup.hpp>

namespace perp {

namespace {

constexpr double kSecondsToDraw = 30.0;
constexpr std::size_t kMostPoints = 600;  // of a series: more cannot be told apart

// Okabe and Ito's palette without black and yellow: told apart by the colour-blind, and seen on a
// light and on a dark page. Neighbours differ in their dashes too.
constexpr std::array<const char*, 7> kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                 "#E69F00", "#56B4E9", "#8C8C8C"};
constexpr std::array<const char*, 6> kDashes = {"solid",      "(12,5)",         "(3,4)",
                                                "(12,4,2,4)", "(12,4,2,4,2,4)", "(6,3)"};

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

// Names beside a drawing take their room from it: of a long one the middle is left out.
std::string shortened(const std::string& name) {
  constexpr std::size_t kMost = 34;
  if (name.size() <= kMost) return name;
  const auto continues = [&](std::size_t at) {  // within a character of UTF-8
    return (static_cast<unsigned char>(name[at]) & 0xC0) == 0x80;
  };
  std::size_t first = kMost / 2, last = name.size() - kMost / 2;
  while (first > 0 && continues(first)) --first;
  while (last < name.size() && continues(last)) ++last;
  return name.substr(0, first) + "…" + name.substr(last);
}

// The names stand beside the drawing; below it where they are long.
struct KeyPlace {
  bool below = false;
  int height = 0;  // pixels that it adds
};

KeyPlace key_place(const Plot& plot) {
  std::size_t longest = 0;
  for (const Series& s : plot.series) longest = std::max(longest, shortened(s.label).size());
  if (!plot.key || longest <= 18) return {};
  const int wide = static_cast<int>(longest) * 8 + 90;
  const int columns = std::max(1, (plot.width - 40) / wide);
  return {true, 20 * ((static_cast<int>(plot.series.size()) + columns - 1) / columns)};
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  double width() const { return std::max(0.0, high - low); }
};

// Scales and their rounding need room: smaller values are zero, larger ones cannot be drawn.
constexpr double kLeastDrawn = 1e-290, kLargestDrawn = 1e290;

bool can_be_drawn(double v, int log) {
  return std::abs(v) <= kLargestDrawn && (log == 0 || v >= kLeastDrawn);
}

double or_zero(double v) { return std::abs(v) < kLeastDrawn ? 0.0 : v; }

// A series without what cannot be drawn, and not too long.
Series drawable(const Plot& plot, const Series& s) {
  Series kept{s.label, {}, {}, s.style, {}, {}, s.pen};
  for (std::size_t k = 0; k < std::min(s.x.size(), s.y.size()); ++k) {
    if (!can_be_drawn(s.x[k], plot.log_x) || !can_be_drawn(s.y[k], plot.log_y)) continue;
    kept.x.push_back(or_zero(s.x[k]));
    kept.y.push_back(or_zero(s.y[k]));
    if (s.style != Series::Style::kSpread) continue;
    kept.low.push_back(or_zero(can_be_drawn(s.low[k], plot.log_y) ? s.low[k] : s.y[k]));
    kept.high.push_back(or_zero(can_be_drawn(s.high[k], plot.log_y) ? s.high[k] : s.y[k]));
  }
  return s.style == Series::Style::kSpread ? kept : thinned(kept, kMostPoints);
}

// 1, 2 or 5 times a power of ten, at least so large.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10.0 * power;
}

struct Axis {
  char name;
  int log;
  Range range;
  double scale;
  std::optional<double> low, high;
  double pixels;        // about so long
  double tic_distance;  // pixels a tic with its number needs

  bool is_constant() const {
    const double size = std::max({std::abs(range.low), std::abs(range.high), scale});
    return log == 0 && range.width() <= 1e-9 * size;
  }
};

// gnuplot draws whole decades; of few decades only what is needed is better seen.
std::string short_decades(const Axis& a) {
  const double low = a.range.low / 1.25, high = a.range.high * 1.25;
  if (high / low > 200.0) return "";
  std::vector<double> factors = {1, 2, 5};
  if (high / low < 8.0) factors = {1, 2, 3, 5};
  if (high / low < 3.0) factors = {1, 1.5, 2, 3, 4, 5, 7};
  std::vector<std::string> tics;
  for (double decade = std::pow(10.0, std::floor(std::log10(low))); decade < high; decade *= 10) {
    for (const double f : factors) {
      if (f * decade >= low && f * decade <= high) tics.push_back(fmt::format("{:g}", f * decade));
    }
  }
  return fmt::format("set {0}range [{1:g}:{2:g}]\nset {0}tics ({3})\n", a.name, low, high,
                     fmt::join(tics, ","));
}

std::string commands(const Axis& a) {
  std::string out;
  if (a.log != 0) out += fmt::format("set logscale {} {}\n", a.name, a.log);
  if (a.log == 2 && a.range.low > 0) {  // no more tics than have room
    const double doublings = std::log2(a.high.value_or(a.range.high) / a.low.value_or(a.range.low));
    out += fmt::format("set {}tics {:g}\n", a.name,
                       std::exp2(std::max(1.0, std::ceil(doublings * a.tic_distance / a.pixels))));
  }
  const bool powers = a.log == 10 && (a.range.low < 1e-3 || a.range.high > 1e5);
  out += fmt::format("set format {} '{}'\n", a.name, powers ? "10^{%T}" : "%g");
  double low = a.low.value_or(a.range.low), high = a.high.value_or(a.range.high);
  if (a.is_constant()) {
    const double size = std::max({std::abs(a.range.low), std::abs(a.range.high), a.scale});
    const double middle = size > 1e6 * a.range.high && size > -1e6 * a.range.low
                              ? 0.0
                              : 0.5 * (a.range.low + a.range.high);
    const double room = size > 0 ? 0.05 * size : 1.0;
    low = a.low.value_or(middle - room);
    high = std::max(middle + room, low + room);
    out += fmt::format("set {}range [{:.9g}:{:.9g}]\n", a.name, low, high);
  } else if (a.low || a.high) {
    const auto text = [](const std::optional<double>& v) {
      return v ? fmt::format("{:g}", *v) : std::string();
    };
    out += fmt::format("set {}range [{}:{}]\n", a.name, text(a.low), text(a.high));
  }
  if (a.log == 10 && !a.low && !a.high) out += short_decades(a);
  if (a.log == 0 && high > low) {
    const double tics = std::max(2.0, a.pixels / a.tic_distance);
    out += fmt::format("set {}tics {:.9g}\n", a.name, round_step((high - low) / tics));
  }
  return out;
}

// Equal scales only where the drawing does not become a thread.
bool fits_one_scale(const Range& x, const Range& y) {
  return x.width() > 0 && y.width() > 0 && x.width() < 5 * y.width() && y.width() < 2.5 * x.width();
}

std::string settings(const Plot& plot, const Range& x, const Range& y) {
  const bool one_scale = plot.same_scale && fits_one_scale(x, y);
  std::string out = fmt::format(
      "set encoding utf8\n"
      "set terminal svg size {},{} enhanced rounded font 'sans-serif,13' background '#ffffff00'\n"
      "set title {} noenhanced\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n"
      "set border 3 lc rgb '#000000'\nset tics nomirror out scale 0.6\n"
      "set grid lt 1 lc rgb '#808080' lw 0.35\nset bars 0.5\n",
      plot.width, plot.height + key_place(plot).height, quoted(plot.title), quoted(plot.x_label),
      quoted(plot.y_label + (plot.same_scale && !one_scale ? " (stretched)" : "")));
  const KeyPlace key = key_place(plot);
  if (!plot.key) out += "unset key\n";
  if (plot.key) {
    out += fmt::format(
        "set key {} Left reverse samplen 2.6 spacing 1.15 noenhanced\n",
        key.below ? "outside bottom center horizontal" : "outside right center vertical");
  }
  const double height = plot.height - 110.0;  // of the part inside the axes
  double width = plot.width - (plot.key && !key.below ? 200.0 : 80.0);
  if (one_scale) width = std::min(width, height * x.width() / y.width());
  out += commands({'x', plot.log_x, x, plot.x_scale, plot.x_min, plot.x_max, width, 55.0});
  out += commands({'y', plot.log_y, y, plot.y_scale, plot.y_min, plot.y_max, height, 35.0});
  return out + (one_scale ? "set size ratio -1\n" : "");
}

// What follows "using" for a series drawn with the k-th pen.
std::string style_of(const Series& s, std::size_t k) {
  const std::string colour = fmt::format("lc rgb '{}'", kColours[k % kColours.size()]);
  const std::string line = fmt::format("{} lw 1.8 dt {}", colour, kDashes[k % kDashes.size()]);
  switch (s.style) {
    case Series::Style::kSteps:
      return "1:2 with steps " + line;
    case Series::Style::kPoints:
      return "1:2 with points pt 7 ps 0.45 " + colour;
    case Series::Style::kSpread:
      return "1:2:3:4 with yerrorlines pt 7 ps 0.45 " + line;
    case Series::Style::kPath:
      return "1:2 with linespoints pt 7 ps 0.5 pointinterval 1000000 " + line;
    case Series::Style::kGuide:
      return "1:2 with lines lc rgb '#000000' lw 1.3 dt (2,5)";
    default:
      return "1:2 with lines " + line;
  }
}

std::string script(const Plot& plot, const std::vector<Series>& all) {
  Range x, y;
  for (const Series& s : all) {
    for (const double v : s.x) x.add(v);
    for (const auto* list : {&s.y, &s.low, &s.high}) {
      for (const double v : *list) y.add(v);
    }
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
    command +=
        fmt::format("{} $d{} using {}", k == 0 ? "plot" : ",", k, style_of(s, s.pen.value_or(k)));
    command += " title " + quoted(shortened(s.label));
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
  if (const auto use = line.find("<use "); use != std::string::npos) {
    std::string marker = line.substr(use);
    replace_all(marker, "<use xlink:href='#gpPt6'", "<circle r='1' stroke='none'");
    replace_all(marker, " color=", " fill=");
    line.replace(use, std::string::npos, marker);
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
      "<svg viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">\n"
      "<title>{2}</title>\n<desc>{3}</desc>\n<g>\n",
      plot.width, plot.height + key_place(plot).height, escape(plot.title), escape(words));
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
  Series kept{s.label, {}, {}, s.style, {}, {}, s.pen};
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
