#include <perp/bench/harness/solver_names.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <map>
#include <perp/bench/harness/registered_solvers.hpp>
#include <perp/bench/peers/catalogue.hpp>
#include <perp/bench/plugins/plugin.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/solvers/registry.hpp>
#include <perp/solvers/strategies/expression.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr std::string_view kExec = "exec:", kServe = "serve:";

// The position of a mark, at the beginning or after NAME=.
std::size_t place_of(std::string_view mark, std::string_view text) {
  const std::size_t at = text.find(mark);
  return at == 0 || (at != std::string_view::npos && text[at - 1] == '=') ? at
                                                                          : std::string_view::npos;
}

// The command of exec:"COMMAND". A text that is not in quotes is the command as it is.
std::string unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"') return std::string(text);
  std::string command;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1 == text.size() ? command : std::string(text);
    const bool escaped =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
    command += text[escaped ? ++i : i];
  }
  return std::string(text);
}

}  // namespace

void check_solver_name(std::string_view name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
  });
  if (!plain || name.empty() || !std::isalpha(static_cast<unsigned char>(name.front()))) {
    throw std::invalid_argument(
        fmt::format("solver \"{}\": a name has letters, digits, '.', '_' and '-', a letter first",
                    shown(name)));
  }
  if (is_solver_name(name))
    throw std::invalid_argument(
        fmt::format("solver \"{}\": that is the name of a solver or a strategy of perp", name));
}

bool is_solver_name(std::string_view name) {
  const auto& registry = solver_registry();
  const auto& words = strategies();  // a method of such a name could not be called
  const bool is_word = name == "start" || name == "exec" || name == "serve" ||
                       std::any_of(words.begin(), words.end(),
                                   [&](const StrategyEntry& entry) { return entry.name == name; });
  return is_word || name == "auto" || find_peer(name) || find_plugin(name) ||
         find_registered_solver(name) ||
         std::any_of(registry.begin(), registry.end(),
                     [&](const SolverFactory& make) { return make()->traits().name == name; });
}

SolverName read_solver_name(std::string_view text) {
  if (is_expression(text)) return {std::string(text), "", false};
  const std::size_t exec = place_of(kExec, text), serve = place_of(kServe, text);
  const std::size_t at = std::min(exec, serve);
  if (at == std::string_view::npos) return {std::string(text), "", false};
  const std::string_view mark = serve == at ? kServe : kExec;
  SolverName solver{std::string(text), unquoted(text.substr(at + mark.size())), true,
                    mark == kServe};
  if (at > 0) {
    solver.name = text.substr(0, at - 1);
    check_solver_name(solver.name);
  }
  return solver;
}

std::vector<std::string> split_solvers(const std::string& text) {
  std::vector<std::string> parts(1);
  char quote = 0;
  int depth = 0;  // depth of parentheses
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == '(' || c == ')')) depth += c == '(' ? 1 : -1;
    if (c == ',' && quote == 0 && depth <= 0) {
      parts.emplace_back();
      continue;
    }
    parts.back() += c;
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      parts.back() += text[++i];
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    }
  }
  if (quote != 0)
    throw std::invalid_argument(fmt::format("--solvers: a {} is not closed in {}", quote, text));
  std::vector<std::string> solvers;
  std::map<std::string, std::string> by_name;
  for (const std::string& part : parts) {
    if (part.empty()) throw std::invalid_argument("--solvers: a name is empty");
    const std::string name = read_solver_name(part).name;
    const auto [known, is_new] = by_name.try_emplace(name, part);
    if (known->second != part)
      throw std::invalid_argument(fmt::format("--solvers: {} names two programs", name));
    if (is_new) solvers.push_back(part);
  }
  return solvers;
}

}  // namespace perp
