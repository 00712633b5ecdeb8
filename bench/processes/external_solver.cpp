#include <perp/bench/processes/external_solver.hpp>

#include <fmt/format.h>
#include <perp/bench/processes/command.hpp>
#include <perp/bench/processes/program_answer.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <stdexcept>

namespace perp {

namespace {

// s, for starting and for reading the problem, which are not part of the solve
constexpr double kPeerAllowance = 10.0;

// The last complete line.
std::string last_line(const std::string& text) {
  const std::size_t end = text.rfind('\n');
  if (end == std::string::npos) return "";
  const std::size_t before = end > 0 ? text.rfind('\n', end - 1) : std::string::npos;
  return text.substr(before == std::string::npos ? 0 : before + 1,
                     end - (before == std::string::npos ? 0 : before + 1));
}

}  // namespace

ExternalSolver::ExternalSolver(std::string command, std::string name)
    : command_(std::move(command)), name_(name.empty() ? "exec:" + command_ : std::move(name)) {
  if (command_.find_first_not_of(" \t") == std::string::npos) {
    throw std::invalid_argument("solver \"exec:\": the command after the colon is missing");
  }
  traits_ = {name_, "an external program", "", problem_kinds()};
  traits_.reads_names = true;
}

ExternalSolver::ExternalSolver(std::string command, SolverTraits traits)
    : command_(std::move(command)), traits_(std::move(traits)), is_peer_(true) {
  traits_.reads_names = true;
}

void ExternalSolver::do_prepare(const Problem& problem) {
  problem_ = problem;
  problem_.start.reset();
  problem_.solution.reset();  // what is known of the answer is not for those who look for it
  input_.clear();
}

// Made only when needed. For a program that reports its own times this is not part of the time.
std::string ExternalSolver::input_for(const Vector* start) {
  if (start) {
    problem_.start = *start;
    std::string text = problem_to_text(problem_);
    problem_.start.reset();
    return text;
  }
  if (input_.empty()) input_ = problem_to_text(problem_);
  return input_;
}

void ExternalSolver::do_solve(const Start& start, Observer*, Result& result) {
  result.z.resize(0);
  result.dual.resize(0);
  const double allowance = is_peer_ && limits.time_limit > 0 ? kPeerAllowance : 0.0;
  Command command(command_, {{"PERP_TOLERANCE", fmt::format("{}", limits.tolerance)},
                             {"PERP_TIME_LIMIT", fmt::format("{}", limits.time_limit)},
                             {"PERP_MAX_ITERATIONS", fmt::format("{}", limits.max_iterations)}});
  ChildReport child = command.run(input_for(start.z), limits.time_limit + allowance);
  if (is_peer_ && child.end != ChildReport::End::kInterrupted) {
    child.output = last_line(child.output);
    if (!child.output.empty()) child.end = ChildReport::End::kExited, child.code = 0;
  }
  if (!tell_end(child, result)) return;
  const std::string message = std::move(result.message);
  read_program_answer(child.output, last_words(child.last_errors), result);
  if (result.message.empty()) result.message = message;
}

}  // namespace perp
