// Numbers of a scene file that depend on its parameters.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace perp {

/// Value of an expression in + - * / ( ), numbers, names, pi, and sin cos tan sqrt abs floor min
/// max.
/// @throws std::invalid_argument naming what is wrong.
double evaluate_expression(std::string_view text, const std::map<std::string, double>& names);

}  // namespace perp
