#include <perp/problems/families/family.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <perp/problems/families/contact.hpp>
#include <perp/problems/families/linear.hpp>
#include <stdexcept>

namespace perp {

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
      psd_family(),        psd_deficient_family(), p_matrix_family(),      nonmonotone_family(),
      infeasible_family(), no_solution_family(),   murty_family(),         fathi_family(),
      obstacle_family(),   contact_stack_family(), contact_tower_family(), contact_pile_family(),
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

void check_request(const Family& family, int size,
                   const std::map<std::string, double>& parameters) {
  if (size != 0 && size < family.min_size) {
    throw std::invalid_argument(
        fmt::format("size: {} asks for at least {}, not {}", family.name, family.min_size, size));
  }
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
                 const std::map<std::string, double>& parameters) {
  check_request(family, size, parameters);
  if (size == 0) size = family.default_size;
  FamilyRequest request{size, seed, {}};
  for (const FamilyParameter& p : family.parameters) request.parameters[p.name] = p.value;
  for (const auto& [name, value] : parameters) request.parameters[name] = value;
  Problem problem;
  problem.data = family.build(request, problem);
  problem.name = family.seeded ? fmt::format("{}-{}-{}", family.name, size, seed)
                               : fmt::format("{}-{}", family.name, size);
  for (const auto& [name, value] : parameters) problem.name += fmt::format("-{}={}", name, value);
  json::Object source{{"family", family.name},
                      {"size", static_cast<std::int64_t>(size)},
                      {"seed", static_cast<std::int64_t>(seed)},
                      {"known", std::string(to_string(family.outcome))}};
  for (const auto& [name, value] : request.parameters) source.emplace_back(name, value);
  problem.source = json::Value(std::move(source));
  return problem;
}

}  // namespace perp
