#include <perp/solvers/strategies/expression.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <perp/problems/io/braces.hpp>
#include <perp/problems/scenes/number_expression.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr std::string_view kExec = "exec:", kServe = "serve:";

// The one of these with which the name of a program begins; "" if there is none.
std::string_view program_mark(std::string_view text) {
  return text.starts_with(kExec) ? kExec : text.starts_with(kServe) ? kServe : "";
}
constexpr std::string_view kRepeat = "repeat", kEliminate = "eliminate";
constexpr int kDeepest = 50;
// The characters that end a value without quotes.
constexpr std::string_view kEndsSetting = ",():", kEndsOption = ",()";

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  SolverExpression whole() {
    SolverExpression expression = read(0);
    if (next() != 0) fail("nothing more is expected");
    return expression;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw std::invalid_argument(
        fmt::format("solver \"{}\", at character {}: {}", text_, at_ + 1, what));
  }

  // The next character that is no space; 0 at the end.
  char next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  void expect(char c) {
    if (next() != c) fail(fmt::format("'{}' is expected", c));
    ++at_;
  }

  std::string word() {
    next();
    const std::size_t from = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '-' || text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    if (at_ == from) fail("a name is expected");
    return std::string(text_.substr(from, at_ - from));
  }

  // A value in quotes, in which \" and \\ stand for " and \, or up to a character that ends it.
  // Such a character inside braces does not end it.
  std::string value(std::string_view ends) {
    std::string out;
    if (next() == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
        out += text_[at_];
      }
      expect('"');
      return out;
    }
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (depth == 0 && ends.find(c) != std::string_view::npos) break;
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      out += c;
    }
    while (!out.empty() && std::isspace(static_cast<unsigned char>(out.back()))) out.pop_back();
    if (out.empty()) fail("a value is expected");
    return out;
  }

  SolverExpression read(int depth) {
    if (depth > kDeepest) fail("too deep");
    SolverExpression e;
    next();
    if (const std::string_view mark = program_mark(text_.substr(at_)); !mark.empty()) {
      at_ += mark.size();
      e.name = std::string(mark) + value(kEndsOption);
      return e;
    }
    e.name = word();
    while (next() == ':') {
      ++at_;
      std::string key = word();
      expect('=');
      e.settings.emplace_back(std::move(key), value(kEndsSetting));
    }
    if (next() != '(') return e;
    if (!e.settings.empty()) fail("a method with settings has no parts");
    e.strategy = true;
    do {
      ++at_;  // '(' or ','
      read_argument(e, depth);
    } while (next() == ',');
    expect(')');
    return e;
  }

  // KEY=VALUE, a number (the times of repeat), or a solver.
  void read_argument(SolverExpression& e, int depth) {
    const std::size_t from = (next(), at_);
    const char c = text_.size() > at_ ? text_[at_] : ' ';
    if (c == '{' || std::isdigit(static_cast<unsigned char>(c))) {
      if (!e.parts.empty() || !e.settings.empty()) fail("a number stands before all else");
      e.settings.emplace_back("times", value(kEndsOption));
      return;
    }
    const std::string key = word();
    if (next() == '=') {
      ++at_;
      e.settings.emplace_back(key, value(kEndsOption));
      return;
    }
    at_ = from;
    e.parts.push_back(read(depth + 1));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string quoted(const std::string& value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string value_text(const std::string& value, std::string_view ends) {
  const bool plain = value.find_first_of(ends) == std::string::npos &&
                     value.find_first_of("\" ") == std::string::npos;
  const bool braces = !value.empty() && value.front() == '{';
  return (plain && !value.empty()) || braces ? value : quoted(value);
}

}  // namespace

bool is_expression(std::string_view text) {
  const std::size_t open = text.find('('), colon = text.find(':');
  if (open == std::string_view::npos && colon == std::string_view::npos) return false;
  // A program (exec:..., serve:..., or NAME= and one of these) is no expression, whatever
  // characters its command contains.
  for (const std::string_view mark : {kExec, kServe}) {
    const std::size_t at = text.find(mark);
    if (at != std::string_view::npos && std::min(open, colon) == at + mark.size() - 1) return false;
  }
  return true;
}

SolverExpression parse_solver(std::string_view text) { return Parser(text).whole(); }

SolverExpression parse_any_solver(std::string_view text) {
  if (is_expression(text)) return parse_solver(text);
  SolverExpression plain;
  plain.name = std::string(text);
  return plain;
}

std::string to_text(const SolverExpression& e) {
  if (const std::string_view mark = program_mark(e.name); !mark.empty())
    return std::string(mark) + quoted(e.name.substr(mark.size()));
  std::string text = e.name;
  if (!e.strategy) {
    for (const auto& [key, value] : e.settings)
      text += fmt::format(":{}={}", key, value_text(value, kEndsSetting));
    return text;
  }
  std::vector<std::string> arguments;
  for (const auto& [key, value] : e.settings) {
    if (key == "times") arguments.push_back(value);
  }
  for (const SolverExpression& part : e.parts) arguments.push_back(to_text(part));
  for (const auto& [key, value] : e.settings) {
    if (key != "times")
      arguments.push_back(fmt::format("{}={}", key, value_text(value, kEndsOption)));
  }
  return fmt::format("{}({})", text, fmt::join(arguments, ", "));
}

std::string with_numbers(const std::string& text, const std::map<std::string, double>& names) {
  return fill_braces(text, [&](const std::string& inside) {
    return fmt::format("{:.0f}", std::floor(evaluate_expression(inside, names)));
  });
}

bool remove_named(SolverExpression& e, std::string_view name) {
  for (std::size_t k = 0; k < e.parts.size();) {
    if (remove_named(e.parts[k], name)) {
      ++k;
    } else {
      e.parts.erase(e.parts.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  if (e.strategy && e.parts.empty()) return false;
  if (e.name == kEliminate && e.parts.size() < 2) return false;
  if (e.name != name) return true;
  if (!e.strategy || e.name == kRepeat || e.name == kEliminate) return false;
  if (e.parts.size() > 1) return true;
  SolverExpression inner = std::move(e.parts.front());
  e = std::move(inner);
  return true;
}

}  // namespace perp
