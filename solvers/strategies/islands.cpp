// islands: solves parts of a nonlinear problem apart if they do not act on each other.
#include <fmt/format.h>
#include <algorithm>
#include <iterator>
#include <perp/problems/limits/deadline.hpp>
#include <perp/problems/standard/islands.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/verified_solve.hpp>

namespace perp {

namespace {

// Newton's method on the whole takes steps that suit the worst island, and a run fails if one
// island fails. Of the best answer before, islands that it solves are kept.
class Islands final : public Strategy {
 public:
  Islands(const SolverExpression& e, const Workshop& workshop)
      : part_(workshop.build(e.parts.front())) {}

  Outcome& run(const Task& task) override {
    const auto* mcp = std::get_if<Mcp>(&task.problem.data);
    if (!mcp || !mcp->graph) return solve_whole(task);
    started_ = VerifiedClock::now();
    if (task.version.structure != seen_.structure) find(*mcp, task.version);
    if (islands_.size() < 2) {
      const double spent = seconds_since(started_);
      Outcome& out = solve_whole(task);
      charge_setup(out.result, spent);
      return out;
    }
    begin(task, *mcp);
    std::vector<std::size_t> open = unsolved(task, *mcp);
    double unknowns = 0.0;
    for (const std::size_t k : open) unknowns += static_cast<double>(islands_[k].unknowns.size());
    for (const std::size_t k : open) {
      const auto size = static_cast<double>(islands_[k].unknowns.size());
      if (!solve(task, *mcp, k, size / unknowns)) break;
      unknowns -= size;
    }
    end(task);
    return out_;
  }

 private:
  void find(const Mcp& mcp, Version version) {
    seen_ = {};
    islands_ = find_islands(mcp);
    compiled_.assign(islands_.size(), nullptr);
    seen_ = version;
  }

  Outcome& solve_whole(const Task& task) {
    if (task.version.structure != whole_.structure)
      whole_inner_.structure = next_version().structure;
    if (task.version != whole_) whole_inner_.values = next_version().values;
    whole_ = task.version;
    Task whole = task;
    whole.version = whole_inner_;
    return part_->run(whole);
  }

  // Numbers that nothing else had which the part has solved: whole problems and islands share them.
  Version next_version() {
    last_ = {last_.structure + 1, last_.values + 1};
    return last_;
  }

  void begin(const Task& task, const Mcp& mcp) {
    out_.clear();
    VerifiedResult& all = out_.result;
    all.status = all.claimed = Status::kStalled;
    all.verdict.tolerance = task.verify_at;
    if (task.start.z) all.start = "given";
    const bool best = task.best && has_answer(task.problem.data, mcp.size(), task.best->answer);
    all.answer.z = best           ? task.best->answer.z
                   : task.start.z ? *task.start.z
                                  : Vector(Vector::Zero(mcp.size()));
    all.answer.dual.resize(0);
    all.setup_time = seconds_since(started_);
  }

  // The islands that the answer so far does not solve.
  std::vector<std::size_t> unsolved(const Task& task, const Mcp& mcp) {
    std::vector<std::size_t> open;
    VerifiedResult judged;
    for (std::size_t k = 0; k < islands_.size(); ++k) {
      island_.data = problem_of(islands_[k], mcp, out_.result.answer.z);
      judged.answer.z = entries_of(islands_[k], out_.result.answer.z);
      check_answer(island_, task.verify_at, judged);
      if (!judged.verdict.solved) open.push_back(k);
    }
    out_.result.verification_time += judged.verification_time;
    return open;
  }

  // Seconds that are left of the task's limit, which must be above 0.
  double left(const Task& task) const {
    return task.limits.time_limit - seconds_since(started_) + out_.result.verification_time;
  }

  // Solves an island with a share of the time that is left. @return whether there was time for it
  bool solve(const Task& task, const Mcp& mcp, std::size_t k, double share) {
    Task inner = task.with(island_, next_version());
    inner.numbers = &numbers_;
    if (task.limits.time_limit > 0) {
      if (left(task) <= 0)
        return ended(Status::kTimeLimit, "the time limit passed between islands");
      inner.limits.time_limit = std::max(left(task) * share, kLeastLimit);
    }
    const McpPart& island = islands_[k];
    Mcp part = problem_of(island, mcp, out_.result.answer.z);
    if (!compile_island(k, inner.limits, part))
      return ended(Status::kTimeLimit, "the time limit passed before a Jacobian was derived");
    island_.data = std::move(part);
    island_.name = fmt::format("{} island {} of {}", task.problem.name, k + 1, islands_.size());
    numbers_ = *task.numbers;
    numbers_["n"] = static_cast<double>(island.unknowns.size());
    numbers_["contacts"] = 0.0;
    if (task.start.z) {
      start_ = entries_of(island, *task.start.z);
      inner.start = {&start_};
    }
    Outcome& outcome = part_->run(inner);
    judge_start(inner, outcome);
    take(k, outcome);
    return outcome.result.status != Status::kInterrupted;
  }

  bool ended(Status status, std::string_view message) {
    out_.result.status = out_.result.claimed = status;
    out_.result.message = message;
    return false;
  }

  bool compile_island(std::size_t k, Limits& limits, Mcp& part) {
    if (compiled_[k]) {
      part.compiled = compiled_[k];
      return true;
    }
    const auto started = VerifiedClock::now();
    try {
      compile(part, Deadline(limits.time_limit));
    } catch (const DeadlinePassed&) {
      return false;
    }
    compiled_[k] = part.compiled;
    const double spent = seconds_since(started);
    out_.result.setup_time += spent;
    if (limits.time_limit > 0) limits.time_limit = std::max(limits.time_limit - spent, kLeastLimit);
    return true;
  }

  // Writes the answer of an island into that of the whole.
  void take(std::size_t k, const Outcome& outcome) {
    VerifiedResult& all = out_.result;
    const VerifiedResult& r = outcome.result;
    out_.capped |= outcome.capped;
    add_costs(r, all);
    for (auto it = all.route.end() - std::ssize(r.route); it != all.route.end(); ++it)
      it->solver = fmt::format("{} on island {}", it->solver.str(), k + 1);
    if (r.status != Status::kSolved) {
      all.claimed = r.claimed == Status::kSolved ? Status::kStalled : r.claimed;
      all.message = fmt::format("island {} of {}: {}", k + 1, islands_.size(), r.message);
    }
    if (outcome.skipped || !has_answer(island_.data, island_.size(), r.answer)) return;
    write_entries(islands_[k], r.answer.z, all.answer.z);
  }

  void end(const Task& task) {
    VerifiedResult& all = out_.result;
    check_answer(task.problem, task.verify_at, all, task.all_residuals);
    all.status = judge(all.claimed, all.verdict);
    if (all.verdict.solved) {
      all.claimed = Status::kSolved;
      all.message.clear();
    }
    all.solve_time =
        std::max(0.0, seconds_since(started_) - all.setup_time - all.verification_time);
    all.route.push_back(route_step(name_, all));
  }

  const SharedText name_ = "islands";
  std::unique_ptr<Strategy> part_;
  std::vector<McpPart> islands_;
  std::vector<std::shared_ptr<const CompiledFunction>> compiled_;  // of the islands, if needed
  Version seen_;                                                   // of the whole problem
  Version whole_, whole_inner_;  // of the last problem solved as a whole: its own and for the part
  Version last_;                 // the last one that the part was given
  Problem island_;               // the one that is being solved
  Vector start_;
  Numbers numbers_;
  VerifiedClock::time_point started_;
  Outcome out_;
};

}  // namespace

std::unique_ptr<Strategy> make_islands(const SolverExpression& e, const Workshop& workshop) {
  return std::make_unique<Islands>(e, workshop);
}

}  // namespace perp
