#include <perp/bench/report/sections.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <perp/bench/report/markup.hpp>
#include <perp/bench/report/plot.hpp>
#include <perp/bench/report/summary.hpp>

namespace perp {

namespace {

constexpr std::size_t kMostBodies = 60;    // whose paths are drawn
constexpr std::size_t kMostRuns = 14;      // in one drawing: so many line styles can be told apart
constexpr std::size_t kMostPathPlots = 4;  // of runs with many bodies
constexpr std::size_t kMostPathKeys = 10;
constexpr std::size_t kPathPoints = 200;
constexpr std::size_t kMostSteps = 150;  // told one by one; beyond: medians of neighbours

using Column = std::vector<double> SimulationRun::*;

Plot over_time(const SimulationGroup& group, const std::string& title, const std::string& y_label,
               Column t, Column values, Series::Style style = Series::Style::kLine) {
  Plot plot;
  plot.title = title;
  plot.x_label = "t in s";
  plot.y_label = y_label;
  plot.key = group.runs.size() > 1;
  for (const SimulationRun& run : group.runs) {
    if (plot.series.size() == kMostRuns) break;
    plot.series.push_back({run.label, run.*t, run.*values, style, {}, {}});
  }
  return plot;
}

// Values that jump from step to step become a grey mass where steps are many.
Series medians(const std::vector<double>& t, const std::vector<double>& values,
               const std::string& label) {
  Series s{label, {}, {}, Series::Style::kLine, {}, {}};
  const std::size_t n = std::min(t.size(), values.size()), parts = std::min(n, kMostSteps);
  for (std::size_t k = 0; k < parts; ++k) {
    const long first = static_cast<long>(k * n / parts),
               end = static_cast<long>((k + 1) * n / parts);
    s.x.push_back(t[static_cast<std::size_t>(end - 1)]);
    s.y.push_back(quantile({values.begin() + first, values.begin() + end}, 0.5));
  }
  return s;
}

Plot per_step(const SimulationGroup& group, const std::string& title, const std::string& y_label,
              Column values) {
  Plot plot = over_time(group, title, y_label, &SimulationRun::step_t, values);
  for (std::size_t k = 0; k < plot.series.size(); ++k) {
    const SimulationRun& run = group.runs[k];
    plot.series[k] = medians(run.step_t, run.*values, run.label);
    if (run.step_t.size() > kMostSteps) plot.title = title + " (medians)";
  }
  return plot;
}

Plot kinetic_plot(const SimulationGroup& group) {
  Plot plot = over_time(group, "Kinetic energy", "J", &SimulationRun::t, &SimulationRun::kinetic);
  for (const SimulationRun& run : group.runs) {
    for (const double e : run.total) {
      if (std::isfinite(e)) plot.y_scale = std::max(plot.y_scale, std::abs(e));
    }
  }
  if (!group.reference_kinetic) return plot;
  double end = 0.0;
  for (const SimulationRun& run : group.runs) {
    if (!run.t.empty()) end = std::max(end, run.t.back());
  }
  plot.series.push_back({group.reference_label,
                         {0.0, end},
                         {*group.reference_kinetic, *group.reference_kinetic},
                         Series::Style::kGuide,
                         {},
                         {}});
  plot.key = true;
  return plot;
}

// 2D: x and y; 3D: seen from the side, x and z.
Series path_series(const SimulationRun& run, const BodyPath& path, const std::string& label) {
  return thinned({label, path.x, run.flat ? path.y : path.z, Series::Style::kPath, {}, {}},
                 kPathPoints);
}

Plot path_plot(const std::string& title, bool flat) {
  Plot plot;
  plot.title = title;
  plot.x_label = "x in m";
  plot.y_label = flat ? "y in m" : "z in m";
  plot.same_scale = true;
  return plot;
}

void add_path(Plot& plot, const Series& path) {
  for (const std::vector<double>* list : {&path.x, &path.y}) {
    for (const double v : *list) plot.x_scale = plot.y_scale = std::max(plot.y_scale, std::abs(v));
  }
  plot.series.push_back(path);
}

// Runs of one body together; else a drawing for each run, a line for each body.
std::string path_figures(const SimulationGroup& group) {
  const auto& runs = group.runs;
  if (std::all_of(runs.begin(), runs.end(), [](const auto& r) { return r.paths.size() <= 1; })) {
    Plot plot = path_plot("Path of the body's centre", runs.front().flat);
    plot.key = runs.size() > 1;
    for (const SimulationRun& run : runs) {
      if (!run.paths.empty() && plot.series.size() < kMostRuns)
        add_path(plot, path_series(run, run.paths.front(), run.label));
    }
    return figure(plot);
  }
  std::string out;
  for (std::size_t k = 0; k < std::min(runs.size(), kMostPathPlots); ++k) {
    const SimulationRun& run = runs[k];
    Plot plot = path_plot(
        "Paths of the bodies' centres" + (runs.size() > 1 ? ": " + run.label : std::string()),
        run.flat);
    plot.key = run.paths.size() <= kMostPathKeys;
    for (std::size_t b = 0; b < std::min(run.paths.size(), kMostBodies); ++b)
      add_path(plot, path_series(run, run.paths[b], run.paths[b].body));
    out += figure(plot);
  }
  return out;
}

std::string joules(double value) {
  return std::isfinite(value) ? fmt::format("{:.5g}", value) : "–";
}

std::string row_of(const SimulationRun& run, const std::vector<std::string>& differs) {
  std::string out = fmt::format("<tr><td class=\"text\">{}</td><td class=\"text\">{}</td>",
                                escape(run.name), escape(run.scene));
  const auto setting = [&](const std::string& name) {
    const auto it = run.settings.find(name);
    return it == run.settings.end() ? std::string("–") : escape(it->second);
  };
  for (const std::string& name : differs) {
    if (name != "scene" && name != "h") out += fmt::format("<td>{}</td>", setting(name));
  }
  std::string notes;
  if (!run.complete) notes += "not complete; ";
  if (run.damaged_lines > 0) notes += fmt::format("{} damaged lines left out; ", run.damaged_lines);
  if (!run.message.empty()) notes += run.message + "; ";
  if (!notes.empty()) notes.resize(notes.size() - 2);
  const auto end_of = [](const std::vector<double>& v, bool last) {
    return v.empty() ? NAN : last ? v.back() : v.front();
  };
  out += fmt::format(
      "<td>{}</td><td>{}</td><td{}>{}</td><td>{}</td><td>{}</td><td>{} / {}</td><td>{} / {}</td>"
      "<td>{} / {}</td><td>{} → {}</td><td>{} → {}</td><td class=\"text wrap\">{}</td></tr>\n",
      setting("h"), count(run.steps), run.failed > 0 ? " class=\"some\"" : "", count(run.failed),
      count(run.relaxed), std::isnan(run.wall) ? "–" : fmt::format("{:.3f}", run.wall),
      count(quantile(run.contacts, 0.5)), count(quantile(run.contacts, 1.0)),
      count(quantile(run.iterations, 0.5)), count(quantile(run.iterations, 1.0)),
      milliseconds(quantile(run.solve_ms, 0.5)), milliseconds(quantile(run.solve_ms, 1.0)),
      joules(end_of(run.kinetic, false)), joules(end_of(run.kinetic, true)),
      joules(end_of(run.total, false)), joules(end_of(run.total, true)), escape(notes));
  return out;
}

std::string table_of(const SimulationGroup& group) {
  std::string out =
      "<div class=\"scroll\"><table>\n<tr><th class=\"text\">run</th><th class=\"text\">scene</th>";
  for (const std::string& name : group.differs) {
    if (name != "scene" && name != "h") out += fmt::format("<th>{}</th>", escape(name));
  }
  out +=
      "<th>h in s</th><th>steps</th><th>failed</th><th>relaxed</th><th>wall s</th>"
      "<th title=\"candidates in a step's problem\">contacts</th>"
      "<th>iterations</th><th>solve ms</th><th>kinetic J</th>"
      "<th title=\"kinetic and potential\">total J</th><th class=\"text\">notes</th></tr>\n";
  for (const SimulationRun& run : group.runs) out += row_of(run, group.differs);
  return out + "</table></div>\n";
}

std::string group_section(const SimulationGroup& group) {
  std::string out = fmt::format("<h3>{}</h3>\n", escape(group.title));
  if (!group.caption.empty()) out += fmt::format("<p>{}</p>\n", escape(group.caption));
  if (group.runs.size() > kMostRuns)
    out += fmt::format("<p>Drawn are the first {} of {} runs.</p>\n", kMostRuns, group.runs.size());
  Plot counts =
      per_step(group, "Contacts in a step's problem", "candidates", &SimulationRun::contacts);
  Plot iterations =
      per_step(group, "Iterations of the solver, a step", "iterations", &SimulationRun::iterations);
  counts.y_min = iterations.y_min = 0.0;
  Plot time = per_step(group, "Solve time, a step", "ms", &SimulationRun::solve_ms);
  time.log_y = 10;
  return out + "<div class=\"figures\">\n" + figure(kinetic_plot(group)) +
         figure(over_time(group, "Total energy", "J", &SimulationRun::t, &SimulationRun::total)) +
         path_figures(group) + figure(counts) + figure(iterations) + figure(time) + "</div>\n" +
         table_of(group);
}

}  // namespace

std::string simulation_section(const std::vector<SimulationGroup>& groups) {
  if (groups.empty()) return "";
  std::string out =
      "<h2>Simulations</h2>\n<p>Runs recorded by <code>perp simulate "
      "--record</code>; runs in one folder are drawn together, and labelled by what they differ "
      "in. Energies are sums over the bodies, at the ends of the steps; where steps are many, "
      "contacts, iterations and times are drawn as medians of neighbouring steps. In the tables "
      "energies are the first and the last; contacts, iterations and solve times of a step are "
      "median and maximum.</p>\n";
  for (const SimulationGroup& group : groups) out += group_section(group);
  return out;
}

}  // namespace perp
