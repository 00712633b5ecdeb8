#include <perp/bench/comparison/comparison.hpp>

#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>
#include <perp/bench/harness/json_numbers.hpp>
#include <perp/problems/json/text.hpp>

namespace perp {

using Json = nlohmann::ordered_json;

namespace {

// gained, slower and faster problems that are listed; lost ones are all listed
constexpr std::size_t kNamedProblems = 10;

std::string seconds_text(double seconds) {
  if (!std::isfinite(seconds)) return "no time";
  if (seconds >= 1.0) return fmt::format("{:.3g} s", seconds);
  return seconds >= 1e-3 ? fmt::format("{:.3g} ms", 1e3 * seconds)
                         : fmt::format("{:.3g} us", 1e6 * seconds);
}

std::string state_text(const ProblemState& s) {
  std::string text = s.outcome;
  if (s.right > 0 && s.right < s.rounds)
    text += fmt::format(" (right in {} of {} rounds)", s.right, s.rounds);
  text += s.is_solved() ? " in " : " after ";
  text += seconds_text(s.seconds);
  if (!s.is_solved() && std::isfinite(s.residual))
    text += fmt::format(", residual {:.1e}", s.residual);
  if (!s.is_solved() && !s.message.empty()) text += fmt::format(", {}", shown(s.message, 200));
  return text;
}

std::string change_line(const char* what, const ComparedGroup& g, const ProblemChange& p) {
  return fmt::format(
      "{}: {}, {}, {}: {} -> {}{}\n", what, shown(g.suite), shown(g.solver), shown(p.instance),
      state_text(p.before), state_text(p.after),
      p.near_limit ? " (near the limit: it took more than half of the time limit before)" : "");
}

std::string lines_of(const char* what, const ComparedGroup& g,
                     const std::vector<ProblemChange>& changes, std::size_t most) {
  std::string out;
  for (std::size_t k = 0; k < changes.size() && k < most; ++k)
    out += change_line(what, g, changes[k]);
  if (changes.size() > most) {
    out += fmt::format("{}: {}, {}: and {} more\n", what, shown(g.suite), shown(g.solver),
                       changes.size() - most);
  }
  return out;
}

std::string run_line(const char* name, const RunFacts& run) {
  return fmt::format("{}  {}: {} round{}, {} records, {}\n", name, shown(run.path, 300), run.rounds,
                     run.rounds == 1 ? "" : "s", run.records,
                     shown(fmt::format("{}", fmt::join(run.programs, " | ")), 300));
}

std::string band_text(const Band& band) {
  if (!std::isfinite(band.high)) return "not known";
  return fmt::format("{:.2f} to {:.2f}", band.low, band.high);
}

std::string table(const Comparison& c) {
  constexpr const char* kLine =
      "{:<18} {:<26} {:>5} {:>6} {:>6} {:>6} {:>5} {:>6} {:>6} {:>8} {:>15} {:>7} {:>7} {:>8}";
  std::string out =
      fmt::format(fmt::runtime(kLine), "suite", "solver", "both", "solved", "now", "gained", "lost",
                  "wrong", "timed", "new/old", "band", "slower", "faster", "times") +
      "\n";
  for (const ComparedGroup& g : c.groups) {
    const bool timed = g.time.timed > 0;
    out +=
        fmt::format(fmt::runtime(kLine), shown(g.suite), shown(g.solver), g.compared,
                    g.solved_before, g.solved_after, g.gained.size(), g.lost.size(), g.wrong.size(),
                    g.time.timed, timed ? fmt::format("{:.3f}", g.time.band.ratio) : "-",
                    timed ? band_text(g.time.band) : "-", g.slower.size(), g.faster.size(),
                    to_string(g.time.verdict)) +
        "\n";
  }
  return out;
}

std::string left_out(const ComparedGroup& g) {
  std::string out;
  const std::string place = fmt::format("{}, {}", shown(g.suite), shown(g.solver));
  if (g.only_before + g.only_after > 0) {
    out += fmt::format("in one run alone: {}: {} of OLD, {} of NEW", place, g.only_before,
                       g.only_after);
    if (g.same_name > 0)
      out += fmt::format("; {} have the same name in both, but other content", g.same_name);
    if (g.wrong_alone > 0) out += fmt::format("; {} of NEW are refuted claims", g.wrong_alone);
    out += "\n";
  }
  if (g.time.too_short > 0) {
    out += fmt::format("too short to compare (below {:g} us): {}: {} problems\n",
                       1e6 * kLeastCompared, place, g.time.too_short);
  }
  return out;
}

// "contact-lcp lemke 1.31, qp auto 1.12" or "none".
std::string groups_with(const Comparison& c, TimeVerdict verdict) {
  std::string text;
  for (const ComparedGroup& g : c.groups) {
    if (g.time.verdict != verdict) continue;
    text += fmt::format("{}{} {} x {:.2f}", text.empty() ? "" : ", ", shown(g.suite),
                        shown(g.solver), g.time.band.ratio);
  }
  return text.empty() ? "none" : text;
}

Json state_json(const ProblemState& s) {
  return {{"outcome", s.outcome},
          {"rounds", s.rounds},
          {"right", s.right},
          {"out_of_time", s.out_of_time},
          {"refuted", s.refuted},
          {"seconds", finite_or_null(s.seconds)},
          {"residual", finite_or_null(s.residual)},
          {"message", s.message}};
}

Json changes_json(const std::vector<ProblemChange>& changes) {
  Json list = Json::array();
  for (const ProblemChange& p : changes) {
    list.push_back({{"instance", p.instance},
                    {"old", state_json(p.before)},
                    {"new", state_json(p.after)},
                    {"near_limit", p.near_limit},
                    {"ratio", finite_or_null(p.ratio)}});
  }
  return list;
}

Json facts_json(const RunFacts& run) {
  return {{"path", run.path},         {"rounds", run.rounds},     {"records", run.records},
          {"repeated", run.repeated}, {"programs", run.programs}, {"compilers", run.compilers},
          {"machines", run.machines}, {"limits", run.limits}};
}

Json group_json(const ComparedGroup& g) {
  Json time{{"verdict", to_string(g.time.verdict)},
            {"timed", g.time.timed},
            {"too_short", g.time.too_short},
            {"ratio", nullptr},
            {"band", nullptr}};
  if (g.time.timed > 0) {
    time["ratio"] = finite_or_null(g.time.band.ratio);
    if (std::isfinite(g.time.band.high))
      time["band"] = {finite_or_null(g.time.band.low), finite_or_null(g.time.band.high)};
  }
  return {{"suite", g.suite},
          {"solver", g.solver},
          {"compared", g.compared},
          {"only_old", g.only_before},
          {"only_new", g.only_after},
          {"same_name", g.same_name},
          {"wrong_alone", g.wrong_alone},
          {"solved", {g.solved_before, g.solved_after}},
          {"proven", {g.proven_before, g.proven_after}},
          {"time", time},
          {"gained", changes_json(g.gained)},
          {"lost", changes_json(g.lost)},
          {"wrong", changes_json(g.wrong)},
          {"uneven", changes_json(g.uneven)},
          {"slower", changes_json(g.slower)},
          {"faster", changes_json(g.faster)}};
}

}  // namespace

std::string comparison_text(const Comparison& c) {
  std::string out = run_line("OLD", c.before) + run_line("NEW", c.after);
  for (const std::string& note : c.notes) out += note + "\n";
  const int rounds = std::min(c.before.rounds, c.after.rounds);
  if (rounds < kRoundsThatTell) {
    out += fmt::format(
        "with fewer than {} rounds the noise between runs is not known, and only large changes are "
        "named\n",
        kRoundsThatTell);
    if (std::abs(std::log(c.common)) > 0.02) {
      out += fmt::format(
          "all groups changed by a ratio of {:.2f} together, which may come from the machine: a "
          "group must change by more to count\n",
          c.common);
    }
  }
  out += fmt::format("\n{}\n", table(c));
  std::size_t gained = 0, slower = 0, faster = 0;
  for (const ComparedGroup& g : c.groups) {
    out += lines_of("lost", g, g.lost, g.lost.size());
    out += lines_of("wrong", g, g.wrong, g.wrong.size());
    gained += g.gained.size();
    slower += g.slower.size();
    faster += g.faster.size();
  }
  for (const ComparedGroup& g : c.groups) {
    out += lines_of("gained", g, g.gained, kNamedProblems);
    out += lines_of("uneven", g, g.uneven, kNamedProblems);
    out += lines_of("slower", g, g.slower, kNamedProblems);
    out += lines_of("faster", g, g.faster, kNamedProblems);
    out += left_out(g);
  }
  out += fmt::format("lost {}, wrong {}, gained {}; slower: {}; faster: {}", c.lost(), c.wrong(),
                     gained, groups_with(c, TimeVerdict::kSlower),
                     groups_with(c, TimeVerdict::kFaster));
  return out + fmt::format("; single problems: {} slower, {} faster\n", slower, faster);
}

Json comparison_json(const Comparison& c) {
  Json groups = Json::array();
  for (const ComparedGroup& g : c.groups) groups.push_back(group_json(g));
  return {{"format", "perp-comparison"},
          {"version", 1},
          {"old", facts_json(c.before)},
          {"new", facts_json(c.after)},
          {"notes", c.notes},
          {"common", finite_or_null(c.common)},
          {"lost", c.lost()},
          {"wrong", c.wrong()},
          {"groups", groups}};
}

}  // namespace perp
