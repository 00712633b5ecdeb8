#include <perp/bench/report/sections.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <perp/bench/report/markup.hpp>
#include <perp/bench/report/plot.hpp>
#include <perp/bench/report/profiles.hpp>
#include <perp/bench/report/summary.hpp>
#include <set>
#include <tuple>

namespace perp {

namespace {

// A solver is drawn alike throughout the report.
using Pens = std::map<std::string, std::size_t>;

Pens pens_of(const std::vector<Record>& records) {
  Pens pens;
  for (const std::string& name : solver_names(records)) pens.emplace(name, 0);
  std::size_t number = 0;
  for (auto& [name, pen] : pens) pen = number++;
  return pens;
}

// Nothing for a name that tells less, or more, within its suite.
std::optional<std::size_t> pen_of(const Pens& pens, const std::string& name) {
  const auto it = pens.find(name);
  return it == pens.end() ? std::nullopt : std::optional(it->second);
}

Plot performance_plot(const std::string& title, const std::string& x_label, const ProfileSet& set,
                      const Pens& pens) {
  Plot plot;
  plot.title = title;
  plot.x_label = x_label;
  plot.y_label = "fraction of problems solved";
  plot.log_x = 2;
  plot.y_min = 0.0;
  plot.y_max = 1.02;
  const double end = std::max(2.0, 1.1 * set.largest);
  plot.x_min = 1.0;
  plot.x_max = end;
  for (const Profile& p : set.profiles) {
    Series s{p.solver, p.x, p.y, Series::Style::kSteps, {}, {}, pen_of(pens, p.solver)};
    s.x.push_back(end);
    s.y.push_back(p.y.back());
    plot.series.push_back(std::move(s));
  }
  return plot;
}

Plot accuracy_plot(const std::string& title, const ProfileSet& set, const Pens& pens) {
  Plot plot;
  plot.title = title;
  plot.x_label = "residual by the verifier";
  plot.y_label = "fraction of problems within it";
  plot.log_x = 10;
  plot.y_min = 0.0;
  plot.y_max = 1.02;
  const double end = std::max(1e-8, 10.0 * set.largest);
  for (const Profile& p : set.profiles) {
    if (p.x.empty()) continue;
    Series s{p.solver, p.x, p.y, Series::Style::kSteps, {}, {}, pen_of(pens, p.solver)};
    s.x.insert(s.x.begin(), p.x.front());
    s.y.insert(s.y.begin(), 0.0);
    s.x.push_back(end);
    s.y.push_back(p.y.back());
    plot.series.push_back(std::move(s));
  }
  return plot;
}

std::string profiles_of(const std::string& name, const std::vector<Record>& records,
                        const Pens& pens) {
  const ProfileSet performance = performance_profiles(records);
  std::string out = fmt::format("<h3>{}</h3>\n<p>{} problems that every solver was given.</p>\n",
                                escape(name), performance.problems);
  if (performance.problems == 0) return out;
  out += "<div class=\"figures\">\n";
  if (performance.profiles.size() > 1) {
    out += figure(performance_plot("Performance profile: " + name,
                                   "setup and solve / those of the fastest solver", performance,
                                   pens)) +
           figure(performance_plot("The solve alone: " + name, "solve / that of the fastest solver",
                                   performance_profiles(records, TimeOf::kSolve), pens));
  } else {
    out += "<p class=\"missing\">A performance profile compares solvers; there is one only.</p>\n";
  }
  return out +
         figure(accuracy_plot("Accuracy profile: " + name, accuracy_profiles(records), pens)) +
         "</div>\n";
}

using Head = std::vector<std::string>;

const char* const kOwnTimesNote =
    "<p>* behind a name: its times are those that the program tells of itself, without its start "
    "and the reading of the problem.</p>\n";

std::string own_times_note(const std::vector<std::string>& names) {
  const bool any = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.ends_with(kOwnTimesMark);
  });
  return any ? kOwnTimesNote : "";
}

std::string cells_of(const ComparisonRow& row, const Head& solvers, bool with_given_up) {
  // Bold is the best: of the largest fraction the shortest time.
  double best_fraction = 0.0, best_time = INFINITY;
  const auto fraction = [](const ComparisonRow::Cell& c) { return 1.0 * c.right / c.runs; };
  for (const auto& [solver, cell] : row.cells)
    best_fraction = std::max(best_fraction, fraction(cell));
  for (const auto& [solver, cell] : row.cells) {
    if (fraction(cell) == best_fraction && cell.median_ms < best_time) best_time = cell.median_ms;
  }
  std::string out;
  for (const std::string& solver : solvers) {
    const auto it = row.cells.find(solver);
    if (it == row.cells.end() || it->second.unsupported == it->second.runs) {
      out += fmt::format("<td class=\"group\" title=\"{}\">–</td>{}<td>–</td><td>–</td>",
                         it == row.cells.end() ? "not run" : "refused",
                         with_given_up ? "<td>–</td>" : "");
      continue;
    }
    const ComparisonRow::Cell& c = it->second;
    const bool best = row.cells.size() > 1 && fraction(c) == best_fraction && best_fraction > 0 &&
                      c.median_ms == best_time;
    out += fmt::format(
        "<td class=\"group\" title=\"{:.3g} %\">{} of {}</td>{}<td{}>{}</td><td>{}</td>",
        std::floor(1000.0 * fraction(c)) / 10.0, c.right, c.runs,
        with_given_up ? fmt::format("<td>{}</td>", c.gave_up) : "", best ? " class=\"best\"" : "",
        milliseconds(c.median_ms), milliseconds(c.solve_median_ms));
  }
  return out;
}

}  // namespace

std::string comparison_section(const std::vector<Record>& records) {
  std::set<std::string> names;
  for (const std::string& name : solver_names(records)) names.insert(name);
  const Head solvers(names.begin(), names.end());
  const bool with_given_up = std::any_of(records.begin(), records.end(), has_known_end);
  const int columns = with_given_up ? 4 : 3;
  std::string head, second, suite;
  for (const std::string& solver : solvers) {
    head += fmt::format("<th class=\"group\" colspan=\"{}\">{}</th>", columns, escape(solver));
    second += fmt::format("<th class=\"group\">right</th>{}<th>ms</th><th>solve</th>",
                          with_given_up ? "<th>gave up</th>" : "");
  }
  std::string out = fmt::format(
      "<h2>Solvers side by side</h2>\n<p>For each solver: runs that ended right (solved and "
      "verified, or proven to have no solution), {}and of the right ones the median time in "
      "milliseconds: of setup and solve together, from the problem in memory to the answer, and "
      "beside it of the solve alone. Bold: of those that got most right the fastest. A dash: the "
      "solver was not run, or does not take such problems.</p>\n{}<div class=\"scroll\"><table "
      "class=\"narrow\">\n<tr><th class=\"text\" rowspan=\"2\">problems</th>"
      "<th rowspan=\"2\">size</th><th rowspan=\"2\">n</th>{}</tr>\n<tr>{}</tr>\n",
      with_given_up ? "runs that gave up on a problem that is known to have no solution, " : "",
      own_times_note(solvers), head, second);
  for (const ComparisonRow& row : comparison(records)) {
    if (row.suite != suite) {
      suite = row.suite;
      out += fmt::format("<tr class=\"suite\"><td class=\"text\" colspan=\"{}\">{}</td></tr>\n",
                         3 + static_cast<std::size_t>(columns) * solvers.size(), escape(suite));
    }
    out += fmt::format("<tr><td class=\"text\">{}</td><td>{}</td><td>{}</td>{}</tr>\n",
                       escape(row.group), row.size > 0 ? fmt::format("{}", row.size) : "",
                       range(row.n_min, row.n_max), cells_of(row, solvers, with_given_up));
  }
  return out + "</table></div>\n";
}

std::string yardstick_section(const std::vector<Record>& records) {
  const std::vector<std::string> names = solver_names(records);
  std::set<std::string> solvers;
  // By family and size: times of the LLT, and by solver the ratios to it.
  std::map<std::tuple<std::string, std::string, int>,
           std::pair<std::vector<double>, std::map<std::string, std::vector<double>>>>
      rows;
  for (std::size_t k = 0; k < records.size(); ++k) {
    const Record& r = records[k];
    if (!(r.llt > 0) || r.outcome == "unsupported") continue;
    auto& [llt, ratios] = rows[{r.suite, group_of(r), r.n}];
    solvers.insert(names[k]);
    llt.push_back(1e3 * r.llt);
    if (r.outcome == "solved") ratios[names[k]].push_back(r.total / r.llt);
  }
  if (rows.empty()) return "";
  std::string out =
      "<h3>Against one Cholesky factorisation</h3>\n<p>Dense symmetric problems: setup and solve "
      "as a multiple of the time that Eigen's LLT takes to factorise a matrix of the same size "
      "and to solve once, measured in the same process right after the solve; medians of the "
      "solved ones.</p>\n<div class=\"scroll\"><table>\n<tr><th class=\"text\">problems</th>"
      "<th>n</th><th>LLT ms</th>";
  for (const std::string& solver : solvers) out += fmt::format("<th>{}</th>", escape(solver));
  out += "</tr>\n";
  for (const auto& [key, row] : rows) {
    out += fmt::format("<tr><td class=\"text\">{}</td><td>{}</td><td>{}</td>",
                       escape(std::get<1>(key)), std::get<2>(key),
                       milliseconds(quantile(row.first, 0.5)));
    for (const std::string& solver : solvers) {
      const auto it = row.second.find(solver);
      out += it == row.second.end() ? "<td>–</td>"
                                    : fmt::format("<td>{:.2f}</td>", quantile(it->second, 0.5));
    }
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string profile_section(const std::vector<Record>& records) {
  std::map<std::string, std::vector<Record>> suites;
  for (const Record& r : records) suites[r.suite].push_back(r);
  std::string out =
      "<h2>Performance and accuracy profiles</h2>\n<p>Performance [Dolan and Moré 2002]: the "
      "fraction of problems that a solver solves within a factor of the fastest solver's time, of "
      "setup and solve together and beside it of the solve alone. On "
      "the left: how often it is the fastest; on the right: how much it solves at all. Accuracy: "
      "the fraction of problems on which the residual of the answer, measured by the verifier on "
      "the problem as posed, is at most so large; an exact zero stands at 1e-18. Problems known to "
      "have no solution are left "
      "out of both.</p>\n";
  out += own_times_note(solver_names(records));
  const Pens pens = pens_of(records);
  if (suites.size() > 1) out += profiles_of("all suites", records, pens);
  for (const auto& [suite, members] : suites) out += profiles_of(suite, members, pens);
  return out;
}

std::string scaling_section(const std::vector<Record>& records) {
  std::map<std::string, std::map<std::string, std::map<std::string, Series>>> suites;
  const Pens pens = pens_of(records);
  for (const GroupSummary& g : summarise(records)) {
    if (g.size <= 0 || g.solved == 0) continue;
    Series& s = suites[g.suite][g.group][g.solver];
    s.label = g.solver;
    s.pen = pen_of(pens, g.solver);
    s.style = Series::Style::kSpread;
    s.x.push_back(g.n_max);
    s.y.push_back(g.median_ms);
    s.low.push_back(g.low_ms);
    s.high.push_back(g.high_ms);
  }
  std::string out;
  for (const auto& [suite, families] : suites) {
    std::string drawings;
    for (const auto& [family, solvers] : families) {
      Plot plot;
      plot.title = family;
      plot.x_label = "unknowns n";
      plot.y_label = "ms";
      plot.log_x = plot.log_y = 10;
      plot.width = 420;
      plot.height = 260;
      std::size_t most = 0;
      for (const auto& [solver, s] : solvers) {
        plot.series.push_back(s);
        most = std::max(most, s.x.size());
      }
      // The key has a column beside the axes as long as it is not higher than they are.
      plot.height += 22 * std::max(0, static_cast<int>(plot.series.size()) - 5);
      if (most > 1) drawings += figure(plot);
    }
    if (!drawings.empty()) {
      out +=
          fmt::format("<h3>{}</h3>\n<div class=\"figures\">\n{}</div>\n", escape(suite), drawings);
    }
  }
  if (out.empty()) return out;
  return "<h2>Time against size</h2>\n<p>Medians of setup and solve over the solved members of a "
         "size; "
         "bars reach from the 10 % to the 90 % quantile.</p>\n" +
         out;
}

}  // namespace perp
