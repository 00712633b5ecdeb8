#include <perp/bench/processes/program_answer.hpp>

#include <fmt/format.h>
#include <cmath>
#include <limits>
#include <perp/bench/processes/interrupt.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/solvers/core/iteration_count.hpp>

namespace perp {

namespace {

// Exit codes of a shell for signals are 128 + 1 to 128 + 64.
constexpr int kShellSignal = 128, kLastSignal = 64;
constexpr std::size_t kMostSaid = 400;  // bytes of a program's standard error in a message

std::optional<double> number_in(const json::Value& value) {
  if (const auto* i = value.get_if<std::int64_t>()) return static_cast<double>(*i);
  if (const auto* d = value.get_if<double>()) return *d;
  return {};
}

// An array of numbers. null means a number that is not finite, as in perp's own files.
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

// "times": {"setup": s, "solve": s}, if both are there and possible.
std::optional<OwnTimes> own_times(const json::Value& document) {
  const json::Value* times = document.find("times");
  if (!times) return {};
  const json::Value* setup = times->find("setup");
  const json::Value* solve = times->find("solve");
  const double a = setup ? number_in(*setup).value_or(-1.0) : -1.0;
  const double b = solve ? number_in(*solve).value_or(-1.0) : -1.0;
  constexpr double kLongest = 1e9;  // s; some thirty years
  if (!(a >= 0 && b >= 0 && a + b <= kLongest)) return {};
  return OwnTimes{a, b};
}

Status status_from(std::string_view name) {
  for (const Status s : {Status::kSolved, Status::kRay, Status::kInfeasible, Status::kStationary,
                         Status::kIterationLimit, Status::kTimeLimit, Status::kStalled,
                         Status::kInterrupted, Status::kUnsupported, Status::kExcluded}) {
    if (to_string(s) == name) return s;
  }
  return Status::kNumericalError;
}

// A proof that comes with the claim, as in result files. The verifier must still check it.
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

// What is wrong with "status" or "iterations"; empty if nothing is.
std::string fault_in_members(const json::Value& document) {
  if (const json::Value* status = document.find("status")) {
    const auto* name = status->get_if<std::string>();
    if (!name) return "the program's \"status\" is no text";
    if (*name == to_string(Status::kWrong))
      return "the program's \"status\" is \"wrong\", which is for perp to find";
    if (status_from(*name) == Status::kNumericalError && *name != "numerical_error")
      return fmt::format("the program's \"status\", \"{}\", is none of perp's", *name);
  }
  if (const json::Value* iterations = document.find("iterations")) {
    const double count = number_in(*iterations).value_or(-1.0);
    if (count < 0 || count > kMostIterations || count != std::floor(count))
      return fmt::format("the program's \"iterations\" is no whole number from 0 to {}",
                         kMostIterations);
  }
  return {};
}

void read_result(const json::Value& document, Result& result) {
  const std::string claimed = text(document, "status");
  const Status status = claimed.empty() ? Status::kSolved : status_from(claimed);
  const std::optional<Vector> z = numbers(document.find("z"));
  if (!z && (status == Status::kSolved || document.find("z"))) {
    result.message = "the program's output has no array of numbers \"z\"";
    return;
  }
  if (const std::string fault = fault_in_members(document); !fault.empty()) {
    result.message = fault;
    return;
  }
  result.status = status;
  result.z = z.value_or(Vector());
  result.dual = numbers(document.find("dual")).value_or(Vector());
  result.own_times = own_times(document);
  result.certificate = certificate_in(document);
  if (const json::Value* value = document.find("iterations")) {
    result.iterations = static_cast<int>(number_in(*value).value_or(0.0));
  }
  // One line that a terminal, a record and a report can hold, whatever the program says.
  if (!text(document, "message").empty()) result.message = message_line(text(document, "message"));
  if (status == Status::kInterrupted && !interrupted()) {
    result.status = Status::kStalled;
    if (result.message.empty())
      result.message = "the program says that it was interrupted, but nobody did so";
  }
}

}  // namespace

void read_program_answer(const std::string& text, const std::string& said, Result& result) {
  result.status = Status::kNumericalError;
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    result.message = "the program printed nothing on standard output" + said;
    return;
  }
  try {
    read_result(json::parse(text, "the program's output"), result);
  } catch (const InputError& error) {
    result.message = error.what() + said;
  }
}

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
    } else if (code < 0x20 ||
               code > 0x7e) {  // no control characters for terminals, no parts of UTF-8 characters
      said += fmt::format("\\x{:02x}", code);
    } else {
      said += c;
    }
  }
  return said.empty() ? said : fmt::format("; it said: {}{}", cut ? "..." : "", said);
}

bool tell_end(const ChildReport& child, Result& result) {
  const std::string said = last_words(child.last_errors);
  result.status = Status::kNumericalError;
  switch (child.end) {
    case ChildReport::End::kInterrupted:
      result.status = Status::kInterrupted;
      result.message = "the program was interrupted";
      return false;
    case ChildReport::End::kKilledByLimit:
      result.status = Status::kTimeLimit;
      result.message = "the program was stopped at the time limit" + said;
      return false;
    case ChildReport::End::kOutOfMemory:
      result.statistics.emplace_back("out_of_memory", child.peak_memory_mb);
      result.message = "the program was stopped at the limit on memory" + said;
      return false;
    default:
      break;
  }
  if (child.too_much) {
    result.message = "the program was stopped: it wrote more than 1 GB" + said;
    return false;
  }
  // A shell reports the signal that ended its command by an exit code of 128 + signal.
  const bool by_shell = child.end == ChildReport::End::kExited && child.code > kShellSignal &&
                        child.code <= kShellSignal + kLastSignal;
  const bool signalled = child.end == ChildReport::End::kSignalled || by_shell;
  const int code = by_shell ? child.code - kShellSignal : child.code;
  if (signalled) result.statistics.emplace_back("signal", code);
  if (signalled || code != 0) {
    result.message = fmt::format("the program ended with {} {}{}",
                                 signalled ? "signal" : "exit code", code, said);
    return !child.output.empty();
  }
  return true;
}

}  // namespace perp
