// One method. If it does not take the kind of problem, it solves an exact reduction.
#include <fmt/format.h>
#include <algorithm>
#include <perp/solvers/statements.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/verified_solve.hpp>
#include <utility>

namespace perp {

namespace {

class MethodRun final : public Strategy {
 public:
  MethodRun(const SolverExpression& e, const Workshop& workshop)
      : solver_(workshop.make(e.name)), name_(e.name) {
    if (const auto given = workshop.settings.find(e.name); given != workshop.settings.end())
      settings_ = given->second;
    for (const auto& own : e.settings)  // what stands in the expression goes first
      std::erase_if(settings_, [&](const auto& s) { return s.first == own.first; });
    settings_.insert(settings_.end(), e.settings.begin(), e.settings.end());
    for (const auto& [key, value] : settings_) {
      has_tolerance_ |= key == "tolerance";
      const bool depends = value.find('{') != value.npos;
      depends_on_numbers_ |= depends;
      if (!depends) set_setting(*solver_, key, value);
    }
    if (!depends_on_numbers_) {
      solver_->check_settings();
      told_settings_ = text_of(settings_);
    }
    own_ = solver_->limits;
  }

  Outcome& run(const Task& task) override {
    const auto started = VerifiedClock::now();
    out_.clear();
    out_.result.verdict.tolerance = task.verify_at;
    apply_settings(*task.numbers);
    const bool known = task.version == seen_ && solver_->prepared();
    if (!known || solver_->traits().reads_names) look_at(task);
    if (!refusal_.empty()) return refused(seconds_since(started));
    solver_->limits = limits_of(task);
    if (reduction_) {
      run_reduced(task, started);
    } else {
      prepare(task.problem, task.is_valid, started);
      solve(task.problem, task, task.start, task.verify_at);
    }
    if (!out_.result.route.empty()) out_.result.route.front().settings = told_settings_;
    return out_;
  }

 private:
  void apply_settings(const Numbers& numbers) {
    if (!depends_on_numbers_ || (applied_ && numbers == numbers_)) return;
    std::vector<std::pair<std::string, std::string>> told = settings_;
    solver_->limits = own_;  // not those of the last task
    for (auto& [key, value] : told) {
      value = with_numbers(value, numbers);
      set_setting(*solver_, key, value);
    }
    told_settings_ = text_of(told);
    own_ = solver_->limits;
    numbers_ = numbers;
    applied_ = true;
    seen_ = prepared_ = {};
  }

  // The limits of the task; those in the method's settings count if they are tighter.
  Limits limits_of(const Task& task) const {
    Limits limits = task.limits;
    const auto tighter = [](auto own, auto given) {
      return own > 0 && (given <= 0 || own < given) ? own : given;
    };
    limits.max_iterations = tighter(own_.max_iterations, limits.max_iterations);
    limits.time_limit = tighter(own_.time_limit, limits.time_limit);
    if (has_tolerance_) limits.tolerance = own_.tolerance;
    return limits;
  }

  // Finds whether the method takes the problem, and in which statement.
  void look_at(const Task& task) {
    seen_ = {};  // until this is known
    update_ = prepared_.structure > 0 && task.version.structure == prepared_.structure;
    fresh_ = true;
    refusal_.clear();
    reduction_.reset();
    find_statement(task);
    seen_ = task.version;
  }

  void find_statement(const Task& task) {
    const std::optional<std::string> refusal = solver_->refusal(task.problem);
    if (!refusal) return;  // prepare() refuses again, on the clock
    std::string why = *refusal;
    if (!task.is_valid) validate(task.problem);
    const auto& kinds = solver_->traits().kinds;
    for (const auto& [kind, make] : exact_reductions(task.problem)) {
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) continue;
      std::string fault = take_reduction(task.problem, make);
      if (fault.empty()) return;
      if (why.find(fault) == why.npos) why += fmt::format("; as {}: {}", kind, fault);
    }
    refusal_ = why + advice(*solver_, task.problem);
  }

  // States the problem so, if it can be and the solver takes that. @return why not, "" if it is
  // done
  std::string take_reduction(const Problem& problem, const std::function<Reduction()>& make) {
    try {
      reduction_ = make();
    } catch (const std::invalid_argument& fault) {
      return fault.what();
    }
    reduced_.data = reduction_->problem;
    reduced_.name = problem.name;
    const std::optional<std::string> refusal = solver_->refusal(reduced_);
    if (!refusal) {
      update_ = false;
      return "";
    }
    reduction_.reset();
    return *refusal;
  }

  Outcome& refused(double seconds) {
    VerifiedResult& r = out_.result;
    out_.drop_answer();
    r.message = refusal_;
    r.setup_time = seconds;
    r.route.push_back({name_, r.status, r.claimed, 0, seconds, r.message, {}, Residuals::kNone});
    return out_;
  }

  // Prepares or updates the solver if the problem is new. The time since `started` counts as setup.
  void prepare(const Problem& problem, bool is_valid, VerifiedClock::time_point started) {
    const double limit = solver_->limits.time_limit;
    before_ = seconds_since(started);
    if (fresh_) {
      if (limit > 0)
        solver_->limits.time_limit = std::max(limit - seconds_since(started), kLeastLimit);
      const Version version = seen_;
      seen_ = prepared_ = {};  // for the case that this throws
      update_ ? solver_->update(problem, is_valid) : solver_->prepare(problem, is_valid);
      fresh_ = false;
      seen_ = version;
      // The structure of a reduction may depend on the values of the problem.
      if (!reduction_) prepared_ = version;
    }
    out_.result.setup_time = seconds_since(started);
    if (limit > 0)
      solver_->limits.time_limit = std::max(limit - out_.result.setup_time, kLeastLimit);
  }

  void solve(const Problem& problem, const Task& task, const Start& start, double verify_at) {
    VerifiedResult& out = out_.result;
    const auto started = VerifiedClock::now();
    const Version seen = std::exchange(seen_, {}), prepared = std::exchange(prepared_, {});
    const Result& result = solver_->solve(start, task.observer);
    seen_ = seen;  // now that this has not thrown
    prepared_ = prepared;
    out.solve_time = seconds_since(started);
    take_claim(*solver_, problem, result, start.z || start.basis, verify_at, out,
               task.all_residuals && !reduction_);
    if (result.own_times && reduction_) out.setup_time += before_;  // the solver does not count it
    if (out.route.empty()) out.route.push_back(route_step(name_, out));
  }

  // Solves the reduction, maps the answer back and verifies it.
  void run_reduced(const Task& task, VerifiedClock::time_point started) {
    const double factor = reduction_->tolerance_factor;
    solver_->limits.tolerance *= factor;
    const std::optional<Answer> start = start_of_reduction(*reduction_, task.start);
    prepare(reduced_, false, started);
    Start mapped;
    if (start) mapped = {&start->z, start->dual.size() > 0 ? &start->dual : nullptr};
    solve(reduced_, task, mapped, task.verify_at * factor);
    map_back(task.problem, *reduction_, reduced_, task.verify_at, out_.result, task.all_residuals);
  }

  std::unique_ptr<Solver> solver_;
  SharedText name_, told_settings_;
  std::vector<std::pair<std::string, std::string>> settings_;
  bool has_tolerance_ = false;  // among the settings
  bool depends_on_numbers_ = false, applied_ = false;
  Numbers numbers_;                      // with which the settings were applied
  Limits own_;                           // from the settings
  double before_ = 0.0;                  // s, before the solver begins: refusals, reductions
  Version seen_;                         // of the problem to which refusal_ and reduction_ belong
  Version prepared_;                     // of the problem that the solver has prepared as posed
  bool fresh_ = false, update_ = false;  // not prepared yet; has the structure of the one before
  std::string refusal_;
  std::optional<Reduction> reduction_;
  Problem reduced_;
  Outcome out_;
};

class StartItself final : public Strategy {
 public:
  Outcome& run(const Task& task) override {
    out_.clear();
    out_.skipped = !task.start.z;
    if (out_.skipped) {
      out_.drop_answer();
      return out_;
    }
    if (task.version != seen_ && !task.is_valid) validate(task.problem);
    seen_ = task.version;
    out_.result.answer.z = *task.start.z;
    out_.result.answer.dual.resize(0);
    if (task.start.dual) out_.result.answer.dual = *task.start.dual;
    out_.result.start = "given";
    return out_;
  }

 private:
  Version seen_;
  Outcome out_;
};

}  // namespace

std::unique_ptr<Strategy> make_method(const SolverExpression& e, const Workshop& workshop) {
  return std::make_unique<MethodRun>(e, workshop);
}

void judge_start(const Task& task, Outcome& outcome) {
  VerifiedResult& r = outcome.result;
  if (outcome.skipped || !r.route.empty()) return;
  static const SharedText kName = "start";
  if (!has_answer(task.problem.data, task.problem.size(), r.answer)) {
    r.message = "the start is no whole answer: there are no duals";
    outcome.drop_answer();
  } else {
    check_answer(task.problem, task.verify_at, r, task.all_residuals);
    r.status = r.claimed = r.verdict.solved ? Status::kSolved : Status::kStalled;
  }
  r.route.push_back({kName, r.status, r.claimed, 0, 0.0, r.message, {}, r.verdict.measure});
}

std::unique_ptr<Strategy> make_start() { return std::make_unique<StartItself>(); }

}  // namespace perp
