// The verb that turns steps of other engines into problems.
#include <perp/bench/cli/commands.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <perp/bench/cli/outputs.hpp>
#include <perp/bench/harness/solver_names.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/peers/catalogue.hpp>
#include <perp/bench/processes/command.hpp>
#include <perp/bench/processes/interrupt.hpp>
#include <perp/bench/steps/import_report.hpp>
#include <perp/problems/io/file_names.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/problems/json/text.hpp>

namespace perp::cli {

namespace fs = std::filesystem;

namespace {

struct ImportStepOptions {
  std::string engine, model, cone, solver = "auto", folder;
  std::vector<std::string> laws{"coulomb,own"}, parameters, settings;
  int steps = 1, skip = 0, every = 1, keyframe = -1;
  double tolerance = 1e-8, time_limit = 10.0;
  bool json = false, gzip = false;
};

// The engine's program with its arguments.
std::string command_of(const ImportStepOptions& o) {
  const bool mujoco = o.engine == "mujoco";
  const std::string name = mujoco ? "perp-step-mujoco" : "perp-engine-" + o.engine;
  const std::string program = program_beside(name);
  if (program.empty())
    throw InputError(fmt::format(
        "import-step: the program {} is not built; docs/reference/peers.md tells what it needs",
        name));
  std::string command =
      fmt::format("exec {} {} --skip {} --every {} --laws {}", shell_word(program),
                  shell_word(o.model), o.skip, o.every, fmt::join(o.laws, ","));
  if (!mujoco) command += " --print-steps";
  if (mujoco && !o.cone.empty()) command += " --cone " + o.cone;
  if (mujoco && o.keyframe >= 0) command += fmt::format(" --keyframe {}", o.keyframe);
  for (const std::string& parameter : o.parameters) command += " --param " + shell_word(parameter);
  return command;
}

void check(const ImportStepOptions& o) {
  const bool mujoco = o.engine == "mujoco";
  if (!mujoco && (!o.cone.empty() || o.keyframe >= 0))
    throw std::invalid_argument("--cone, --keyframe: are for mujoco only");
  if (mujoco && !o.parameters.empty())
    throw std::invalid_argument("--param: is for scenes; mujoco takes a model file");
  if (mujoco && !fs::is_regular_file(o.model))
    throw InputError(fmt::format("{}: no such file; mujoco takes a model, .xml or .mjb", o.model));
  for (const std::string& law : split_list(o.laws, "--laws")) {
    if (law != "coulomb" && law != "own")
      throw std::invalid_argument(fmt::format("--laws: \"{}\" is not coulomb or own", law));
  }
}

// The problems and the engine's answers, a file each. @return the problems' files
std::vector<std::string> write_step(const ImportStepOptions& o, const EngineStep& step) {
  std::vector<std::string> files;
  for (const EngineProblem& p : step.problems) {
    const fs::path stem = fs::path(o.folder) / fmt::format("{}-{:06}-{}", file_name_of(step.model),
                                                           step.step, file_name_of(p.law));
    files.push_back(stem.string() + (o.gzip ? ".json.gz" : ".json"));
    write_problem(p.problem, files.back());
    const nlohmann::ordered_json answer{
        {"problem", p.problem.name},
        {"solver", step.engine},
        {"z", std::vector<double>(p.z.data(), p.z.data() + p.z.size())}};
    write_text_file(fmt::format("{}.{}.json", stem.string(), o.engine), json_text(answer) + "\n");
  }
  return files;
}

void import_steps(const ImportStepOptions& o, int& code) {
  const SettingTexts settings = split_pairs(o.settings, "--set");
  check(o);
  check_solvers({o.solver}, settings);
  const std::string command = command_of(o);
  expect_folder(o.folder);
  SolveRequest request;
  request.solver = o.solver;
  request.limits = {o.tolerance, 0, o.time_limit};
  request.settings = settings;
  request.look_for_vacuous = false;
  request.make = make_any_solver;
  ImportReport report;
  report.solver = read_solver_name(o.solver).name;
  report.tolerance = o.tolerance;
  const InterruptGuard guard;
  InterruptObserver observer;
  Command engine(command);
  int steps = 0;
  for (; steps < o.steps; ++steps) {
    const std::optional<std::string> line = engine.ask("", 0.0);
    if (!line) break;
    const EngineStep step = engine_step_from_text(*line, o.engine);
    make_folder(o.folder);
    judge_step(step, write_step(o, step), request, &observer, report);
    if (interrupt_signal() != 0) break;
  }
  if (interrupt_signal() != 0) {
    code = kNotSolved;
    if (steps == 0) return;  // there is nothing to tell
  } else if (steps < o.steps) {
    const ChildReport end = engine.report();
    if (end.end != ChildReport::End::kExited)
      throw InputError(fmt::format("{}: the engine's program was killed", o.engine));
    if (end.code != 0) {  // it has said why
      code = kBadInput;
      return;
    }
    if (steps == 0) throw InputError(fmt::format("{}: no step has a contact or a limit", o.model));
    std::cerr << fmt::format("{} of {} steps: no more have contacts\n", steps, o.steps);
  }
  if (o.json) {
    std::cout << json_text(import_report_to_json(report)) << '\n';
  } else {
    std::cout << import_report_text(report);
  }
  const bool solved =
      std::all_of(report.steps.begin(), report.steps.end(),
                  [](const JudgedStep& s) { return s.perp.status == Status::kSolved; });
  code = solved && interrupt_signal() == 0 ? kDone : kNotSolved;
}

}  // namespace

void add_import_step(CLI::App& app, int& code) {
  auto o = std::make_shared<ImportStepOptions>();
  CLI::App* verb = app.add_subcommand(
      "import-step", "Turn steps of MuJoCo, Bullet or DART into problems, with their answers");
  verb->add_option("ENGINE", o->engine, "mujoco, bullet or dart")
      ->required()
      ->check(CLI::IsMember({"mujoco", "bullet", "dart"}));
  verb->add_option("MODEL", o->model,
                   "mujoco: a model file (.xml, .mjb); bullet, dart: a scene's name or file")
      ->required();
  verb->add_option("--steps", o->steps, "how many steps with contacts")
      ->check(whole_number(1, 100'000))
      ->capture_default_str();
  verb->add_option("--skip", o->skip, "steps to leave out at the beginning")
      ->check(whole_number(0, 100'000'000));
  verb->add_option("--every", o->every, "take only every N-th of the steps with contacts")
      ->check(whole_number(1, 1'000'000));
  verb->add_option("--laws", o->laws,
                   "coulomb: exact friction of rigid bodies; own: what the engine solves")
      ->capture_default_str();
  verb->add_option("--cone", o->cone, "mujoco: pyramidal or elliptic (default: as the model has)")
      ->check(CLI::IsMember({"pyramidal", "elliptic"}));
  verb->add_option("--keyframe", o->keyframe, "mujoco: begin at this keyframe, from 0")
      ->check(whole_number(0, 1'000'000));
  verb->add_option("--param", o->parameters, "a parameter of the scene, KEY=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--solver", o->solver, "solves the problems, for comparison")
      ->capture_default_str();
  add_plugin_option(*verb);
  verb->add_option("--set", o->settings, "a setting of the solver, KEY=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--tolerance", o->tolerance, "verifier's measure that counts as solved")
      ->check(nonnegative())
      ->capture_default_str();
  verb->add_option("--time-limit", o->time_limit, "seconds for a solve; 0: none")
      ->check(nonnegative())
      ->capture_default_str();
  verb->add_flag("--gzip", o->gzip, "write the problems as .json.gz");
  verb->add_flag("--json", o->json, "print one JSON document");
  verb->add_option("-o,--output", o->folder, "folder of the problems and answers")->required();
  verb->footer(
      "Example: perp import-step mujoco /usr/share/mujoco/model/humanoid/humanoid.xml "
      "--steps 100 -o out/humanoid\n"
      "Exit code 1 if a problem is not solved by --solver.");
  verb->callback([o, &code] { import_steps(*o, code); });
}

}  // namespace perp::cli
