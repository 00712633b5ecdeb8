#include <perp/bench/harness/runner.hpp>

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <csignal>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <perp/bench/harness/process.hpp>
#include <perp/bench/harness/result_json.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/peers/catalogue.hpp>
#include <perp/problems/families/family.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/solvers/router.hpp>
#include <set>
#include <thread>

namespace perp {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int) { interrupted = 1; }

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

struct Job {
  const Instance* instance;
  std::string solver, settings_hash, key;
};

// What does not differ from run to run.
struct Sweep {
  const BenchRequest& request;
  Json machine_facts, program, settings;
  std::string settings_text;
};

void write_all(int fd, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t put = write(fd, text.data() + sent, text.size() - sent);
    if (put <= 0) return;
    sent += static_cast<std::size_t>(put);
  }
}

// In the child: load, solve, verify, tell the parent: a line on the problem, then one on the
// result.
int solve_job(const BenchRequest& request, const Job& job, int write_fd) {
  Json out;
  try {
    const Problem problem = job.instance->load();
    write_all(write_fd, Json{{"kind", problem.kind()}, {"n", problem.size()}}.dump() + "\n");
    SolveRequest solve;
    solve.solver = job.solver;
    solve.common.tolerance = request.tolerance;
    solve.common.time_limit = request.time_limit;
    solve.settings = request.settings;
    solve.repeats = request.repeats;
    solve.make = make_any_solver;
    const VerifiedResult result = solve_verified(problem, solve);
    out = {{"outcome", to_string(result.status)},
           {"claimed", to_string(result.claimed)},
           {"residuals", residuals_to_json(result.verdict.residuals)},
           {"x-measure", result.verdict.measure},
           {"iterations", result.iterations},
           {"statistics", Json::object()},
           {"setup", result.setup_time},
           {"solve", result.solve_time},
           {"solve_all", result.solve_times},
           {"message", result.message}};
    for (const auto& [name, value] : result.statistics) {
      out["statistics"][name] = value;
      if (name == "signal" && result.status != Status::kSolved) out["outcome"] = "crashed";
    }
    if (result.own_times) out["own_times"] = true;
  } catch (const InputError& error) {
    out = {{"outcome", "unsupported"}, {"message", error.what()}};
  } catch (const std::invalid_argument& error) {
    out = {{"outcome", "unsupported"}, {"message", error.what()}};
  }
  write_all(write_fd, out.dump());
  return 0;
}

std::string outcome_of(const ChildReport& child) {
  switch (child.end) {
    case ChildReport::End::kKilledByLimit:
      return "timed_out";
    case ChildReport::End::kSignalled:
      return "crashed";
    default:
      return child.code == kOutOfMemoryExit ? "out_of_memory" : "crashed";
  }
}

Json record_of(const Sweep& sweep, const Job& job, const ChildReport& child) {
  const auto line = std::min(child.output.find('\n'), child.output.size());
  Json problem = Json::parse(child.output.substr(0, line), nullptr, false);
  if (!problem.is_object()) problem = Json::object();
  Json told =
      Json::parse(child.output.substr(std::min(line + 1, child.output.size())), nullptr, false);
  const bool complete =
      child.end == ChildReport::End::kExited && child.code == 0 && told.is_object();
  if (!complete) {
    told = {
        {"outcome", outcome_of(child)},
        {"message",
         child.end == ChildReport::End::kSignalled ? fmt::format("signal {}", child.code) : ""}};
  }
  const Instance& i = *job.instance;
  Json times{{"setup", told.value("setup", Json())},
             {"solve", told.value("solve", Json())},
             {"solve_all", told.value("solve_all", Json::array())},
             {"wall", child.wall}};
  if (told.value("own_times", false)) times["own"] = true;
  return {{"format", "perp-record"},
          {"version", 1},
          {"key", job.key},
          {"suite", i.suite},
          {"instance", i.name},
          {"instance_hash", i.hash},
          {"kind", problem.value("kind", "")},
          {"n", problem.value("n", 0)},
          {"family", i.family},
          {"seed", i.family.empty() ? Json() : Json(i.seed)},
          {"solver", job.solver},
          {"settings", sweep.settings},
          {"settings_hash", job.settings_hash},
          {"program", sweep.program},
          {"machine", sweep.machine_facts},
          {"tolerance", sweep.request.tolerance},
          {"outcome", told["outcome"]},
          {"claimed", told.value("claimed", "")},
          {"residuals", told.value("residuals", Json::object())},
          {"iterations", told.value("iterations", 0)},
          {"statistics", told.value("statistics", Json::object())},
          {"times", times},
          {"peak_memory_mb", child.peak_memory_mb},
          {"message", told.value("message", "")},
          {"x-size", i.size},
          {"x-measure", told.value("x-measure", Json())}};
}

std::set<std::string> known_keys(const fs::path& folder) {
  std::set<std::string> keys;
  if (!fs::is_directory(folder)) return keys;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".jsonl") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      const Json j = Json::parse(line, nullptr, false);
      if (j.is_object() && j.contains("key")) keys.insert(j["key"].get<std::string>());
    }
  }
  return keys;
}

// A run that was killed may have left half a line.
void drop_cut_line(const std::string& file) {
  if (!fs::is_regular_file(file)) return;
  const std::string text = read_text_file(file);
  if (text.empty() || text.back() == '\n') return;
  fs::resize_file(file, text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
}

// Of perp and, for a peer, of the peer's program: what the key of a run depends on.
std::string program_hash(const Sweep& sweep, const std::string& solver) {
  const std::string own = sweep.program["hash"];
  const Peer* peer = find_peer(solver);
  return peer ? own + hash_text(read_text_file(program_of(*peer))) : own;
}

std::deque<Job> deal_jobs(const Sweep& sweep, BenchSummary& summary) {
  const BenchRequest& r = sweep.request;
  const std::set<std::string> done = r.resume ? known_keys(r.folder) : std::set<std::string>{};
  std::map<std::string, std::string> programs;
  for (const std::string& solver : r.solvers) programs[solver] = program_hash(sweep, solver);
  std::deque<Job> jobs;
  int number = 0;
  for (const Instance& instance : r.instances) {
    for (const std::string& solver : r.solvers) {
      if (number++ % r.shards != r.shard - 1) continue;
      const std::string settings = hash_text(solver + "\n" + sweep.settings_text);
      const std::string key = hash_text(instance.hash + settings + programs[solver]);
      if (done.contains(key)) {
        ++summary.skipped;
      } else {
        jobs.push_back({&instance, solver, settings, key});
      }
    }
  }
  return jobs;
}

}  // namespace

BenchSummary run_benchmark(
    const BenchRequest& request,
    const std::function<void(int, int, const std::string&, const std::string&, const std::string&)>&
        progress) {
  std::error_code error;
  fs::create_directories(request.folder, error);
  if (error)
    throw InputError(fmt::format("{}: cannot be created ({})", request.folder, error.message()));
  Sweep sweep{request,
              machine(),
              {{"version", PERP_VERSION}, {"hash", hash_text(read_text_file("/proc/self/exe"))}},
              Json::object(),
              ""};
  for (const auto& [name, value] : request.settings) sweep.settings[name] = value;
  sweep.settings_text = fmt::format("{} {} {} {}", sweep.settings.dump(), request.tolerance,
                                    request.time_limit, request.memory_limit_mb);
  BenchSummary summary;
  summary.records_file =
      (fs::path(request.folder) /
       (request.shards > 1 ? fmt::format("records-{}-of-{}.jsonl", request.shard, request.shards)
                           : "records.jsonl"))
          .string();
  if (request.resume) drop_cut_line(summary.records_file);
  std::deque<Job> jobs = deal_jobs(sweep, summary);
  std::ofstream records(summary.records_file, request.resume ? std::ios::app : std::ios::trunc);
  if (!records) throw InputError(fmt::format("{}: cannot be written", summary.records_file));

  interrupted = 0;
  const auto previous = std::signal(SIGINT, on_interrupt);
  const int total = static_cast<int>(jobs.size());
  const double wall_limit =
      request.time_limit > 0 ? request.time_limit * request.repeats * 1.2 + 20.0 : 0.0;
  std::vector<std::pair<Job, Child>> running;
  while (!interrupted && (!jobs.empty() || !running.empty())) {
    while (!jobs.empty() && static_cast<int>(running.size()) < request.jobs) {
      Job job = std::move(jobs.front());
      jobs.pop_front();
      Child child = Child::fork_and_run([&](int fd) { return solve_job(request, job, fd); },
                                        wall_limit, request.memory_limit_mb);
      running.emplace_back(std::move(job), std::move(child));
    }
    for (std::size_t k = 0; k < running.size(); ++k) {
      if (!running[k].second.poll(running.size() > 1 ? 0.005 : 0.2)) continue;
      const Json record = record_of(sweep, running[k].first, running[k].second.report());
      records << record.dump() << '\n' << std::flush;
      ++summary.runs;
      const std::string outcome = record["outcome"];
      summary.solved += outcome == "solved";
      if (progress) {
        progress(summary.runs, total, running[k].first.instance->name, running[k].first.solver,
                 outcome);
      }
      running.erase(running.begin() + static_cast<long>(k--));
    }
  }
  summary.interrupted = interrupted != 0;
  std::signal(SIGINT, previous);
  return summary;
}

}  // namespace perp
