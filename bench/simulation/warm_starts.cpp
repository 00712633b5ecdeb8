#include <perp/bench/simulation/warm_starts.hpp>

#include <fmt/format.h>
#include <functional>
#include <perp/formulations/formulation.hpp>
#include <unordered_set>
#include <variant>

namespace perp {

namespace {

// Sets entry i of the values from the known value of key i. @return whether any was found
template <class Known, class Values>
bool fill(const std::vector<std::uint64_t>& keys, const Known& known, Values& values) {
  bool any = false;
  const auto take = [&](std::size_t i, std::size_t from) {
    values[static_cast<std::ptrdiff_t>(i)] = known.values[static_cast<std::ptrdiff_t>(from)];
    any = true;
  };
  if (keys == known.keys) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (keys[i] != kNoKey) take(i, i);
    }
    return any;
  }
  if (known.places.empty()) {
    for (std::size_t i = 0; i < known.keys.size(); ++i) {
      if (known.keys[i] != kNoKey) known.places[known.keys[i]] = i;
    }
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto it = known.places.find(keys[i]);
    if (it != known.places.end()) take(i, it->second);
  }
  return any;
}

template <class Values, class Known>
void keep(const std::vector<std::uint64_t>& keys, const Values& values, Known& known) {
  if (static_cast<std::size_t>(values.size()) != keys.size()) {
    known = {};
    return;
  }
  if (known.keys != keys) {
    known.keys = keys;
    known.places.clear();
  }
  known.values = values;
}

// Keys of the rows of a conic_qp whose impulses are the dual: from the names of the contacts if all
// differ. Empty for other problems.
std::vector<std::uint64_t> row_keys_of(const Problem& problem) {
  const auto* qp = std::get_if<ConicQp>(&problem.data);
  if (!qp || !qp->partition) return {};
  const Partition::Contacts& contacts = qp->partition->contacts;
  if (!contacts.unknowns.empty() || contacts.sizes.size() != problem.contacts.size()) return {};
  std::unordered_set<std::string> names;
  for (const ContactInfo& contact : problem.contacts) {
    if (!names.insert(contact.name).second) return {};
  }
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(qp->b.size()), kNoKey);
  auto row = contacts.rows.begin();
  for (std::size_t c = 0; c < contacts.sizes.size(); ++c) {
    for (int i = 0; i < contacts.sizes[c]; ++i)
      keys[static_cast<std::size_t>(*row++)] =
          std::hash<std::string>{}(fmt::format("{} {}", problem.contacts[c].name, i));
  }
  return keys;
}

}  // namespace

ProblemKeys keys_of(const Problem& problem) {
  const std::vector<std::string>& names = problem.variables;
  const std::size_t n = static_cast<std::size_t>(problem.size());
  const bool told_apart =
      names.size() == n && std::unordered_set<std::string>(names.begin(), names.end()).size() == n;
  ProblemKeys keys;
  keys.unknowns.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys.unknowns.push_back(told_apart ? std::hash<std::string>{}(names[i]) : i + 1);
  }
  keys.are_places = !told_apart;
  keys.rows = row_keys_of(problem);
  return keys;
}

bool WarmStarts::give(const std::string& stage, const ProblemKeys& keys,
                      const std::optional<Vector>& base, SolveRequest& request) const {
  request.start = base;
  request.start_dual.reset();
  request.start_basis.reset();
  const auto it = kept_.find(stage);
  if (it == kept_.end()) return false;
  const Kept& kept = it->second;
  const std::size_t n = keys.unknowns.size();
  if (kept.are_places || keys.are_places) {
    if (static_cast<std::size_t>(kept.answer.z.size()) != n) return false;
    request.start = kept.answer.z;
    return true;
  }
  Vector z = base.value_or(Vector::Zero(static_cast<int>(n)));
  if (!fill(keys.unknowns, kept.z, z)) return false;
  request.start = std::move(z);
  Vector dual = Vector::Zero(static_cast<int>(keys.rows.size()));
  if (!keys.rows.empty() && fill(keys.rows, kept.dual, dual)) request.start_dual = std::move(dual);
  std::vector<PairStatus> basis(n, PairStatus::kAtLower);
  if (!kept.basis.empty() && fill(keys.unknowns, kept.basis, basis))
    request.start_basis = std::move(basis);
  return true;
}

void WarmStarts::remember(const std::string& stage, const ProblemKeys& keys,
                          const VerifiedResult& result) {
  Kept& kept = kept_[stage];
  keep(keys.unknowns, result.answer.z, kept.z);
  keep(keys.rows, result.answer.dual, kept.dual);
  keep(keys.unknowns, result.basis, kept.basis);
  kept.answer = result.answer;
  kept.are_places = keys.are_places;
}

}  // namespace perp
