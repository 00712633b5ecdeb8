// A plug-in as a solver of perp.
#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <new>
#include <perp/bench/plugins/plugin.hpp>
#include <perp/bench/plugins/plugin_problem.hpp>
#include <perp/bench/processes/interrupt.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/solvers/core/iteration_count.hpp>
#include <stdexcept>

namespace perp {

namespace {

Status status_of(perp_status status) {
  switch (status) {
    case PERP_SOLVED:
      return Status::kSolved;
    case PERP_RAY:
      return Status::kRay;
    case PERP_INFEASIBLE:
      return Status::kInfeasible;
    case PERP_STATIONARY:
      return Status::kStationary;
    case PERP_ITERATION_LIMIT:
      return Status::kIterationLimit;
    case PERP_TIME_LIMIT:
      return Status::kTimeLimit;
    case PERP_STALLED:
      return Status::kStalled;
    case PERP_INTERRUPTED:
      return Status::kInterrupted;
    case PERP_UNSUPPORTED:
      return Status::kUnsupported;
    case PERP_NUMERICAL_ERROR:
      break;
  }
  return Status::kNumericalError;
}

// Who is told of iterations, and why the solve was asked to end.
struct Listener {
  Observer* observer;
  const Deadline& deadline;
  bool interrupted = false, late = false;
};

int tell_iteration(const perp_request* request, int iteration, double residual) {
  auto& listener = *static_cast<Listener*>(request->data);
  IterationRecord record;
  record.iteration = iteration;
  record.residual = residual;
  listener.interrupted |= listener.observer && !listener.observer->on_iteration(record);
  listener.late |= listener.deadline.passed();
  return listener.interrupted || listener.late ? 0 : 1;
}

// A claim that it was interrupted is believed only if it was: else it would end every strategy.
void judge_interruption(const Listener& listener, Result& result) {
  if (result.status != Status::kInterrupted || listener.interrupted || interrupted()) return;
  result.status = listener.late ? Status::kTimeLimit : Status::kStalled;
  if (!listener.late && result.message.empty())
    result.message = "the plug-in says that it was interrupted, but nobody did so";
}

// What a call of a plug-in threw; empty: nothing.
template <class Call>
std::string fault_of_call(const Call& call) {
  try {
    call();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return fmt::format("the plug-in threw: {}", message_line(error.what()));
  } catch (...) {
    return "the plug-in threw something that is not a std::exception";
  }
  return {};
}

class PluginSolver final : public Solver {
 public:
  explicit PluginSolver(const Plugin& plugin) : plugin_(*plugin.solver) {
    traits_ = {plugin_.name, summary_, "", plugin.kinds, 0, plugin_.uses_start != 0};
    for (int i = 0; i < plugin_.setting_count; ++i) values_.push_back(plugin_.settings[i].value);
    file_ = plugin.file;
  }
  ~PluginSolver() override {
    if (!solver_) return;
    try {
      plugin_.destroy(solver_);
    } catch (...) {  // the solve is over: this changes nothing
    }
  }

  const SolverTraits& traits() const override { return traits_; }

  void visit_settings(SettingVisitor& visitor) override {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const perp_setting& s = plugin_.settings[i];
      visitor.visit(s.name, values_[i], s.meaning, {s.least, s.most});
    }
  }

 private:
  // Makes the plug-in's object when it is first needed: in a benchmark that is in a child process,
  // which may crash or hang. @return the fault if that fails; empty if it is made
  std::string make() const {
    if (solver_) return {};
    const std::string fault = fault_of_call([&] { solver_ = plugin_.create(); });
    if (solver_) return {};
    return fmt::format("{} cannot make it{}{}", file_, fault.empty() ? "" : ": ", fault);
  }

  std::optional<std::string> do_refusal(const Problem& problem) const override {
    if (!plugin_.refusal || !make().empty()) return {};
    const PluginProblem shown(problem);
    std::optional<std::string> why;
    const std::string fault = fault_of_call([&] {
      set_values();
      if (const char* text = plugin_.refusal(solver_, shown.get())) why = text;
    });
    refusal_fault_ = fault.empty() ? "" : "in refusal " + fault;
    return why;  // a fault is no refusal: the solve fails
  }

  void do_prepare(const Problem& problem) override { take(problem, plugin_.prepare); }
  void do_update(const Problem& problem) override {
    take(problem, plugin_.update ? plugin_.update : plugin_.prepare);
  }

  // The old problem stays valid until the plug-in has the new one.
  void take(const Problem& problem, int (*how)(void*, const perp_problem*)) {
    auto next = std::make_unique<PluginProblem>(problem);
    failure_ = make();
    if (failure_.empty()) failure_ = refusal_fault_;
    if (!failure_.empty()) return;
    const std::string fault = fault_of_call([&] {
      set_values();
      if (how(solver_, next->get()) != 0) failure_ = "the plug-in could not prepare the problem";
    });
    if (!fault.empty()) failure_ = "in prepare " + fault;
    problem_ = std::move(next);
  }

  void set_values() const {
    for (std::size_t i = 0; i < values_.size(); ++i)
      plugin_.set(solver_, static_cast<int>(i), values_[i]);
  }

  void do_solve(const Start& start, Observer* observer, Result& result) override {
    result.status = Status::kNumericalError;
    if (!failure_.empty()) {
      result.z.resize(0);
      result.dual.resize(0);
      result.message = failure_;
      return;
    }
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    result.z.setConstant(problem_->size(), kNone);
    result.dual.setConstant(problem_->rows(), kNone);
    set_values();
    Listener listener{observer, deadline()};
    const perp_request request{sizeof(perp_request),
                               limits.tolerance,
                               limits.time_limit,
                               limits.max_iterations,
                               start.z ? start.z->data() : nullptr,
                               start.dual ? start.dual->data() : nullptr,
                               tell_iteration,
                               &listener};
    perp_answer answer{};
    answer.size = sizeof answer;
    answer.status = PERP_NUMERICAL_ERROR;
    answer.z = result.z.data();
    answer.dual = problem_->rows() > 0 ? result.dual.data() : nullptr;
    result.message = fault_of_call([&] { plugin_.solve(solver_, &request, &answer); });
    if (!result.message.empty()) return;
    answer.message[sizeof answer.message - 1] = '\0';
    result.status = status_of(answer.status);
    result.iterations = std::clamp(answer.iterations, 0, kMostIterations);
    result.message = to_utf8(answer.message);
    judge_interruption(listener, result);
  }

  const perp_plugin& plugin_;
  std::string summary_ = to_utf8(plugin_.summary);  // of traits_
  SolverTraits traits_;
  std::vector<double> values_;  // of the settings, in their order
  std::string file_;
  mutable void* solver_ = nullptr;  // see make()
  std::unique_ptr<PluginProblem> problem_;
  std::string failure_;                // of prepare
  mutable std::string refusal_fault_;  // what refusal threw
};

}  // namespace

std::unique_ptr<Solver> make_plugin_solver(const Plugin& plugin) {
  return std::make_unique<PluginSolver>(plugin);
}

}  // namespace perp
