#include <perp/bench/harness/job.hpp>

#include <algorithm>
#include <iterator>
#include <perp/bench/harness/solver_names.hpp>
#include <set>

namespace perp {

namespace {

// Whether an instance follows another one in its sequence; problems between them may be left out.
bool follows(const Instance& next, const Instance& before) {
  return before.position > 0 && next.position > before.position && next.suite == before.suite &&
         next.sequence == before.sequence;
}

// The problems of a sequence make one unit; every other instance is a unit of its own.
std::vector<std::vector<const Instance*>> units_of(const std::vector<Instance>& instances) {
  std::vector<std::vector<const Instance*>> units;
  for (const Instance& i : instances) {
    if (units.empty() || !follows(i, *units.back().back())) units.emplace_back();
    units.back().push_back(&i);
  }
  return units;
}

// What makes an instance another one than all others: a problem may be in several suites, and files
// with different names may have the same contents.
std::string identity_of(const Instance& i) {
  return hash_text(i.suite + "\n" + i.sequence + "\n" + i.name) + i.hash;
}

// An instance outside of sequences has no step before it, so it cannot start warm.
std::vector<StartFrom> starts_of(const std::vector<const Instance*>& unit,
                                 const std::vector<StartFrom>& asked) {
  std::vector<StartFrom> starts = asked;
  if (unit.front()->position == 0) std::erase(starts, StartFrom::kWarm);
  if (starts.empty()) starts.push_back(StartFrom::kZero);
  return starts;
}

// A program that is kept running needs one process for many runs. So its jobs are joined to as many
// as run at a time. Sequences with warm starts stay jobs of their own, because a solve depends on
// the one before.
void join_kept(std::vector<Job>& jobs, int at_a_time) {
  std::vector<Job> joined;
  std::map<std::pair<std::string, StartFrom>, std::vector<std::size_t>> places;
  std::map<std::pair<std::string, StartFrom>, std::size_t> next;
  for (Job& job : jobs) {
    const bool joins = job.start != StartFrom::kWarm && read_solver_name(job.solver).kept;
    const auto key = std::make_pair(job.solver, job.start);
    std::vector<std::size_t>& own = places[key];
    if (!joins || std::ssize(own) < at_a_time) {
      if (joins) own.push_back(joined.size());
      joined.push_back(std::move(job));
      continue;
    }
    std::vector<Run>& runs = joined[own[next[key]++ % own.size()]].runs;
    runs.insert(runs.end(), std::make_move_iterator(job.runs.begin()),
                std::make_move_iterator(job.runs.end()));
  }
  jobs = std::move(joined);
}

}  // namespace

bool Job::has_work() const {
  return std::any_of(runs.begin(), runs.end(),
                     [](const Run& r) { return r.state == Run::State::kToDo; });
}

void mark_replays(Job& job, const std::map<std::string, std::string>& outcomes) {
  if (job.start != StartFrom::kWarm) return;
  for (Run& run : job.runs) {
    if (run.state != Run::State::kDone) continue;
    const auto it = outcomes.find(run.key);
    if (it != outcomes.end() && it->second == "solved") run.state = Run::State::kReplay;
  }
  while (!job.runs.empty() && job.runs.back().state != Run::State::kToDo) job.runs.pop_back();
}

std::vector<Job> deal_jobs(const BenchRequest& request, const SettingsText& settings_text,
                           const ProgramHash& program_hash,
                           const std::map<std::string, std::string>& outcomes, int& skipped) {
  std::vector<Job> jobs;
  int number = 0;
  std::set<std::string> named;  // a suite may name a problem twice
  for (const auto& unit : units_of(request.instances)) {
    // All solvers of a problem are in one shard, so that its times come from one machine.
    if (number++ % request.shards != request.shard - 1) continue;
    for (const std::string& solver : request.solvers) {
      for (const StartFrom start : starts_of(unit, request.starts)) {
        const std::string settings = solver + "\n" + settings_text(solver);
        Job job{solver, hash_text(settings), start, {}};
        // In a sequence the key covers the earlier problems, too: the run may start from their
        // answers.
        std::string before;
        for (const Instance* i : unit) {
          std::string what =
              identity_of(*i) + hash_text(settings + "\n" + request.label) + program_hash(solver);
          if (i->position > 0 || start != StartFrom::kZero) what += to_string(start) + before;
          Run run{i, hash_text(what), Run::State::kToDo};
          if (outcomes.contains(run.key)) run.state = Run::State::kDone;
          job.runs.push_back(std::move(run));
          before = hash_text(before + i->hash);
        }
        if (!named.insert(job.runs.back().key).second) continue;
        skipped += static_cast<int>(std::ranges::count(job.runs, Run::State::kDone, &Run::state));
        mark_replays(job, outcomes);
        if (job.has_work()) jobs.push_back(std::move(job));
      }
    }
  }
  join_kept(jobs, request.jobs);
  return jobs;
}

}  // namespace perp
