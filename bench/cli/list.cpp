#include <perp/bench/cli/commands.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <perp/bench/data/scenes.hpp>
#include <perp/bench/harness/suite.hpp>
#include <perp/bench/peers/catalogue.hpp>
#include <perp/bench/studies/study.hpp>
#include <perp/formulations/formulation.hpp>
#include <perp/problems/families/family.hpp>
#include <perp/solvers/plans.hpp>
#include <perp/solvers/registry.hpp>
#include <perp/solvers/strategies/strategy.hpp>

namespace perp::cli {

namespace {

using Json = nlohmann::ordered_json;

const std::vector<std::string> kTopics = {"solvers",  "strategies",   "plans",
                                          "peers",    "formulations", "scenes",
                                          "families", "suites",       "studies"};

Json list_of(const std::string& topic) {
  Json items = Json::array();
  if (topic == "solvers") {
    for (const SolverFactory& make : solver_registry()) {
      const std::unique_ptr<Solver> solver = make();
      const SolverTraits& t = solver->traits();
      Json settings = Json::array();
      for (const SettingText& s : list_settings(*solver)) {
        settings.push_back(
            {{"name", s.name}, {"default", s.value}, {"doc", s.doc}, {"range", s.range}});
      }
      items.push_back({{"name", t.name},
                       {"summary", t.summary},
                       {"kinds", t.kinds},
                       {"max_size", t.max_size},
                       {"uses_start", t.uses_start},
                       {"source", t.source},
                       {"settings", settings}});
    }
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
  } else if (topic == "suites") {
    for (const Suite& s : list_suites())
      items.push_back({{"name", s.name}, {"summary", s.description}});
  } else if (topic == "studies") {
    for (const Study& s : list_studies())
      items.push_back({{"name", s.name}, {"summary", s.title}, {"description", s.description}});
  }
  if (topic == "formulations") {
    for (const FormulationEntry& f : formulation_registry()) {
      items.push_back({{"name", f.name}, {"summary", f.summary}, {"source", f.source}});
    }
  } else if (topic == "scenes") {
    for (const SceneEntry& s : list_scenes()) {
      items.push_back({{"name", s.name}, {"summary", s.description}});
    }
  }
  return items;
}

}  // namespace

void add_list(CLI::App& app, int& code) {
  struct Options {
    std::string topic;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "list",
      "List solvers, strategies, plans of auto, peers, formulations, scenes, families, suites or "
      "studies");
  verb->add_option("topic", options->topic, "what to list; all where left out")
      ->check(CLI::IsMember(kTopics));
  verb->add_flag("--json", options->json, "print one JSON document");
  verb->footer("Example: perp list families");
  verb->callback([options, &code] {
    std::vector<std::string> topics =
        options->topic.empty() ? kTopics : std::vector<std::string>{options->topic};
    if (options->topic == "solvers") topics.push_back("peers");
    if (options->json) {
      Json document = Json::object();
      for (const std::string& topic : topics) document[topic] = list_of(topic);
      std::cout << document.dump(2) << '\n';
    } else {
      for (const std::string& topic : topics) {
        const Json items = list_of(topic);
        if (topic == "peers" && items.empty() && options->topic != topic) continue;
        if (topics.size() > 1) std::cout << topic << ":\n";
        for (const Json& item : items) {
          std::cout << fmt::format("  {:<21} {}\n", item["name"].get<std::string>(),
                                   item["summary"].get<std::string>());
          for (const char* more : {"usage", "solver"}) {
            if (item.contains(more))
              std::cout << fmt::format("  {:<21} {}\n", "", item[more].get<std::string>());
          }
        }
        if (items.empty()) std::cout << "  (none)\n";
      }
    }
    code = kDone;
  });
}

}  // namespace perp::cli
