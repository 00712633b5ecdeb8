#include <perp/bench/harness/runner.hpp>

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <perp/bench/data/data_files.hpp>
#include <perp/bench/harness/job.hpp>
#include <perp/bench/harness/measure.hpp>
#include <perp/bench/harness/record_file.hpp>
#include <perp/bench/harness/registered_solvers.hpp>
#include <perp/bench/harness/solver_names.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/peers/catalogue.hpp>
#include <perp/bench/plugins/plugin.hpp>
#include <perp/bench/processes/interrupt.hpp>
#include <perp/bench/processes/process.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/solvers/strategies/expression.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <thread>

namespace perp {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

// bytes; larger files of a command are not hashed
constexpr std::uintmax_t kLargestProgram = 100'000'000;

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

Json machine() {
  utsname names{};
  uname(&names);
  const long memory = sysconf(_SC_PHYS_PAGES) / 1024 * sysconf(_SC_PAGESIZE) / 1024;
  return {{"cpu", cpu_name()},
          {"cores", static_cast<int>(std::thread::hardware_concurrency())},
          {"memory_mb", memory},
          {"system", fmt::format("{} {}", names.sysname, names.machine)},
          {"compiler", PERP_COMPILER " " PERP_BUILD_TYPE}};
}

// The data that all runs share.
struct Sweep {
  const BenchRequest& request;
  Json machine_facts, program;
  std::map<std::string, Json> settings;  // for each solver, those that it has
};

// A running child and what it has reported so far.
struct Running {
  Job job;
  Child child;
  std::size_t read = 0;           // bytes of its output that were read
  std::size_t run = 0;            // index of the current run in the job
  Json problem = Json::object();  // kind and n of that run
  Json answer = nullptr;          // of that run, during its repeats
  double since = now_seconds();   // when that run began
};

std::string outcome_of(const ChildReport& child) {
  switch (child.end) {
    case ChildReport::End::kKilledByLimit:
      return "timed_out";
    case ChildReport::End::kOutOfMemory:
      return "out_of_memory";
    case ChildReport::End::kSignalled:
      return "crashed";
    default:
      return child.code == kOutOfMemoryExit ? "out_of_memory" : "crashed";
  }
}

double seconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// The result to record if the child died without one.
Json told_by_end(const ChildReport& child) {
  std::string message;
  if (child.end == ChildReport::End::kSignalled) message = fmt::format("signal {}", child.code);
  if (child.end == ChildReport::End::kExited)
    message = fmt::format("the process ended itself with exit code {}", child.code);
  return {{"outcome", outcome_of(child)},
          {"message", message},
          {"peak_memory_mb", child.peak_memory_mb}};
}

// The files from which methods in a solver come, separated by commas.
// @param file_of a method; "": it comes from none
template <class FileOf>
std::string files_of(const SolverName& solver, FileOf file_of) {
  std::vector<std::string> files;
  if (solver.external) return {};
  for (const std::string& method : methods_of(parse_any_solver(solver.name))) {
    const std::string file = file_of(method);
    if (!file.empty() && std::find(files.begin(), files.end(), file) == files.end())
      files.push_back(file);
  }
  return fmt::format("{}", fmt::join(files, ","));
}

std::string plugin_file(const std::string& method) {
  const Plugin* plugin = find_plugin(method);
  return plugin ? plugin->file : "";
}

std::string imported_file(const std::string& method) {
  const RegisteredSolver* registered = find_registered_solver(method);
  return registered ? registered->imported : "";
}

Json record_of(const Sweep& sweep, const Running& at, const Json& told) {
  const Run& run = at.job.runs[at.run];
  const Instance& i = *run.instance;
  Json record{{"format", "perp-record"},
              {"version", 1},
              {"key", run.key},
              {"suite", i.suite},
              {"source", i.source},
              {"instance", i.name},
              {"instance_hash", i.hash},
              {"kind", at.problem.value("kind", "")},
              {"n", at.problem.value("n", 0)},
              {"contacts", at.problem.value("contacts", 0)},
              {"family", i.family},
              {"seed", i.family.empty() ? Json() : Json(i.seed)},
              {"sequence", i.sequence},
              {"position", i.position},
              {"mode", to_string(at.job.start)},
              {"started_from", told.value("started_from", "")},
              {"uses_start", told.value("uses_start", Json())},
              {"solver", read_solver_name(at.job.solver).name},
              {"label", sweep.request.label},
              {"settings", at.problem.value("settings", sweep.settings.at(at.job.solver))},
              {"settings_hash", at.job.settings_hash},
              {"program", sweep.program},
              {"machine", sweep.machine_facts},
              {"tolerance", sweep.request.tolerance},
              {"asked_tolerance", told.value("asked", Json())},
              {"time_limit", sweep.request.time_limit},
              {"memory_limit_mb", sweep.request.memory_limit_mb},
              {"outcome", told["outcome"]},
              {"claimed", told.value("claimed", "")},
              {"certificate", told.value("certificate", "")},
              {"vacuous", told.value("vacuous", Json())},
              {"residuals", told.value("residuals", Json::object())},
              {"iterations", told.value("iterations", 0)},
              {"statistics", told.value("statistics", Json::object())},
              {"times",
               {{"setup", told.value("setup", Json())},
                {"solve", told.value("solve", Json())},
                {"total", told.value("total", Json())},
                {"setup_all", told.value("setup_all", Json::array())},
                {"solve_all", told.value("solve_all", Json::array())},
                {"wall", told.value("wall", now_seconds() - at.since)}}},
              {"peak_memory_mb", told.value("peak_memory_mb", 0.0)},
              {"failed_repeats", told.value("failed_repeats", 0)},
              {"written", seconds_since_1970()},
              {"message", told.value("message", "")},
              {"worst", told.value("worst", "")},
              {"x-size", i.size},
              {"x-measure", told.value("x-measure", Json())}};
  if (told.contains("llt")) record["times"]["llt"] = told["llt"];
  if (told.value("own_times", false)) record["times"]["own"] = true;
  const SolverName solver = read_solver_name(at.job.solver);
  if (solver.name != at.job.solver) {
    record["command"] = solver.command;
    record["given"] = at.job.solver;
  }
  const auto add_files = [&](const char* field, const std::string& files) {
    if (!files.empty()) record[field] = files;
  };
  add_files("plugin", files_of(solver, plugin_file));
  add_files("imported", files_of(solver, imported_file));
  return record;
}

// Runs jobs and writes their records.
class Runner {
 public:
  Runner(const Sweep& sweep, std::vector<Job> jobs, std::map<std::string, std::string> outcomes,
         RecordFile& records, BenchSummary& summary, const BenchProgress& progress)
      : sweep_(sweep),
        jobs_(std::make_move_iterator(jobs.begin()), std::make_move_iterator(jobs.end())),
        outcomes_(std::move(outcomes)),
        records_(records),
        summary_(summary),
        progress_(progress) {
    for (const Job& job : jobs_) {
      total_ +=
          static_cast<int>(std::count_if(job.runs.begin(), job.runs.end(), [](const Run& run) {
            return run.state == Run::State::kToDo;
          }));
    }
  }

  void run() {
    while (interrupt_signal() == 0 && (!jobs_.empty() || !running_.empty())) {
      while (!jobs_.empty() && static_cast<int>(running_.size()) < sweep_.request.jobs) {
        begin(std::move(jobs_.front()));
        jobs_.pop_front();
      }
      for (std::size_t k = 0; k < running_.size(); ++k) {
        Running& at = running_[k];
        const bool ended = at.child.poll(running_.size() > 1 ? 0.005 : 0.2);
        listen(at);
        if (!ended) continue;
        if (at.run < at.job.runs.size()) go_on_behind(at);
        running_.erase(running_.begin() + static_cast<long>(k--));
      }
    }
  }

 private:
  void begin(Job job) {
    const BenchRequest& r = sweep_.request;
    // s, for every solve. Solvers end by themselves at the time limit, but some of them check it
    // only between long steps.
    const double limit = r.time_limit > 0 ? 2.4 * r.time_limit + r.grace : 0.0;
    const int solves = static_cast<int>(job.runs.size()) * (r.repeats + 1 + kMostTolerances);
    Child child = Child::fork_and_run(
        [&](int fd) {
          records_.leave();
          return run_job(r, job, fd);
        },
        limit, r.memory_limit_mb, solves);
    running_.push_back({std::move(job), std::move(child)});
    skip_done(running_.back());
  }

  // Reads the lines that have arrived (see run_job).
  void listen(Running& at) {
    const std::string& output = at.child.report().output;
    for (std::size_t end; (end = output.find('\n', at.read)) != std::string::npos;) {
      const Json line = Json::parse(output.begin() + static_cast<long>(at.read),
                                    output.begin() + static_cast<long>(end), nullptr, false);
      at.read = end + 1;
      if (!line.is_object()) continue;
      if (line.contains("run")) {
        at.run = std::min(line["run"].get<std::size_t>(), at.job.runs.size());
        at.problem = Json::object();
        at.answer = Json();
        at.since = now_seconds();
        at.child.next_part();
      } else if (line.contains("part")) {
        if (line.contains("answer")) at.answer = line["answer"];
        at.child.next_part();
      } else if (line.contains("kind")) {
        at.problem = line;
      } else if (line.contains("outcome") && at.run < at.job.runs.size()) {
        finish(at, line);
      }
    }
  }

  static void skip_done(Running& at) {
    const std::vector<Run>& runs = at.job.runs;
    while (at.run < runs.size() && runs[at.run].state == Run::State::kDone) ++at.run;
  }

  // Records the current run and goes on to the next one that is not done.
  void finish(Running& at, const Json& told) {
    Run& run = at.job.runs[at.run];
    const Json record = record_of(sweep_, at, told);
    records_.add(record.dump(-1, ' ', false, Json::error_handler_t::replace));
    run.state = Run::State::kDone;
    ++summary_.runs;
    const std::string outcome = record["outcome"];
    outcomes_[run.key] = outcome;
    summary_.solved += outcome == "solved";
    if (progress_) progress_(summary_.runs, total_, run.instance->name, record["solver"], outcome);
    skip_done(at);
    at.problem = Json::object();
    at.answer = Json();
    at.since = now_seconds();
  }

  // The child died in a run. Records this run and gives the rest to a new child. If the child died
  // in a repeat, its answer is recorded.
  void go_on_behind(Running& at) {
    Run& run = at.job.runs[at.run];
    if (run.state == Run::State::kToDo) {
      const Json answer = at.answer;
      finish(at, answer.is_null() ? told_by_end(at.child.report()) : answer);
    }
    outcomes_.erase(run.key);  // so that it is not replayed
    run.state = Run::State::kDone;
    if (!at.job.has_work()) return;
    mark_replays(at.job, outcomes_);
    jobs_.push_front(std::move(at.job));
  }

  const Sweep& sweep_;
  std::deque<Job> jobs_;
  std::map<std::string, std::string> outcomes_;  // by key
  RecordFile& records_;
  BenchSummary& summary_;
  const BenchProgress& progress_;
  std::vector<Running> running_;
  int total_ = 0;
};

}  // namespace

std::string to_string(StartFrom start) {
  return start == StartFrom::kZero ? "zero" : start == StartFrom::kStored ? "stored" : "warm";
}

StartFrom start_from(const std::string& name) {
  if (name == "cold") return StartFrom::kZero;
  for (const StartFrom start : {StartFrom::kZero, StartFrom::kStored, StartFrom::kWarm}) {
    if (to_string(start) == name) return start;
  }
  throw std::invalid_argument(fmt::format("--start: \"{}\" is not zero, stored or warm", name));
}

namespace {

// Records of the same runs in files of other names would be counted as well, and may be older.
void refuse_other_files(const BenchRequest& request, const std::string& own) {
  std::error_code error;
  const std::string shards = fmt::format("-of-{}.jsonl", request.shards);
  for (const auto& entry : fs::directory_iterator(request.folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool of_shard = name.starts_with("records-") && name.ends_with(".jsonl") &&
                          name.find("-of-") != std::string::npos;
    if (name == own || (name != "records.jsonl" && !of_shard)) continue;
    if (request.shards > 1 && of_shard && name.ends_with(shards)) continue;
    throw InputError(fmt::format(
        "{}: holds records of an earlier run with another --shard; --resume adds to them, else "
        "take another folder",
        entry.path().string()));
  }
}

}  // namespace

RecordFile record_file(const BenchRequest& request) {
  const std::string name =
      request.shards > 1 ? fmt::format("records-{}-of-{}.jsonl", request.shard, request.shards)
                         : "records.jsonl";
  if (!request.resume) refuse_other_files(request, name);
  return RecordFile((fs::path(request.folder) / name).string(), request.resume ? OldRecords::kKeep
                                                                : request.overwrite
                                                                    ? OldRecords::kReplace
                                                                    : OldRecords::kRefuse);
}

namespace {

Sweep sweep_of(const BenchRequest& request) {
  Sweep sweep{request,
              machine(),
              {{"version", PERP_VERSION}, {"hash", hash_text(read_text_file(program_file()))}},
              {}};
  for (const std::string& solver : request.solvers) {
    sweep.settings[solver] = Json::object();
    for (const auto& [name, value] : settings_of(solver, request.settings))
      sweep.settings[solver][name] = value;
  }
  return sweep;
}

// Hash of the files that a command names (a script, a program by its path). Other content makes it
// another solver.
std::string files_of_command(const std::string& command) {
  std::string text, word;
  const auto take = [&] {
    std::error_code error;
    if (!word.empty() && fs::is_regular_file(word, error) &&
        fs::file_size(word, error) <= kLargestProgram)
      text += hash_text(read_text_file(word));
    word.clear();
  };
  for (const char c : command) {
    if (c == ' ' || c == '\t' || c == '\'' || c == '"') {
      take();
    } else {
      word += c;
    }
  }
  take();
  return text.empty() ? text : hash_text(text);
}

// Hashes of the libraries of plug-ins, of registered solvers, and of the files of programs.
std::string hashes_of_methods(const std::string& solver) {
  std::string text;
  for (const std::string& method : methods_of(parse_any_solver(solver))) {
    if (const Plugin* plugin = find_plugin(method)) text += hash_text(read_text_file(plugin->file));
    if (const RegisteredSolver* own = find_registered_solver(method)) text += own->hash;
    if (const SolverName name = read_solver_name(method); name.external)
      text += files_of_command(name.command);
  }
  return text;
}

std::string program_hash_of(const std::string& solver) {
  if (const Peer* peer = find_peer(solver)) return hash_text(read_text_file(program_of(*peer)));
  const SolverName name = read_solver_name(solver);
  return name.external ? files_of_command(name.command) : hashes_of_methods(solver);
}

std::vector<Job> jobs_of(const Sweep& sweep, const BenchRequest& request,
                         const std::map<std::string, std::string>& outcomes, int& skipped) {
  const auto settings_text = [&](const std::string& solver) {
    return fmt::format("{} {} {} {}", sweep.settings.at(solver).dump(), request.tolerance,
                       request.time_limit, request.memory_limit_mb);
  };
  std::map<std::string, std::string> programs;
  for (const std::string& solver : request.solvers)
    programs[solver] = sweep.program["hash"].get<std::string>() + program_hash_of(solver);
  const auto program_hash = [&](const std::string& solver) { return programs.at(solver); };
  return deal_jobs(request, settings_text, program_hash, outcomes, skipped);
}

}  // namespace

std::vector<std::string> run_keys(const BenchRequest& request) {
  BenchRequest whole = request;
  whole.shard = whole.shards = 1;
  int skipped = 0;
  std::vector<std::string> keys;
  for (const Job& job : jobs_of(sweep_of(whole), whole, {}, skipped)) {
    for (const Run& run : job.runs) keys.push_back(run.key);
  }
  return keys;
}

BenchSummary run_benchmark(const BenchRequest& request, const BenchProgress& progress) {
  RecordFile records = record_file(request);
  BenchSummary summary;
  summary.records_file = records.path();
  std::error_code error;
  fs::create_directories(request.folder, error);
  if (error)
    throw InputError(fmt::format("{}: cannot be created ({})", request.folder, error.message()));
  const Sweep sweep = sweep_of(request);
  std::map<std::string, std::string> outcomes;
  if (request.resume) outcomes = known_outcomes(request.folder);
  std::vector<Job> jobs = jobs_of(sweep, request, outcomes, summary.skipped);
  records.open();
  const InterruptGuard guard;
  Runner(sweep, std::move(jobs), std::move(outcomes), records, summary, progress).run();
  summary.interrupted = interrupt_signal();
  return summary;
}

}  // namespace perp
