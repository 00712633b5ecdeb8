#include <perp/problems/families/mcp_classics/family.hpp>

#include <perp/problems/families/mcp_classics/classic.hpp>

namespace perp {

namespace {

using classics::Classic;
using classics::Start;

const std::vector<Classic>& all_classics() {
  static const std::vector<Classic> list = [] {
    std::vector<Classic> all;
    for (auto group :
         {classics::polynomial_classics, classics::degenerate_classics, classics::game_classics,
          classics::market_classics, classics::energy_classics, classics::traffic_classics,
          classics::program_classics, classics::grid_classics, classics::control_classics,
          classics::lubrication_classics}) {
      for (Classic& classic : group()) all.push_back(std::move(classic));
    }
    return all;
  }();
  return list;
}

std::string name_of(const Classic& classic, const Start& start) {
  return classic.name + "-" + start.name;
}

ProblemData build_classic(const FamilyRequest& request, Problem& facts) {
  for (const Classic& classic : all_classics()) {
    for (const Start& start : classic.starts) {
      if (name_of(classic, start) != request.member) continue;
      classics::Instance made = classic.make(request.size);
      facts.start = start.point(made.mcp);
      facts.variables = std::move(made.variables);
      if (made.solution) facts.solution = KnownSolution{std::move(*made.solution), {}};
      return std::move(made.mcp);
    }
  }
  return {};  // not reached: generate() knows the members
}

}  // namespace

Family mcp_classics_family() {
  Family family{"mcp-classics",
                "nonlinear complementarity problems of the literature, each with its starts",
                "DirkseFerris1995Mcplib",
                "the member's own unit",
                0,
                1,
                0,
                KnownOutcome::kSolvable,
                false,
                {},
                build_classic};
  for (const Classic& classic : all_classics()) {
    for (const Start& start : classic.starts) {
      family.members.push_back({name_of(classic, start), classic.summary, classic.source,
                                classic.size_doc, classic.default_size, classic.min_size});
    }
  }
  return family;
}

}  // namespace perp
