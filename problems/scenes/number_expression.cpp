#include <perp/problems/scenes/number_expression.hpp>

#include <fmt/format.h>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace perp {

namespace {

constexpr std::size_t kLongest = 1000;  // characters of an expression

// Recursive descent; the depth is bounded so that no file can exhaust the stack.
class Parser {
 public:
  Parser(std::string_view text, const std::map<std::string, double>& names)
      : text_(text), names_(names) {}

  double run() {
    const double value = sum();
    skip();
    if (at_ < text_.size()) fail(fmt::format("unexpected '{}'", text_[at_]));
    if (!std::isfinite(value)) fail("is not finite");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument(fmt::format("in \"{}\": {}", text_, what));
  }
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  double sum() {
    if (++depth_ > 50) fail("is nested too deeply");
    double value = product();
    while (true) {
      if (take('+')) {
        value += product();
      } else if (take('-')) {
        value -= product();
      } else {
        --depth_;
        return value;
      }
    }
  }

  double product() {
    double value = factor();
    while (true) {
      if (take('*')) {
        value *= factor();
      } else if (take('/')) {
        value /= factor();
      } else {
        return value;
      }
    }
  }

  double factor() {
    double sign = 1.0;
    while (take('-')) sign = -sign;
    if (take('(')) {
      const double value = sum();
      if (!take(')')) fail("a ')' is missing");
      return sign * value;
    }
    skip();
    if (at_ < text_.size() &&
        (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.')) {
      double value = 0.0;
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (error != std::errc()) fail("a number cannot be read");
      at_ = static_cast<std::size_t>(end - text_.data());
      return sign * value;
    }
    return sign * name();
  }

  double name() {
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    const std::string word(text_.substr(start, at_ - start));
    if (word.empty()) fail("a number or name is missing");
    if (take('(')) {
      std::vector<double> arguments{sum()};
      while (take(',')) arguments.push_back(sum());
      if (!take(')')) fail("a ')' is missing");
      return call(word, arguments);
    }
    if (const auto it = names_.find(word); it != names_.end()) return it->second;
    if (word == "pi") return std::numbers::pi;
    fail(fmt::format("unknown name \"{}\"", word));
  }

  double call(const std::string& word, const std::vector<double>& a) {
    if (a.size() == 1) {
      if (word == "sin") return std::sin(a[0]);
      if (word == "cos") return std::cos(a[0]);
      if (word == "tan") return std::tan(a[0]);
      if (word == "sqrt") return std::sqrt(a[0]);
      if (word == "abs") return std::abs(a[0]);
      if (word == "floor") return std::floor(a[0]);
    }
    if (a.size() == 2) {
      if (word == "min") return std::min(a[0], a[1]);
      if (word == "max") return std::max(a[0], a[1]);
    }
    fail(fmt::format("there is no function \"{}\" of {} arguments", word, a.size()));
  }

  std::string_view text_;
  const std::map<std::string, double>& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

double evaluate_expression(std::string_view text, const std::map<std::string, double>& names) {
  if (text.size() > kLongest) {
    throw std::invalid_argument(
        fmt::format("an expression of {} characters; at most {}", text.size(), kLongest));
  }
  return Parser(text, names).run();
}

}  // namespace perp
