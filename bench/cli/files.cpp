// The verbs that write problems: export and convert.
#include <perp/bench/cli/commands.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <perp/bench/cli/collection.hpp>
#include <perp/bench/cli/outputs.hpp>
#include <perp/bench/cli/problem_input.hpp>
#include <perp/bench/data/scenes.hpp>
#include <perp/bench/harness/scene_problems.hpp>
#include <perp/bench/simulation/recorder.hpp>
#include <perp/formulations/registry.hpp>
#include <perp/problems/families/family.hpp>
#include <perp/problems/io/file_names.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/problems/io/sequence.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/solvers/reduced_problem.hpp>
#include <set>

namespace perp::cli {

namespace fs = std::filesystem;

namespace {

struct ExportOptions {
  std::vector<std::string> names, parameters, members;
  std::int64_t seed = 1;
  int size = 0, seeds = 1;
  std::string kind, format = "perp", folder, formulation, steps = "1:1", driver = "time-stepping";
  double step = 0.0;
  bool gzip = false, sequence = false;
  CollectionOptions collection;
  std::set<std::string> given;  // which of the options
};

std::string formulation_for(const ExportOptions& o, const Scene& scene) {
  return o.formulation.empty() ? default_formulation(scene) : o.formulation;
}

bool is_family(const std::string& name) {
  return std::any_of(families().begin(), families().end(),
                     [&](const Family& f) { return f.name == name; });
}

// All problems of an export are kept until the last step is done.
constexpr int kMostSteps = 100'000;

ProblemSelection read_steps(const std::string& text) {
  ProblemSelection steps;
  try {
    steps = ProblemSelection::parse(text);
  } catch (const std::invalid_argument&) {
  }
  if (steps.kind != ProblemSelection::Kind::kRange || steps.first < 1) {
    throw std::invalid_argument(fmt::format("--steps: \"{}\" is not A:B with 1 <= A <= B", text));
  }
  if (steps.last - steps.first >= kMostSteps)
    throw std::invalid_argument(
        fmt::format("--steps: \"{}\" has more than {} steps", text, kMostSteps));
  return steps;
}

// Only formats that can be written.
const FormatInfo& find_format(const std::string& name) {
  std::string known;
  for (const FormatInfo& format : problem_formats()) {
    if (!format.can_write()) continue;
    if (format.name == name) return format;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", format.name);
  }
  throw std::invalid_argument(
      fmt::format("--format: \"{}\" cannot be written; there is: {}", name, known));
}

void write_file(const ExportOptions& o, const Problem& problem) {
  make_folder(o.folder);
  const std::string file = fmt::format("{}{}{}", file_name_of(problem.name),
                                       find_format(o.format).ending(), o.gzip ? ".gz" : "");
  const fs::path path = fs::path(o.folder) / file;
  for (const std::string& written : write_problem(problem, path.string(), o.format))
    std::cout << written << '\n';
}

// The problems of a scene's time steps, as files or as one sequence. @return false if the scene
// could not be brought to the last step.
bool export_scene(const ExportOptions& o, const Scene& scene) {
  const ProblemSelection steps = read_steps(o.steps);
  SceneProblemsRequest request;
  request.formulation = o.formulation;
  request.driver = driver_from(o.driver);
  request.step = o.step;
  request.first = steps.first;
  request.last = steps.last;
  const auto [problems, source, unsolved_step, why] = scene_problems(scene, request);
  if (unsolved_step > 0) {
    std::cerr << message_line(fmt::format(
                     "perp: {}: step {} could not be solved ({}); the steps up to it are written",
                     shown(scene.name), unsolved_step, why))
              << '\n';
  }
  if (problems.empty() && unsolved_step == 0) {
    std::cerr << message_line(fmt::format(
                     "perp: {}: steps {} to {} pose no problem (no contact, no joint); others: "
                     "--steps A:B",
                     shown(scene.name), steps.first, steps.last))
              << '\n';
  }
  for (const Problem& problem : problems) {
    if (!o.kind.empty() && o.kind != problem.kind()) {
      throw std::invalid_argument(
          fmt::format("--kind: {} gives {}, not {}", scene.name, problem.kind(), o.kind));
    }
  }
  make_folder(o.folder);
  if (o.sequence) {
    const fs::path path =
        fs::path(o.folder) / (file_name_of(scene.name) + (o.gzip ? ".jsonl.gz" : ".jsonl"));
    write_text_file(path.string(), sequence_to_text(scene.name, source, problems));
    std::cout << path.string() << '\n';
    return unsolved_step == 0;
  }
  for (const Problem& problem : problems) write_file(o, problem);
  return unsolved_step == 0;
}

// What is to be made of the families named, checked before the first file is written.
struct FamilyMembers {
  const Family* family;
  std::vector<std::string> members;  // {""} if they have no names
};

// The family of that name, or the one that has its scenes as problems of the kind asked for.
const Family& family_of_kind(const std::string& name, const std::string& kind) {
  const Family& family = find_family(name);
  const auto sibling = family.siblings.find(kind);
  return sibling == family.siblings.end() ? family : find_family(sibling->second);
}

FamilyMembers members_of(const Family& family, const ExportOptions& o,
                         const std::map<std::string, double>& parameters) {
  FamilyMembers chosen{&family, {""}};
  if (!family.members.empty() || !o.members.empty()) {
    chosen.members =
        match_members(family, o.members.empty() ? std::vector<std::string>{"*"} : o.members);
  }
  for (const std::string& member : chosen.members) {
    check_request(family, o.size, parameters, member);
  }
  return chosen;
}

// All members of a family are of the kind of the first one, which is made to see it: so a family of
// another kind is refused before the members of others are written.
void expect_kind(const ExportOptions& o, const std::vector<FamilyMembers>& all,
                 const std::map<std::string, double>& parameters) {
  if (o.kind.empty()) return;
  for (const auto& [family, members] : all) {
    const std::string_view kind =
        generate(*family, o.size, static_cast<std::uint64_t>(o.seed), parameters, members.front())
            .kind();
    if (kind != o.kind)
      throw std::invalid_argument(
          fmt::format("--kind: {} gives {}, not {}", family->name, kind, o.kind));
  }
}

void export_family(const ExportOptions& o, const FamilyMembers& chosen,
                   const std::map<std::string, double>& parameters) {
  const Family& family = *chosen.family;
  for (const std::string& member : chosen.members) {
    for (int k = 0; k < (family.seeded ? o.seeds : 1); ++k)
      write_file(
          o, generate(family, o.size, static_cast<std::uint64_t>(o.seed + k), parameters, member));
  }
}

// An option that nothing of what is named takes is a mistake.
void check_options(const ExportOptions& o, bool scenes, const std::vector<FamilyMembers>& chosen) {
  const auto refuse = [&o](const std::vector<const char*>& options, const char* why) {
    for (const char* option : options) {
      if (o.given.contains(option)) throw std::invalid_argument(fmt::format("{}: {}", option, why));
    }
  };
  if (!scenes)
    refuse({"--formulation", "--step", "--driver", "--steps", "--sequence"},
           "only scenes have time steps, and no scene is named");
  if (chosen.empty()) {
    refuse({"--size", "--seed", "--seeds", "--member"}, "only families have it, and none is named");
  } else if (std::none_of(chosen.begin(), chosen.end(),
                          [](const FamilyMembers& m) { return m.family->seeded; })) {
    refuse({"--seed", "--seeds"}, "nothing is random in the families that are named");
  }
}

bool export_names(const ExportOptions& o) {
  find_format(o.format);
  if (o.sequence && o.format != "perp") {
    throw std::invalid_argument("--sequence: a sequence is written in format perp only");
  }
  const std::map<std::string, double> parameters = read_parameters(o.parameters);
  std::vector<FamilyMembers> chosen;
  std::vector<Scene> scenes;
  read_steps(o.steps);
  for (const std::string& name : o.names) {
    if (!is_family(name)) {
      try {
        scenes.push_back(load_scene(name, parameters));
      } catch (const InputError& fault) {
        if (is_scene(name)) throw;
        throw InputError(fmt::format("{}; perp list families shows the families", fault.what()));
      }
      if (const auto why =
              refusal_of(*make_formulation(formulation_for(o, scenes.back())), scenes.back()))
        throw InputError(fmt::format("{}: {}", name, *why));
      continue;
    }
    chosen.push_back(members_of(family_of_kind(name, o.kind), o, parameters));
  }
  check_options(o, !scenes.empty(), chosen);
  expect_kind(o, chosen, parameters);
  expect_folder(o.folder);
  if (o.seed > std::numeric_limits<std::int64_t>::max() - o.seeds) {
    throw std::invalid_argument(
        fmt::format("--seed: {} is too large for {} seeds", o.seed, o.seeds));
  }
  bool complete = true;
  for (const Scene& scene : scenes) complete &= export_scene(o, scene);
  for (const FamilyMembers& members : chosen) export_family(o, members, parameters);
  return complete;
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
  CLI::App* verb = app.add_subcommand(
      "export",
      "Write members of families, or time steps of scenes, as problem files; or a collection");
  verb->add_option("NAME", options->names,
                   "families, scenes or scene files (see perp list families, perp list scenes)");
  verb->add_option(
          "--formulation", options->formulation,
          "scenes: NAME or GAP+LAW+STEPPING, then :option=value,... (default: the scene's)")
      ->capture_default_str();
  verb->add_option("--step", options->step, "scenes: step size in s (default: the scene's)")
      ->check(positive());
  verb->add_option("--driver", options->driver,
                   "scenes: time-stepping, or event-driven, whose segments and impacts are steps")
      ->check(CLI::IsMember({"time-stepping", "event-driven"}))
      ->capture_default_str();
  verb->add_option("--steps", options->steps, "scenes: the steps to write, A:B, both included")
      ->capture_default_str();
  verb->add_flag("--sequence", options->sequence, "scenes: one perp-sequence (.jsonl), not files");
  verb->add_option("--size", options->size, "size in the family's own unit; 0: its default")
      ->check(whole_number(0));
  verb->add_option("--seed", options->seed, "seed of the first member")
      ->check(whole_number(0, std::numeric_limits<std::int64_t>::max()))
      ->capture_default_str();
  verb->add_option("--seeds", options->seeds, "number of members, with seeds that follow")
      ->check(whole_number(1, 1000000))
      ->capture_default_str();
  verb->add_option("--member", options->members,
                   "families with named members: those that match a pattern (default: all)")
      ->allow_extra_args(false);
  verb->add_option("--param", options->parameters, "a parameter of the family or scene, KEY=VALUE")
      ->allow_extra_args(false);
  verb->add_option(
      "--kind", options->kind,
      "kind of problem to write (default: the family's own); contact-stack, contact-tower and "
      "contact-pile have friction_contact too");
  verb->add_option("--format", options->format, "format to write: perp, mof, nl, fclib or mtx")
      ->capture_default_str();
  verb->add_flag("--gzip", options->gzip, "pack the files: .json.gz");
  verb->add_option("-o,--output", options->folder, "folder, made if it does not exist");
  add_collection_options(*verb, options->collection);
  verb->footer(
      "Examples: perp export contact-stack contact-pile --size 20 --seed 1 --seeds 3 -o instances\n"
      "          perp export box-stack --param rows=5 --steps 1:20 --sequence -o instances\n"
      "          perp export mcp-classics --member 'kojima-*' -o instances\n"
      "          perp export --collection collection --quick\n"
      "Prints the names of the files it wrote; of a collection the numbers of instances.");
  verb->callback([options, verb, &code] {
    for (const CLI::Option* option : verb->get_options()) {
      if (option->count() > 0) options->given.insert(option->get_name());
    }
    check_collection_options(options->given);
    if (options->given.contains("--collection")) {
      code = write_collection(options->collection, options->gzip);
    } else {
      code = export_names(*options) ? kDone : kNotSolved;
    }
  });
}

namespace {

struct ConvertOptions : ProblemInput {
  std::string out, to, as;
};

// That writes files whose names begin with that of OUT.
bool is_matrix_market(const ConvertOptions& o) {
  return o.to == "mtx" || (o.to.empty() && (o.out.ends_with(".mtx") || o.out.ends_with(".mtx.gz")));
}

Problem problem_to_convert(const ConvertOptions& o) {
  Problem problem = o.read_input();
  if (o.as.empty()) return problem;
  try {
    const std::string file = o.file == "-" ? "" : fs::path(o.file).filename().string();
    return reduced_problem(problem, o.as, to_utf8(file));
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: --as {}: {}", o.file, o.as, error.what()));
  }
}

}  // namespace

void add_convert(CLI::App& app, int& code) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* verb =
      app.add_subcommand("convert", "Convert a problem file to another format, or another kind");
  add_problem_input(*verb, *options, "IN");
  verb->add_option("OUT", options->out, "file to write; - for standard output")->required();
  std::string reads, writes;
  for (const FormatInfo& f : problem_formats()) {
    if (f.read)
      reads += fmt::format("{}{} ({})", reads.empty() ? "" : ", ", f.name, f.endings_text());
    if (f.can_write())
      writes += fmt::format("{}{} ({})", writes.empty() ? "" : ", ", f.name, f.endings_text());
  }
  verb->get_option("--from")->description("format of IN, by its ending if left out: " + reads);
  verb->add_option("--to", options->to, "format of OUT, by its ending if left out: " + writes);
  verb->add_option(
      "--as", options->as,
      "write a reduction of the problem, exact: lcp, mlcp, mcp, box_qp or conic_qp, if its kind "
      "has "
      "that one (docs/reference/reductions.md); of "
      "friction_contact also fritz-john (the same as mcp) and, approximate, pyramid, pyramid:EDGES "
      "or convex");
  verb->footer(
      "Examples: perp convert problems/collections/siconos/text/lcp_mmc.dat lcp_mmc.json.gz\n"
      "          perp convert --as mlcp problems/collections/siconos/lcp/lcp_mmc.json mlcp.json\n"
      "          perp convert problems/collections/foreign/kojshin.nl kojshin.json");
  verb->callback([options, &code] {
    if (options->out == "-") {
      std::cout << problem_text(problem_to_convert(*options), options->to);
      return;
    }
    // A file that holds this problem alone may be converted in place.
    std::vector<std::string> inputs = options->input_files();
    const bool alone = !inputs.empty() && inputs.front() == options->file && options->q.empty() &&
                       !is_in_parts(options->file);
    if (alone) inputs.clear();
    expect_apart("OUT", files_written(options->out, options->to), inputs);
    if (!is_matrix_market(*options)) expect_writable(options->out);
    write_problem(problem_to_convert(*options), options->out, options->to);
    code = kDone;
  });
}

}  // namespace perp::cli
