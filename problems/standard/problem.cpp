#include <perp/problems/standard/problem.hpp>

#include <fmt/format.h>

namespace perp {

int Problem::size() const {
  return std::visit([](const auto& p) { return p.size(); }, data);
}

const std::vector<std::string_view>& problem_kinds() {
  static const std::vector<std::string_view> kinds = {
      "lcp", "mlcp", "mcp", "box_qp", "conic_qp", "friction_contact", "convex_contact"};
  return kinds;
}

std::string_view Problem::kind() const { return problem_kinds()[data.index()]; }

std::string Problem::variable_name(int index) const {
  if (index >= 0 && index < static_cast<int>(variables.size())) return variables[index];
  return fmt::format("z[{}]", index);
}

}  // namespace perp
