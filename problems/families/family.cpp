#include <perp/problems/families/family.hpp>

#include <fmt/format.h>
#include <fnmatch.h>
#include <algorithm>
#include <new>
#include <perp/problems/families/conic.hpp>
#include <perp/problems/families/contact.hpp>
#include <perp/problems/families/equilibrium.hpp>
#include <perp/problems/families/friction.hpp>
#include <perp/problems/families/linear.hpp>
#include <perp/problems/families/mcp_classics/family.hpp>
#include <perp/problems/families/quadratic.hpp>
#include <perp/problems/families/random_ncp.hpp>
#include <stdexcept>

namespace perp {

namespace {

// Null if the family has no named members.
const FamilyMember* named_member(const Family& family, const std::string& name) {
  const auto found = std::ranges::find(family.members, name, &FamilyMember::name);
  if (found != family.members.end()) return &*found;
  if (!name.empty()) {
    throw std::invalid_argument(fmt::format("member: {} has no \"{}\"", family.name, name));
  }
  if (!family.members.empty()) {
    throw std::invalid_argument(fmt::format("member: {} needs the name of a member", family.name));
  }
  return nullptr;
}

std::string name_of_problem(const Family& family, const FamilyMember* named,
                            const FamilyRequest& r) {
  if (named && r.size == named->default_size) return named->name;
  if (named) return fmt::format("{}-{}", named->name, r.size);
  return family.seeded ? fmt::format("{}-{}-{}", family.name, r.size, r.seed)
                       : fmt::format("{}-{}", family.name, r.size);
}

}  // namespace

std::string_view to_string(KnownOutcome outcome) {
  switch (outcome) {
    case KnownOutcome::kSolvable:
      return "solvable";
    case KnownOutcome::kInfeasible:
      return "infeasible";
    default:
      return "no_solution";
  }
}

const std::vector<Family>& families() {
  // To add a family, add its line here.
  static const std::vector<Family> list = {
      psd_family(),
      psd_deficient_family(),
      p_matrix_family(),
      nonmonotone_family(),
      infeasible_family(),
      no_solution_family(),
      murty_family(),
      fathi_family(),
      obstacle_family(),
      contact_stack_family(),
      contact_tower_family(),
      contact_pile_family(),
      random_ncp_family(),
      mcp_classics_family(),
      friction_stack_family(),
      friction_tower_family(),
      friction_pile_family(),
      friction_granular_family(),
      compliant_pile_family(),
      painleve_rods_family(),
      box_qp_family(),
      socp_family(),
      socp_infeasible_family(),
      socp_unbounded_family(),
      traffic_equilibrium_family(),
      spatial_price_family(),
  };
  return list;
}

const Family& find_family(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Family& family : families()) {
    if (family.name == name) return family;
    names.push_back(family.name);
  }
  throw std::invalid_argument(
      fmt::format("unknown family \"{}\"; there are: {}", name, fmt::join(names, ", ")));
}

std::vector<std::string> match_members(const Family& family,
                                       const std::vector<std::string>& patterns) {
  if (family.members.empty()) {
    throw std::invalid_argument(fmt::format("member: {} has no named members", family.name));
  }
  std::vector<char> matched(patterns.size(), 0);
  std::vector<std::string> names;
  for (const FamilyMember& member : family.members) {
    bool chosen = false;
    for (std::size_t k = 0; k < patterns.size(); ++k) {
      if (fnmatch(patterns[k].c_str(), member.name.c_str(), 0) != 0) continue;
      matched[k] = 1;
      chosen = true;
    }
    if (chosen) names.push_back(member.name);
  }
  for (std::size_t k = 0; k < patterns.size(); ++k) {
    if (!matched[k]) {
      throw std::invalid_argument(
          fmt::format("member: no member of {} matches \"{}\"", family.name, patterns[k]));
    }
  }
  return names;
}

void check_request(const Family& family, int size, const std::map<std::string, double>& parameters,
                   const std::string& member) {
  const FamilyMember* named = named_member(family, member);
  const int least = named ? named->min_size : family.min_size;
  const std::string& sized = named ? named->name : family.name;
  if (named && least == 0 && size != 0 && size != named->default_size) {
    throw std::invalid_argument(
        fmt::format("size: {} has one size, {}, not {}", sized, named->default_size, size));
  }
  if (size != 0 && size < least) {
    throw std::invalid_argument(
        fmt::format("size: {} needs at least {}, not {}", sized, least, size));
  }
  const int most = named ? named->max_size : family.max_size;
  if (size > most)
    throw std::invalid_argument(
        fmt::format("size: {} takes at most {}, not {}", sized, most, size));
  for (const auto& [name, value] : parameters) {
    const auto known =
        std::find_if(family.parameters.begin(), family.parameters.end(),
                     [&name = name](const FamilyParameter& p) { return p.name == name; });
    if (known == family.parameters.end()) {
      std::vector<std::string> names;
      for (const FamilyParameter& p : family.parameters) names.push_back(p.name);
      throw std::invalid_argument(fmt::format(
          "param \"{}\": {} has {}", name, family.name,
          names.empty() ? "no parameters" : fmt::format("only {}", fmt::join(names, ", "))));
    }
    if (!(value >= known->least)) {
      throw std::invalid_argument(
          fmt::format("param \"{}\": {} is below {}", name, value, known->least));
    }
  }
}

Problem generate(const Family& family, int size, std::uint64_t seed,
                 const std::map<std::string, double>& parameters, const std::string& member) {
  check_request(family, size, parameters, member);
  const FamilyMember* named = named_member(family, member);
  if (size == 0) size = named ? named->default_size : family.default_size;
  FamilyRequest request{size, seed, member, {}};
  for (const FamilyParameter& p : family.parameters) request.parameters[p.name] = p.value;
  for (const auto& [name, value] : parameters) request.parameters[name] = value;
  Problem problem;
  try {
    problem.data = family.build(request, problem);
  } catch (const std::bad_alloc&) {
    throw std::invalid_argument(
        fmt::format("size: {} of {} does not fit into memory", named ? member : family.name, size));
  }
  problem.name = name_of_problem(family, named, request);
  for (const auto& [name, value] : parameters) problem.name += fmt::format("-{}={}", name, value);
  json::Object source{{"family", family.name},
                      {"size", static_cast<std::int64_t>(size)},
                      {"seed", static_cast<std::int64_t>(seed)},
                      {"known", std::string(to_string(family.outcome))}};
  if (named) {
    source.emplace_back("member", named->name);
    source.emplace_back("reference", named->source);
  }
  for (const auto& [name, value] : request.parameters) source.emplace_back(name, value);
  problem.source = json::Value(std::move(source));
  return problem;
}

}  // namespace perp
