// The verb that runs a study.
#include <perp/bench/cli/commands.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <perp/bench/cli/outputs.hpp>
#include <perp/bench/harness/record.hpp>
#include <perp/bench/report/summary.hpp>
#include <perp/bench/studies/batch.hpp>
#include <perp/bench/studies/study_runner.hpp>
#include <perp/problems/json/text.hpp>
#include <tuple>

namespace perp::cli {

namespace {

struct StudyOptions {
  std::string study, shard = "1/1";
  bool quick = false, report = false;
  int slurm = 0, parallel = 0;  // tasks
  StudyRequest request;
};

void tell(const Study& study, const std::vector<ClaimTable>& tables, const std::string& folder) {
  for (const ClaimTable& table : tables) {
    std::map<std::string, int> verdicts;
    for (const Claim& claim : table.claims) ++verdicts[claim.verdict];
    std::string line;
    for (const auto& [verdict, count] : verdicts)
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", verdict, count);
    std::cout << fmt::format("{}: {}\n", message_line(table.title), line);
    for (const Claim& claim : table.claims) {
      std::cout << fmt::format("  {:<14} {}\n", claim.verdict, message_line(claim.claim));
      if (claim.verdict == "not tested")
        std::cout << fmt::format("  {:<14} {}\n", "", message_line(claim.measured));
    }
  }
  std::cout << fmt::format("report of {}: {}\n", study.name,
                           (std::filesystem::path(folder) / "report.html").string());
}

// Many processes, here or elsewhere. @return whether that is all there is to do now
bool run_as_batch(const Study& study, const StudyOptions& o) {
  if (o.slurm == 0 && o.parallel == 0) return false;
  if ((o.slurm > 0 && o.parallel > 0) || o.shard != "1/1" || o.report)
    throw std::invalid_argument(
        "--slurm, --parallel: go neither together nor with --shard or --report");
  if (o.slurm > 0) {
    std::cout << submit_to_slurm(study, o.request, o.slurm) << '\n';
    return true;
  }
  run_in_parallel(study, o.request, o.parallel);
  return false;
}

void run_or_report(const StudyOptions& o, int& code) {
  if (o.request.resume && o.request.overwrite)
    throw std::invalid_argument("--overwrite: does not go with --resume, which keeps the records");
  if (o.report && (o.request.resume || o.request.overwrite))
    throw std::invalid_argument("--report: runs nothing, so --resume and --overwrite have no use");
  if (o.report && o.shard != "1/1")
    throw std::invalid_argument("--report: judges all shards, so it does not go with --shard");
  const Study study = read_study(o.study, o.quick);
  if (run_as_batch(study, o)) {
    code = kDone;
    return;
  }
  if (!o.report && o.parallel == 0) {
    const StudySummary done =
        run_study(study, o.request, [](const std::string& line) { std::cerr << line << '\n'; });
    std::cerr << fmt::format("{} solves and {} simulations, {} and {} already there\n", done.solves,
                             done.simulations, done.solves_skipped, done.simulations_skipped);
    if (done.interrupted != 0) {
      std::cerr << "interrupted; go on with --resume\n";
      code = kNotSolved;
      return;
    }
  }
  if (o.request.shards > 1) {
    std::cerr << fmt::format("shard {} of {}; once all are there, --report judges the claims\n",
                             o.request.shard, o.request.shards);
    code = kDone;
    return;
  }
  const std::vector<ClaimTable> tables = report_study(study, o.request.folder);
  if (const auto records = study_records(study, o.request.folder); !records.empty())
    std::cout << summary_text(records);
  tell(study, tables, o.request.folder);
  code = kDone;
}

}  // namespace

void add_study(CLI::App& app, int& code) {
  auto o = std::make_shared<StudyOptions>();
  CLI::App* verb = app.add_subcommand(
      "study", "Run a study: solvers on suites, simulations, claims of papers, one report");
  verb->add_option("STUDY", o->study, "a study's name (perp list studies) or a study file")
      ->required();
  verb->add_flag("--quick", o->quick, "leave out what is of tier \"full\"");
  verb->add_flag("--report", o->report, "run nothing: judge the claims and write the report anew");
  verb->add_option(
          "--shard", o->shard,
          "I/N: only every N-th problem, with all its solvers, and simulation, from the I-th")
      ->capture_default_str();
  verb->add_option("--slurm", o->slurm,
                   "submit it to Slurm as an array of so many tasks, and a job that reports")
      ->check(whole_number(1, 10000));
  verb->add_option("--parallel", o->parallel, "run it as so many tasks of GNU parallel")
      ->check(whole_number(1, 10000));
  verb->add_flag("--resume", o->request.resume, "keep what is there and run what is missing");
  verb->add_flag("--overwrite", o->request.overwrite, "replace what an earlier run left there");
  verb->add_option("-o,--output", o->request.folder, "folder of the study's results")->required();
  verb->footer(
      "Example: perp study formulations --quick -o results/formulations\n"
      "Several shards may write to one folder at the same time if each has --resume. --resume also "
      "continues a run that was killed.");
  verb->callback([o, &code] {
    std::tie(o->request.shard, o->request.shards) = read_shard(o->shard);
    run_or_report(*o, code);
  });
}

}  // namespace perp::cli
