#include <perp/bench/cli/commands.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <perp/bench/analysis/analysis.hpp>
#include <perp/bench/cli/problem_input.hpp>
#include <perp/bench/harness/result_json.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/processes/interrupt.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/solvers/router.hpp>

namespace perp::cli {

namespace {

struct AnalyseOptions : ProblemInput {
  std::string result, solver = "auto";
  double tolerance = 1e-8;
  bool json = false;
};

// The analysis of the answer of the file, or of one that is found.
// @return nothing if none is found, which is said
std::optional<Analysis> analysis_of(const AnalyseOptions& o, const Problem& problem) {
  if (!o.result.empty()) {
    Answer answer = answer_from_text(read_text_file(o.result), o.result);
    if (answer.z.size() != problem.size())
      throw InputError(fmt::format("{}: field \"z\": length is {}, expected {}", o.result,
                                   answer.z.size(), problem.size()));
    return analyse_answer(problem, answer, o.tolerance);
  }
  SolveRequest request;
  request.solver = o.solver;
  request.limits.tolerance = o.tolerance;
  request.make = make_any_solver;
  const InterruptGuard guard;
  InterruptObserver observer;
  VerifiedResult result = solve_verified(problem, request, &observer);
  const std::optional<Certificate>& proof = result.certificate;
  if (result.status != Status::kSolved && proof && proof->checked &&
      (proof->type == "farkas" || proof->type == "unbounded"))
    return analysis_of_none(problem, result.answer, o.tolerance);
  if (result.answer.z.size() != problem.size()) {
    std::cerr << message_line(fmt::format(
                     "perp: {}: {} found no answer ({}{}); perp why tells more", o.file, o.solver,
                     to_string(result.status), result.message.empty() ? "" : ", " + result.message))
              << '\n';
    return std::nullopt;
  }
  return analyse_answer(problem, result.answer, o.tolerance);
}

}  // namespace

void add_analyse(CLI::App& app, int& code) {
  auto options = std::make_shared<AnalyseOptions>();
  CLI::App* verb = app.add_subcommand(
      "analyse",
      "Tell which contacts stick, slide or open, and whether the answer is the only one");
  add_problem_input(*verb, *options);
  verb->add_option("RESULT", options->result,
                   "an answer, as perp solve --json prints it (default: it is solved)");
  verb->add_option("--solver", options->solver, "that finds the answer, as for solve")
      ->capture_default_str();
  add_plugin_option(*verb);
  verb->add_option("--tolerance", options->tolerance, "verifier's measure that counts as solved")
      ->check(nonnegative())
      ->capture_default_str();
  verb->add_flag("--json", options->json, "print one JSON document");
  verb->footer(
      "Example: perp analyse problems/collections/siconos/lcp/lcp_mmc.json\n"
      "Exit code 1 if the answer does not solve the problem, or none was found.");
  verb->callback([options, verb, &code] {
    if (!options->result.empty() && verb->count("--solver") > 0)
      throw std::invalid_argument("--solver: RESULT is the answer, so nothing is solved");
    check_solvers({options->solver}, {});
    const Problem problem = options->read_input();
    const std::optional<Analysis> analysis = analysis_of(*options, problem);
    if (!analysis) {
      code = kNotSolved;
      return;
    }
    if (options->json) {
      std::cout << json_text(analysis_to_json(problem, *analysis)) << '\n';
    } else {
      std::cout << analysis_text(problem, *analysis);
    }
    code = analysis->verdict.solved ? kDone : kNotSolved;
  });
}

}  // namespace perp::cli
