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

// What --size and --param of a family or scene may be.
std::string choices_of(const Json& item) {
  std::string text;
  if (item.contains("members") && !item["members"].empty())
    text = fmt::format("--member such as {}, of {} (perp list families --json)",
                       item["members"][0]["name"].get_ref<const std::string&>(),
                       item["members"].size());
  else if (item.contains("size"))
    text = fmt::format("--size {} (default {})", item["size"].get_ref<const std::string&>(),
                       item["default_size"].get<int>());
  if (!item.contains("parameters") || item["parameters"].empty()) return text;
  text += text.empty() ? "--param" : "; --param";
  const char* before = " ";
  for (const Json& p : item["parameters"]) {
    text += fmt::format("{}{}={:.6g}", before, p["name"].get_ref<const std::string&>(),
                        p["default"].get<double>());
    before = ", ";
  }
  return text;
}

// Names, and behind them their summaries; below these, how they are written or chosen.
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
    if (const std::string choices = choices_of(item); !choices.empty()) print("", choices);
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
