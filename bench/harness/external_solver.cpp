#include <perp/bench/harness/external_solver.hpp>

#include <fmt/format.h>
#include <perp/bench/harness/process.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <stdexcept>

namespace perp {

namespace {

std::optional<Vector> numbers(const json::Value* value) {
  if (!value) return {};
  const auto* list = value->get_if<json::Numbers>();
  if (!list) return {};
  return Vector(Eigen::Map<const Vector>(list->values.data(),
                                         static_cast<Eigen::Index>(list->values.size())));
}

Status status_from(std::string_view name) {
  for (const Status s : {Status::kSolved, Status::kRay, Status::kInfeasible, Status::kStationary,
                         Status::kIterationLimit, Status::kTimeLimit, Status::kStalled,
                         Status::kInterrupted, Status::kUnsupported}) {
    if (to_string(s) == name) return s;
  }
  return Status::kNumericalError;
}

}  // namespace

ExternalSolver::ExternalSolver(std::string command)
    : command_(std::move(command)), name_("exec:" + command_) {
  if (command_.find_first_not_of(" \t") == std::string::npos) {
    throw std::invalid_argument("solver \"exec:\": a command is missing behind the colon");
  }
  traits_ = {name_, "an external program", "", problem_kinds()};
}

void ExternalSolver::do_prepare(const Problem& problem) { input_ = problem_to_text(problem); }

void ExternalSolver::do_solve(const Vector*, Observer*, Result& result) {
  const ChildReport child = run_command(command_, input_, common.time_limit);
  if (child.end == ChildReport::End::kKilledByLimit) {
    result.status = Status::kTimeLimit;
    return;
  }
  if (child.end == ChildReport::End::kSignalled || child.code != 0) {
    result.message =
        fmt::format("the program ended with {} {}",
                    child.end == ChildReport::End::kSignalled ? "signal" : "exit code", child.code);
    if (child.output.empty()) return;
  }
  try {
    const json::Value document = json::parse(child.output, "the program's output");
    const auto text = [&](const char* name) {
      const json::Value* value = document.find(name);
      const auto* s = value ? value->get_if<std::string>() : nullptr;
      return s ? *s : std::string();
    };
    const std::optional<Vector> z = numbers(document.find("z"));
    if (!z) {
      result.message = "the program's output has no array of numbers \"z\"";
      return;
    }
    result.z = *z;
    result.dual = numbers(document.find("dual")).value_or(Vector());
    const std::string claimed = text("status");
    result.status = claimed.empty() ? Status::kSolved : status_from(claimed);
    if (const json::Value* value = document.find("iterations")) {
      if (const auto* i = value->get_if<std::int64_t>()) result.iterations = static_cast<int>(*i);
    }
    if (!text("message").empty()) result.message = text("message");
  } catch (const InputError& error) {
    result.message = error.what();
  }
}

}  // namespace perp
