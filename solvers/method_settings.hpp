// Finds the methods of an expression to which settings belong.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <perp/solvers/core/solver.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perp {

/// Keys and values of --set.
using SettingTexts = std::vector<std::pair<std::string, std::string>>;

/// Makes a method from its name.
using MakeSolver = std::function<std::unique_ptr<Solver>(std::string_view)>;

/// Whether a setting of this name is one of the limits that every solver has.
bool is_limit(std::string_view key);

/// Whether a solver has a setting of this name.
bool has_setting(Solver& solver, std::string_view key);

/// Settings by method: each goes to every method that has a setting of this name and accepts the
/// value. @throws std::invalid_argument if none of the methods has the setting (the text names a
/// similar one), or if none of those that have it accepts the value
std::map<std::string, SettingTexts> settings_by_method(const std::vector<std::string>& methods,
                                                       const SettingTexts& settings,
                                                       const MakeSolver& make);

}  // namespace perp
