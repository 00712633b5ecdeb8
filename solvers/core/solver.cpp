#include <perp/solvers/core/solver.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace perp {

std::string_view to_string(Status status) {
  switch (status) {
    case Status::kSolved:
      return "solved";
    case Status::kWrong:
      return "wrong";
    case Status::kRay:
      return "ray";
    case Status::kInfeasible:
      return "infeasible";
    case Status::kExcluded:
      return "excluded";
    case Status::kStationary:
      return "stationary";
    case Status::kIterationLimit:
      return "iteration_limit";
    case Status::kTimeLimit:
      return "time_limit";
    case Status::kStalled:
      return "stalled";
    case Status::kNumericalError:
      return "numerical_error";
    case Status::kInterrupted:
      return "interrupted";
    case Status::kUnsupported:
      return "unsupported";
  }
  return "unsupported";
}

Certificate certificate_of(const FarkasCheck& check, Vector y) {
  return {"farkas", std::move(y), {}, 0.0, check.holds, check.radius, ""};
}
Certificate certificate_of(const UnboundedCheck& check, Vector x) {
  return {"unbounded", {}, std::move(x), 0.0, check.holds, check.radius, ""};
}
Status status_of(const FarkasCheck& check) {
  return check.holds ? Status::kInfeasible : check.excludes ? Status::kExcluded : Status::kStalled;
}
Status status_of(const UnboundedCheck& check) {
  return check.holds ? Status::kRay : check.excludes ? Status::kExcluded : Status::kStalled;
}

std::string message_of(const FarkasCheck& check) {
  if (check.holds) return "no point satisfies the linear constraints";
  return fmt::format("no feasible point has a 1-norm below {:.1e}; that proves nothing beyond",
                     check.radius);
}
std::string message_of(const UnboundedCheck& check) {
  if (check.holds) {
    return "the dual has no feasible point: if the constraints have one, the objective falls "
           "without end from it along the direction of the certificate";
  }
  return fmt::format(
      "no feasible point of the dual has a 1-norm below {:.1e}; that proves nothing "
      "beyond",
      check.radius);
}

std::optional<std::string> Solver::refusal(const Problem& problem) const {
  const SolverTraits& t = traits();
  if (std::find(t.kinds.begin(), t.kinds.end(), problem.kind()) == t.kinds.end()) {
    return fmt::format("{} takes {}, not {}", t.name, fmt::join(t.kinds, ", "), problem.kind());
  }
  if (t.max_size > 0 && problem.size() > t.max_size) {
    return fmt::format("{} takes at most {} unknowns, not {}", t.name, t.max_size, problem.size());
  }
  return do_refusal(problem);
}

void Solver::prepare(const Problem& problem) {
  prepared_size_ = -1;
  validate(problem);
  if (const auto reason = refusal(problem)) throw std::invalid_argument("problem: " + *reason);
  late_ = false;
  try {
    do_prepare(problem);
  } catch (const DeadlinePassed&) {
    late_ = true;
  }
  prepared_size_ = problem.size();
}

namespace {

constexpr double kShareOfStart = 0.5;  // of the time limit

void clear(Result& result) {
  result.status = Status::kNumericalError;
  result.iterations = 0;
  result.solutions.clear();
  result.certificate.reset();
  result.own_times.reset();
  result.message.clear();
  result.statistics.clear();
}

// Ends that another start may change.
bool led_nowhere(Status status) {
  return status != Status::kSolved && status != Status::kInfeasible &&
         status != Status::kExcluded && status != Status::kInterrupted &&
         status != Status::kUnsupported;
}

}  // namespace

const Result& Solver::solve(const Vector* start, Observer* observer) {
  if (prepared_size_ < 0) throw std::logic_error("solve called before prepare");
  if (start && start->size() != prepared_size_) {
    throw std::invalid_argument(
        fmt::format("start: length is {}, expected {}", start->size(), prepared_size_));
  }
  if (late_) {
    clear(result_);
    result_.status = Status::kTimeLimit;
    result_.message = "the time limit passed before the problem was prepared";
    result_.z = start ? *start : Vector(Vector::Zero(prepared_size_));
    return result_;
  }
  const auto began = std::chrono::steady_clock::now();
  const CommonSettings asked = common;
  const bool may_drop = start && !drops_bad_starts();
  if (may_drop) common.time_limit *= kShareOfStart;
  clear(result_);
  do_solve(start, observer, result_);
  common = asked;
  const std::chrono::duration<double> used = std::chrono::steady_clock::now() - began;
  const bool time_left = asked.time_limit <= 0 || used.count() < asked.time_limit;
  const bool tries_left = asked.max_iterations <= 0 || result_.iterations < asked.max_iterations;
  if (may_drop && led_nowhere(result_.status) && time_left && tries_left) {
    std::swap(result_, from_start_);
    clear(result_);
    if (asked.time_limit > 0) common.time_limit = asked.time_limit - used.count();
    if (asked.max_iterations > 0) common.max_iterations -= from_start_.iterations;
    do_solve(nullptr, observer, result_);
    common = asked;
    result_.iterations += from_start_.iterations;
    if (result_.own_times) {  // the try from the start is paid for, too
      const OwnTimes& first = from_start_.own_times.value_or(OwnTimes{0.0, used.count()});
      result_.own_times->setup += first.setup;
      result_.own_times->solve += first.solve;
    }
    result_.statistics.emplace_back("iterations_from_start", from_start_.iterations);
  }
  return result_;
}

namespace {

class Lister : public SettingVisitor {
 public:
  std::vector<SettingText> settings;
  void visit(std::string_view name, double& value, std::string_view doc) override {
    add(name, fmt::format("{}", value), doc);
  }
  void visit(std::string_view name, int& value, std::string_view doc) override {
    add(name, fmt::format("{}", value), doc);
  }
  void visit(std::string_view name, bool& value, std::string_view doc) override {
    add(name, value ? "true" : "false", doc);
  }
  void visit(std::string_view name, std::string& value, std::string_view doc) override {
    add(name, value, doc);
  }

 private:
  void add(std::string_view name, std::string value, std::string_view doc) {
    settings.push_back({std::string(name), std::move(value), std::string(doc)});
  }
};

class Setter : public SettingVisitor {
 public:
  Setter(std::string_view name, std::string_view text) : name_(name), text_(text) {}
  bool found = false;

  void visit(std::string_view name, double& value, std::string_view) override {
    if (matches(name)) value = parse<double>();
  }
  void visit(std::string_view name, int& value, std::string_view) override {
    if (matches(name)) value = parse<int>();
  }
  void visit(std::string_view name, bool& value, std::string_view) override {
    if (!matches(name)) return;
    if (text_ != "true" && text_ != "false") complain("true or false");
    value = text_ == "true";
  }
  void visit(std::string_view name, std::string& value, std::string_view) override {
    if (matches(name)) value = text_;
  }

 private:
  bool matches(std::string_view name) {
    if (name != name_) return false;
    found = true;
    return true;
  }
  [[noreturn]] void complain(std::string_view expected) {
    throw std::invalid_argument(
        fmt::format("setting \"{}\": \"{}\" is not {}", name_, text_, expected));
  }
  template <class T>
  T parse() {
    T value{};
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || end != text_.data() + text_.size() || !(value >= T(0))) {
      complain(std::is_same_v<T, int> ? "a nonnegative integer" : "a nonnegative number");
    }
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isinf(value)) complain("a finite number");
    }
    return value;
  }

  std::string_view name_, text_;
};

void visit_all(Solver& solver, SettingVisitor& visitor) {
  visitor.visit("tolerance", solver.common.tolerance, "verifier's measure that is aimed at");
  visitor.visit("max_iterations", solver.common.max_iterations,
                "iterations at most; 0: the solver's own default");
  visitor.visit("time_limit", solver.common.time_limit, "seconds a solve may take; 0: none");
  solver.visit_settings(visitor);
}

}  // namespace

std::vector<SettingText> list_settings(Solver& solver) {
  Lister lister;
  visit_all(solver, lister);
  return std::move(lister.settings);
}

void set_setting(Solver& solver, std::string_view name, std::string_view value) {
  Setter setter(name, value);
  visit_all(solver, setter);
  if (setter.found) return;
  std::vector<std::string> names;
  for (const SettingText& s : list_settings(solver)) names.push_back(s.name);
  throw std::invalid_argument(fmt::format("setting \"{}\": {} has none of that name; it has {}",
                                          name, solver.traits().name, fmt::join(names, ", ")));
}

}  // namespace perp
