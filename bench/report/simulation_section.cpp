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
constexpr std::size_t kMostPairs = 4;  // of bodies, whose forces are drawn
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
  const auto& level = group.reference.kinetic;
  if (!level) return plot;
  double end = 0.0;
  for (const SimulationRun& run : group.runs) {
    if (!run.t.empty()) end = std::max(end, run.t.back());
  }
  plot.series.push_back(
      {group.reference.label, {0.0, end}, {*level, *level}, Series::Style::kGuide, {}, {}});
  plot.key = true;
  return plot;
}

bool one_body_each(const SimulationGroup& group) {
  return std::all_of(group.runs.begin(), group.runs.end(),
                     [](const SimulationRun& run) { return run.paths.size() <= 1; });
}

// 2D: x and y; 3D: x and z, from the side, or x and y, from above.
bool shows_y(const SimulationGroup& group, const SimulationRun& run) {
  return run.flat || group.from_above;
}

Series path_series(const BodyPath& path, bool with_y, const std::string& label,
                   Series::Style style = Series::Style::kPath) {
  return thinned({label, path.x, with_y ? path.y : path.z, style, {}, {}}, kPathPoints);
}

Plot path_plot(const std::string& title, bool with_y) {
  Plot plot;
  plot.title = title;
  plot.x_label = "x in m";
  plot.y_label = with_y ? "y in m" : "z in m";
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
  if (one_body_each(group)) {
    const bool with_y = shows_y(group, runs.front());
    Plot plot = path_plot("Path of the body's centre", with_y);
    for (const SimulationRun& run : runs) {
      if (!run.paths.empty() && plot.series.size() < kMostRuns)
        add_path(plot, path_series(run.paths.front(), with_y, run.label));
    }
    const Reference& reference = group.reference;
    if (!reference.path.t.empty()) {
      add_path(plot, path_series(reference.path, with_y, reference.label, Series::Style::kGuide));
    }
    plot.key = plot.series.size() > 1;
    return figure(plot);
  }
  std::string out;
  for (std::size_t k = 0; k < std::min(runs.size(), kMostPathPlots); ++k) {
    const SimulationRun& run = runs[k];
    const bool with_y = shows_y(group, run);
    Plot plot = path_plot(
        "Paths of the bodies' centres" + (runs.size() > 1 ? ": " + run.label : std::string()),
        with_y);
    plot.key = run.paths.size() <= kMostPathKeys;
    for (std::size_t b = 0; b < std::min(run.paths.size(), kMostBodies); ++b)
      add_path(plot, path_series(run.paths[b], with_y, run.paths[b].body));
    out += figure(plot);
  }
  return out;
}

// A value over time of the only body of each run; nothing where runs have more.
template <class Values>
std::string of_the_body(const SimulationGroup& group, const std::string& title,
                        const std::string& y_label, const Values& values, int log_y = 0) {
  if (!one_body_each(group)) return "";
  Plot plot;
  plot.log_y = log_y;
  plot.title = title;
  plot.x_label = "t in s";
  plot.y_label = y_label;
  plot.key = group.runs.size() > 1;
  for (const SimulationRun& run : group.runs) {
    if (run.paths.empty() || plot.series.size() == kMostRuns) continue;
    std::vector<double> t, y;
    values(run.paths.front(), t, y);
    plot.series.push_back({run.label, t, y, Series::Style::kLine, {}, {}});
  }
  return figure(plot);
}

std::string distance_figure(const SimulationGroup& group) {
  const Reference& reference = group.reference;
  if (reference.path.t.empty()) return "";
  return of_the_body(
      group, "Distance from: " + reference.label, "m",
      [&](const BodyPath& body, std::vector<double>& t, std::vector<double>& y) {
        y = distance_from(reference.path, body, t);
      },
      10);
}

std::string velocity_figures(const SimulationGroup& group) {
  std::string out;
  using Component = std::vector<double> BodyPath::*;
  for (const auto& [name, component] : {std::pair<const char*, Component>{"x", &BodyPath::vx},
                                        {"y", &BodyPath::vy},
                                        {"z", &BodyPath::vz}}) {
    const bool moves = std::any_of(
        group.runs.begin(), group.runs.end(), [component = component](const SimulationRun& run) {
          return !run.paths.empty() && std::any_of((run.paths.front().*component).begin(),
                                                   (run.paths.front().*component).end(),
                                                   [](double v) { return std::abs(v) > 1e-9; });
        });
    if (!moves) continue;
    out += of_the_body(group, fmt::format("Velocity of the body's centre along {}", name), "m/s",
                       [component = component](const BodyPath& body, std::vector<double>& t,
                                               std::vector<double>& y) {
                         t = body.t;
                         y = body.*component;
                         t.resize(std::min(t.size(), y.size()));  // damaged lines
                         y.resize(t.size());
                       });
  }
  return out;
}

// A drawing for each of the first pairs of bodies, a line for each run.
std::string pair_figures(const SimulationGroup& group, const std::string& title,
                         const std::string& y_label, std::vector<double> ContactHistory::*values) {
  std::vector<std::string> names;
  for (const SimulationRun& run : group.runs) {
    for (const ContactHistory& pair : run.pairs) {
      if (std::find(names.begin(), names.end(), pair.pair) == names.end())
        names.push_back(pair.pair);
    }
  }
  if (names.size() > kMostPairs) names.resize(kMostPairs);
  std::string out;
  for (const std::string& name : names) {
    Plot plot;
    plot.title = title + ": " + name;
    plot.x_label = "t in s";
    plot.y_label = y_label;
    plot.key = group.runs.size() > 1;
    for (const SimulationRun& run : group.runs) {
      for (const ContactHistory& pair : run.pairs) {
        if (pair.pair == name && plot.series.size() < kMostRuns)
          plot.series.push_back({run.label, pair.t, pair.*values, Series::Style::kLine, {}, {}});
      }
    }
    out += figure(plot);
  }
  return out;
}

// Where velocities jump to and fro, it is here that one sees it.
std::string spin_figure(const SimulationGroup& group) {
  return of_the_body(
      group, "Angular acceleration: change of the angular velocity, a step", "rad/s2",
      [](const BodyPath& body, std::vector<double>& t, std::vector<double>& y) {
        for (std::size_t k = 1; k < body.t.size(); ++k) {
          const auto change = [k](const std::vector<double>& w) { return w[k] - w[k - 1]; };
          t.push_back(body.t[k]);
          y.push_back(std::hypot(change(body.wx), change(body.wy), change(body.wz)) /
                      (body.t[k] - body.t[k - 1]));
        }
      });
}

std::string joules(double value) {
  return std::isfinite(value) ? fmt::format("{:.5g}", value) : "–";
}

bool draws(const SimulationGroup& group, GroupDrawing drawing) {
  return one_body_each(group) &&
         std::find(group.drawings.begin(), group.drawings.end(), drawing) != group.drawings.end();
}

// What belongs to a drawing of the only body.
std::string body_cells(const SimulationGroup& group, const SimulationRun& run) {
  std::string out;
  const auto cell = [&](double value) {
    out += std::isfinite(value) ? fmt::format("<td>{:.3g}</td>", value) : "<td>–</td>";
  };
  const BodyPath* const body = run.paths.empty() ? nullptr : &run.paths.front();
  if (draws(group, GroupDrawing::kDistance)) {
    std::vector<double> t, d;
    if (body != nullptr) d = distance_from(group.reference.path, *body, t);
    cell(d.empty() ? NAN : d.back());
  }
  if (draws(group, GroupDrawing::kSpin)) cell(body != nullptr ? roughness(*body) : NAN);
  return out;
}

std::string row_of(const SimulationGroup& group, const SimulationRun& run) {
  const std::vector<std::string>& differs = group.differs;
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
      "<td>{} / {}</td><td>{} → {}</td><td>{} → {}</td>{}<td class=\"text wrap\">{}</td></tr>\n",
      setting("h"), count(run.steps), run.failed > 0 ? " class=\"some\"" : "", count(run.failed),
      count(run.relaxed), std::isnan(run.wall) ? "–" : fmt::format("{:.3f}", run.wall),
      count(quantile(run.contacts, 0.5)), count(quantile(run.contacts, 1.0)),
      count(quantile(run.iterations, 0.5)), count(quantile(run.iterations, 1.0)),
      milliseconds(quantile(run.solve_ms, 0.5)), milliseconds(quantile(run.solve_ms, 1.0)),
      joules(end_of(run.kinetic, false)), joules(end_of(run.kinetic, true)),
      joules(end_of(run.total, false)), joules(end_of(run.total, true)), body_cells(group, run),
      escape(notes));
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
      "<th title=\"kinetic and potential\">total J</th>";
  if (draws(group, GroupDrawing::kDistance)) out += "<th title=\"at the end\">distance m</th>";
  if (draws(group, GroupDrawing::kSpin)) {
    out +=
        "<th title=\"sum of the second differences of the angular velocity\">roughness rad/s</th>";
  }
  out += "<th class=\"text\">notes</th></tr>\n";
  for (const SimulationRun& run : group.runs) out += row_of(group, run);
  return out + "</table></div>\n";
}

std::string figure_of(const SimulationGroup& group, GroupDrawing drawing) {
  switch (drawing) {
    case GroupDrawing::kKinetic:
      return figure(kinetic_plot(group));
    case GroupDrawing::kEnergy:
      return figure(
          over_time(group, "Total energy", "J", &SimulationRun::t, &SimulationRun::total));
    case GroupDrawing::kPath:
      return path_figures(group);
    case GroupDrawing::kDistance:
      return distance_figure(group);
    case GroupDrawing::kVelocity:
      return velocity_figures(group);
    case GroupDrawing::kSpin:
      return spin_figure(group);
    case GroupDrawing::kForce:
      return pair_figures(group, "Normal force", "N", &ContactHistory::normal);
    case GroupDrawing::kFriction:
      return pair_figures(group, "Tangential force", "N", &ContactHistory::friction);
    case GroupDrawing::kSlip:
      return pair_figures(group, "Slip", "m/s", &ContactHistory::slip);
    case GroupDrawing::kJoint:
      return figure(over_time(group, "Joint: " + group.joint_label, "rad or m",
                              &SimulationRun::joint_t, &SimulationRun::joint_value));
    case GroupDrawing::kContacts:
    case GroupDrawing::kIterations: {
      Plot plot = drawing == GroupDrawing::kContacts
                      ? per_step(group, "Contacts in a step's problem", "candidates",
                                 &SimulationRun::contacts)
                      : per_step(group, "Iterations of the solver, a step", "iterations",
                                 &SimulationRun::iterations);
      plot.y_min = 0.0;
      return figure(plot);
    }
    case GroupDrawing::kTime: {
      Plot plot = per_step(group, "Solve time, a step", "ms", &SimulationRun::solve_ms);
      plot.log_y = 10;
      return figure(plot);
    }
    case GroupDrawing::kInfeasibility: {
      Plot plot = over_time(group, "Infeasibility: largest overlap or joint error", "m",
                            &SimulationRun::infeasible_t, &SimulationRun::infeasible);
      plot.log_y = 10;
      return figure(plot);
    }
  }
  return "";
}

std::string group_section(const SimulationGroup& group) {
  std::string out = fmt::format("<h3>{}</h3>\n", escape(group.title));
  if (!group.caption.empty()) out += fmt::format("<p>{}</p>\n", escape(group.caption));
  if (group.runs.size() > kMostRuns && !group.drawings.empty())
    out += fmt::format("<p>Drawn are the first {} of {} runs.</p>\n", kMostRuns, group.runs.size());
  out += "<div class=\"figures\">\n";
  for (const GroupDrawing drawing : group.drawings) out += figure_of(group, drawing);
  return out + "</div>\n" + table_of(group);
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
