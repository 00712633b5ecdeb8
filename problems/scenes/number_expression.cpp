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

constexpr std::size_t kLongestExpression = 1000;  // characters of an expression

// Recursive descent; the depth is limited so that no file can exhaust the stack.
class Parser {
 public:
  Parser(std::string_view text, const std::map<std::string, double>& names)
      : text_(text), names_(names) {}

  double run() {
    const double value = either();
    skip();
    if (at_ < text_.size()) fail(fmt::format("unexpected '{}'", text_[at_]));
    if (!std::isfinite(value)) throw NotFinite(fmt::format("in \"{}\": is not finite", text_));
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

  bool take_word(std::string_view word) {
    skip();
    if (text_.substr(at_, word.size()) != word) return false;
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && is_part_of_name(text_[end])) return false;
    at_ = end;
    return true;
  }
  bool take_sign(std::string_view sign) {
    skip();
    if (text_.substr(at_, sign.size()) != sign) return false;
    at_ += sign.size();
    return true;
  }
  static bool is_part_of_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  }

  double either() {
    if (++depth_ > 50) fail("is nested too deeply");
    double value = both();
    while (take_word("or")) {
      const double other = compared(both());
      compared(value);
      value = value != 0.0 || other != 0.0;
    }
    --depth_;
    return value;
  }

  double both() {
    double value = negation();
    while (take_word("and")) {
      const double other = compared(negation());
      compared(value);
      value = value != 0.0 && other != 0.0;
    }
    return value;
  }

  double negation() {
    bool turned = false, any = false;
    while (take_word("not")) {
      turned = !turned;
      any = true;
    }
    const double value = comparison();
    return any ? static_cast<double>((compared(value) != 0.0) != turned) : value;
  }

  // One comparison. A chain such as a < b < c is refused, because text is left over.
  double comparison() {
    const double left = sum();
    if (take_sign("<=")) return compared(left) <= compared(sum());
    if (take_sign(">=")) return compared(left) >= compared(sum());
    if (take_sign("==")) return compared(left) == compared(sum());
    if (take_sign("!=")) return compared(left) != compared(sum());
    if (take_sign("<")) return compared(left) < compared(sum());
    if (take_sign(">")) return compared(left) > compared(sum());
    return left;
  }

  // What a comparison, a choice or a division would hide if it were not finite.
  double compared(double side, std::string_view verb = "compares") const {
    if (!std::isfinite(side))
      throw NotFinite(fmt::format("in \"{}\": {} what is not finite", text_, verb));
    return side;
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
        value /= compared(factor(), "divides by");
      } else {
        return value;
      }
    }
  }

  double factor() {
    double sign = 1.0;
    while (take('-')) sign = -sign;
    if (take('(')) {
      const double value = either();
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
    while (at_ < text_.size() && is_part_of_name(text_[at_])) ++at_;
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
      if (word == "log") return std::log(a[0]);
      if (word == "abs") return std::abs(a[0]);
      if (word == "floor") return std::floor(a[0]);
    }
    if (a.size() == 2) {
      if (word == "min") return std::min(compared(a[0]), compared(a[1]));
      if (word == "max") return std::max(compared(a[0]), compared(a[1]));
      if (word == "atan2") return std::atan2(a[0], a[1]);
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
  if (text.size() > kLongestExpression) {
    throw std::invalid_argument(
        fmt::format("an expression of {} characters; at most {}", text.size(), kLongestExpression));
  }
  return Parser(text, names).run();
}

std::set<std::string> names_in_expression(std::string_view text) {
  std::set<std::string> names;
  const auto part = [&](std::size_t k) {
    return k < text.size() && (std::isalnum(static_cast<unsigned char>(text[k])) || text[k] == '_');
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    while (part(at)) ++at;
    if (at == start) {
      ++at;
      continue;
    }
    const std::string word(text.substr(start, at - start));
    const std::size_t next = text.find_first_not_of(' ', at);
    const bool number = std::isdigit(static_cast<unsigned char>(word.front())) != 0;
    if (number && (word.back() == 'e' || word.back() == 'E') && at + 1 < text.size()) {
      ++at;  // the exponent's sign
      while (part(at)) ++at;
    } else if (!number && (next == text.npos || text[next] != '(')) {
      names.insert(word);
    }
  }
  for (const char* word : {"and", "or", "not", "pi"}) names.erase(word);
  return names;
}

}  // namespace perp
