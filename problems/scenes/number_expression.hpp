// Numbers of scene and study files that depend on parameters and measured values.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace perp {

/// Value of an expression in + - * / ( ), numbers, names, pi, sin cos tan sqrt log abs floor min
/// max atan2, comparisons (< <= > >= == !=) and not, and, or, which are 1 or 0.
/// @throws std::invalid_argument naming what is wrong, also if the value is not finite.
double evaluate_expression(std::string_view text, const std::map<std::string, double>& names);

/// The names that an expression refers to, without functions and pi.
std::set<std::string> names_in_expression(std::string_view text);

}  // namespace perp
