#include <perp/bench/harness/external_solver.hpp>

#include <fmt/format.h>
#include <limits>
#include <perp/bench/harness/process.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <stdexcept>

namespace perp {

namespace {

std::optional<double> number_in(const json::Value& value) {
  if (const auto* i = value.get_if<std::int64_t>()) return static_cast<double>(*i);
  if (const auto* d = value.get_if<double>()) return *d;
  return {};
}

// An array of numbers; null stands for one that is not finite, as in what perp itself writes.
std::optional<Vector> numbers(const json::Value* value) {
  if (!value) return {};
  if (const auto* list = value->get_if<json::Numbers>()) {
    return Vector(Eigen::Map<const Vector>(list->values.data(),
                                           static_cast<Eigen::Index>(list->values.size())));
  }
  const auto* list = value->get_if<json::Array>();
  if (!list) return {};
  Vector result(static_cast<Eigen::Index>(list->size()));
  for (Eigen::Index i = 0; i < result.size(); ++i) {
    const json::Value& entry = (*list)[static_cast<std::size_t>(i)];
    if (entry.is_null()) {
      result[i] = std::numeric_limits<double>::quiet_NaN();
    } else if (const auto number = number_in(entry)) {
      result[i] = *number;
    } else {
      return {};
    }
  }
  return result;
}

std::string text(const json::Value& document, const char* name) {
  const json::Value* value = document.find(name);
  const auto* s = value ? value->get_if<std::string>() : nullptr;
  return s ? *s : std::string();
}

// "times": {"setup": s, "solve": s}, where both are there and can be times.
std::optional<OwnTimes> own_times(const json::Value& document) {
  const json::Value* times = document.find("times");
  if (!times) return {};
  const json::Value* setup = times->find("setup");
  const json::Value* solve = times->find("solve");
  const auto a = setup ? number_in(*setup) : std::nullopt;
  const auto b = solve ? number_in(*solve) : std::nullopt;
  if (!a || !b || *a < 0 || *b < 0) return {};
  return OwnTimes{*a, *b};
}

Status status_from(std::string_view name) {
  for (const Status s : {Status::kSolved, Status::kRay, Status::kInfeasible, Status::kStationary,
                         Status::kIterationLimit, Status::kTimeLimit, Status::kStalled,
                         Status::kInterrupted, Status::kUnsupported, Status::kExcluded}) {
    if (to_string(s) == name) return s;
  }
  return Status::kNumericalError;
}

void read_result(const json::Value& document, Result& result) {
  const std::string claimed = text(document, "status");
  const Status status = claimed.empty() ? Status::kSolved : status_from(claimed);
  const std::optional<Vector> z = numbers(document.find("z"));
  if (!z && (status == Status::kSolved || document.find("z"))) {
    result.message = "the program's output has no array of numbers \"z\"";
    return;
  }
  result.status = status;
  result.z = z.value_or(Vector());
  result.dual = numbers(document.find("dual")).value_or(Vector());
  result.own_times = own_times(document);
  if (const json::Value* value = document.find("iterations")) {
    if (const auto* i = value->get_if<std::int64_t>()) result.iterations = static_cast<int>(*i);
  }
  if (!text(document, "message").empty()) result.message = text(document, "message");
}

}  // namespace

ExternalSolver::ExternalSolver(std::string command)
    : command_(std::move(command)), name_("exec:" + command_) {
  if (command_.find_first_not_of(" \t") == std::string::npos) {
    throw std::invalid_argument("solver \"exec:\": a command is missing behind the colon");
  }
  traits_ = {name_, "an external program", "", problem_kinds()};
}

ExternalSolver::ExternalSolver(std::string command, SolverTraits traits)
    : command_(std::move(command)), traits_(std::move(traits)) {}

void ExternalSolver::do_prepare(const Problem& problem) { input_ = problem_to_text(problem); }

void ExternalSolver::do_solve(const Vector*, Observer*, Result& result) {
  result.z.resize(0);
  result.dual.resize(0);
  const ChildReport child =
      run_command(command_, input_, common.time_limit,
                  {{"PERP_TOLERANCE", fmt::format("{}", common.tolerance)},
                   {"PERP_TIME_LIMIT", fmt::format("{}", common.time_limit)},
                   {"PERP_MAX_ITERATIONS", fmt::format("{}", common.max_iterations)}});
  if (child.end == ChildReport::End::kKilledByLimit) {
    result.status = Status::kTimeLimit;
    return;
  }
  const bool signalled = child.end == ChildReport::End::kSignalled;
  if (signalled) result.statistics.emplace_back("signal", child.code);
  if (signalled || child.code != 0) {
    result.message =
        fmt::format("the program ended with {} {}", signalled ? "signal" : "exit code", child.code);
    if (child.output.empty()) return;
  }
  try {
    read_result(json::parse(child.output, "the program's output"), result);
  } catch (const InputError& error) {
    result.message = error.what();
  }
}

}  // namespace perp
