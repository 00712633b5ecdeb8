#include <perp/bench/report/html.hpp>

#include <fmt/format.h>
#include <map>
#include <perp/bench/report/markup.hpp>
#include <perp/bench/report/sections.hpp>
#include <perp/bench/report/summary.hpp>
#include <set>

namespace perp {

namespace {

constexpr const char* kStyle = R"(
  :root { color-scheme: light dark; --line: #8885; --soft: #8881; --good: #2a7d46; --bad: #b3261e; }
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 86rem; margin: 2rem auto;
         padding: 0 1rem; }
  h1 { font-size: 1.7rem; margin-bottom: 0; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
  p.lead { margin-top: .3rem; opacity: .8; }
  table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
  th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--line);
           white-space: nowrap; }
  th { border-bottom-width: 2px; } td.text, th.text { text-align: left; }
  td.wrap { white-space: normal; }
  tr:nth-child(even) td { background: var(--soft); }
  .all { color: var(--good); font-weight: 600; } .some { color: var(--bad); font-weight: 600; }
  th { vertical-align: bottom; } td.best { font-weight: 700; }
  th.group { white-space: normal; max-width: 16rem; overflow-wrap: anywhere; }
  th.group, td.group { padding-left: 1.6rem; } th[colspan] { text-align: center; }
  .narrow th, .narrow td { padding-left: .4rem; padding-right: .4rem; }
  .narrow th.group, .narrow td.group { padding-left: .9rem; }
  tr.suite td { font-weight: 600; padding-top: .8rem; background: none !important; }
  .scroll { overflow-x: auto; } code { font-size: .9em; } p { max-width: 60rem; }
  .figures { display: flex; flex-wrap: wrap; gap: .5rem 1.2rem; }
  figure { margin: .4rem 0; }
  figure svg { width: 100%; height: auto; display: block; }
  .missing { opacity: .75; font-style: italic; }
)";

std::string join_set(const std::set<std::string>& values) {
  return escape(fmt::format("{}", fmt::join(values, "; ")));
}

std::string machine_section(const std::vector<Record>& records) {
  std::set<std::string> cpus, systems, compilers, versions;
  for (const Record& r : records) {
    cpus.insert(fmt::format("{} ({} cores)", r.cpu, r.cores));
    systems.insert(r.system);
    compilers.insert(r.compiler);
    versions.insert(r.version);
  }
  return fmt::format(
      "<h2>Machine and versions</h2>\n<table>\n<tr><td class=\"text\">processor</td><td "
      "class=\"text\">{}</td></tr>\n"
      "<tr><td class=\"text\">system</td><td class=\"text\">{}</td></tr>\n"
      "<tr><td class=\"text\">compiler</td><td class=\"text\">{}</td></tr>\n"
      "<tr><td class=\"text\">perp</td><td class=\"text\">{}</td></tr>\n</table>\n",
      join_set(cpus), join_set(systems), join_set(compilers), join_set(versions));
}

std::string heads(const std::vector<std::pair<const char*, const char*>>& columns) {
  std::string out = "<tr>";
  for (const auto& [title, kind] : columns)
    out += fmt::format("<th{}>{}</th>", *kind ? fmt::format(" class=\"{}\"", kind) : "", title);
  return out + "</tr>\n";
}

std::string settings_section(const std::vector<Record>& records) {
  std::map<std::string, std::set<std::string>> by_solver;
  std::set<std::string> tolerances, limits;
  for (const Record& r : records) {
    by_solver[r.solver].insert(r.settings == "{}" ? "defaults" : r.settings);
    tolerances.insert(fmt::format("{:g}", r.tolerance));
    limits.insert(r.time_limit > 0 ? fmt::format("{:g} s", r.time_limit) : "not recorded");
  }
  std::string out = "<h2>Solvers and settings</h2>\n<table>\n" +
                    heads({{"solver", "text"}, {"settings", "text"}});
  for (const auto& [solver, settings] : by_solver) {
    out += fmt::format("<tr><td class=\"text\">{}</td><td class=\"text\">{}</td></tr>\n",
                       escape(solver), join_set(settings));
  }
  out += fmt::format(
      "</table>\n<p>Tolerance {} on the verifier's measure (natural residual of the problem as "
      "posed, absolute). A solver whose claim is refuted is asked again at a tenth, a hundredth "
      "and "
      "a thousandth of it, and the run that was granted is the one that is timed. Time limit of a "
      "run: {}. One thread a solve, every solve in a process of its own, every sequence in one. "
      "Times are of setup and solve together unless it says otherwise: from the problem in memory "
      "to the answer, reductions included, verification not; medians of repeats.</p>\n",
      join_set(tolerances), join_set(limits));
  return out;
}

std::string suite_section(const std::vector<Record>& records) {
  std::string out =
      "<h2>Results by suite</h2>\n<p>Solvers that refuse all problems of a line are left out. "
      "Times (of setup and solve together, and of the solve alone), residuals and counts are of "
      "the solved runs. <em>Vacuous</em>: of the "
      "solved ones, problems whose tolerance the projection of zero, or of the start, meets "
      "already. "
      "<em>Proven</em>: no solution, by a certificate that was checked. <em>Gave "
      "up</em>: on problems known to have no solution. <em>Asked for less</em>: how many of the "
      "solved ones were granted only when the solver was asked for a part of the tolerance.</p>\n";
  std::string suite;
  for (const GroupSummary& g : summarise(records)) {
    if (g.unsupported == g.runs) continue;
    if (g.suite != suite) {
      if (!suite.empty()) out += "</table></div>\n";
      suite = g.suite;
      out += fmt::format("<h3>{}</h3>\n<div class=\"scroll\"><table>\n", escape(suite)) +
             heads({{"problems", "text"},
                    {"size", ""},
                    {"n", ""},
                    {"solver", "text"},
                    {"solved", ""},
                    {"vacuous", ""},
                    {"proven", ""},
                    {"gave up", ""},
                    {"wrong", ""},
                    {"median ms", ""},
                    {"10 – 90 % ms", ""},
                    {"solve ms", ""},
                    {"asked for less", "text"},
                    {"worst residual", ""},
                    {"pivots", ""},
                    {"ties", ""},
                    {"factorisations", ""}});
    }
    const bool all = g.solved + g.proven + g.gave_up == g.runs;
    out += fmt::format(
        "<tr><td class=\"text\">{}</td><td>{}</td><td>{}</td><td class=\"text\">{}</td>"
        "<td class=\"{}\">{} / {}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td>{}</td><td>{}</td><td>{} – {}</td><td>{}</td><td class=\"text\">{}</td><td>{}</td>"
        "<td>{}</td><td>{}</td><td>{}</td></tr>\n",
        escape(g.group), g.size > 0 ? fmt::format("{}", g.size) : "", range(g.n_min, g.n_max),
        escape(g.solver), all ? "all" : "some", g.solved, g.runs, g.vacuous, g.proven, g.gave_up,
        g.wrong, milliseconds(g.median_ms), milliseconds(g.low_ms), milliseconds(g.high_ms),
        milliseconds(g.solve_median_ms), tightened_text(g),
        g.solved > 0 ? fmt::format("{:.1e}", g.worst_residual) : "–", count(g.median_iterations),
        count(g.median_ties), count(g.median_factorisations));
  }
  if (!suite.empty()) out += "</table></div>\n";
  return out;
}

std::string failure_section(const std::vector<Record>& records) {
  const std::vector<FailureSummary> list = failures(records);
  std::string out = "<h2>Failures by cause</h2>\n";
  if (list.empty())
    return out +
           "<p>None: every run was solved, proven to have no solution, or gave up on a problem "
           "that "
           "has none.</p>\n";
  out += "<div class=\"scroll\"><table>\n" + heads({{"runs", ""},
                                                    {"solver", "text"},
                                                    {"outcome", "text"},
                                                    {"problems", "text"},
                                                    {"message", "text"},
                                                    {"for example", "text"}});
  for (const FailureSummary& f : list) {
    out += fmt::format(
        "<tr><td>{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td>"
        "<td class=\"text\">{}</td><td class=\"text wrap\">{}</td>"
        "<td class=\"text wrap\">{}</td></tr>\n",
        f.count, escape(f.solver), escape(f.outcome), escape(f.group), escape(f.message),
        escape(fmt::format("{}", fmt::join(f.examples, ", "))));
  }
  return out + "</table></div>\n";
}

std::string limitations_section() {
  return "<h2>Known limitations</h2>\n<ul>\n"
         "<li>Times on a shared machine are noisy: compare rows of one report, and trust ratios "
         "above 1.5.</li>\n"
         "<li>A ray of Lemke's method proves nothing unless M is of a class for which it does; "
         "<em>infeasible</em> always carries a certificate that was checked.</li>\n"
         "<li><em>Gave up</em> says nothing for a solver: that a problem has no solution is known "
         "of "
         "its family, not from the run.</li>\n</ul>\n";
}

std::string lead(const std::vector<Record>& records,
                 const std::vector<SimulationGroup>& simulations) {
  int solved = 0, wrong = 0;
  std::size_t runs = 0;
  for (const Record& r : records) {
    solved += r.outcome == "solved";
    wrong += r.outcome == "wrong";
  }
  for (const SimulationGroup& group : simulations) runs += group.runs.size();
  std::vector<std::string> parts;
  if (!records.empty()) {
    parts.push_back(
        fmt::format("{} runs, {} solved and verified, {} wrong", records.size(), solved, wrong));
  }
  if (runs > 0)
    parts.push_back(fmt::format("{} recorded simulation{}", runs, runs == 1 ? "" : "s"));
  return fmt::format("<p class=\"lead\">{}.</p>\n", fmt::join(parts, "; "));
}

std::string repeated_note(std::size_t left_out) {
  if (left_out == 0) return "";
  return fmt::format(
      "<p>{} older record{} of runs that were made again left out: same problem, solver, settings, "
      "start, tolerance and limits.</p>\n",
      left_out, left_out == 1 ? "" : "s");
}

}  // namespace

std::string report_html(const std::vector<Record>& all,
                        const std::vector<SimulationGroup>& simulations,
                        const std::vector<ClaimTable>& claims,
                        const std::vector<StudyTable>& tables, const std::string& title) {
  const std::vector<Record> records = one_each(all);
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n{2}",
      escape(title), kStyle, lead(records, simulations));
  if (!records.empty()) {
    const std::vector<Record> main = main_records(records);
    page += repeated_note(all.size() - records.size()) + comparison_section(main) +
            yardstick_section(main) + sequence_section(records) + profile_section(main) +
            scaling_section(main) + sequence_scaling_section(main) + suite_section(records) +
            failure_section(records);
  }
  page += claims_section(claims) + tables_section(tables) + simulation_section(simulations);
  if (!records.empty()) {
    page += settings_section(records) + machine_section(records) + limitations_section();
  }
  return page + "</body>\n</html>\n";
}

}  // namespace perp
