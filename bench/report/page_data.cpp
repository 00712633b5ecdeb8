#include <perp/bench/report/page_data.hpp>

#include <fmt/format.h>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <perp/bench/report/chart.hpp>
#include <perp/bench/report/solver_labels.hpp>
#include <perp/bench/report/summary.hpp>
#include <set>
#include <tuple>

namespace perp {

using Json = nlohmann::ordered_json;

namespace {

// A list of different words, in the order of their first use.
class Words {
 public:
  int place_of(const std::string& word) {
    const auto [it, is_new] = places_.emplace(word, static_cast<int>(words_.size()));
    if (is_new) words_.push_back(word);
    return it->second;
  }
  Json list() const { return words_; }

 private:
  std::map<std::string, int> places_;
  std::vector<std::string> words_;
};

// The same flags as in records.js.
enum Flag : int {
  kRight = 1,
  kRefused = 2,
  kKnownEnd = 4,
  kGaveUp = 8,
  kVacuous = 16,
  kOwnTimes = 32,
  kMain = 64
};

int flags_of(const Record& r, bool is_main) {
  return (is_right(r) ? kRight : 0) | (r.outcome == "unsupported" ? kRefused : 0) |
         (has_known_end(r) ? kKnownEnd : 0) | (gave_up(r) ? kGaveUp : 0) |
         (r.vacuous ? kVacuous : 0) | (r.own_times ? kOwnTimes : 0) | (is_main ? kMain : 0);
}

// Four digits are enough for a time.
Json four_digits(double value) {
  if (!std::isfinite(value)) return nullptr;
  return rounded_to(value, 4);
}

Json joined(const std::set<std::string>& values) {
  return fmt::format("{}", fmt::join(values, "; "));
}

Json about(const std::vector<Record>& records) {
  if (records.empty()) return nullptr;
  std::set<std::string> cpus, systems, compilers, versions, tolerances, limits;
  std::map<std::string, std::set<std::string>> settings;
  for (const Record& r : records) {
    cpus.insert(fmt::format("{} ({} cores)", r.cpu, r.cores));
    systems.insert(r.system);
    compilers.insert(r.compiler);
    versions.insert(r.version);
    tolerances.insert(fmt::format("{:g}", r.tolerance));
    limits.insert(r.time_limit > 0 ? fmt::format("{:g} s", r.time_limit) : "not recorded");
    const bool in_name = r.solver.find(':') != std::string::npos;  // NAME:KEY=VALUE, strategies
    settings[r.solver].insert(r.settings != "{}" ? r.settings
                              : in_name          ? "defaults but for those in the name"
                                                 : "defaults");
  }
  Json list = Json::array();
  for (const auto& [solver, texts] : settings) list.push_back({solver, joined(texts)});
  return {{"tolerances", tolerances},
          {"limits", limits},
          {"machine", Json::array({{"processor", joined(cpus)},
                                   {"system", joined(systems)},
                                   {"compiler", joined(compilers)},
                                   {"perp", joined(versions)}})},
          {"settings", list}};
}

Json claim_data(const std::vector<ClaimTable>& tables) {
  Json list = Json::array();
  for (const ClaimTable& table : tables) {
    Json claims = Json::array();
    for (const Claim& c : table.claims)
      claims.push_back({{"claim", c.claim},
                        {"experiment", c.experiment},
                        {"measured", c.measured},
                        {"verdict", c.verdict}});
    list.push_back({{"title", table.title}, {"caption", table.caption}, {"claims", claims}});
  }
  return list;
}

Json table_data(const std::vector<StudyTable>& tables) {
  Json list = Json::array();
  for (const StudyTable& table : tables)
    list.push_back({{"title", table.title},
                    {"caption", table.caption},
                    {"head", table.head},
                    {"rows", table.rows},
                    {"missing", table.missing}});
  return list;
}

}  // namespace

Json record_data(const std::vector<Record>& records) {
  if (records.empty()) return nullptr;
  static const std::vector<std::string> kColumns = {
      "suite",    "group",      "problem", "kind",     "solver",   "base",      "mode",
      "outcome",  "claimed",    "message", "worst",    "settings", "size",      "n",
      "contacts", "position",   "total",   "solve",    "residual", "tolerance", "asked",
      "limit",    "iterations", "llt",     "flags",    "id",       "label",     "memory",
      "source",   "given",      "plugin",  "imported", "machine",  "repeats"};
  std::set<std::string> from_zero;  // suites on which solvers are compared with starts from zero
  for (const Record& r : records) {
    if (r.mode == "zero") from_zero.insert(r.suite);
  }
  // Problems may have the same name: members of a family with other parameters, files in two
  // folders.
  std::map<std::tuple<std::string, std::string, std::string, int>, int> ids;
  Words suites, groups, problems, kinds, solvers, modes, outcomes, messages, settings, machines;
  const std::vector<std::string> names = solver_names(records);
  Json rows = Json::array();
  for (std::size_t k = 0; k < records.size(); ++k) {
    const Record& r = records[k];
    const bool is_main = r.mode == "zero" || !from_zero.contains(r.suite);
    const int id = ids.try_emplace({r.instance_hash, r.instance, r.sequence, r.position},
                                   static_cast<int>(ids.size()))
                       .first->second;
    rows.push_back(Json::array(
        {suites.place_of(r.suite),
         groups.place_of(group_of(r)),
         problems.place_of(r.instance),
         kinds.place_of(r.kind),
         solvers.place_of(names[k]),
         solvers.place_of(r.solver),
         modes.place_of(r.mode),
         outcomes.place_of(r.outcome),
         outcomes.place_of(r.claimed),
         messages.place_of(r.message),
         messages.place_of(r.worst),
         settings.place_of(r.settings),
         r.size,
         r.n,
         r.contacts,
         r.position,
         four_digits(r.total),
         four_digits(r.solve),
         four_digits(r.natural),
         r.tolerance,
         r.asked,
         r.time_limit,
         r.iterations,
         four_digits(r.llt),
         flags_of(r, is_main),
         id,
         settings.place_of(r.label),
         r.memory_limit,
         settings.place_of(r.source),
         settings.place_of(r.given),
         settings.place_of(r.plugin),
         settings.place_of(r.imported),
         machines.place_of(fmt::format("{} ({} cores), {}", r.cpu, r.cores, r.compiler)),
         r.repeats.size()}));
  }
  return {{"words",
           {{"suites", suites.list()},
            {"groups", groups.list()},
            {"problems", problems.list()},
            {"kinds", kinds.list()},
            {"solvers", solvers.list()},
            {"modes", modes.list()},
            {"outcomes", outcomes.list()},
            {"messages", messages.list()},
            {"settings", settings.list()},
            {"machines", machines.list()}}},
          {"columns", kColumns},
          {"rows", rows}};
}

Json page_data(const std::vector<Record>& all, const std::vector<SimulationGroup>& simulations,
               const std::vector<ClaimTable>& claims, const std::vector<StudyTable>& tables,
               const std::string& title, const Json& earlier) {
  const std::vector<Record> records = one_each(all);
  Json groups = Json::array();
  ReplayRoom room;
  for (const SimulationGroup& group : simulations) groups.push_back(simulation_data(group, room));
  return {{"title", title},
          {"left_out", all.size() - records.size()},
          {"records", record_data(records)},
          {"about", about(records)},
          {"claims", claim_data(claims)},
          {"tables", table_data(tables)},
          {"history", earlier},
          {"simulations", groups}};
}

}  // namespace perp
