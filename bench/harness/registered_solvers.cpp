#include <perp/bench/harness/registered_solvers.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <perp/bench/harness/solver_names.hpp>
#include <stdexcept>
#include <utility>

namespace perp {

namespace {

std::vector<std::unique_ptr<RegisteredSolver>>& registered() {
  static std::vector<std::unique_ptr<RegisteredSolver>> solvers;
  return solvers;
}

}  // namespace

const std::vector<std::unique_ptr<RegisteredSolver>>& registered_solvers() { return registered(); }

const RegisteredSolver* find_registered_solver(std::string_view name) {
  for (const auto& solver : registered()) {
    if (solver->name == name) return solver.get();
  }
  return nullptr;
}

void register_solver(RegisteredSolver solver) {
  auto& solvers = registered();
  const auto same = std::find_if(solvers.begin(), solvers.end(),
                                 [&](const auto& other) { return other->name == solver.name; });
  if (same != solvers.end()) {
    **same = std::move(solver);
    return;
  }
  check_solver_name(solver.name);
  solvers.push_back(std::make_unique<RegisteredSolver>(std::move(solver)));
}

}  // namespace perp
