#include <perp/bench/cli/commands.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <perp/bench/catalogue/catalogue.hpp>

namespace perp::cli {

namespace {

using Json = nlohmann::ordered_json;

// Names, and behind them their summaries; below these, how they are written.
void print_items(const Json& items) {
  std::size_t width = 21;
  for (const Json& item : items)
    width = std::max(width, item["name"].get_ref<const std::string&>().size());
  const auto print = [&](const std::string& name, const std::string& text) {
    std::string line = fmt::format("  {:<{}} {}", name, width, text);
    while (line.ends_with(' ')) line.pop_back();
    std::cout << line << '\n';
  };
  for (const Json& item : items) {
    print(item["name"], item["summary"]);
    for (const char* more : {"usage", "solver"}) {
      if (item.contains(more)) print("", item[more]);
    }
  }
}

// auto is no method, so the catalogue of solvers does not have it.
Json line_of_auto() {
  Json item = Json::object();
  item["name"] = "auto";
  item["summary"] =
      "the default: chooses a plan of several solvers for the problem (perp list plans)";
  return item;
}

}  // namespace

void add_list(CLI::App& app, int& code) {
  struct Options {
    std::string topic;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("list",
                                      "List solvers, strategies, plans of auto, peers, "
                                      "formulations, compositions, scenes, families, "
                                      "suites or studies");
  verb->add_option("topic", options->topic, "what to list; all if left out")
      ->check(CLI::IsMember(catalogue_topics()));
  verb->add_flag("--json", options->json, "print one JSON document");
  add_plugin_option(*verb);
  verb->footer("Example: perp list families");
  verb->callback([options, &code] {
    std::vector<std::string> topics =
        options->topic.empty() ? catalogue_topics() : std::vector<std::string>{options->topic};
    if (options->topic == "solvers") topics.push_back("peers");
    if (options->topic == "formulations") topics.push_back("compositions");
    if (options->json) {
      Json document = Json::object();
      for (const std::string& topic : topics) document[topic] = catalogue(topic);
      std::cout << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    } else {
      for (const std::string& topic : topics) {
        Json items = catalogue(topic);
        if (topic == "peers" && items.empty() && options->topic != topic) continue;
        if (topics.size() > 1) std::cout << topic << ":\n";
        if (topic == "solvers") items.insert(items.begin(), line_of_auto());
        print_items(items);
        if (items.empty()) std::cout << "  (none)\n";
      }
    }
    code = kDone;
  });
}

}  // namespace perp::cli
