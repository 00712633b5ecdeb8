#include <perp/bench/report/sections.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <perp/bench/report/markup.hpp>
#include <perp/bench/report/plot.hpp>
#include <perp/bench/report/profiles.hpp>
#include <perp/bench/report/summary.hpp>

namespace perp {

namespace {

constexpr double kBin = 1.4;  // sizes within this factor are drawn as one point

// The runs of a solver on the problems of one kind.
struct Runs {
  std::vector<const Record*> all;
};
using BySolver = std::map<std::string, Runs>;

struct Panel {
  bool by_contacts = true;  // all problems tell how many they have
  BySolver solvers;
};

int size_of(const Record& r, bool by_contacts) { return by_contacts ? r.contacts : r.n; }

Series series_of(const std::string& solver, const Runs& runs, bool by_contacts) {
  std::map<int, std::pair<std::vector<double>, std::vector<double>>> bins;  // sizes, ms
  for (const Record* r : runs.all) {
    const int size = size_of(*r, by_contacts);
    if (!is_right(*r) || size <= 0) continue;
    auto& [sizes, ms] = bins[static_cast<int>(std::floor(std::log(size) / std::log(kBin)))];
    sizes.push_back(size);
    ms.push_back(1e3 * r->total);
  }
  Series s;
  s.label = solver;
  s.style = Series::Style::kSpread;
  for (const auto& [bin, values] : bins) {
    s.x.push_back(quantile(values.first, 0.5));
    s.y.push_back(quantile(values.second, 0.5));
    s.low.push_back(quantile(values.second, 0.1));
    s.high.push_back(quantile(values.second, 0.9));
  }
  return s;
}

// @param pens of the solvers, the same in all drawings of a suite
std::string drawing_of(const std::string& title, const Panel& panel,
                       const std::map<std::string, std::size_t>& pens) {
  Plot plot;
  plot.title = title;
  plot.x_label = panel.by_contacts ? "contacts" : "unknowns n";
  plot.y_label = "ms";
  plot.log_x = plot.log_y = 10;
  plot.width = 520;
  std::size_t most = 0;
  for (const auto& [solver, runs] : panel.solvers) {
    plot.series.push_back(series_of(solver, runs, panel.by_contacts));
    plot.series.back().pen = pens.at(solver);
    most = std::max(most, plot.series.back().x.size());
  }
  plot.height = 260 + 22 * std::max(0, static_cast<int>(plot.series.size()) - 5);
  return most > 1 ? figure(plot) : "";
}

std::string rows_of(const std::string& kind, const BySolver& solvers) {
  std::string out;
  for (const auto& [solver, runs] : solvers) {
    const Record* first = nullptr;
    std::vector<double> ms;
    double worst = 0.0;
    int solved = 0, least = runs.all.front()->contacts, most = 0;
    for (const Record* r : runs.all) {
      least = std::min(least, r->contacts);
      most = std::max(most, r->contacts);
      if (r->outcome == "solved") {
        ++solved;
        ms.push_back(1e3 * r->total);
        worst = std::max(worst, r->natural);
      } else if (!first || r->position < first->position) {
        first = r;
      }
    }
    out += fmt::format(
        "<tr><td class=\"text\">{}</td><td class=\"text\">{}</td><td>{}</td>"
        "<td class=\"text\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td class=\"text wrap\">{}</td></tr>\n",
        escape(runs.all.front()->sequence), escape(kind), range(least, most), escape(solver),
        runs.all.size(), solved, milliseconds(quantile(ms, 0.5)), milliseconds(quantile(ms, 1.0)),
        solved > 0 ? fmt::format("{:.1e}", worst) : "–",
        first ? escape(fmt::format("{}: {}", first->instance, first->outcome)) : "");
  }
  return out;
}

}  // namespace

std::string sequence_scaling_section(const std::vector<Record>& records) {
  const std::vector<std::string> names = solver_names(records);
  std::map<std::string, std::map<std::string, Panel>> suites;  // by suite and kind
  std::map<std::tuple<std::string, std::string, std::string>, BySolver> sequences;
  for (std::size_t k = 0; k < records.size(); ++k) {
    const Record& r = records[k];
    if (r.sequence.empty() || r.outcome == "unsupported") continue;
    Panel& panel = suites[r.suite][r.kind];
    panel.by_contacts = panel.by_contacts && r.contacts > 0;
    panel.solvers[names[k]].all.push_back(&r);
    sequences[{r.suite, sorted_name(r.sequence), r.kind}][names[k]].all.push_back(&r);
  }
  std::string out;
  for (const auto& [suite, kinds] : suites) {
    std::string drawings, rows;
    std::map<std::string, std::size_t> pens;
    for (const auto& [kind, panel] : kinds) {
      for (const auto& [solver, runs] : panel.solvers) pens.emplace(solver, pens.size());
    }
    for (const auto& [kind, panel] : kinds)
      drawings += drawing_of(suite + ": " + kind, panel, pens);
    for (const auto& [key, solvers] : sequences) {
      if (std::get<0>(key) == suite) rows += rows_of(std::get<2>(key), solvers);
    }
    out += fmt::format(
        "<h3>{}</h3>\n<div class=\"figures\">\n{}</div>\n<details><summary>Sequence by "
        "sequence</summary><div class=\"scroll\"><table>\n<tr><th "
        "class=\"text\">sequence</th><th class=\"text\">kind</th><th>contacts</th>"
        "<th class=\"text\">solver</th><th>problems</th><th>solved</th><th>ms, median</th>"
        "<th>most</th><th>worst residual</th><th class=\"text\">first not solved</th></tr>\n{}"
        "</table></div></details>\n",
        escape(suite), drawings, rows);
  }
  if (out.empty()) return out;
  return fmt::format(
             "<h2>Sequences: time against size</h2>\n<p>Medians of setup and solve over the "
             "problems of all sequences of a suite whose sizes lie within a factor of {} of each "
             "other; bars reach from the 10 % to the 90 % quantile. What was not solved is not "
             "drawn, but told in the tables.</p>\n",
             kBin) +
         out;
}

}  // namespace perp
