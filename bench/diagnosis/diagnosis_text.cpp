// A diagnosis as JSON and as text.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <perp/bench/diagnosis/diagnosis.hpp>
#include <perp/bench/harness/json_numbers.hpp>
#include <perp/bench/harness/result_json.hpp>
#include <perp/bench/harness/words.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/json/text.hpp>

namespace perp {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kWidth = 60;           // most characters of a drawn trace
constexpr std::size_t kMostChangedRows = 8;  // most rows of a change that are listed
constexpr int kSmallEnough = 12;             // most unknowns of a problem that is printed

Json names(const Problem& problem, const std::vector<int>& rows) {
  Json list = Json::array();
  for (const int row : rows) list.push_back(problem.variable_name(row));
  return list;
}

Json causes_json(const Problem& problem, const std::vector<Cause>& causes) {
  Json list = Json::array();
  for (const Cause& c : causes)
    list.push_back({{"what", c.what}, {"text", c.text}, {"rows", names(problem, c.rows)}});
  return list;
}

// Draws a trace by bars with the heights of its logarithms. If iterations share a character, the
// least value counts.
std::string drawing(const std::vector<double>& values) {
  static const std::array<const char*, 8> bars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<double> columns;
  const std::size_t count = std::min(values.size(), kWidth);
  for (std::size_t k = 0; k < count; ++k) {
    const auto from = values.begin() + static_cast<long>(k * values.size() / count);
    const auto to = values.begin() + static_cast<long>((k + 1) * values.size() / count);
    const double least = *std::min_element(from, to);
    columns.push_back(least > 0 && std::isfinite(least) ? std::log10(least) : -17.0);
  }
  if (columns.empty()) return "";
  const auto [low, high] = std::minmax_element(columns.begin(), columns.end());
  std::string text;
  for (const double c : columns) {
    const double height = *high > *low ? (c - *low) / (*high - *low) : 0.0;
    text += bars[static_cast<std::size_t>(std::lround(7 * height))];
  }
  return text;
}

std::string mend_text(const Problem& problem, const Mend& m) {
  std::string text;
  if (m.what == "q") {
    text = fmt::format("a change of q by {:.4g} in all:", m.amount);
    for (std::size_t k = 0; k < std::min(m.rows.size(), kMostChangedRows); ++k)
      text += fmt::format(" {} {:+.4g}", shown(problem.variable_name(m.rows[k].first)),
                          m.rows[k].second);
    if (m.rows.size() > kMostChangedRows)
      text += fmt::format(" and {} more", m.rows.size() - kMostChangedRows);
  } else if (m.what == "compliance") {
    text = fmt::format("a compliance of {:.1e}, added to the diagonal", m.amount);
  } else {
    text = fmt::format("every mu times {:.2f}", m.amount);
  }
  return text + (m.solved ? " (solved and verified then)" : " (needed, but not solved then)");
}

}  // namespace

Json diagnosis_to_json(const Problem& problem, const Diagnosis& d) {
  Json j{{"format", "perp-diagnosis"},
         {"version", 1},
         {"problem", problem.name},
         {"kind", problem.kind()},
         {"n", problem.size()},
         {"solved", d.solved},
         {"auto_solves", d.auto_solves ? Json(*d.auto_solves) : Json()},
         {"causes", causes_json(problem, d.causes)},
         {"mends", Json::array()},
         {"solvers", Json::array()}};
  for (const Mend& m : d.mends) {
    Json rows = Json::array();
    for (const auto& [row, change] : m.rows)
      rows.push_back({{"name", problem.variable_name(row)}, {"change", change}});
    j["mends"].push_back(
        {{"what", m.what}, {"amount", m.amount}, {"rows", rows}, {"solved", m.solved}});
  }
  for (const SolverDiagnosis& s : d.solvers) {
    Json trace = Json::array();
    for (const double value : s.trace.values) trace.push_back(finite_or_null(value));
    Json one{
        {"result", result_to_json(problem, s.solver, s.result)},
        {"causes", causes_json(problem, s.causes)},
        {"trace", {{"of", s.trace.of}, {"iterations", s.trace.iterations}, {"values", trace}}}};
    if (s.smallest) one["smallest"] = Json::parse(problem_to_text(*s.smallest), nullptr, false);
    j["solvers"].push_back(std::move(one));
  }
  return j;
}

std::string diagnosis_text(const Problem& problem, const Diagnosis& d) {
  std::string text =
      fmt::format("{}: {}, n = {}\n", problem.name.empty() ? "(no name)" : shown(problem.name),
                  problem.kind(), problem.size());
  for (const SolverDiagnosis& s : d.solvers) {
    const VerifiedResult& r = s.result;
    text +=
        fmt::format("{}: {}{}, {} iterations", shown(s.solver), to_string(r.status),
                    r.claimed != r.status ? fmt::format(" (claimed {})", to_string(r.claimed)) : "",
                    r.iterations);
    if (!std::isnan(r.verdict.measure)) text += fmt::format(", residual {:.1e}", r.verdict.measure);
    if (r.verdict.residuals.worst_index >= 0)
      text += fmt::format(", worst at {}", shown(worst_in_words(problem, r.verdict.residuals)));
    text += '\n';
    if (!r.message.empty()) text += "  says          " + message_line(r.message) + '\n';
    if (s.trace.values.size() > 1)
      text += fmt::format("  {:<13} {} {:.1e} to {:.1e}\n", s.trace.of, drawing(s.trace.values),
                          s.trace.values.front(), s.trace.values.back());
    for (const Cause& c : s.causes)
      text += fmt::format("  {:<13} {}\n", c.what, message_line(c.text));
    if (s.smallest) {
      text += fmt::format("  smallest      n = {} still ends so", s.smallest->size());
      if (s.smallest->size() < std::min(problem.size(), kSmallEnough)) text += " (--json has it)";
      text += '\n';
    }
  }
  if (d.auto_solves.value_or(false)) text += "auto solves it\n";
  if (!d.causes.empty()) text += "the problem:\n";
  for (const Cause& c : d.causes)
    text += fmt::format("  {:<13} {}\n", c.what, message_line(c.text));
  if (!d.mends.empty()) text += "what would mend it:\n";
  for (const Mend& m : d.mends) text += "  " + mend_text(problem, m) + '\n';
  return text;
}

}  // namespace perp
