#include <perp/bench/analysis/contact_groups.hpp>

#include <fmt/format.h>
#include <map>
#include <perp/problems/standard/friction_pyramid.hpp>

namespace perp {

namespace {

constexpr std::string_view kBound = ".bound";

const Vector* lower_bounds(const Problem& problem) {
  if (const auto* p = std::get_if<Mlcp>(&problem.data)) return &p->lower;
  if (const auto* p = std::get_if<Mcp>(&problem.data)) return &p->lower;
  if (const auto* p = std::get_if<BoxQp>(&problem.data)) return &p->lower;
  return nullptr;
}

void find_directions(const Vector* lower, ContactGroup& group) {
  const int k = static_cast<int>(group.friction.size());
  bool pyramid = k >= 2 && k % 2 == 0;
  for (const int i : group.friction) pyramid = pyramid && (!lower || (*lower)[i] >= 0.0);
  for (int e = 0; e < k; ++e) {
    if (!pyramid) {
      group.directions.push_back(e == 0 ? Eigen::Vector2d(1, 0) : Eigen::Vector2d(0, 1));
    } else if (k == 2) {
      group.directions.emplace_back(1.0 - 2.0 * e, 0.0);
    } else {
      group.directions.push_back(pyramid_edge(e, k));
    }
  }
}

// Row c of a friction_contact may be the friction of a joint, which is in no list of contacts: the
// first of its unknowns is JOINT.bound.
std::string name_of_row(const FrictionContact& p, const Problem& problem, int c) {
  const auto at = static_cast<std::size_t>(c);
  const auto first = static_cast<std::size_t>(p.dimension) * at;
  if (at < problem.contacts.size() && !problem.contacts[at].name.empty())
    return problem.contacts[at].name;
  if (first < problem.variables.size() && problem.variables[first].ends_with(kBound)) {
    const std::string& bound = problem.variables[first];
    return fmt::format("joint {}", bound.substr(0, bound.size() - kBound.size()));
  }
  return fmt::format("contact {}", c);
}

std::vector<ContactGroup> groups_of(const FrictionContact& p, const Problem& problem) {
  std::vector<ContactGroup> groups;
  for (int c = 0; c < p.contacts(); ++c) {
    ContactGroup g;
    g.name = name_of_row(p, problem, c);
    g.normal = p.dimension * c;
    g.mu = p.mu[c];
    for (int i = 1; i < p.dimension; ++i) {
      g.friction.push_back(g.normal + i);
      g.directions.push_back(i == 1 ? Eigen::Vector2d(1, 0) : Eigen::Vector2d(0, 1));
    }
    groups.push_back(std::move(g));
  }
  return groups;
}

}  // namespace

std::vector<ContactGroup> contact_groups(const Problem& problem) {
  if (const auto* p = std::get_if<FrictionContact>(&problem.data)) return groups_of(*p, problem);
  std::vector<ContactGroup> groups;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < problem.variables.size(); ++i) {
    const std::string& name = problem.variables[i];
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) continue;
    const std::string what = name.substr(dot + 1);
    const bool friction = what.starts_with("friction");
    const bool torsion = what.starts_with("torsion");
    if (what != "normal" && what != "slip" && !friction && !torsion) continue;
    const auto [place, is_new] = places.try_emplace(name.substr(0, dot), groups.size());
    if (is_new) groups.push_back({name.substr(0, dot), -1, -1, {}, {}, {}, -1.0});
    ContactGroup& group = groups[place->second];
    if (what == "normal") group.normal = static_cast<int>(i);
    if (what == "slip") group.slip = static_cast<int>(i);
    if (friction) group.friction.push_back(static_cast<int>(i));
    if (torsion) group.torsion.push_back(static_cast<int>(i));
  }
  std::erase_if(groups, [](const ContactGroup& g) { return g.normal < 0; });
  for (ContactGroup& group : groups) find_directions(lower_bounds(problem), group);
  return groups;
}

}  // namespace perp
