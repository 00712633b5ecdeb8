#include <perp/bench/cli/commands.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <perp/bench/cli/problem_input.hpp>
#include <perp/bench/diagnosis/diagnosis.hpp>
#include <perp/bench/harness/solver_names.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/processes/interrupt.hpp>

namespace perp::cli {

namespace {

struct WhyOptions : ProblemInput {
  std::string solvers = "auto";
  double tolerance = 1e-8, time_limit = 10.0, shrink = 5.0;
  int max_iterations = 0;
  std::vector<std::string> settings;
  bool json = false;
};

void tell_why(const WhyOptions& o, int& code) {
  DiagnosisRequest request;
  request.solvers = split_solvers(o.solvers);
  request.solve.settings = split_pairs(o.settings, "--set");
  check_solvers(request.solvers, request.solve.settings);
  if (!request.solve.settings.empty() && request.solvers.size() > 1)
    throw std::invalid_argument("--set: only with one solver; write NAME:KEY=VALUE for several");
  request.solve.limits = {o.tolerance, o.max_iterations, o.time_limit};
  request.solve.make = make_any_solver;
  request.shrink_seconds = o.shrink;
  const Problem problem = o.read_input();
  const InterruptGuard guard;
  const Diagnosis diagnosis = diagnose(problem, request);
  if (o.json) {
    std::cout << json_text(diagnosis_to_json(problem, diagnosis)) << '\n';
  } else {
    std::cout << diagnosis_text(problem, diagnosis);
  }
  code = diagnosis.solved ? kDone : kNotSolved;
}

}  // namespace

void add_why(CLI::App& app, int& code) {
  auto options = std::make_shared<WhyOptions>();
  CLI::App* verb =
      app.add_subcommand("why", "Tell why solvers fail on a problem, and what would mend it");
  add_problem_input(*verb, *options);
  verb->add_option("--solvers", options->solvers, "solvers, separated by commas, as for bench")
      ->capture_default_str();
  add_plugin_option(*verb);
  verb->add_option("--set", options->settings, "a setting of the solver, KEY=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--tolerance", options->tolerance, "verifier's measure that counts as solved")
      ->check(nonnegative())
      ->capture_default_str();
  verb->add_option("--max-iterations", options->max_iterations, "0: the solver's default")
      ->check(whole_number(0));
  verb->add_option("--time-limit", options->time_limit, "seconds for a solve; 0: none")
      ->check(nonnegative())
      ->capture_default_str();
  verb->add_option("--shrink", options->shrink,
                   "seconds to look for a smaller problem that a solver fails on alike; 0: none")
      ->check(nonnegative())
      ->capture_default_str();
  verb->add_flag("--json", options->json, "print one JSON document");
  verb->footer(
      "Example: perp why problems/collections/siconos/lcp/lcp_CPS_1.json --solvers "
      "newton-min,lemke\n"
      "Exit code 1 if none of them solves it.");
  verb->callback([options, &code] { tell_why(*options, code); });
}

}  // namespace perp::cli
