#include <perp/bench/harness/registered_solvers.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <mutex>
#include <perp/bench/harness/solver_names.hpp>
#include <stdexcept>
#include <utility>

namespace perp {

namespace {

std::mutex registering;

// Those that were replaced stay: another thread may be about to use one.
std::vector<std::unique_ptr<RegisteredSolver>>& registered() {
  static std::vector<std::unique_ptr<RegisteredSolver>> solvers;
  return solvers;
}

}  // namespace

std::vector<const RegisteredSolver*> registered_solvers() {
  const std::lock_guard lock(registering);
  std::vector<const RegisteredSolver*> solvers;
  for (const auto& solver : registered()) {
    const auto same = std::find_if(solvers.begin(), solvers.end(),
                                   [&](const auto* other) { return other->name == solver->name; });
    if (same == solvers.end()) {
      solvers.push_back(solver.get());
    } else {
      *same = solver.get();
    }
  }
  return solvers;
}

const RegisteredSolver* find_registered_solver(std::string_view name) {
  const std::lock_guard lock(registering);
  const auto& solvers = registered();
  const auto last = std::find_if(solvers.rbegin(), solvers.rend(),
                                 [&](const auto& solver) { return solver->name == name; });
  return last == solvers.rend() ? nullptr : last->get();
}

void register_solver(RegisteredSolver solver) {
  if (!find_registered_solver(solver.name)) check_solver_name(solver.name);
  const std::lock_guard lock(registering);
  registered().push_back(std::make_unique<RegisteredSolver>(std::move(solver)));
}

}  // namespace perp
