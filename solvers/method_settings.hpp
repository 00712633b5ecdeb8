// Settings beside an expression: whose they are.
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

using MakeSolver = std::function<std::unique_ptr<Solver>(std::string_view)>;

/// Whether a solver has a setting of this name.
bool has_setting(Solver& solver, std::string_view key);

/// Settings by the method that they go to: every one that has a setting of the name and takes the
/// value. @throws std::invalid_argument: a setting that none of the methods has (the text names one
/// that is near), or a value that none which has it takes
std::map<std::string, SettingTexts> settings_by_method(const std::vector<std::string>& methods,
                                                       const SettingTexts& settings,
                                                       const MakeSolver& make);

}  // namespace perp
