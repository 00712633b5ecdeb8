#include <perp/bench/cli/commands.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <perp/bench/cli/outputs.hpp>
#include <perp/bench/cli/problem_input.hpp>
#include <perp/bench/harness/solver_names.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/processes/interrupt.hpp>
#include <perp/bench/shrink/shrink.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/solvers/router.hpp>

namespace perp::cli {

namespace {

struct ShrinkOptions : ProblemInput {
  std::string solver = "auto", status, output;
  double tolerance = 1e-8, time_limit = 5.0, minutes = 1.0;
  std::vector<std::string> settings;
};

void shrink_file(const ShrinkOptions& o, int& code) {
  const SettingTexts settings = split_pairs(o.settings, "--set");
  check_solvers({o.solver}, settings);
  const Problem problem = o.read_input();
  expect_apart("--output", files_written(o.output), o.input_files());
  expect_writable(o.output);
  SolveRequest request;
  request.solver = o.solver;
  request.limits.tolerance = o.tolerance;
  request.limits.time_limit = o.time_limit;
  request.settings = settings;
  request.look_for_vacuous = false;
  request.make = make_any_solver;
  const InterruptGuard guard;
  InterruptObserver observer;
  const auto ends = [&](const Problem& p) {
    try {
      return std::string(to_string(solve_verified(p, request, &observer).status));
    } catch (const std::invalid_argument&) {  // a setting that this problem has no use for
      return std::string(to_string(Status::kUnsupported));
    }
  };
  const auto stopped = [] { return interrupt_signal() != 0; };
  const std::string end = ends(problem), wanted = o.status.empty() ? end : o.status;
  if (stopped()) {
    std::cout << fmt::format("{}: interrupted in the first solve; nothing is written\n",
                             shown(o.file));
    code = kNotSolved;
    return;
  }
  if (end != wanted || (o.status.empty() && end == to_string(Status::kSolved))) {
    std::cout << fmt::format("{}: {} ends with {}; nothing to shrink{}\n", shown(o.file), o.solver,
                             end, o.status.empty() ? " (--status solved keeps that)" : "");
    code = kNotSolved;
    return;
  }
  const Deadline deadline(60 * o.minutes);
  const Shrunk r = shrink(
      problem, [&](const Problem& p) { return ends(p) == wanted; }, deadline, stopped);
  const std::vector<std::string> written = write_problem(r.problem, o.output);
  std::cout << fmt::format("{}: {}, n = {}, {} numbers: {} ends with {}\n", shown(o.file),
                           problem.kind(), problem.size(), numbers_of(problem), o.solver, wanted);
  std::cout << fmt::format("{}: n = {}, {} numbers, after {} solves; {}\n",
                           shown(fmt::format("{}", fmt::join(written, ", "))), r.problem.size(),
                           numbers_of(r.problem), r.tries,
                           r.at_end    ? "no smaller part has this status"
                           : stopped() ? "interrupted"
                                       : "the time was up");
  code = stopped() ? kNotSolved : kDone;
}

std::vector<std::string> status_names() {
  std::vector<std::string> names;
  for (int k = 0; k <= static_cast<int>(Status::kUnsupported); ++k)
    names.emplace_back(to_string(static_cast<Status>(k)));
  return names;
}

}  // namespace

void add_shrink(CLI::App& app, int& code) {
  auto options = std::make_shared<ShrinkOptions>();
  CLI::App* verb = app.add_subcommand(
      "shrink", "Find a smaller problem on which a solver ends with the same status");
  add_problem_input(*verb, *options);
  verb->add_option("--solver", options->solver, "a solver's name, or an expression, as for solve")
      ->capture_default_str();
  add_plugin_option(*verb);
  verb->add_option("--status", options->status,
                   "how it must end (default: as it ends on the file, unless that is solved)")
      ->check(CLI::IsMember(status_names()));
  verb->add_option("--tolerance", options->tolerance, "verifier's measure that counts as solved")
      ->check(nonnegative())
      ->capture_default_str();
  verb->add_option("--time-limit", options->time_limit, "seconds for a solve; 0: none")
      ->check(nonnegative())
      ->capture_default_str();
  verb->add_option("--set", options->settings, "a setting of the solver, KEY=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--minutes", options->minutes, "for all of it")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("-o,--output", options->output, "file for the smallest problem")->required();
  verb->footer(
      "Example: perp shrink problems/collections/siconos/lcp/lcp_CPS_1.json --solver newton-min "
      "-o small.json\n"
      "Exit code 1 if the solver does not end with that status on the file.");
  verb->callback([options, &code] { shrink_file(*options, code); });
}

}  // namespace perp::cli
