#include <perp/bench/cli/collection.hpp>

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <perp/bench/cli/commands.hpp>
#include <perp/bench/cli/outputs.hpp>
#include <perp/bench/collection/collection.hpp>
#include <perp/bench/processes/interrupt.hpp>
#include <perp/problems/json/text.hpp>

namespace perp::cli {

namespace {

void print(const CollectionSummary& summary) {
  const auto line = [](const std::string& kind, const CollectionCounts& c) {
    std::cout << fmt::format("{:<17}{:>10}{:>8}{:>8}{:>6}\n", kind, c.instances, c.solved, c.proofs,
                             c.open);
  };
  std::cout << fmt::format("{:<17}{:>10}{:>8}{:>8}{:>6}\n", "kind", "instances", "solved", "proofs",
                           "open");
  for (const auto& [kind, counts] : summary.kinds) line(kind, counts);
  line("all", summary.all);
}

// The line of progress on a terminal, which is gone before anything else is said.
class ProgressLine {
 public:
  ProgressLine() { show("making the instances ..."); }
  ~ProgressLine() { show(""); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const std::string& text) const {
    if (terminal_) std::cerr << "\r\033[K" << text << std::flush;
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
};

CollectionSummary export_with_progress(const CollectionRequest& request) {
  const ProgressLine line;
  return export_collection(
      request, [&line](int done, int total, const std::string& name, std::string_view label) {
        line.show(fmt::format("{}/{} {} {}", done, total, shown(name), label));
      });
}

}  // namespace

void add_collection_options(CLI::App& verb, CollectionOptions& options) {
  verb.add_option("--collection", options.folder,
                  "write a whole set of instances with verified answers, an index and checksums "
                  "to this folder, which is empty or new; no names are given");
  verb.add_option("--recipe", options.recipe,
                  "collection: a suite or suite file that tells its instances (default: perp's "
                  "own recipe)");
  verb.add_flag("--quick", options.quick,
                "collection: leave out the entries of the recipe of tier \"full\"");
  verb.add_flag("--overwrite", options.overwrite,
                "collection: replace the collection that is there");
}

void check_collection_options(const std::set<std::string>& given) {
  if (given.contains("--collection")) {
    for (const std::string& option : given) {
      static const std::set<std::string> kOwn = {"--collection", "--recipe", "--quick",
                                                 "--overwrite", "--gzip"};
      if (!kOwn.contains(option))
        throw std::invalid_argument(fmt::format("{}: does not go with --collection", option));
    }
    return;
  }
  for (const char* option : {"--recipe", "--quick", "--overwrite"}) {
    if (given.contains(option))
      throw std::invalid_argument(fmt::format("{}: only goes with --collection", option));
  }
  if (!given.contains("NAME")) throw std::invalid_argument("NAME is required");
  if (!given.contains("--output")) throw std::invalid_argument("-o,--output is required");
}

int write_collection(const CollectionOptions& options, bool gzip) {
  CollectionRequest request;
  request.folder = options.folder;
  request.recipe = options.recipe;
  request.quick = options.quick;
  request.overwrite = options.overwrite;
  request.gzip = gzip;
  if (request.folder.empty()) throw std::invalid_argument("--collection: names no folder");
  expect_folder(request.folder);
  const InterruptGuard guard;
  const CollectionSummary summary = export_with_progress(request);
  if (summary.interrupted) {
    std::cerr << fmt::format("perp: interrupted; {} is as it was\n", shown(request.folder));
    return kNotSolved;
  }
  for (const std::string& note : summary.notes) std::cerr << "perp: " << message_line(note) << '\n';
  for (const std::string& name : summary.by_clock) {
    std::cerr << fmt::format(
        "perp: {}: ended by the time limit; another export may end otherwise there\n", shown(name));
  }
  print(summary);
  std::cerr << fmt::format("{} files, {:.1f} MB; index in {}\n", summary.files,
                           static_cast<double>(summary.bytes) / 1e6,
                           (std::filesystem::path(request.folder) / "index.json").string());
  return kDone;
}

}  // namespace perp::cli
