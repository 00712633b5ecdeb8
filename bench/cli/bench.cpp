// The verbs that measure: bench and report.
#include <perp/bench/cli/commands.hpp>

#include <fmt/format.h>
#include <fnmatch.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <perp/bench/cli/outputs.hpp>
#include <perp/bench/comparison/history.hpp>
#include <perp/bench/harness/batch_run.hpp>
#include <perp/bench/harness/record.hpp>
#include <perp/bench/harness/runner.hpp>
#include <perp/bench/harness/solver_names.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/plugins/plugin.hpp>
#include <perp/bench/processes/freed_memory.hpp>
#include <perp/bench/report/html.hpp>
#include <perp/bench/report/summary.hpp>
#include <perp/bench/report/summary_json.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <tuple>

namespace perp::cli {

namespace {

struct BenchOptions {
  std::vector<std::string> what, only, settings, starts = {"zero"};
  std::string shard = "1/1", solvers = "auto";
  bool quick = false, batch = false, json = false;
  int threads = 1;
  BenchRequest request;
};

// A setting goes to the solvers that have it; which have not is said.
void tell_who_has_it_not(const BenchRequest& request) {
  for (const auto& setting : request.settings) {
    std::string without;
    for (const std::string& solver : request.solvers) {
      if (settings_of(solver, {setting}).empty())
        without += (without.empty() ? "" : ", ") + read_solver_name(solver).name;
    }
    if (!without.empty())
      std::cerr << fmt::format("perp: --set {}: is not a setting of {}; there it is left out\n",
                               setting.first, without);
  }
}

// Looked at before problems are read and scenes simulated.
void check_places(const BenchOptions& o) {
  if (o.request.resume && o.request.overwrite)
    throw std::invalid_argument("--overwrite: does not go with --resume, which keeps the records");
  const RecordFile records = record_file(o.request);
  expect_folder(o.request.folder);
  if (std::filesystem::exists(records.path())) expect_writable(records.path());
}

void check_quick(const BenchOptions& o) {
  if (!o.quick || o.what.empty()) return;
  // What is nothing at all is refused by its own message.
  const auto is_other = [](const std::string& what) {
    return !is_suite(what) && std::filesystem::exists(what);
  };
  if (std::all_of(o.what.begin(), o.what.end(), is_other))
    throw std::invalid_argument("--quick: only suites have entries to leave out");
}

// A name as it is, whatever characters it has, or a pattern.
bool matches_name(const std::string& pattern, const std::string& name) {
  return pattern == name || fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

// The instances whose names are given, or match.
void keep_only(const std::vector<std::string>& patterns, std::vector<Instance>& instances) {
  if (patterns.empty()) return;
  for (const std::string& pattern : patterns) {
    const auto matches = [&](const Instance& i) { return matches_name(pattern, i.name); };
    if (std::none_of(instances.begin(), instances.end(), matches))
      throw InputError(fmt::format("--only: no instance \"{}\"", shown(pattern)));
  }
  std::erase_if(instances, [&](const Instance& i) {
    return std::none_of(patterns.begin(), patterns.end(),
                        [&](const std::string& pattern) { return matches_name(pattern, i.name); });
  });
}

constexpr const char* kBatchFile = "batch.csv";

// A batch is solved in this process and timed as a whole.
void check_batch(const BenchOptions& o, const CLI::App& verb) {
  if (!o.batch) {
    if (o.threads > 1) throw std::invalid_argument("--threads: goes with --batch");
    return;
  }
  const BenchRequest& request = o.request;
  if (request.resume || request.shards > 1 || request.jobs > 1)
    throw std::invalid_argument("--batch: goes with none of --resume, --shard, --jobs");
  if (verb.count("--label") > 0)
    throw std::invalid_argument("--label: is for records, and --batch writes none");
  if (verb.count("--memory-limit") > 0)
    throw std::invalid_argument("--memory-limit: limits processes, and --batch starts none");
  if (verb.count("--grace") > 0)
    throw std::invalid_argument("--grace: is for processes, and --batch starts none");
  if (request.starts != std::vector<StartFrom>{StartFrom::kZero})
    throw std::invalid_argument("--batch: starts at zero");
  for (const std::string& solver : request.solvers) {
    for (const std::string& method : methods_of(parse_any_solver(solver))) {
      if (is_program(method))
        throw std::invalid_argument(fmt::format(
            "--batch: {} is a program of its own, and batches are solved in this one", method));
      if (o.threads > 1 && find_plugin(method))
        throw std::invalid_argument(
            fmt::format("--threads: nobody knows if the plug-in {} may run on several", method));
    }
  }
  expect_folder(request.folder);
  const std::string file = request.folder + "/" + kBatchFile;
  if (!std::filesystem::exists(file)) return;
  if (!request.overwrite)
    throw InputError(fmt::format("{}: is there already; --overwrite replaces it", file));
  expect_writable(file);
}

void run_batches(const BenchOptions& o, int& code) {
  keep_freed_memory();
  std::vector<Problem> problems;
  for (const Instance& instance : o.request.instances) problems.push_back(instance.load());
  std::vector<BatchRun> runs;
  for (const std::string& solver : o.request.solvers) {
    SolveRequest request;
    request.solver = solver;
    request.stored_start = false;
    request.limits.tolerance = o.request.tolerance;
    request.limits.time_limit = o.request.time_limit;
    request.settings = settings_of(solver, o.request.settings);
    request.make = make_any_solver;
    runs.push_back(run_batch(problems, request, o.threads, o.request.repeats));
  }
  make_folder(o.request.folder);
  write_text_file(o.request.folder + "/" + kBatchFile, batch_csv(runs));
  std::cout << (o.json ? json_text({{"batches", batch_json(runs)}}) + "\n" : batch_text(runs));
  code = kDone;
}

void print_summary(const BenchOptions& o, const BenchSummary& summary) {
  const std::vector<Record> records = read_records({o.request.folder});
  if (!o.json) {
    std::cout << summary_text(records);
    return;
  }
  nlohmann::ordered_json document = {{"records", summary.records_file},
                                     {"runs", summary.runs},
                                     {"solved", summary.solved},
                                     {"already_there", summary.skipped},
                                     {"interrupted", summary.interrupted != 0}};
  document.update(summary_json(records));
  std::cout << json_text(document) << '\n';
}

void run_bench(BenchOptions& o, const CLI::App& verb, int& code) {
  BenchRequest& request = o.request;
  std::tie(request.shard, request.shards) = read_shard(o.shard);
  request.solvers = split_solvers(o.solvers);
  request.starts.clear();
  for (const std::string& name : split_list(o.starts, "--start")) {
    const StartFrom start = start_from(name);
    auto& list = request.starts;
    if (std::find(list.begin(), list.end(), start) == list.end()) list.push_back(start);
  }
  request.settings = split_pairs(o.settings, "--set");
  check_solvers(request.solvers, request.settings);
  check_batch(o, verb);
  check_quick(o);
  if (!o.batch) check_places(o);
  tell_who_has_it_not(request);
  if (o.what.empty()) {
    for (const Suite& suite : list_suites()) o.what.push_back(suite.name);
  }
  std::vector<std::string> notes, seen;
  for (const std::string& what : o.what) {
    if (std::find(seen.begin(), seen.end(), what) != seen.end()) continue;  // named twice
    seen.push_back(what);
    for (Instance& instance : collect_instances(what, o.quick, &notes))
      request.instances.push_back(std::move(instance));
  }
  if (request.instances.empty()) {
    throw InputError(
        fmt::format("{}: no problem is left{}", fmt::join(seen, ", "),
                    o.quick ? "; --quick leaves out the entries of tier \"full\"" : ""));
  }
  keep_only(o.only, request.instances);
  for (const std::string& note : notes) std::cerr << "perp: " << message_line(note) << '\n';
  if (o.batch) return run_batches(o, code);
  const bool bar = isatty(STDERR_FILENO) != 0;
  const BenchSummary summary =
      run_benchmark(request, [bar](int done, int total, const std::string& instance,
                                   const std::string& solver, const std::string& outcome) {
        if (bar)
          std::cerr << fmt::format("\r\033[K{}/{} {} {} {}", done, total, shown(solver),
                                   shown(instance), outcome)
                    << std::flush;
      });
  if (bar) std::cerr << "\r\033[K";
  print_summary(o, summary);
  std::cerr << fmt::format("{} runs, {} solved, {} already there; records in {}\n", summary.runs,
                           summary.solved, summary.skipped, summary.records_file);
  if (summary.interrupted != 0) std::cerr << "interrupted; go on with --resume\n";
  code = summary.interrupted != 0 ? kNotSolved : kDone;
}

// A page does not take the place of what it is made of.
void expect_page(const std::vector<std::string>& paths, const std::string& output) {
  namespace fs = std::filesystem;
  expect_apart("-o", {output}, paths);
  std::error_code error;
  if (!fs::is_regular_file(output, error) || output.ends_with(".html") || output.ends_with(".htm"))
    return;
  const fs::path place = fs::canonical(output, error);
  for (const std::string& path : paths) {
    const auto below = place.lexically_relative(fs::canonical(path, error));
    if (fs::is_directory(path, error) && !below.empty() && *below.begin() != "..")
      throw InputError(
          fmt::format("{}: is a file of {}, which the report is made of; -o wants a "
                      "name that ends in .html",
                      output, path));
  }
}

// A folder with simulations below it, or claims, need not hold records.
void write_report(const std::vector<std::string>& paths, const std::string& output,
                  const std::string& title, const std::vector<std::string>& earlier) {
  expect_page(paths, output);
  expect_writable(output);
  std::vector<std::string> with_records;
  for (const std::string& path : paths) {
    if (holds_records(path) || !(holds_simulations(path) || holds_claims(path)))
      with_records.push_back(path);
  }
  const std::vector<Record> records = read_records(with_records);
  if (records.empty() && !with_records.empty())
    throw InputError(fmt::format("{}: holds no run records", fmt::join(with_records, ", ")));
  write_text_file(output, report_html(records, read_simulations(paths), read_claims(paths),
                                      read_tables(paths), title, history_json(records, earlier)));
  std::cout << output << '\n';
}

}  // namespace

void add_bench(CLI::App& app, int& code) {
  auto o = std::make_shared<BenchOptions>();
  CLI::App* verb = app.add_subcommand(
      "bench", "Run solvers on suites, each solve in a process of its own, each sequence in one");
  verb->add_option("WHAT", o->what,
                   "suites, suite files, problem files or folders; all suites if left out");
  verb->add_option(
          "--solvers", o->solvers,
          "solvers, separated by commas; programs are exec:COMMAND, a process for every solve, or "
          "serve:COMMAND, one for all, or NAME= and one of these; a command with a comma "
          "is exec:\"COMMAND\"")
      ->capture_default_str();
  add_plugin_option(*verb);
  verb->add_option(
          "--set", o->settings,
          "a setting, KEY=VALUE, for every solver that has it and gives it no value itself; at "
          "least one must have it")
      ->allow_extra_args(false);
  verb->add_option(
      "--label", o->request.label,
      "a text that reports add to the solvers' names, to tell runs with other settings "
      "apart");
  verb->add_option(
          "--start", o->starts,
          "where all solvers start, separated by commas: zero, without a start; stored, at the "
          "problem's own start; warm, at the solver's answer to the step before (sequences "
          "and scenes; what stands alone is run from zero)")
      ->allow_extra_args(false)
      ->capture_default_str();
  verb->add_option("--tolerance", o->request.tolerance, "verifier's measure that counts as solved")
      ->check(nonnegative())
      ->capture_default_str();
  verb->add_option("--time-limit", o->request.time_limit,
                   "seconds a solve with its setup may take; that of each repeat")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--grace", o->request.grace,
                   "seconds after 2.4 time limits until a solve that has not ended is killed")
      ->check(nonnegative())
      ->capture_default_str();
  verb->add_option("--memory-limit", o->request.memory_limit_mb, "MB a solve may use")
      ->check(positive())
      ->capture_default_str();
  verb->add_option("--jobs", o->request.jobs, "solves at once; times then disturb one another")
      ->check(whole_number(1, kMostThreads))
      ->capture_default_str();
  verb->add_option(
          "--repeat", o->request.repeats,
          "runs of what is solved, each from the problem in memory to the answer; the median time "
          "counts")
      ->check(whole_number(1, 100000))
      ->capture_default_str();
  verb->add_option(
          "--shard", o->shard,
          "I/N: only every N-th problem, from the I-th, with all its solvers; a sequence is one")
      ->capture_default_str();
  verb->add_flag("--resume", o->request.resume,
                 "keep the records that are there and run what is missing");
  verb->add_flag(
      "--overwrite", o->request.overwrite,
      "replace the records that are there; without this or --resume they are not touched");
  verb->add_flag("--batch", o->batch,
                 "solve all problems in this process, one by one and as a batch, and compare times "
                 "and answers: batch.csv in place of records (docs/how-to/batches.md)");
  verb->add_option("--threads", o->threads, "threads of --batch")
      ->check(whole_number(1, 1024))
      ->capture_default_str();
  verb->add_option("--only", o->only, "instances of this name, or of names like it (*)")
      ->allow_extra_args(false);
  verb->add_flag("--quick", o->quick, "leave out the entries of tier \"full\"");
  verb->add_flag("--json", o->json, "print one JSON document: the table, not cut, and what failed");
  verb->add_option("-o,--output", o->request.folder, "folder for the records")->required();
  verb->footer(
      "Example: perp bench contact-lcp --solvers lemke --tolerance 1e-10 --quick -o "
      "results/contact\n"
      "         perp bench steps --quick --start zero,warm -o results/steps");
  verb->callback([o, verb, &code] { run_bench(*o, *verb, code); });
}

void add_report(CLI::App& app, int& code) {
  struct ReportOptions {
    std::vector<std::string> folders, earlier;
    std::string output, title = "perp benchmark report";
  };
  auto o = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand(
      "report", "Write one self-contained HTML page from run records and simulations");
  verb->add_option("DIR", o->folders,
                   "folders with records of perp bench, record files, or folders with runs of "
                   "perp simulate --record below them")
      ->required();
  verb->add_option("-o,--output", o->output, "HTML file to write")->required();
  verb->add_option("--title", o->title, "title of the page")->capture_default_str();
  verb->add_option("--earlier", o->earlier,
                   "records of an earlier run of the same problems, for times over versions; give "
                   "it once for each, oldest first")
      ->allow_extra_args(false);
  verb->footer(
      "Example: perp report results/contact -o report.html\n"
      "Simulations in one folder are drawn together.");
  verb->callback([o, &code] {
    write_report(o->folders, o->output, o->title, o->earlier);
    code = kDone;
  });
}

}  // namespace perp::cli
