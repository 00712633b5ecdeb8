#include <perp/bench/report/sections.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <perp/bench/report/markup.hpp>
#include <perp/bench/report/profiles.hpp>
#include <perp/bench/report/summary.hpp>
#include <tuple>

namespace perp {

namespace {

using ByProblem = std::map<std::tuple<int, std::string, std::string>, const Record*>;

// The runs of one solver on one sequence from one kind of start.
struct Line {
  std::string suite, sequence, solver, mode;
  ByProblem started, cold;
};

bool refused(const ByProblem& runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [](const auto& run) { return run.second->outcome == "unsupported"; });
}

// Where several kinds of start were asked for: every one that is not zero, with the cold runs,
// those from zero.
std::vector<Line> lines_of(const std::vector<Record>& records) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, ByProblem> runs;
  for (const Record& r : records) {
    if (r.sequence.empty()) continue;
    const std::string solver =
        r.solver + (r.settings == "{}" ? "" : " " + r.settings) +
        fmt::format(" {:g} {:g} {:g}", r.tolerance, r.time_limit, r.memory_limit);
    runs[{r.suite, r.sequence, solver, r.mode}][{r.position, r.instance, r.instance_hash}] = &r;
  }
  std::vector<Line> lines;
  for (const auto& [key, started] : runs) {
    const auto& [suite, sequence, solver, mode] = key;
    if (mode == "zero") continue;
    const auto cold = runs.find({suite, sequence, solver, "zero"});
    if (cold == runs.end() || (refused(started) && refused(cold->second))) continue;
    const Record& first = *started.begin()->second;
    const bool own = std::any_of(started.begin(), started.end(),
                                 [](const auto& run) { return run.second->own_times; });
    lines.push_back({suite, sequence, first.solver + (own ? std::string(1, kOwnTimesMark) : ""),
                     mode, started, cold->second});
  }
  return lines;
}

// Median and total of both kinds of run over the problems that both solved, and what came of each.
struct Sums {
  int problems = 0, solved_cold = 0, solved_started = 0;
  std::vector<double> iterations_cold, iterations_started, ms_cold, ms_started;
  std::vector<const Record*> lost;  // solved cold, but not from the start
};

Sums sums_of(const Line& line) {
  Sums s;
  for (const auto& [key, r] : line.started) {
    const auto it = line.cold.find(key);
    if (it == line.cold.end()) continue;
    const Record* cold = it->second;
    const bool solved = r->outcome == "solved", solved_cold = cold->outcome == "solved";
    ++s.problems;
    s.solved_started += solved;
    s.solved_cold += solved_cold;
    if (solved_cold && !solved) s.lost.push_back(r);
    if (!solved || !solved_cold) continue;
    s.iterations_cold.push_back(cold->iterations);
    s.iterations_started.push_back(r->iterations);
    s.ms_cold.push_back(1e3 * cold->total);
    s.ms_started.push_back(1e3 * r->total);
  }
  return s;
}

double total(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return sum;
}

std::string ratio(const std::vector<double>& started, const std::vector<double>& cold) {
  const double base = total(cold);
  if (!(base > 0)) return "–";
  const double value = total(started) / base;
  return value > 0 && value < 0.005 ? "&lt; 0.01" : fmt::format("{:.2f}", value);
}

std::string row_of(const Line& line, const Sums& s) {
  const auto both = [](const std::vector<double>& values, const auto& format) {
    return fmt::format("<td class=\"group\">{}</td><td>{}</td>", format(quantile(values, 0.5)),
                       format(values.empty() ? quantile(values, 0.5) : total(values)));
  };
  return fmt::format(
             "<tr><td class=\"text\">{}</td><td class=\"text\">{}</td><td>{}</td>"
             "<td class=\"group\">{}</td><td class=\"{}\">{}</td>",
             escape(line.solver), escape(line.mode), s.problems, s.solved_cold,
             s.lost.empty() ? "all" : "some", s.solved_started) +
         both(s.iterations_cold, count) + both(s.iterations_started, count) +
         fmt::format("<td>{}</td>", ratio(s.iterations_started, s.iterations_cold)) +
         both(s.ms_cold, milliseconds) + both(s.ms_started, milliseconds) +
         fmt::format("<td>{}</td></tr>\n", ratio(s.ms_started, s.ms_cold));
}

}  // namespace

std::string sequence_section(const std::vector<Record>& records) {
  const std::vector<Line> lines = lines_of(records);
  if (lines.empty()) return "";
  std::string out =
      "<h2>Sequences: cold and warm starts</h2>\n<p>The problems of a sequence one after the "
      "other: <em>cold</em>, from zero, and <em>warm</em>, each from the same solver's "
      "answer to the problem before it (<em>stored</em>: from the start that the problem holds). "
      "Iterations and times (of setup and solve) are of the problems that both solved; the ratio "
      "is that of the "
      "totals, and below 1 the start helps. Solvers that refuse all of a sequence are left "
      "out.</p>\n<div class=\"scroll\"><table>\n"
      "<tr><th class=\"text\" rowspan=\"2\">solver</th><th class=\"text\" rowspan=\"2\">start</th>"
      "<th rowspan=\"2\">problems</th><th class=\"group\" colspan=\"2\">solved</th>"
      "<th class=\"group\" colspan=\"2\">iterations cold</th><th class=\"group\" colspan=\"2\">"
      "started</th><th rowspan=\"2\">ratio</th><th class=\"group\" colspan=\"2\">ms cold</th>"
      "<th class=\"group\" colspan=\"2\">started</th><th rowspan=\"2\">ratio</th></tr>\n"
      "<tr><th class=\"group\">cold</th><th>started</th>";
  for (int k = 0; k < 4; ++k) out += "<th class=\"group\">median</th><th>total</th>";
  out += "</tr>\n";
  std::string title, lost;
  for (const Line& line : lines) {
    const std::string name = line.suite + ": " + line.sequence;
    if (name != title) {
      title = name;
      out += fmt::format("<tr class=\"suite\"><td class=\"text\" colspan=\"15\">{}</td></tr>\n",
                         escape(title));
    }
    const Sums s = sums_of(line);
    out += row_of(line, s);
    std::vector<std::string> names;
    for (const Record* r : s.lost) {
      names.push_back(fmt::format("{} {}{}", escape(r->instance), escape(r->outcome),
                                  r->message.empty() ? "" : " (" + escape(r->message) + ")"));
    }
    if (names.empty()) continue;
    lost += fmt::format("<li>{}, {}; {}: {}</li>\n", escape(line.solver), escape(line.mode),
                        escape(name), fmt::join(names, "; "));
  }
  out += "</table></div>\n";
  if (lost.empty()) return out + "<p>No start lost a problem that was solved cold.</p>\n";
  return out + "<p>Solved cold, but not from the start:</p>\n<ul>\n" + lost + "</ul>\n";
}

}  // namespace perp
