// perp_adversary: trials in processes of their own, and a report of what they contradict.
#include "trial.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <perp/problems/io/problem_file.hpp>

namespace perp::adversary {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

struct Options {
  Plan plan;
  double minutes = 1.0;
  std::uint64_t first = 0, trials = 0;  // trials: 0 as many as the time allows
  int workers = 1;
  std::string output;
};

struct Counts {
  long trials = 0, solved = 0, proved = 0, answers = 0, proofs = 0, contradictions = 0;
};

Json numbers(const Vector& v) { return std::vector<double>(v.begin(), v.end()); }

// The path of the problem, or why it could not be written.
std::string kept(const Problem& problem, const std::string& path) {
  try {
    write_problem(problem, path);
  } catch (const std::exception& error) {
    return error.what();
  }
  return path;
}

// What a trial says, in a line: then the problem need not be kept.
std::string line_of(const Plan& plan, std::uint64_t number, const TrialResult& r,
                    const std::string& output) {
  Json j = {{"trial", number},        {"kind", r.kind},
            {"relation", r.relation}, {"solver", r.solver},
            {"status", r.status},     {"answers", r.answers},
            {"proofs", r.proofs},     {"contradictions", Json::array()}};
  for (const Contradiction& c : r.contradictions)
    j["contradictions"].push_back({{"what", c.what},
                                   {"detail", c.detail},
                                   {"z", numbers(c.answer.z)},
                                   {"dual", numbers(c.answer.dual)}});
  if (r.problem && !output.empty()) {
    constexpr double kShrinkSeconds = 10.0;
    const Shrunk small = shrink_finding(plan, r, kShrinkSeconds);
    j["problem"] = kept(*r.problem, fmt::format("{}/trial-{}.json", output, number));
    j["shrunk"] = kept(small.problem, fmt::format("{}/trial-{}-shrunk.json", output, number));
    j["unknowns"] = {r.problem->size(), small.problem.size()};
  }
  return j.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n < 0) _exit(3);
    done += static_cast<std::size_t>(n);
  }
}

// A process that runs trials first, first + stride, ...
struct Worker {
  pid_t pid = -1;
  int pipe = -1;
  std::uint64_t next = 0;  // trial that it has begun or will begin
  std::string text;        // read and not yet whole
  Clock::time_point seen;  // when it last said something
};

class Adversary {
 public:
  explicit Adversary(Options options) : options_(std::move(options)) {}

  int run() {
    if (!options_.output.empty()) {
      std::filesystem::create_directories(options_.output);
      findings_.open(options_.output + "/findings.jsonl");
    }
    const auto begin = Clock::now();
    std::vector<Worker> workers(static_cast<std::size_t>(options_.workers));
    for (std::size_t w = 0; w < workers.size(); ++w) start(workers[w], options_.first + w);
    while (!workers.empty()) {
      std::vector<pollfd> fds;
      for (const Worker& w : workers) fds.push_back({w.pipe, POLLIN, 0});
      poll(fds.data(), fds.size(), 500);
      late_ = options_.trials == 0 &&
              std::chrono::duration<double>(Clock::now() - begin).count() > 60 * options_.minutes;
      for (std::size_t w = workers.size(); w-- > 0;) {
        if (!attend(workers[w], fds[w].revents != 0))
          workers.erase(workers.begin() + static_cast<long>(w));
      }
    }
    report(std::chrono::duration<double>(Clock::now() - begin).count());
    return contradictions_ > 0 ? 1 : 0;
  }

 private:
  bool done(std::uint64_t number) const {
    return options_.trials > 0 && number >= options_.first + options_.trials;
  }

  void start(Worker& w, std::uint64_t first) {
    w.next = first;
    w.text.clear();
    w.seen = Clock::now();
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    w.pid = fork();
    if (w.pid == 0) {
      close(ends[0]);
      for (std::uint64_t k = first; !done(k); k += static_cast<std::uint64_t>(options_.workers))
        write_all(ends[1], line_of(options_.plan, k, run_trial(options_.plan, k), options_.output));
      _exit(0);
    }
    close(ends[1]);
    w.pipe = ends[0];
  }

  // Reads what a worker says; one that has died or hangs is replaced. False if it has ended.
  bool attend(Worker& w, bool says) {
    if (says) {
      char buffer[65536];
      const ssize_t n = read(w.pipe, buffer, sizeof buffer);
      if (n > 0) {
        w.text.append(buffer, static_cast<std::size_t>(n));
        w.seen = Clock::now();
        for (std::size_t end; (end = w.text.find('\n')) != std::string::npos;) {
          take(Json::parse(w.text.substr(0, end)));
          w.text.erase(0, end + 1);
          w.next += static_cast<std::uint64_t>(options_.workers);
        }
      } else {
        return replace(w, "crash");
      }
    }
    if (late_) {
      kill(w.pid, SIGKILL);
      waitpid(w.pid, nullptr, 0);
      close(w.pipe);
      return false;
    }
    const double silent = std::chrono::duration<double>(Clock::now() - w.seen).count();
    if (silent > 60 + 20 * options_.plan.time_limit) {
      kill(w.pid, SIGKILL);
      return replace(w, "hang");
    }
    return true;
  }

  bool replace(Worker& w, const char* what) {
    int status = 0;
    waitpid(w.pid, &status, 0);
    close(w.pipe);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return false;
    const std::string detail = WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                                                   : fmt::format("exit {}", WEXITSTATUS(status));
    take({{"trial", w.next},
          {"kind", "?"},
          {"relation", "?"},
          {"solver", "?"},
          {"status", what},
          {"answers", 0},
          {"proofs", 0},
          {"contradictions", Json::array({{{"what", what}, {"detail", detail}}})}});
    const std::uint64_t next = w.next + static_cast<std::uint64_t>(options_.workers);
    if (done(next)) return false;
    start(w, next);
    return true;
  }

  void take(const Json& j) {
    for (Counts* c : {&counts_[{j["kind"], j["solver"]}], &kinds_[j["kind"]]}) {
      ++c->trials;
      c->solved += j["status"] == "solved";
      c->proved += j["status"] == "infeasible";
      c->answers += j["answers"].get<long>();
      c->proofs += j["proofs"].get<long>();
      c->contradictions += static_cast<long>(j["contradictions"].size());
    }
    if (j["contradictions"].empty()) return;
    contradictions_ += static_cast<long>(j["contradictions"].size());
    last_ = std::max(last_, j["trial"].get<std::uint64_t>());
    for (const Json& c : j["contradictions"]) {
      std::cout << fmt::format("trial {}: {}, {}, {}: {}: {}\n", j["trial"].get<std::uint64_t>(),
                               j["kind"].get<std::string>(), j["relation"].get<std::string>(),
                               j["solver"].get<std::string>(), c["what"].get<std::string>(),
                               c["detail"].get<std::string>());
    }
    if (findings_.is_open()) findings_ << j.dump() << std::endl;
  }

  static std::string row(const std::string& first, const std::string& second, const Counts& c) {
    return fmt::format("{:<17} {:<44} {:>8} {:>8} {:>8} {:>9} {:>8} {:>6}\n", first,
                       second.size() > 44 ? second.substr(0, 43) + "…" : second, c.trials, c.solved,
                       c.proved, c.answers, c.proofs, c.contradictions);
  }

  void report(double seconds) const {
    Counts all;
    std::cout << fmt::format("{:<17} {:<44} {:>8} {:>8} {:>8} {:>9} {:>8} {:>6}\n", "kind",
                             "solver", "partners", "solved", "proved", "answers", "proofs",
                             "wrong");
    for (const auto& [key, c] : counts_) std::cout << row(key.first, key.second, c);
    for (const auto& [kind, c] : kinds_) {
      std::cout << row(kind, "all", c);
      all.trials += c.trials;
      all.solved += c.solved;
      all.proved += c.proved;
      all.answers += c.answers;
      all.proofs += c.proofs;
      all.contradictions += c.contradictions;
    }
    std::cout << row("all", "all", all);
    std::cout << fmt::format(
        "{} partners in {:.0f} s, seed {}: {} contradictions{}\n", all.trials, seconds,
        options_.plan.seed, contradictions_,
        contradictions_ > 0 ? fmt::format(", the last in trial {}", last_) : std::string());
  }

  Options options_;
  std::map<std::pair<std::string, std::string>, Counts> counts_;
  std::map<std::string, Counts> kinds_;
  long contradictions_ = 0;
  std::uint64_t last_ = 0;
  bool late_ = false;
  std::ofstream findings_;
};

int run(int argc, char** argv) {
  Options o;
  CLI::App app{
      "Random problems and their partners by every solver, judged by a second verifier in "
      "exact arithmetic. Exit code 1 if anything is contradicted"};
  std::map<std::string, Fault> faults = {{"none", Fault::kNone},
                                         {"lying-solver", Fault::kLyingSolver},
                                         {"finiteness", Fault::kFiniteness},
                                         {"certificate", Fault::kCertificate},
                                         {"nondeterminism", Fault::kNondeterminism},
                                         {"slow", Fault::kSlow},
                                         {"crash", Fault::kCrash}};
  app.add_option("--minutes", o.minutes, "how long, unless --trials is given")
      ->capture_default_str();
  app.add_option("--trials", o.trials, "how many partners");
  app.add_option("--first", o.first, "number of the first one")->capture_default_str();
  app.add_option("--seed", o.plan.seed, "the same seed and number repeat a trial")
      ->capture_default_str();
  app.add_option("--kind", o.plan.kind, "only problems of this kind")
      ->check(
          CLI::IsMember(std::vector<std::string>(problem_kinds().begin(), problem_kinds().end())));
  app.add_option("--solver", o.plan.solver, "only this solver");
  app.add_option("--tolerance", o.plan.tolerance, "of the verifier")->capture_default_str();
  app.add_option("--time-limit", o.plan.time_limit, "of a solve, s")->capture_default_str();
  app.add_option("--workers", o.workers, "processes at once")->capture_default_str();
  app.add_option("-o,--output", o.output, "folder for problems with contradictions");
  app.add_option("--plant", o.plan.fault, "a fault that must be found")
      ->transform(CLI::CheckedTransformer(faults));
  CLI11_PARSE(app, argc, argv);
  return Adversary(std::move(o)).run();
}

}  // namespace
}  // namespace perp::adversary

int main(int argc, char** argv) {
  try {
    return perp::adversary::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "perp_adversary: " << error.what() << "\n";
    return 2;
  }
}
