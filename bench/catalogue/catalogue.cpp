#include <perp/bench/catalogue/catalogue.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <perp/bench/data/scenes.hpp>
#include <perp/bench/harness/registered_solvers.hpp>
#include <perp/bench/harness/suite.hpp>
#include <perp/bench/peers/catalogue.hpp>
#include <perp/bench/plugins/plugin.hpp>
#include <perp/bench/studies/study.hpp>
#include <perp/formulations/law/law.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/problems/families/family.hpp>
#include <perp/solvers/plans.hpp>
#include <perp/solvers/registry.hpp>
#include <perp/solvers/strategies/strategy.hpp>

namespace perp {

namespace {

using Json = nlohmann::ordered_json;

Json settings_json(const std::vector<SettingText>& list) {
  Json settings = Json::array();
  for (const SettingText& s : list)
    settings.push_back(
        {{"name", s.name}, {"default", s.value}, {"doc", s.doc}, {"range", s.range}});
  return settings;
}

// The names of a composition if it has any; else a description.
std::string summary_of(const Composition& composition) {
  std::vector<std::string> names;
  for (const FormulationEntry& f : formulation_registry()) {
    if (f.composition != composition) continue;
    names.emplace_back(f.name);
    for (const auto& [key, value] : f.fixed) names.back() += fmt::format(" ({}={})", key, value);
  }
  if (!names.empty()) return fmt::format("{}", fmt::join(names, ", "));
  std::string summary;
  for (const LawEntry& law : contact_laws()) {
    if (law.name == composition.law) summary = law.summary;
  }
  for (const SteppingEntry& stepping : steppings()) {
    if (stepping.name != composition.stepping) continue;
    summary += summary.empty() ? "" : "; ";
    summary += stepping.summary;
  }
  return summary;
}

Json list_of_families() {
  Json items = Json::array();
  for (const Family& f : families()) {
    Json parameters = Json::array();
    for (const FamilyParameter& p : f.parameters) {
      parameters.push_back({{"name", p.name}, {"default", p.value}, {"doc", p.doc}});
    }
    Json members = Json::array();
    for (const FamilyMember& m : f.members) {
      members.push_back({{"name", m.name},
                         {"summary", m.summary},
                         {"source", m.source},
                         {"size", m.size_doc},
                         {"default_size", m.default_size},
                         {"sizes", m.min_size > 0 ? "any" : "one"}});
    }
    items.push_back({{"name", f.name},
                     {"summary", f.summary},
                     {"size", f.size_doc},
                     {"default_size", f.default_size},
                     {"seeded", f.seeded},
                     {"known", to_string(f.outcome)},
                     {"source", f.source},
                     {"parameters", parameters},
                     {"members", members}});
  }
  return items;
}

Json list_of_models(const std::string& topic) {
  Json items = Json::array();
  if (topic == "formulations") {
    for (const FormulationEntry& f : formulation_registry()) {
      items.push_back({{"name", f.name},
                       {"summary", f.summary},
                       {"source", f.source},
                       {"gap", f.composition.gap},
                       {"law", f.composition.law},
                       {"stepping", f.composition.stepping},
                       {"kinds", kinds_of(f.composition)},
                       {"settings", settings_json(formulation_settings(std::string(f.name)))}});
    }
  } else if (topic == "compositions") {
    for (const Composition& c : compositions()) {
      items.push_back({{"name", c.text()},
                       {"summary", summary_of(c)},
                       {"kinds", kinds_of(c)},
                       {"settings", settings_json(formulation_settings(c.text()))}});
    }
  }
  return items;
}

Json solver_json(Solver& solver) {
  const SolverTraits& t = solver.traits();
  return {{"name", t.name},
          {"summary", t.summary},
          {"kinds", t.kinds},
          {"max_size", t.max_size},
          {"uses_start", t.uses_start},
          {"source", t.source},
          {"settings", settings_json(list_settings(solver))}};
}

}  // namespace

const std::vector<std::string>& catalogue_topics() {
  static const std::vector<std::string> topics = {
      "solvers",      "strategies", "plans",    "peers",  "formulations",
      "compositions", "scenes",     "families", "suites", "studies"};
  return topics;
}

nlohmann::ordered_json catalogue(const std::string& topic) {
  Json items = Json::array();
  if (topic == "solvers") {
    for (const SolverFactory& make : solver_registry()) items.push_back(solver_json(*make()));
    for (const auto& plugin : plugins()) {
      items.push_back(solver_json(*make_plugin_solver(*plugin)));
      items.back()["plugin"] = plugin->file;
    }
    for (const RegisteredSolver* own : registered_solvers())
      items.push_back(solver_json(*own->make()));
  } else if (topic == "strategies") {
    for (const StrategyEntry& s : strategies())
      items.push_back({{"name", s.name}, {"summary", s.summary}, {"usage", s.usage}});
  } else if (topic == "plans") {
    for (const Plan& p : plans())
      items.push_back({{"name", p.name}, {"summary", p.when}, {"solver", p.text}});
  } else if (topic == "peers") {
    for (const Peer& peer : available_peers()) {
      const SolverTraits& t = peer.traits;
      items.push_back({{"name", t.name},
                       {"summary", t.summary},
                       {"kinds", t.kinds},
                       {"uses_start", t.uses_start},
                       {"source", t.source},
                       {"program", program_of(peer)}});
    }
  } else if (topic == "families") {
    return list_of_families();
  } else if (topic == "suites") {
    for (const Suite& s : list_suites())
      items.push_back({{"name", s.name}, {"summary", s.description}});
  } else if (topic == "studies") {
    for (const Study& s : list_studies())
      items.push_back({{"name", s.name}, {"summary", s.title}, {"description", s.description}});
  }
  if (topic == "formulations" || topic == "compositions") {
    return list_of_models(topic);
  } else if (topic == "scenes") {
    for (const SceneEntry& s : list_scenes()) {
      Json parameters = Json::array();
      for (const auto& [name, value] : s.parameters)
        parameters.push_back({{"name", name}, {"default", value}});
      items.push_back({{"name", s.name}, {"summary", s.description}, {"parameters", parameters}});
    }
  }
  return items;
}

}  // namespace perp
