// An analysis as JSON and as text.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <perp/bench/analysis/analysis.hpp>
#include <perp/bench/harness/structure_json.hpp>
#include <perp/problems/json/text.hpp>

namespace perp {

using Json = nlohmann::ordered_json;

namespace {

// relative width up to which an interval is shown as one number
constexpr double kShownAsPoint = 1e-6;
constexpr std::size_t kShownLines = 40;  // lines of a list in the text

// JSON has no infinity.
Json extended_number(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return std::isnan(value) ? Json() : Json(value);
}

Json range_json(const Interval& range) {
  return Json::array({extended_number(range.low), extended_number(range.high)});
}

bool is_point(const Interval& range) {
  return std::isfinite(range.low) && std::isfinite(range.high) &&
         range.is_point(kShownAsPoint * std::max(1.0, std::abs(range.low)));
}

std::string range_text(double value, const Interval& range) {
  if (is_point(range)) return fmt::format("{:.6g}", value);
  const auto end = [](double x) {
    return std::isnan(x) ? std::string("not found") : fmt::format("{:.6g}", x);
  };
  return fmt::format("{:.6g} of [{}, {}]", value, end(range.low), end(range.high));
}

std::string determinacy_text(const Analysis& a) {
  switch (a.determinacy) {
    case Determinacy::kNone:
      return "there is no solution: a checked certificate proves it";
    case Determinacy::kUnique:
      return "the only solution";
    case Determinacy::kSet:
      return a.how == "enumeration"
                 ? fmt::format("one of {} solutions", a.solutions.size())
                 : fmt::format("one of a convex set of solutions, of dimension {} at most",
                               a.dimension);
    case Determinacy::kSubset:
      return a.how == "enumeration"
                 ? fmt::format("one of infinitely many solutions with {} extreme point{}",
                               a.solutions.size(), a.solutions.size() == 1 ? "" : "s")
                 : fmt::format(
                       "one of a convex set of solutions with {}, of dimension {} at most; "
                       "others are not excluded",
                       a.how, a.dimension);
    case Determinacy::kLocal:
      return a.how == "the same velocities"
                 ? "no other impulses give these velocities; other velocities are not excluded"
                 : "no other solution near it; others further away are not excluded";
    case Determinacy::kUndecided:
      break;
  }
  return a.verdict.solved ? "whether there are others is not known"
                          : "nothing, because the point is no solution";
}

}  // namespace

Json analysis_to_json(const Problem& problem, const Analysis& a) {
  Json j{{"format", "perp-analysis"}, {"version", 1}, {"problem", problem.name}};
  j.update(structure_to_json(analyse(problem)));
  j["answer"] = {{"solved", a.verdict.solved},
                 {"measure", extended_number(a.verdict.measure)},
                 {"tolerance", a.verdict.tolerance},
                 {"zero_below", a.tolerance}};
  j["condition"] = extended_number(a.condition);
  j["active_condition"] = extended_number(a.active_condition);
  j["determinacy"] = {{"what", to_string(a.determinacy)},
                      {"how", a.how},
                      {"dimension", a.dimension},
                      {"text", determinacy_text(a)},
                      {"impulses", a.impulses > 0 ? Json(a.impulses) : Json()},
                      {"programs", a.programs}};
  j["determinacy"]["solutions"] = Json::array();
  for (const Vector& z : a.solutions)
    j["determinacy"]["solutions"].push_back(std::vector<double>(z.begin(), z.end()));
  j["contact_states"] = Json::array();
  for (const ContactState& c : a.contacts) {
    Json impulse = Json::array();
    for (const Ranged& r : c.impulse)
      impulse.push_back({{"name", r.name}, {"value", r.value}, {"range", range_json(r.range)}});
    j["contact_states"].push_back({{"name", c.name},
                                   {"state", c.state},
                                   {"margin", extended_number(c.margin)},
                                   {"impulse", impulse}});
  }
  j["unknowns"] = Json::array();
  for (int i = 0; i < a.answer.z.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    Json u{{"name", problem.variable_name(i)}, {"value", extended_number(a.answer.z[i])}};
    if (at < a.rows.size()) {
      u["map"] = extended_number(a.rows[at].map);
      u["state"] = a.rows[at].state;
      u["margin"] = extended_number(a.rows[at].margin);
    }
    if (at < a.ranges.size()) u["range"] = range_json(a.ranges[at]);
    j["unknowns"].push_back(std::move(u));
  }
  return j;
}

std::string analysis_text(const Problem& problem, const Analysis& a) {
  const ProblemStructure structure = analyse(problem);
  std::string text =
      fmt::format("{}: {}, n = {}\n", problem.name.empty() ? "(no name)" : shown(problem.name),
                  problem.kind(), problem.size());
  text += fmt::format("  class         {}\n", structure.problem_class);
  for (const MatrixStructure& m : structure.matrices) {
    if (m.rank >= 0) text += fmt::format("  rank of {:<5} {} of {}\n", m.name, m.rank, m.rows);
  }
  if (!std::isnan(a.condition)) {
    text += fmt::format("  condition     {:.1e}; of the rows between their bounds {:.1e}\n",
                        a.condition, a.active_condition);
  }
  if (a.answer.z.size() > 0)
    text += fmt::format("  answer        {}, residual {:.1e}\n",
                        a.verdict.solved ? "solves it" : "does NOT solve it", a.verdict.measure);
  text += fmt::format("  determinacy   {}", determinacy_text(a));
  if (a.impulses > 1) text += fmt::format("; {} differ in impulses", a.impulses);
  text += '\n';
  const auto count = [&](std::string_view state) {
    return std::count_if(a.contacts.begin(), a.contacts.end(),
                         [&](const ContactState& c) { return c.state == state; });
  };
  if (!a.contacts.empty()) {
    text += "  contacts     ";
    for (const char* state : {"stick", "slide", "closed", "open", "undecidable"})
      if (count(state) > 0) text += fmt::format(" {} {}", count(state), state);
    text += '\n';
  }
  std::size_t lines = 0;
  for (const ContactState& c : a.contacts) {
    if (lines++ == kShownLines) {
      text += fmt::format("    ... {} more (--json has all)\n", a.contacts.size() - kShownLines);
      break;
    }
    text += fmt::format("    {:<24} {:<11} margin {:.2e} ", shown(c.name), c.state, c.margin);
    for (const Ranged& r : c.impulse)
      text += fmt::format(" {} {}", r.name, range_text(r.value, r.range));
    text += '\n';
  }
  lines = 0;
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    const bool free = i < a.ranges.size() && !is_point(a.ranges[i]);
    if (a.rows[i].state != "biactive" && !(free && a.contacts.empty())) continue;
    if (lines++ == kShownLines) {
      text += "    ... (--json has all)\n";
      break;
    }
    text += fmt::format("    {:<24} {:<11} ", shown(a.rows[i].name), a.rows[i].state);
    text += i < a.ranges.size() ? range_text(a.rows[i].value, a.ranges[i])
                                : fmt::format("{:.6g}", a.rows[i].value);
    text += '\n';
  }
  return text;
}

}  // namespace perp
