#include <perp/bench/cli/commands.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <perp/bench/cli/outputs.hpp>
#include <perp/bench/cli/problem_input.hpp>
#include <perp/bench/harness/dual_recovery.hpp>
#include <perp/bench/harness/result_json.hpp>
#include <perp/bench/harness/solver_names.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/harness/words.hpp>
#include <perp/bench/processes/interrupt.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/solvers/plans.hpp>
#include <perp/solvers/router.hpp>
#include <perp/solvers/verified_solve.hpp>

namespace perp::cli {

namespace {

struct SolveOptions : ProblemInput {
  std::string solver = "auto", start, trace;
  double tolerance = 1e-8, time_limit = 0.0;
  int max_iterations = 0, threads = 1;
  std::vector<std::string> settings;
  bool json = false, explain = false;
};

std::string csv_number(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

// Signals end the solve; a trace is collected and written at the end.
class CommandLineObserver : public InterruptObserver {
 public:
  explicit CommandLineObserver(bool trace) : trace_(trace) {}

  bool on_iteration(const IterationRecord& r) override {
    if (trace_) {
      text_ += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", r.iteration, r.step_type,
                           csv_number(r.residual), csv_number(r.merit), csv_number(r.step),
                           r.active_set_size, r.entering, r.leaving, r.pivots, r.linear_solves,
                           r.factorisations);
    }
    return InterruptObserver::on_iteration(r);
  }

  const std::string& trace() const { return text_; }

 private:
  bool trace_;
  std::string text_ =
      "iteration,step_type,residual,merit,step,active_set_size,entering,leaving,pivots,"
      "linear_solves,factorisations\n";
};

void read_start(const std::string& start, const Problem& problem, const std::string& file,
                SolveRequest& request) {
  if (start.empty() || start == "zero") return;
  if (start == "stored") {
    if (!problem.start)
      throw InputError(
          fmt::format("{}: field \"start\": is missing, and --start stored asks for it", file));
    request.start = problem.start;
    return;
  }
  StoredStart read = start_from_text(read_text_file(start), start);
  const auto check_length = [&](std::string_view field, std::ptrdiff_t length,
                                std::ptrdiff_t expected) {
    if (length == expected) return;
    throw InputError(
        fmt::format("{}: field \"{}\": length is {}, expected {}", start, field, length, expected));
  };
  check_length("z", read.z.size(), problem.size());
  if (read.basis) check_length("basis", std::ssize(*read.basis), problem.size());
  const auto* conic = std::get_if<ConicQp>(&problem.data);
  if (read.dual && conic) check_length("dual", read.dual->size(), conic->b.size());
  request.start = std::move(read.z);
  request.start_dual = std::move(read.dual);
  request.start_basis = std::move(read.basis);
}

std::string number_text(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.1e}", value);
}

// What a reader should know of a verdict beside its number.
std::string remarks(const Verdict& verdict) {
  std::string text;
  if (verdict.at_floor) text += "; the miss is at the rounding floor";
  if (verdict.vacuous == Vacuous::kZero) text += "; vacuous: the projection of 0 would do";
  if (verdict.vacuous == Vacuous::kStart) text += "; vacuous: the projection of the start would do";
  return text;
}

// Several tries stand below a heading: one that did not succeed is not the end of the solve.
void print_tries(const VerifiedResult& r) {
  const bool one = r.route.size() == 1;
  if (r.route.size() > 1)
    std::cout << fmt::format("  tries         {}, in this order:\n", r.route.size());
  for (const RouteStep& step : r.route) {
    std::cout << fmt::format(
        "  {}{}{}: {}, {} iterations, residual {}, {:.3f} ms{}\n", one ? "try           " : "  ",
        step.solver.str(), step.settings.empty() ? "" : " " + step.settings.str(),
        to_string(step.status), step.iterations, number_text(step.measure), 1e3 * step.time,
        step.message.empty() || step.message == r.message ? "" : "; " + message_line(step.message));
  }
}

std::string start_in_words(std::string_view start) {
  return start == "stored" ? "stored (the one in the problem file)" : std::string(start);
}

void print(const Problem& problem, const VerifiedResult& r) {
  const Residuals& res = r.verdict.residuals;
  std::cout << fmt::format("{}: {}, n = {}\n",
                           problem.name.empty() ? "(no name)" : shown(problem.name), problem.kind(),
                           problem.size());
  std::cout << fmt::format(
      "  status        {}{}\n", to_string(r.status),
      r.claimed != r.status ? fmt::format(" (claimed {})", to_string(r.claimed)) : "");
  if (!r.message.empty()) std::cout << "  message       " << message_line(r.message) << '\n';
  print_tries(r);
  if (r.start != "nothing")
    std::cout << fmt::format("  start         {}\n", start_in_words(r.start));
  std::cout << fmt::format("  residual      {} (tolerance {:g}, rounding floor {})",
                           number_text(r.verdict.measure), r.verdict.tolerance,
                           number_text(res.floor));
  if (res.worst_index >= 0) std::cout << ", worst at " << shown(worst_in_words(problem, res));
  std::cout << remarks(r.verdict);
  std::cout << fmt::format("\n  times         setup {:.3f} ms, solve {:.3f} ms\n",
                           1e3 * r.setup_time, 1e3 * r.solve_time);
  if (r.certificate) {
    std::cout << fmt::format("  certificate   {}{}\n", r.certificate->type,
                             r.certificate->checked ? ", checked" : "");
  }
  if (r.solutions.size() > 1) std::cout << fmt::format("  solutions     {}\n", r.solutions.size());
  const Vector& z = r.answer.z;
  std::cout << "  z            ";
  for (int i = 0; i < std::min<int>(static_cast<int>(z.size()), 8); ++i)
    std::cout << fmt::format(" {:.6g}", z[i]);
  std::cout << (z.size() > 8 ? " ... (--json prints all)\n" : "\n");
}

// What is known to be wrong before the problem is read.
void check(const SolveOptions& o, const SettingTexts& settings) {
  check_solvers({o.solver}, settings);
  if (o.explain && o.solver != "auto")
    throw std::invalid_argument("--explain: only auto chooses a plan, and --solver names another");
  if (o.trace.empty()) return;
  if (is_program(o.solver))
    throw std::invalid_argument("--trace: a program tells nothing of its iterations");
  std::vector<std::string> inputs = o.input_files();
  inputs.push_back(o.start);
  expect_apart("--trace", {o.trace}, inputs);
  expect_writable(o.trace);
}

// A solve that runs out of memory is one that was not solved.
VerifiedResult solve_in_memory(const Problem& problem, const SolveRequest& request,
                               Observer* observer) {
  try {
    return solve_verified(problem, request, observer);
  } catch (const std::bad_alloc&) {
    VerifiedResult result;
    result.status = result.claimed = Status::kNumericalError;
    result.verdict.tolerance = request.limits.tolerance;
    result.message = "out of memory";
    return result;
  }
}

void solve(const SolveOptions& o, int& code) {
  const SettingTexts settings = split_pairs(o.settings, "--set");
  check(o, settings);
  const Problem problem = o.read_input();
  SolveRequest request;
  request.solver = o.solver;
  request.limits = {o.tolerance, o.max_iterations, o.time_limit, o.threads};
  request.settings = settings;
  read_start(o.start, problem, o.file, request);
  request.stored_start = o.start.empty();
  request.make = make_any_solver;
  CommandLineObserver observer(!o.trace.empty());
  const InterruptGuard guard;
  const VerifiedResult result = solve_in_memory(problem, request, &observer);
  const bool started = request.start || (request.stored_start && problem.start);
  const Plan* plan = o.explain ? &choose_plan(problem, started) : nullptr;
  if (!o.trace.empty()) write_text_file(o.trace, observer.trace());
  if (o.json) {
    const std::string shown = read_solver_name(o.solver).name;
    auto document = result_to_json(problem, shown, result);
    if (plan)
      document["plan"] = {{"name", plan->name}, {"when", plan->when}, {"solver", plan->text}};
    std::cout << json_text(document) << '\n';
  } else {
    if (plan)
      std::cout << fmt::format("plan {}, for {}:\n  {}\n", plan->name, plan->when, plan->text);
    print(problem, result);
  }
  code = result.status == Status::kSolved ? kDone : kNotSolved;
}

}  // namespace

void add_solve(CLI::App& app, int& code) {
  auto options = std::make_shared<SolveOptions>();
  CLI::App* verb = app.add_subcommand("solve", "Solve a problem and verify the answer");
  add_problem_input(*verb, *options);
  verb->add_option("--solver", options->solver,
                   "a solver's name, auto, a peer's name, exec:COMMAND or serve:COMMAND, also "
                   "behind NAME=, or "
                   "a strategy: "
                   "first(newton-fb:memory=1, polish(lemke)) (perp list strategies)")
      ->capture_default_str();
  add_plugin_option(*verb);
  verb->add_option("--tolerance", options->tolerance, "verifier's measure that counts as solved")
      ->check(nonnegative())
      ->capture_default_str();
  verb->add_option("--max-iterations", options->max_iterations, "0: the solver's default")
      ->check(whole_number(0));
  verb->add_option("--time-limit", options->time_limit, "seconds; 0: none")->check(nonnegative());
  verb->add_option("--threads", options->threads,
                   "threads that the solve may use; the answer has the same bits whatever their "
                   "number")
      ->check(whole_number(1, kMostThreads))
      ->capture_default_str();
  verb->add_option("--set", options->settings, "a setting of the solver, KEY=VALUE")
      ->allow_extra_args(false);
  verb->add_option("--start", options->start,
                   "a result file whose z (dual, basis) to start from; zero: no start; stored: the "
                   "problem's own "
                   "(the default if it has one)");
  verb->add_option("--trace", options->trace, "write one line an iteration to this CSV file");
  verb->add_flag("--json", options->json, "print one JSON document with the whole answer");
  verb->add_flag("--explain", options->explain,
                 "with auto: tell which plan was chosen, and for what");
  verb->footer(
      "Example: perp solve problems/collections/siconos/lcp/lcp_mmc.json --solver lemke "
      "--tolerance 1e-10\n"
      "Exit code 0 only if the verifier grants it.");
  verb->callback([options, &code] { solve(*options, code); });
}

namespace {

// Finds the dual of an answer that has none. @return what was done about it, for people
std::string complete(const Problem& problem, double tolerance, Answer& answer) {
  const auto* qp = std::get_if<ConicQp>(&problem.data);
  if (!qp || answer.dual.size() > 0 || qp->b.size() == 0 || answer.z.size() != qp->size())
    return {};
  const std::optional<Vector> dual = recover_dual(*qp, answer.z, tolerance);
  if (!dual) {
    throw std::invalid_argument(fmt::format(
        "dual: is missing, and the problem is too large to look for one; expected length {}",
        qp->b.size()));
  }
  answer.dual = *dual;
  return "the result has no dual; judged with the best one that least squares find for its z";
}

struct VerifyOptions : ProblemInput {
  std::string result;
  double tolerance = 1e-8;
  bool json = false;
};

// What verify finds of a result.
struct Finding {
  bool answered = false;  // whether the result has an answer
  Verdict verdict;
  std::string message;
  std::optional<Certificate> certificate;
  std::optional<Status> shown;  // what the certificate shows
};

// "z[3]", or "" if all entries are numbers.
std::string first_without_number(const Answer& answer) {
  for (const auto& [name, v] : {std::pair("z", &answer.z), {"dual", &answer.dual}}) {
    for (Eigen::Index i = 0; i < v->size(); ++i)
      if (std::isnan((*v)[i])) return fmt::format("{}[{}]", name, i);
  }
  return {};
}

Finding look_at(const Problem& problem, const VerifyOptions& o) {
  StoredResult stored = result_from_text(read_text_file(o.result), o.result);
  Finding finding;
  finding.verdict.tolerance = o.tolerance;
  finding.certificate = std::move(stored.certificate);
  if (finding.certificate) finding.shown = check_certificate(problem, *finding.certificate);
  if (stored.answer && stored.answer->z.size() == 0 && problem.size() > 0) stored.answer.reset();
  finding.answered = stored.answer.has_value();
  if (!finding.answered) {
    finding.message = "the result has no z";
    return finding;
  }
  if (stored.answer->z.size() != problem.size())
    throw field_error(o.result, fmt::format("z: length is {}, expected {}", stored.answer->z.size(),
                                            problem.size()));
  try {
    finding.message = complete(problem, o.tolerance, *stored.answer);
    finding.verdict = verify(problem, *stored.answer, o.tolerance);
    if (!finding.message.empty() && !finding.verdict.solved) {
      finding.message =
          "the result has no dual (field \"dual\"), and none that least squares find goes with its "
          "z; residuals are those of the best";
    }
    if (std::isinf(finding.verdict.measure) && finding.verdict.residuals.natural <= o.tolerance)
      finding.message = "a part of F is infinite at the answer";
    if (const std::string entry = first_without_number(*stored.answer); !entry.empty())
      finding.message = fmt::format("the answer's {} is no number", entry);
  } catch (const std::invalid_argument& error) {
    throw field_error(o.result, error.what());
  }
  return finding;
}

std::string certificate_in_words(const Finding& finding) {
  const Certificate& c = *finding.certificate;
  if (!finding.shown) {
    return c.reduction.empty() ? "proves nothing of this problem"
                               : fmt::format("speaks of {}, not of this problem", c.reduction);
  }
  const bool dual = c.type == "unbounded";
  if (!c.checked)
    return fmt::format("no feasible point{} has a 1-norm below {:.3g}", dual ? " of the dual" : "",
                       c.radius);
  return dual ? "proves that the dual has no feasible point, so there is no solution"
              : "proves that there is no solution";
}

void print(const Problem& problem, const Finding& finding) {
  const Verdict& verdict = finding.verdict;
  const Residuals& r = verdict.residuals;
  if (finding.answered) {
    std::cout << fmt::format(
        "{}: {}, residual {} against {:g}, rounding floor {}{}{}\n", shown(problem.name),
        verdict.solved ? "solved" : "not solved", number_text(verdict.measure), verdict.tolerance,
        number_text(r.floor),
        r.worst_index >= 0 ? ", worst at " + shown(worst_in_words(problem, r)) : "",
        remarks(verdict));
    if (!finding.message.empty()) std::cout << "  " << finding.message << '\n';
  } else {
    std::cout << fmt::format("{}: not solved, {}\n", shown(problem.name), finding.message);
  }
  if (finding.certificate) {
    std::cout << fmt::format("  certificate {}: {}\n", shown(finding.certificate->type),
                             certificate_in_words(finding));
  }
}

void print_json(const Problem& problem, const Finding& finding) {
  const Verdict& verdict = finding.verdict;
  nlohmann::ordered_json j{{"problem", problem.name},
                           {"kind", problem.kind()},
                           {"solved", verdict.solved},
                           {"measure", verdict.measure},
                           {"tolerance", verdict.tolerance},
                           {"residuals", residuals_to_json(verdict.residuals)},
                           {"worst", worst_to_json(problem, verdict.residuals)},
                           {"at_floor", verdict.at_floor},
                           {"vacuous", to_string(verdict.vacuous)},
                           {"message", finding.message}};
  if (finding.certificate) {
    j["certificate"] = certificate_to_json(finding.certificate);
    j["certificate"]["shows"] =
        finding.shown ? nlohmann::ordered_json(to_string(*finding.shown)) : nullptr;
  }
  std::cout << json_text(j) << '\n';
}

}  // namespace

void add_verify(CLI::App& app, int& code) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* verb = app.add_subcommand("verify", "Verify a result against its problem");
  add_problem_input(*verb, *options, "PROBLEM");
  verb->add_option("RESULT", options->result,
                   "result file, as solve --json prints it; any JSON object with z, or with a "
                   "certificate that there is no solution, will do")
      ->required();
  verb->add_option("--tolerance", options->tolerance, "measure that counts as solved")
      ->check(nonnegative())
      ->capture_default_str();
  verb->add_flag("--json", options->json, "print one JSON document");
  verb->footer(
      "Example: perp verify problem.json result.json --tolerance 1e-10\n"
      "Exit code 0 if the answer is verified, 1 if it is not, also if a certificate proves that "
      "there is none.");
  verb->callback([options, &code] {
    const Problem problem = options->read_input();
    const Finding finding = look_at(problem, *options);
    options->json ? print_json(problem, finding) : print(problem, finding);
    code = finding.verdict.solved ? kDone : kNotSolved;
  });
}

}  // namespace perp::cli
