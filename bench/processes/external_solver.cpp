#include <perp/bench/processes/external_solver.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <perp/bench/processes/process.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kPeerAllowance = 10.0;  // s: its start and its reading, which are not the solve

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

// A proof that comes with the claim, as in a result file; the verifier is to check it.
std::optional<Certificate> certificate_in(const json::Value& document) {
  const json::Value* given = document.find("certificate");
  if (!given || !given->get_if<json::Object>()) return {};
  Certificate certificate;
  certificate.type = text(*given, "type");
  certificate.y = numbers(given->find("y")).value_or(Vector());
  certificate.z = numbers(given->find("z")).value_or(Vector());
  const json::Value* t = given->find("t");
  certificate.t = t ? number_in(*t).value_or(0.0) : 0.0;
  const bool known =
      certificate.type == "farkas" || certificate.type == "ray" || certificate.type == "unbounded";
  return known ? std::optional<Certificate>(std::move(certificate)) : std::nullopt;
}

constexpr std::size_t kMostSaid = 400;  // bytes of a program's last words in a message

// The end of what a program wrote, as one line of plain text.
std::string last_words(std::string_view errors) {
  while (!errors.empty() && static_cast<unsigned char>(errors.back()) <= ' ')
    errors.remove_suffix(1);
  const bool cut = errors.size() > kMostSaid;
  if (cut) errors.remove_prefix(errors.size() - kMostSaid);
  std::string said;
  for (const char c : errors) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\n') {
      said += " | ";
    } else if (c == '\t') {
      said += ' ';
    } else if (code < 0x20 || code > 0x7e) {  // no control of terminals, no half characters
      said += fmt::format("\\x{:02x}", code);
    } else {
      said += c;
    }
  }
  return said.empty() ? said : fmt::format("; it said: {}{}", cut ? "..." : "", said);
}

// The last line that has its end.
std::string last_line(const std::string& text) {
  const std::size_t end = text.rfind('\n');
  if (end == std::string::npos) return "";
  const std::size_t before = end > 0 ? text.rfind('\n', end - 1) : std::string::npos;
  return text.substr(before == std::string::npos ? 0 : before + 1,
                     end - (before == std::string::npos ? 0 : before + 1));
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
  result.certificate = certificate_in(document);
  if (const json::Value* value = document.find("iterations")) {
    if (const auto* i = value->get_if<std::int64_t>()) result.iterations = static_cast<int>(*i);
  }
  if (!text(document, "message").empty()) result.message = text(document, "message");
}

}  // namespace

ExternalSolver::ExternalSolver(std::string command, std::string name)
    : command_(std::move(command)), name_(name.empty() ? "exec:" + command_ : std::move(name)) {
  if (command_.find_first_not_of(" \t") == std::string::npos) {
    throw std::invalid_argument("solver \"exec:\": a command is missing behind the colon");
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
  input_.clear();
}

// Written when it is needed: of a program that tells its own times it is not on the clock.
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
  ChildReport child =
      run_command(command_, input_for(start.z), limits.time_limit + allowance,
                  {{"PERP_TOLERANCE", fmt::format("{}", limits.tolerance)},
                   {"PERP_TIME_LIMIT", fmt::format("{}", limits.time_limit)},
                   {"PERP_MAX_ITERATIONS", fmt::format("{}", limits.max_iterations)}});
  const std::string said = last_words(child.last_errors);
  if (child.end == ChildReport::End::kInterrupted) {
    result.status = Status::kInterrupted;
    result.message = "the program was interrupted";
    return;
  }
  if (is_peer_) {
    child.output = last_line(child.output);
    if (!child.output.empty()) child.end = ChildReport::End::kExited, child.code = 0;
  }
  if (child.end == ChildReport::End::kKilledByLimit) {
    result.status = Status::kTimeLimit;
    if (!said.empty()) result.message = "the program was stopped at the time limit" + said;
    return;
  }
  if (child.too_much) {
    result.message = "the program was stopped: it wrote more than 1 GB" + said;
    return;
  }
  const bool signalled = child.end == ChildReport::End::kSignalled;
  if (signalled) result.statistics.emplace_back("signal", child.code);
  if (signalled || child.code != 0) {
    result.message = fmt::format("the program ended with {} {}{}",
                                 signalled ? "signal" : "exit code", child.code, said);
    if (child.output.empty()) return;
  }
  try {
    read_result(json::parse(child.output, "the program's output"), result);
  } catch (const InputError& error) {
    result.message = error.what() + said;
  }
}

}  // namespace perp
