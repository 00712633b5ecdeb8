#include <perp/bench/harness/solvers.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <perp/bench/harness/registered_solvers.hpp>
#include <perp/bench/harness/solver_names.hpp>
#include <perp/bench/peers/catalogue.hpp>
#include <perp/bench/plugins/plugin.hpp>
#include <perp/bench/processes/external_solver.hpp>
#include <perp/bench/processes/kept_solver.hpp>
#include <perp/problems/expression/expr.hpp>
#include <perp/solvers/registry.hpp>
#include <perp/solvers/router.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr std::string_view kReduction = "reduction";  // a setting of the router, not of a solver

DenseMatrix twice_the_identity(int n) { return 2.0 * DenseMatrix::Identity(n, n); }

Mcp small_mcp() {
  Mcp mcp;
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(1);
    mcp.graph = std::make_shared<const ExpressionGraph>(recorder.graph({z[0] + exp(z[0]) - 2.0}));
  }
  mcp.lower = Vector::Zero(1);
  mcp.upper = Vector::Constant(1, 10.0);
  return mcp;
}

// A small problem of each kind, on which solvers are tried.
const std::vector<Problem>& small_problems() {
  static const std::vector<Problem> problems = [] {
    const Vector q = Vector::Constant(2, -1.0), zero = Vector::Zero(2), top = Vector::Ones(2);
    const DenseMatrix M = twice_the_identity(2);
    std::vector<ProblemData> data;
    data.emplace_back(Lcp{M, q});
    data.emplace_back(Mlcp{M, q, zero, top});
    data.emplace_back(small_mcp());
    data.emplace_back(BoxQp{M, q, zero, top});
    data.emplace_back(ConicQp{
        M, q, DenseMatrix(-DenseMatrix::Identity(2, 2)), zero, {{ConeType::kNonnegative, 2}}});
    FrictionContact contact;
    contact.W = twice_the_identity(3);
    contact.q = Vector{{-1.0, 0.5, 0.0}};
    contact.mu = Vector::Constant(1, 0.5);
    contact.dimension = 3;
    data.emplace_back(std::move(contact));
    std::vector<Problem> result;
    for (ProblemData& d : data) {
      result.emplace_back();
      result.back().data = std::move(d);
    }
    return result;
  }();
  return problems;
}

bool has_setting_named(std::string_view solver, std::string_view key) {
  if (key == kReduction) return true;
  for (const std::string& method : methods_of(parse_any_solver(solver))) {
    if (has_setting(*make_any_solver(method), key)) return true;
  }
  return false;
}

// Whether a method of the solver has the setting and leaves its value open.
bool leaves_open(const SolverExpression& solver, std::string_view key) {
  if (solver.strategy)
    return std::any_of(solver.parts.begin(), solver.parts.end(),
                       [&](const SolverExpression& part) { return leaves_open(part, key); });
  return has_setting_named(solver.name, key) &&
         std::none_of(solver.settings.begin(), solver.settings.end(),
                      [&](const auto& own) { return own.first == key; });
}

// The complaint of a solver about its settings on a small problem; empty if it accepts them.
std::string fault_on(const Problem& problem, const std::string& name,
                     const SettingTexts& settings) {
  const std::unique_ptr<Solver> solver = make_solver(name);
  solver->limits.time_limit = 1.0;
  for (const auto& [key, value] : settings) set_setting(*solver, key, value);
  try {
    solver->prepare(problem);
    solver->solve();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

// Solves small problems, because some values are checked only during a solve.
void try_values(const std::string& name, const SettingTexts& settings) {
  const std::unique_ptr<Solver> solver = make_any_solver(name);
  for (const auto& [key, value] : settings) set_setting(*solver, key, value);
  if (is_program(name) || find_plugin(name) || find_registered_solver(name))
    return;  // programs are not run for this
  const auto& kinds = solver->traits().kinds;
  for (const Problem& problem : small_problems()) {
    if (std::find(kinds.begin(), kinds.end(), problem.kind()) == kinds.end()) continue;
    const std::string fault = fault_on(problem, name, settings);
    if (!fault.empty() && fault_on(problem, name, {}).empty()) throw std::invalid_argument(fault);
  }
}

void try_reduction(const std::string& value) {
  SolveRequest request;
  request.settings = {{std::string(kReduction), value}};
  request.limits.time_limit = 1.0;
  try {
    solve_verified(small_problems().back(), request);  // a friction_contact
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(
        fmt::format("setting \"reduction\": \"{}\": {}", value, error.what()));
  }
}

}  // namespace

std::unique_ptr<Solver> make_any_solver(std::string_view name) {
  SolverName solver = read_solver_name(name);
  if (solver.kept)
    return std::make_unique<KeptSolver>(std::move(solver.command), std::move(solver.name));
  if (solver.external)
    return std::make_unique<ExternalSolver>(std::move(solver.command), std::move(solver.name));
  if (const Peer* peer = find_peer(name)) return make_peer(*peer);
  if (const Plugin* plugin = find_plugin(name)) return make_plugin_solver(*plugin);
  if (const RegisteredSolver* own = find_registered_solver(name)) return own->make();
  return make_solver(name);
}

bool is_program(std::string_view name) {
  if (name == "auto" || is_expression(name)) return false;
  return find_peer(name) || read_solver_name(name).external;
}

SettingTexts settings_of(std::string_view solver, const SettingTexts& settings) {
  SettingTexts own;
  std::copy_if(settings.begin(), settings.end(), std::back_inserter(own),
               [&](const auto& s) { return has_setting_named(solver, s.first); });
  return own;
}

void check_solvers(const std::vector<std::string>& solvers, const SettingTexts& settings) {
  std::vector<std::string> methods;
  for (const std::string& solver : solvers) {
    check_solver(solver, make_any_solver);
    for (std::string& method : methods_of(parse_any_solver(solver))) {
      if (std::find(methods.begin(), methods.end(), method) == methods.end())
        methods.push_back(std::move(method));
    }
  }
  if (settings.empty()) return;
  SettingTexts of_methods;
  for (const auto& [key, value] : settings) {
    if (key == kReduction) {
      try_reduction(value);
    } else {
      of_methods.emplace_back(key, value);
    }
  }
  for (const auto& [method, own] : settings_by_method(methods, of_methods, make_any_solver))
    try_values(method, own);
  for (const auto& [key, value] : of_methods) {
    if (std::none_of(solvers.begin(), solvers.end(), [&key = key](const std::string& solver) {
          return leaves_open(parse_any_solver(solver), key);
        }))
      throw std::invalid_argument(
          fmt::format("setting \"{}\": every method that has it gives its own value: {}", key,
                      fmt::join(solvers, ", ")));
  }
}

}  // namespace perp
