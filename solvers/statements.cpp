#include <perp/solvers/statements.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace perp {

namespace {

Reduction as_mcp(Reduction linear) {
  Reduction second = reduce_to_mcp(std::get<Mlcp>(linear.problem));
  return composed(std::move(linear), std::move(second));
}

Reduction as_lcp(Reduction linear) {
  Reduction second = reduce_to_lcp(std::get<Mlcp>(linear.problem));
  return composed(std::move(linear), std::move(second));
}

// A reduction to mlcp, and the reductions of that.
std::vector<ExactReduction> linear_statements(const std::function<Reduction()>& to_mlcp) {
  return {{"mlcp", to_mlcp},
          {"lcp", [to_mlcp] { return as_lcp(to_mlcp()); }},
          {"mcp", [to_mlcp] { return as_mcp(to_mlcp()); }}};
}

}  // namespace

std::vector<ExactReduction> exact_reductions(const Problem& problem) {
  if (const auto* lcp = std::get_if<Lcp>(&problem.data))
    return {{"mlcp", [lcp] { return reduce_to_mlcp(*lcp); }},
            {"box_qp", [lcp] { return reduce_to_box_qp(*lcp); }},
            {"mcp", [lcp] { return as_mcp(reduce_to_mlcp(*lcp)); }}};
  if (const auto* mlcp = std::get_if<Mlcp>(&problem.data))
    return {{"lcp", [mlcp] { return reduce_to_lcp(*mlcp); }},
            {"box_qp", [mlcp] { return reduce_to_box_qp(*mlcp); }},
            {"mcp", [mlcp] { return reduce_to_mcp(*mlcp); }}};
  if (const auto* qp = std::get_if<BoxQp>(&problem.data))
    return linear_statements([qp] { return reduce_to_mlcp(*qp); });
  if (const auto* qp = std::get_if<ConicQp>(&problem.data))
    return linear_statements([qp] { return reduce_to_mlcp(*qp); });
  if (const auto* convex = std::get_if<ConvexContact>(&problem.data))
    return {{"conic_qp", [convex] { return reduce_to_conic_qp(*convex); }}};
  if (const auto* contact = std::get_if<FrictionContact>(&problem.data)) {
    const ExactReduction mcp{"mcp", [contact] { return reduce_to_mcp(*contact); }};
    if (contact->dimension == 3 && !is_frictionless(*contact)) return {mcp};
    return {{"lcp", [contact] { return reduce_to_pyramid_lcp(*contact); }}, mcp};
  }
  return {};
}

std::optional<Answer> start_of_reduction(const Reduction& reduction, const Start& start) {
  if (!start.z) return {};
  Answer posed{*start.z, {}};
  if (start.dual) posed.dual = *start.dual;
  return reduction.map_start(posed);
}

namespace {

constexpr std::string_view kPyramid = "pyramid:";

// The number in "pyramid:EDGES"; 0 if the text has another form.
int edges_of(std::string_view text) {
  if (!text.starts_with(kPyramid)) return 0;
  text.remove_prefix(kPyramid.size());
  int edges = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, edges);
  return error == std::errc() && rest == end ? edges : 0;
}

}  // namespace

void check_reduction(const std::string& text) {
  if (text == "convex" || text == "fritz-john" || text == "pyramid") return;
  if (const int edges = edges_of(text); edges != 0) return check_edges(edges);
  throw std::invalid_argument(
      fmt::format("reduction: \"{}\" is not convex, pyramid, pyramid:EDGES or fritz-john", text));
}

Reduction named_reduction(const FrictionContact& contact, const std::string& text) {
  check_reduction(text);
  validate(contact);
  if (text == "convex") return reduce_to_conic_qp(contact);
  if (text == "fritz-john") return reduce_to_mcp(contact);
  if (text == "pyramid") return reduce_to_pyramid_lcp(contact);
  return reduce_to_pyramid_lcp(contact, edges_of(text));
}

std::string advice(const Solver& solver, const Problem& problem) {
  if (!std::holds_alternative<FrictionContact>(problem.data)) return "";
  const auto& kinds = solver.traits().kinds;
  for (const auto& [reduction, kind] :
       {std::pair("pyramid", "lcp"), std::pair("convex", "conic_qp")}) {
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end())
      return fmt::format("; --set reduction={} states it as {}, approximately", reduction, kind);
  }
  return "";
}

}  // namespace perp
