#include <perp/bench/simulation/problem_source.hpp>

#include <algorithm>

namespace perp {

json::Object source_of_run(const Scene& scene, const ProblemOrigin& origin) {
  json::Object parameters;
  for (const auto& [name, value] : scene.parameters) parameters.emplace_back(name, value);
  return {{"scene", scene.name},
          {"parameters", std::move(parameters)},
          {"formulation", origin.formulation},
          {"driver", to_string(origin.driver)},
          {"solver", origin.solver}};
}

json::Value source_of_step(const Problem& problem, const Scene& scene, const ProblemOrigin& origin,
                           int step) {
  json::Object source = source_of_run(scene, origin);
  source.emplace_back("step", static_cast<std::int64_t>(step));
  if (const auto* told = problem.source.get_if<json::Object>()) {
    for (const json::Member& member : *told) {
      const bool known = std::any_of(source.begin(), source.end(), [&](const json::Member& m) {
        return m.first == member.first;
      });
      if (!known) source.push_back(member);
    }
  }
  return json::Value(std::move(source));
}

void keep_solution(Problem& problem, const VerifiedResult& result) {
  if (result.status != Status::kSolved) return;
  const bool has_dual = std::holds_alternative<ConicQp>(problem.data);
  problem.solution = KnownSolution{result.answer.z, has_dual ? result.answer.dual : Vector()};
}

}  // namespace perp
