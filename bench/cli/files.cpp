// The verbs that write problems: export and convert.
#include <perp/bench/cli/commands.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <perp/problems/families/family.hpp>
#include <perp/problems/io/problem_file.hpp>

namespace perp::cli {

namespace fs = std::filesystem;

namespace {

struct ExportOptions {
  std::vector<std::string> names, parameters;
  std::int64_t seed = 1;
  int size = 0, seeds = 1;
  std::string kind, format = "perp", folder;
  bool gzip = false;
};

void export_families(const ExportOptions& o) {
  if (o.format != "perp")
    throw std::invalid_argument(
        fmt::format("--format: \"{}\" cannot be written; there is: perp", o.format));
  const std::map<std::string, double> parameters = read_parameters(o.parameters);
  std::vector<const Family*> chosen;  // all are known before the first file is written
  for (const std::string& name : o.names) {
    chosen.push_back(&find_family(name));
    check_request(*chosen.back(), o.size, parameters);
  }
  if (o.seed > std::numeric_limits<std::int64_t>::max() - o.seeds) {
    throw std::invalid_argument(
        fmt::format("--seed: {} is too large for {} seeds", o.seed, o.seeds));
  }
  std::error_code error;
  fs::create_directories(o.folder, error);
  if (error) throw InputError(fmt::format("{}: cannot be created ({})", o.folder, error.message()));
  for (const Family* family : chosen) {
    for (int k = 0; k < o.seeds; ++k) {
      const Problem problem =
          generate(*family, o.size, static_cast<std::uint64_t>(o.seed + k), parameters);
      if (!o.kind.empty() && o.kind != problem.kind()) {
        throw std::invalid_argument(
            fmt::format("--kind: {} gives {}, not {}", family->name, problem.kind(), o.kind));
      }
      const fs::path path = fs::path(o.folder) / (problem.name + (o.gzip ? ".json.gz" : ".json"));
      write_problem(problem, path.string());
      std::cout << path.string() << '\n';
      if (!family->seeded) break;
    }
  }
}

}  // namespace

std::map<std::string, double> read_parameters(const std::vector<std::string>& texts) {
  std::map<std::string, double> parameters;
  for (const auto& [key, text] : split_pairs(texts, "--param")) {
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      throw std::invalid_argument(
          fmt::format("--param {}: \"{}\" is not a finite number", key, text));
    }
    parameters[key] = value;
  }
  return parameters;
}

void add_export(CLI::App& app, int& code) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* verb = app.add_subcommand("export", "Write members of families as problem files");
  verb->add_option("FAMILY", options->names, "families (see perp list families)")->required();
  verb->add_option("--size", options->size, "size in the family's own unit; 0: its default")
      ->check(nonnegative());
  verb->add_option("--seed", options->seed, "seed of the first member")
      ->check(nonnegative())
      ->capture_default_str();
  verb->add_option("--seeds", options->seeds, "number of members, with seeds that follow")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  verb->add_option("--param", options->parameters, "a parameter of the family, KEY=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--kind", options->kind, "kind of problem to write (default: the family's own)");
  verb->add_option("--format", options->format, "format to write")->capture_default_str();
  verb->add_flag("--gzip", options->gzip, "write .json.gz");
  verb->add_option("-o,--output", options->folder, "folder, made where it does not exist")
      ->required();
  verb->footer(
      "Example: perp export contact-stack contact-pile --size 20 --seed 1 --seeds 3 -o instances\n"
      "Prints the names of the files it wrote.");
  verb->callback([options, &code] {
    export_families(*options);
    code = kDone;
  });
}

void add_convert(CLI::App& app, int& code) {
  struct ConvertOptions {
    std::string in, out, from, to;
  };
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* verb =
      app.add_subcommand("convert", "Convert a problem file from one format to another");
  verb->add_option("IN", options->in, "file to read; - for standard input")->required();
  verb->add_option("OUT", options->out, "file to write")->required();
  std::string reads, writes;
  for (const FormatInfo& f : problem_formats()) {
    reads += fmt::format("{}{} ({})", reads.empty() ? "" : ", ", f.name, f.endings);
    if (f.writes) writes += fmt::format("{}{} ({})", writes.empty() ? "" : ", ", f.name, f.endings);
  }
  verb->add_option("--from", options->from, "format of IN, by its ending where left out: " + reads);
  verb->add_option("--to", options->to, "format of OUT, by its ending where left out: " + writes);
  verb->footer(
      "Example: perp convert problems/collections/siconos/text/lcp_mmc.dat lcp_mmc.json.gz");
  verb->callback([options, &code] {
    write_problem(read_problem(options->in, options->from), options->out, options->to);
    code = kDone;
  });
}

}  // namespace perp::cli
