// Expressions in scene and study files: numbers that depend on parameters and measured values.
#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

namespace perp {

/// The value of an expression, or a side of a comparison in it, is infinite or NaN.
class NotFinite : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Value of an expression in + - * / ( ), numbers, names, pi, sin cos tan sqrt log abs floor min
/// max atan2, comparisons (< <= > >= == !=) and not, and, or. Comparisons and logical operations
/// have the value 1 or 0.
/// @throws std::invalid_argument naming the fault; NotFinite if the value or a side of a comparison
/// is not finite: 1/0 > 1 says nothing
double evaluate_expression(std::string_view text, const std::map<std::string, double>& names);

/// The names that an expression uses, without functions and pi.
std::set<std::string> names_in_expression(std::string_view text);

}  // namespace perp
