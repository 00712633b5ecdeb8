#include <perp/bench/processes/kept_solver.hpp>

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>
#include <map>
#include <memory>
#include <perp/bench/processes/command.hpp>
#include <perp/bench/processes/program_answer.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/json/json.hpp>
#include <stdexcept>

namespace perp {

namespace {

// The running programs of a thread, by their commands, and the process that started them. What two
// threads ask at once must not meet in one pipe.
struct KeptPrograms {
  pid_t owner = -1;
  int asked = 0;  // number of problems so far
  std::map<std::string, std::unique_ptr<Command>> by_command;
};

KeptPrograms& kept_programs() {
  static thread_local KeptPrograms programs;
  if (programs.owner != getpid()) {
    for (auto& [name, program] : programs.by_command) {
      static_cast<void>(name);
      static_cast<void>(program.release());  // it belongs to another process, which will end it
    }
    programs.by_command.clear();
    programs.owner = getpid();
  }
  return programs;
}

Command& program_of(const std::string& command) {
  std::unique_ptr<Command>& program = kept_programs().by_command[command];
  if (!program || !program->alive()) program = std::make_unique<Command>(command);
  return *program;
}

void drop(const std::string& command) { kept_programs().by_command.erase(command); }

// The fault in a line that should be the answer to problem k; empty if there is none.
std::string fault_of(const std::string& line, int k) {
  try {
    const json::Value document = json::parse(line, "the program's line");
    if (!document.get_if<json::Object>()) return "the program's line is not a JSON object";
    const json::Value* id = document.find("id");
    const auto* number = id ? id->get_if<std::int64_t>() : nullptr;
    if (id && (!number || *number != k))
      return fmt::format("the program's \"id\" is not that of the problem, {}", k);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

KeptSolver::KeptSolver(std::string command, std::string name)
    : command_(std::move(command)), name_(name.empty() ? "serve:" + command_ : std::move(name)) {
  if (command_.find_first_not_of(" \t") == std::string::npos)
    throw std::invalid_argument("solver \"serve:\": the command after the colon is missing");
  traits_ = {name_, "an external program that keeps running", "", problem_kinds()};
  traits_.reads_names = true;
}

void KeptSolver::do_prepare(const Problem& problem) {
  problem_ = problem;
  problem_.start.reset();
  problem_.solution.reset();  // what is known of the answer is not for those who look for it
}

std::string KeptSolver::request(const Start& start, int id) {
  if (start.z) problem_.start = *start.z;
  std::string problem = problem_to_text(problem_);
  problem_.start.reset();
  std::replace(problem.begin(), problem.end(), '\n',
               ' ');  // line breaks inside strings are written as \n, so they are not affected
  return fmt::format(
      "{{\"id\": {}, \"tolerance\": {}, \"time_limit\": {}, \"max_iterations\": {}, "
      "\"problem\": {}}}",
      id, limits.tolerance, limits.time_limit, limits.max_iterations, problem);
}

void KeptSolver::do_solve(const Start& start, Observer*, Result& result) {
  result.z.resize(0);
  result.dual.resize(0);
  const int id = ++kept_programs().asked;
  const std::string line = request(start, id);
  Command& program = program_of(command_);
  if (!program.unasked().empty()) {
    result.status = Status::kNumericalError;
    result.message = "the program wrote a line that nobody had asked for";
    drop(command_);
    return;
  }
  const std::optional<std::string> answer = program.ask(line, limits.time_limit);
  if (!answer) {
    const ChildReport report = program.report();
    tell_end(report, result);
    if (result.message.empty() && report.end == ChildReport::End::kExited)
      result.message = "the program ended without an answer" + last_words(report.last_errors);
    drop(command_);
    return;
  }
  if (const std::string fault = fault_of(*answer, id); !fault.empty()) {
    result.status = Status::kNumericalError;
    result.message = fault;
    drop(command_);
    return;
  }
  read_program_answer(*answer, "", result);
}

void end_kept_programs() {
  for (auto& [command, program] : kept_programs().by_command) {
    static_cast<void>(command);
    program->end();
  }
  kept_programs().by_command.clear();
}

}  // namespace perp
