// Solvers as users write them: methods with settings, and strategies that are made of them.
//
//   newton-fb
//   newton-ac:recoveries=2:map=natural
//   first(newton-fb:restarts=0, try(polish(lemke), share=.5), repeat(3,
//   lemke:covering="random:{k}"))
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perp {

/// A method (no parts, perhaps settings) or a strategy (parts, perhaps options). Texts of settings
/// and options may hold "{EXPRESSION}", a whole number, rounded down, in n and what strategies add.
struct SolverExpression {
  std::string name;
  bool strategy = false;
  std::vector<std::pair<std::string, std::string>> settings;  ///< options of a strategy
  std::vector<SolverExpression> parts;
};

/// Whether a text is more than the name of a method, so that it has to be parsed.
bool is_expression(std::string_view text);

/// @throws std::invalid_argument naming the place and what is wrong
SolverExpression parse_solver(std::string_view text);
/// Likewise, of a text that may be a plain name too, whatever characters it has.
SolverExpression parse_any_solver(std::string_view text);

/// The text that parses to the same.
std::string to_text(const SolverExpression& expression);

/// A text with its "{EXPRESSION}" evaluated. @throws std::invalid_argument
std::string with_numbers(const std::string& text, const std::map<std::string, double>& names);

/// The expression without what bears a name: methods and repetitions are left out, other strategies
/// give way to what they wrap.
/// @return whether anything is left
bool remove_named(SolverExpression& expression, std::string_view name);

}  // namespace perp
