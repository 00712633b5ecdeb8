#include <perp/bench/harness/solvers.hpp>

#include <algorithm>
#include <perp/bench/harness/external_solver.hpp>
#include <perp/bench/peers/catalogue.hpp>
#include <perp/formulations/formulation.hpp>
#include <perp/solvers/registry.hpp>

namespace perp {

std::unique_ptr<Solver> make_any_solver(std::string_view name) {
  if (name.starts_with("exec:"))
    return std::make_unique<ExternalSolver>(std::string(name.substr(5)));
  if (const Peer* peer = find_peer(name)) return make_peer(*peer);
  return make_solver(name);
}

void check_solver(std::string_view name,
                  const std::vector<std::pair<std::string, std::string>>& settings) {
  const std::unique_ptr<Solver> solver = make_any_solver(name == "auto" ? "lemke" : name);
  for (const auto& [key, value] : settings) {
    if (key != "reduction") set_setting(*solver, key, value);  // the router's own
  }
}

std::string step_solver(const std::string& formulation) {
  const auto& kinds = find_formulation(formulation).kinds;
  const bool beyond_lemke = std::any_of(kinds.begin(), kinds.end(), [](std::string_view kind) {
    return kind == "mcp" || kind == "friction_contact" || kind == "conic_qp";
  });
  return beyond_lemke ? "auto" : "lemke";
}

}  // namespace perp
