#include <perp/bench/harness/carry_over.hpp>

#include <unordered_set>

namespace perp {

namespace {

std::string stage_of(const Problem& problem) {
  const json::Value* stage = problem.source.find("stage");
  const auto* text = stage ? stage->get_if<std::string>() : nullptr;
  return text ? *text : "";
}

bool tells_apart(const std::vector<std::string>& names) {
  return !names.empty() &&
         std::unordered_set<std::string>(names.begin(), names.end()).size() == names.size();
}

}  // namespace

std::optional<Vector> CarryOver::start_for(const Problem& problem) const {
  const auto it = kept_.find(stage_of(problem));
  if (it == kept_.end()) return {};
  const Kept& kept = it->second;
  if (kept.by_name.empty() || !tells_apart(problem.variables)) {
    return kept.z.size() == problem.size() ? std::optional<Vector>(kept.z) : std::nullopt;
  }
  Vector z = Vector::Zero(problem.size());
  bool any = false;
  for (int i = 0; i < problem.size(); ++i) {
    const auto known = kept.by_name.find(problem.variables[i]);
    if (known == kept.by_name.end()) continue;
    z[i] = known->second;
    any = true;
  }
  return any ? std::optional<Vector>(std::move(z)) : std::nullopt;
}

void CarryOver::remember(const Problem& problem, const Vector& z) {
  Kept& kept = kept_[stage_of(problem)];
  kept.z = z;
  kept.by_name.clear();
  if (!tells_apart(problem.variables)) return;
  for (int i = 0; i < problem.size(); ++i) kept.by_name.emplace(problem.variables[i], z[i]);
}

}  // namespace perp
