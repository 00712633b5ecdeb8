#include <perp/bench/report/page_data.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <perp/bench/report/chart.hpp>
#include <perp/bench/report/summary.hpp>

namespace perp {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostBodies = 60;  // bodies with drawn paths
constexpr std::size_t kMostRuns = 14;  // runs in one drawing; more line styles cannot be told apart
constexpr std::size_t kMostPathCharts = 4;  // drawings of paths, for runs with many bodies
constexpr std::size_t kMostPairs = 4;       // pairs of bodies with drawn forces
constexpr std::size_t kPathPoints = 200;    // most points of a path, about
constexpr std::size_t kChartPoints = 600;   // points of a line; more cannot be told apart
// steps with points of their own; with more steps medians of neighbours are drawn
constexpr std::size_t kMostStepsTold = 150;

using RunColumn = std::vector<double> SimulationRun::*;

Chart over_time(const SimulationGroup& group, const std::string& title, const std::string& y_label,
                RunColumn t, RunColumn values) {
  Chart plot;
  plot.title = title;
  plot.x_label = "t in s";
  plot.y_label = y_label;
  for (const SimulationRun& run : group.runs) {
    if (plot.series.size() == kMostRuns) break;
    plot.series.push_back({run.label, run.*t, run.*values});
  }
  return plot;
}

// Medians over neighbouring steps. Values of many steps that jump up and down would be drawn as a
// grey area.
Series medians(const std::vector<double>& t, const std::vector<double>& values,
               const std::string& label) {
  Series s{label, {}, {}};
  const std::size_t n = std::min(t.size(), values.size()), parts = std::min(n, kMostStepsTold);
  for (std::size_t k = 0; k < parts; ++k) {
    const long first = static_cast<long>(k * n / parts),
               end = static_cast<long>((k + 1) * n / parts);
    s.x.push_back(t[static_cast<std::size_t>(end - 1)]);
    s.y.push_back(quantile({values.begin() + first, values.begin() + end}, 0.5));
  }
  return s;
}

Chart per_step(const SimulationGroup& group, const std::string& title, const std::string& y_label,
               RunColumn values) {
  Chart plot = over_time(group, title, y_label, &SimulationRun::step_t, values);
  for (std::size_t k = 0; k < plot.series.size(); ++k) {
    const SimulationRun& run = group.runs[k];
    plot.series[k] = medians(run.step_t, run.*values, run.label);
    if (run.step_t.size() > kMostStepsTold) plot.title = title + " (medians)";
  }
  return plot;
}

Chart kinetic_plot(const SimulationGroup& group) {
  Chart plot = over_time(group, "Kinetic energy", "J", &SimulationRun::t, &SimulationRun::kinetic);
  for (const SimulationRun& run : group.runs) {
    for (const double e : run.total) {
      if (std::isfinite(e)) plot.scale = std::max(plot.scale, std::abs(e));
    }
  }
  const auto& level = group.reference.kinetic;
  if (!level) return plot;
  double end = 0.0;
  for (const SimulationRun& run : group.runs) {
    if (!run.t.empty()) end = std::max(end, run.t.back());
  }
  plot.series.push_back({group.reference.label, {0.0, end}, {*level, *level}, true});
  return plot;
}

bool one_body_each(const SimulationGroup& group) {
  return std::all_of(group.runs.begin(), group.runs.end(),
                     [](const SimulationRun& run) { return run.paths.size() <= 1; });
}

// Whether paths are drawn in x and y: in 2D, and in 3D from above. Else in x and z, from the side.
bool shows_y(const SimulationGroup& group, const SimulationRun& run) {
  return run.flat || group.from_above;
}

Series path_series(const BodyPath& path, bool with_y, const std::string& label,
                   bool guide = false) {
  return thinned({label, path.x, with_y ? path.y : path.z, guide}, kPathPoints);
}

Chart path_plot(const std::string& title, bool with_y) {
  Chart plot;
  plot.title = title;
  plot.x_label = "x in m";
  plot.y_label = with_y ? "y in m" : "z in m";
  plot.same_scale = true;
  return plot;
}

void add_path(Chart& plot, const Series& path) {
  for (const std::vector<double>* list : {&path.x, &path.y}) {
    for (const double v : *list) plot.scale = std::max(plot.scale, std::abs(v));
  }
  plot.series.push_back(path);
}

// Runs with one body share a drawing; else there is a drawing for each run, with a line for each
// body.
std::vector<Chart> path_plots(const SimulationGroup& group) {
  const auto& runs = group.runs;
  if (one_body_each(group)) {
    const bool with_y = shows_y(group, runs.front());
    Chart plot = path_plot("Path of the body's centre", with_y);
    for (const SimulationRun& run : runs) {
      if (!run.paths.empty() && plot.series.size() < kMostRuns)
        add_path(plot, path_series(run.paths.front(), with_y, run.label));
    }
    const Reference& reference = group.reference;
    if (!reference.path.t.empty()) {
      add_path(plot, path_series(reference.path, with_y, reference.label, true));
    }
    return {plot};
  }
  std::vector<Chart> plots;
  for (std::size_t k = 0; k < std::min(runs.size(), kMostPathCharts); ++k) {
    const SimulationRun& run = runs[k];
    const bool with_y = shows_y(group, run);
    Chart plot = path_plot(
        "Paths of the bodies' centres" + (runs.size() > 1 ? ": " + run.label : std::string()),
        with_y);
    for (std::size_t b = 0; b < std::min(run.paths.size(), kMostBodies); ++b)
      add_path(plot, path_series(run.paths[b], with_y, run.paths[b].body));
    plots.push_back(std::move(plot));
  }
  return plots;
}

// A value over time of the only body of each run; nothing if a run has more bodies.
template <class Values>
std::vector<Chart> of_the_body(const SimulationGroup& group, const std::string& title,
                               const std::string& y_label, const Values& values,
                               bool log_y = false) {
  if (!one_body_each(group)) return {};
  Chart plot;
  plot.log_y = log_y;
  plot.title = title;
  plot.x_label = "t in s";
  plot.y_label = y_label;
  for (const SimulationRun& run : group.runs) {
    if (run.paths.empty() || plot.series.size() == kMostRuns) continue;
    std::vector<double> t, y;
    values(run.paths.front(), t, y);
    plot.series.push_back({run.label, t, y});
  }
  return {plot};
}

std::vector<Chart> distance_plot(const SimulationGroup& group) {
  const Reference& reference = group.reference;
  if (reference.path.t.empty()) return {};
  return of_the_body(
      group, "Distance from: " + reference.label, "m",
      [&](const BodyPath& body, std::vector<double>& t, std::vector<double>& y) {
        y = distance_from(reference.path, body, t);
      },
      true);
}

std::vector<Chart> velocity_plots(const SimulationGroup& group) {
  std::vector<Chart> plots;
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
    for (Chart& plot :
         of_the_body(group, fmt::format("Velocity of the body's centre along {}", name), "m/s",
                     [component = component](const BodyPath&body, std::vector<double>&t,
                                             std::vector<double>&y) {
                       t = body.t;
                       y = body.*component;
                       t.resize(std::min(t.size(), y.size()));  // shorter if lines are damaged
                       y.resize(t.size());
                     }))
      plots.push_back(std::move(plot));
  }
  return plots;
}

// A drawing for each of the first pairs of bodies, with a line for each run.
std::vector<Chart> pair_plots(const SimulationGroup& group, const std::string& title,
                              const std::string& y_label,
                              std::vector<double> ContactHistory::*values) {
  std::vector<std::string> names;
  for (const SimulationRun& run : group.runs) {
    for (const ContactHistory& pair : run.pairs) {
      if (std::find(names.begin(), names.end(), pair.pair) == names.end())
        names.push_back(pair.pair);
    }
  }
  if (names.size() > kMostPairs) names.resize(kMostPairs);
  std::vector<Chart> plots;
  for (const std::string& name : names) {
    Chart plot;
    plot.title = title + ": " + name;
    plot.x_label = "t in s";
    plot.y_label = y_label;
    for (const SimulationRun& run : group.runs) {
      for (const ContactHistory& pair : run.pairs) {
        if (pair.pair == name && plot.series.size() < kMostRuns)
          plot.series.push_back({run.label, pair.t, pair.*values});
      }
    }
    plots.push_back(std::move(plot));
  }
  return plots;
}

// Shows velocities that jump up and down from step to step.
std::vector<Chart> spin_plot(const SimulationGroup& group) {
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

bool draws(const SimulationGroup& group, GroupDrawing drawing) {
  return one_body_each(group) &&
         std::find(group.drawings.begin(), group.drawings.end(), drawing) != group.drawings.end();
}

// A column of numbers beside a drawing of the only body: a head, and a value for each run.
struct Measure {
  const char* head;
  double (*value)(const SimulationGroup&, const SimulationRun&);
};

std::vector<Measure> measures_of(const SimulationGroup& group) {
  std::vector<Measure> measures;
  if (draws(group, GroupDrawing::kDistance)) {
    measures.push_back({"distance in m", [](const SimulationGroup& g, const SimulationRun& run) {
                          std::vector<double> t, d;
                          if (!run.paths.empty())
                            d = distance_from(g.reference.path, run.paths.front(), t);
                          return d.empty() ? NAN : d.back();
                        }});
  }
  if (draws(group, GroupDrawing::kSpin)) {
    measures.push_back({"roughness in rad/s", [](const SimulationGroup&, const SimulationRun& run) {
                          return run.paths.empty() ? NAN : roughness(run.paths.front());
                        }});
  }
  return measures;
}

// Rounded to the digits that a chart or a table shows.
Json rounded(double value, int digits = 6) {
  if (!std::isfinite(value)) return nullptr;
  return rounded_to(value, digits);
}
Json rounded(const std::vector<double>& values, int digits = 6) {
  Json list = Json::array();
  for (const double v : values) list.push_back(rounded(v, digits));
  return list;
}
// The first and the last value.
Json ends_of(const std::vector<double>& values) {
  if (values.empty()) return Json::array();
  return {rounded(values.front()), rounded(values.back())};
}
// Median and largest value over many steps; null if there are none.
Json of_steps(const std::vector<double>& values, double factor = 1.0) {
  if (values.empty()) return nullptr;
  return {{"median", rounded(factor * quantile(values, 0.5), 4)},
          {"most", rounded(factor * quantile(values, 1.0), 4)}};
}

// The same of counts, with all their digits.
Json counts_of_steps(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  return {{"median", quantile(values, 0.5)}, {"most", quantile(values, 1.0)}};
}

std::string notes_of(const SimulationRun& run) {
  std::vector<std::string> notes;
  if (!run.complete) notes.emplace_back("not complete");
  if (run.damaged_lines > 0)
    notes.push_back(fmt::format("{} damaged line{} left out", run.damaged_lines,
                                run.damaged_lines == 1 ? "" : "s"));
  if (!run.message.empty()) notes.push_back(run.message);
  return fmt::format("{}", fmt::join(notes, "; "));
}

Json run_data(const SimulationGroup& group, const SimulationRun& run) {
  Json settings = Json::object(), bodies = Json::array(), measures = Json::array();
  for (const std::string& name : group.differs) {
    const auto it = run.settings.find(name);
    if (it != run.settings.end()) settings[name] = it->second;
  }
  if (const auto h = run.settings.find("h"); h != run.settings.end()) settings["h"] = h->second;
  for (const BodyPath& body : run.paths) {
    if (body.t.empty()) continue;
    bodies.push_back(
        {{"name", body.body},
         {"last", {rounded(body.x.back()), rounded(body.y.back()), rounded(body.z.back())}}});
  }
  for (const Measure& m : measures_of(group)) measures.push_back(rounded(m.value(group, run), 4));
  return {{"name", run.name},
          {"label", run.label},
          {"scene", run.scene},
          {"settings", settings},
          {"steps", rounded(run.steps)},
          {"failed", rounded(run.failed)},
          {"relaxed", rounded(run.relaxed)},
          {"wall", rounded(run.wall, 4)},
          {"contacts", counts_of_steps(run.contacts)},
          {"iterations", counts_of_steps(run.iterations)},
          {"solve", of_steps(run.solve_ms, 1e-3)},
          {"kinetic", ends_of(run.kinetic)},
          {"total", ends_of(run.total)},
          {"measures", measures},
          {"notes", notes_of(run)},
          {"bodies", bodies}};
}

Json chart_of(const Chart& drawn_as_is) {
  const Chart plot = without_rounding(drawn_as_is);
  Json series = Json::array(), guide = Json::array();
  for (const Series& s : plot.series) {
    const Series drawn = thinned(s, kChartPoints);
    (s.guide ? guide : series)
        .push_back({{"name", s.label}, {"x", rounded(drawn.x)}, {"y", rounded(drawn.y)}});
  }
  return {{"title", plot.title},      {"x", plot.x_label}, {"y", plot.y_label}, {"log", plot.log_y},
          {"equal", plot.same_scale}, {"series", series},  {"guide", guide}};
}

std::vector<Chart> plots_of(const SimulationGroup& group, GroupDrawing drawing) {
  switch (drawing) {
    case GroupDrawing::kKinetic:
      return {kinetic_plot(group)};
    case GroupDrawing::kEnergy:
      return {over_time(group, "Total energy", "J", &SimulationRun::t, &SimulationRun::total)};
    case GroupDrawing::kPath:
      return path_plots(group);
    case GroupDrawing::kDistance:
      return distance_plot(group);
    case GroupDrawing::kVelocity:
      return velocity_plots(group);
    case GroupDrawing::kSpin:
      return spin_plot(group);
    case GroupDrawing::kForce:
      return pair_plots(group, "Normal force", "N", &ContactHistory::normal);
    case GroupDrawing::kFriction:
      return pair_plots(group, "Tangential force", "N", &ContactHistory::friction);
    case GroupDrawing::kSlip:
      return pair_plots(group, "Slip", "m/s", &ContactHistory::slip);
    case GroupDrawing::kJoint:
      return {over_time(group, "Joint: " + group.joint_label, "rad or m", &SimulationRun::joint_t,
                        &SimulationRun::joint_value)};
    case GroupDrawing::kContacts:
    case GroupDrawing::kIterations: {
      Chart plot = drawing == GroupDrawing::kContacts
                       ? per_step(group, "Contacts in a step's problem", "candidates",
                                  &SimulationRun::contacts)
                       : per_step(group, "Iterations of the solver, a step", "iterations",
                                  &SimulationRun::iterations);
      return {plot};
    }
    case GroupDrawing::kTime: {
      Chart plot = per_step(group, "Solve time, a step", "ms", &SimulationRun::solve_ms);
      plot.log_y = true;
      return {plot};
    }
    case GroupDrawing::kInfeasibility: {
      Chart plot = over_time(group, "Infeasibility: largest overlap or joint error", "m",
                             &SimulationRun::infeasible_t, &SimulationRun::infeasible);
      plot.log_y = true;
      return {plot};
    }
  }
  return {};
}

}  // namespace

Json simulation_data(const SimulationGroup& group, ReplayRoom& room) {
  Json charts = Json::array(), runs = Json::array(), heads = Json::array();
  for (const GroupDrawing drawing : group.drawings) {
    for (const Chart& plot : plots_of(group, drawing)) {
      if (!plot.series.empty()) charts.push_back(chart_of(plot));
    }
  }
  for (const SimulationRun& run : group.runs) {
    runs.push_back(run_data(group, run));
    runs.back()["motion"] = replay_data(run.folder, room);
  }
  for (const Measure& m : measures_of(group)) heads.push_back(m.head);
  return {{"title", group.title},     {"caption", group.caption}, {"charts", charts},
          {"differs", group.differs}, {"measures", heads},        {"runs", runs}};
}

}  // namespace perp
