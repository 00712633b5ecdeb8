#include <perp/bench/harness/job.hpp>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>
#include <Eigen/Cholesky>
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <perp/bench/harness/measure.hpp>
#include <perp/bench/harness/result_json.hpp>
#include <perp/bench/harness/solver_names.hpp>
#include <perp/bench/harness/solvers.hpp>
#include <perp/bench/harness/words.hpp>
#include <perp/bench/processes/command.hpp>
#include <perp/bench/processes/kept_solver.hpp>
#include <perp/bench/processes/memory_watch.hpp>
#include <perp/bench/simulation/warm_starts.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/standard/random.hpp>
#include <perp/solvers/session.hpp>

namespace perp {

using Json = nlohmann::ordered_json;

namespace {

using Clock = std::chrono::steady_clock;

// unknowns; for smaller matrices the resolution of the clock would be measured
constexpr int kSmallestLlt = 100;

void write_line(int fd, const Json& line) {
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t put = write(fd, text.data() + sent, text.size() - sent);
    if (put <= 0) return;
    sent += static_cast<std::size_t>(put);
  }
}

bool is_dense_symmetric(const Problem& problem) {
  if (const auto* qp = std::get_if<BoxQp>(&problem.data)) return !qp->H.is_sparse();
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  return lcp && !lcp->M.is_sparse() && lcp->M.is_symmetric(1e-12);
}

// Seconds that Eigen's LLT takes to factorise a matrix of this size and to solve once. It is a
// yardstick with the same clock, in the same process, right after the solve. The values of the
// matrix do not matter.
double llt_seconds(int n, int repeats) {
  Random random(1);
  DenseMatrix a(n, n);
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) a(i, j) = a(j, i) = random.uniform();
    a(j, j) += n;
  }
  const Vector b = Vector::Ones(n);
  Eigen::LLT<DenseMatrix> llt(n);
  std::vector<double> times;
  for (int k = 0; k < std::max(3, repeats); ++k) {
    const auto started = Clock::now();
    llt.compute(a);
    const Vector x = llt.solve(b);
    const std::chrono::duration<double> elapsed = Clock::now() - started;
    if (x.allFinite()) times.push_back(elapsed.count());
  }
  return median(std::move(times));
}

Json result_line(const Problem& problem, const Measurement& m) {
  const VerifiedResult& result = m.result;
  Json out{
      {"outcome", to_string(result.status)},
      {"claimed", to_string(result.claimed)},
      {"certificate",
       result.certificate && result.certificate->checked ? result.certificate->type : ""},
      {"vacuous", result.verdict.vacuous == Vacuous::kZero ||
                      (result.verdict.vacuous == Vacuous::kStart && result.start != "nothing")},
      {"residuals", residuals_to_json(result.verdict.residuals)},
      {"worst", result.verdict.solved ? "" : worst_in_words(problem, result.verdict.residuals)},
      {"x-measure", result.verdict.measure},
      {"iterations", result.iterations},
      {"statistics", Json::object()},
      {"setup", result.setup_time},
      {"solve", result.solve_time},
      {"total", m.total},
      {"setup_all", m.setups},
      {"solve_all", m.solves},
      {"asked", m.asked},
      {"failed_repeats", m.failed_repeats},
      {"message", result.message}};
  for (const auto& [name, value] : result.statistics) {
    out["statistics"][name] = value;
    // Outcomes of an external program.
    if (result.status == Status::kSolved) continue;
    if (name == "signal") out["outcome"] = "crashed";
    if (name == "out_of_memory") out["outcome"] = "out_of_memory";
  }
  if (result.own_times) out["own_times"] = true;
  return out;
}

// The problem in memory as before any solve. Steps of a scene share a compiled graph; it is dropped
// here, because compiling is part of a solve.
Problem loaded(const Instance& instance) {
  Problem problem = instance.load();
  if (auto* mcp = std::get_if<Mcp>(&problem.data)) mcp->compiled.reset();
  return problem;
}

std::string stage_of(const Problem& problem) {
  const json::Value* stage = problem.source.find("stage");
  const auto* text = stage ? stage->get_if<std::string>() : nullptr;
  return text ? *text : "";
}

class Worker {
 public:
  Worker(const BenchRequest& request, const Job& job, int fd)
      : request_(request), job_(job), fd_(fd), process_(getpid()) {}

  void begin(std::size_t run) {
    began_ = now_seconds();
    tell({{"run", run}});
  }

  void solve(const Run& run) {
    const bool replay = run.state == Run::State::kReplay;
    Json out;
    try {
      const Problem problem = loaded(*run.instance);
      const SettingTexts settings = settings_of(job_.solver, request_.settings);
      Json facts{
          {"kind", problem.kind()}, {"n", problem.size()}, {"contacts", problem.contacts.size()}};
      facts["settings"] = Json::object();
      for (const auto& [name, value] : settings) facts["settings"][name] = value;
      tell(facts);
      SolveRequest solve;
      solve.solver = job_.solver;
      solve.stored_start = false;
      solve.limits.tolerance = request_.tolerance;
      solve.limits.time_limit = request_.time_limit;
      solve.settings = settings;
      solve.make = request_.make ? request_.make : make_any_solver;
      const std::string from = choose_start(problem, solve);
      forgets_peaks_ = PeakMemory::reset();
      // The answer is reported before the repeats: a process that dies in a repeat loses a time
      // only.
      const Measurement m = measure(
          problem, solve, replay ? Repeats{} : Repeats{request_.repeats, warms_up_},
          [&](const Measurement& found, bool stands) {
            Json line{{"part", true}};
            if (stands && !replay) line["answer"] = told(problem, found, from);
            tell(line);
          },
          kept_solvers());
      out = told(problem, m, from);
      if (out["outcome"] == "solved")
        answers_.remember(stage_of(problem), keys_of(problem), m.result);
      if (!replay && problem.size() >= kSmallestLlt && is_dense_symmetric(problem))
        out["llt"] = llt_seconds(problem.size(), request_.repeats);
    } catch (const InputError& error) {
      out = {{"outcome", "unsupported"}, {"message", error.what()}};
    } catch (const std::invalid_argument& error) {
      out = {{"outcome", "unsupported"}, {"message", error.what()}};
    }
    if (replay && getpid() == process_) return;
    out["peak_memory_mb"] = peak_memory_mb();
    out["wall"] = now_seconds() - began_;
    tell(out);
  }

 private:
  // A solver may fork and let its child return into perp: that copy must tell nothing.
  void tell(const Json& line) const {
    if (getpid() != process_) _exit(1);
    write_line(fd_, line);
  }

  Json told(const Problem& problem, const Measurement& m, const std::string& from) const {
    Json out = result_line(problem, m);
    refuse_too_much_memory(out);
    out["started_from"] = from;
    if (m.result.status != Status::kUnsupported)
      out["uses_start"] = from == "nothing" || m.result.start != "nothing";
    out["peak_memory_mb"] = peak_memory_mb();
    out["wall"] = now_seconds() - began_;
    return out;
  }

  // Of this process since the solve began, without what the sweep itself has in memory, or of a
  // program that it started. The peak of a program may be that of its process before it became the
  // program: a copy of this one.
  double peak_memory_mb() const {
    rusage children{};
    getrusage(RUSAGE_CHILDREN, &children);
    const double own = PeakMemory::mb(), child = static_cast<double>(children.ru_maxrss) / 1024.0;
    return std::max({own - before_mb_, child > own ? child : 0.0, memory_of_commands(), 0.0});
  }

  // MemoryWatch looks from time to time only. What ended between two looks, or had a short peak, is
  // found here, so that the outcome is not a matter of chance.
  void refuse_too_much_memory(Json& out) const {
    const double used = PeakMemory::mb() - before_mb_;
    if (request_.memory_limit_mb <= 0 || !forgets_peaks_ || used <= request_.memory_limit_mb)
      return;
    out["outcome"] = "out_of_memory";
    out["message"] = fmt::format("took {:.0f} MB at its peak", used);
  }

  // With warm starts solvers are kept from problem to problem of a sequence. There is one for every
  // stage and every repeat, so that each of them sees the problems in their order.
  SolveOnce kept_solvers() {
    if (job_.start != StartFrom::kWarm) return {};
    return [this](int repeat, const Problem& problem, const SolveRequest& request) {
      std::unique_ptr<Session>& session = sessions_[{stage_of(problem), repeat}];
      if (!session) session = std::make_unique<Session>(request);
      return session->solve(problem, request);
    };
  }

  // Sets the start; @return its source.
  std::string choose_start(const Problem& problem, SolveRequest& solve) const {
    if (job_.start == StartFrom::kZero) return "nothing";
    if (job_.start == StartFrom::kWarm) {
      if (answers_.give(stage_of(problem), keys_of(problem), {}, solve)) return "previous";
    }
    solve.start = problem.start;
    return solve.start ? "stored" : "nothing";
  }

  const BenchRequest& request_;
  const Job& job_;
  int fd_;
  pid_t process_;
  double before_mb_ = memory_use(0).resident;  // from the parent
  bool forgets_peaks_ = false;
  // An external program starts anew or stays; either way this process is nothing to it. Solvers
  // that are kept from problem to problem are warm.
  const bool warms_up_ = !read_solver_name(job_.solver).external && job_.start != StartFrom::kWarm;
  double began_ = now_seconds();  // the current run
  WarmStarts answers_;
  std::map<std::pair<std::string, int>, std::unique_ptr<Session>> sessions_;
};

}  // namespace

int run_job(const BenchRequest& request, const Job& job, int write_fd) {
  Worker worker(request, job, write_fd);
  for (std::size_t k = 0; k < job.runs.size(); ++k) {
    if (job.runs[k].state == Run::State::kDone) continue;
    worker.begin(k);
    worker.solve(job.runs[k]);
  }
  end_kept_programs();
  return 0;
}

}  // namespace perp
