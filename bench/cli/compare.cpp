// The verb that sets one build against another.
#include <perp/bench/cli/commands.hpp>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <perp/bench/comparison/comparison.hpp>

namespace perp::cli {

void add_compare(CLI::App& app, int& code) {
  struct CompareOptions {
    std::string before, after;
    double noise = -1.0;
    bool json = false;
  };
  auto o = std::make_shared<CompareOptions>();
  CLI::App* verb = app.add_subcommand(
      "compare", "Tell what a new build gained, lost, made faster or slower, with bands");
  verb->add_option("OLD", o->before,
                   "folder that perp bench wrote, or one with such folders round-*, or a file of "
                   "records")
      ->required();
  verb->add_option("NEW", o->after, "the same of the new build")->required();
  verb->add_option("--noise", o->noise,
                   "percent that times of one build may differ by from run to run beyond what the "
                   "records tell; if left out 10, and 3 from three rounds on")
      ->check(nonnegative());
  verb->add_flag("--json", o->json, "print one JSON document");
  verb->footer(
      "Example: perp compare results/old results/new\n"
      "Exit codes: 0 nothing is lost, 1 a problem is lost or a new claim is refuted, 2 bad input.");
  verb->callback([o, &code] {
    BandOptions options;
    if (o->noise >= 0) options.allowance = o->noise / 100.0;
    const Comparison comparison =
        compare_runs(read_rounds(o->before), read_rounds(o->after), options);
    if (o->json) {
      std::cout << json_text(comparison_json(comparison)) << '\n';
    } else {
      std::cout << comparison_text(comparison);
    }
    code = comparison.lost() + comparison.wrong() > 0 ? kNotSolved : kDone;
  });
}

}  // namespace perp::cli
