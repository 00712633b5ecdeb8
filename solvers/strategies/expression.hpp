// The text form of solvers: methods with settings, and strategies made of them.
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

/// A method (no parts, perhaps settings) or a strategy (parts, perhaps options). The texts of
/// settings and options may contain "{EXPRESSION}". Its value is rounded down to a whole number. It
/// may use n, contacts and the names that strategies add (k of repeat, round of eliminate).
struct SolverExpression {
  std::string name;
  bool strategy = false;
  std::vector<std::pair<std::string, std::string>> settings;  ///< options of a strategy
  std::vector<SolverExpression> parts;
};

/// Whether a text is more than the name of a method, so that it must be parsed.
bool is_expression(std::string_view text);

/// @throws std::invalid_argument; the text says at which character and what is wrong
SolverExpression parse_solver(std::string_view text);
/// The same for a text that may also be a plain name, with any characters.
SolverExpression parse_any_solver(std::string_view text);

/// A text that parses to this expression.
std::string to_text(const SolverExpression& expression);

/// A text with its "{EXPRESSION}" evaluated. @throws std::invalid_argument if one is wrong
std::string with_numbers(const std::string& text, const std::map<std::string, double>& names);

/// Removes all parts of this name from the expression. Methods, repetitions and eliminations are
/// left out, and eliminations that lose one of their two parts; another strategy with one part is
/// replaced by its part.
/// @return whether anything is left
bool remove_named(SolverExpression& expression, std::string_view name);

}  // namespace perp
