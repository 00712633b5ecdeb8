#include <perp/solvers/reduced_problem.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <perp/problems/standard/verifier.hpp>
#include <perp/solvers/statements.hpp>
#include <stdexcept>

namespace perp {

namespace {

// What --as takes for a kind, in words.
std::string_view reductions_in_words(std::string_view kind) {
  if (kind == "lcp") return "mlcp, mcp, box_qp (if M is symmetric)";
  if (kind == "mlcp") return "lcp, mcp, box_qp (if M is symmetric)";
  if (kind == "box_qp") return "mlcp, lcp, mcp";
  if (kind == "conic_qp") return "mlcp, lcp, mcp (without second-order cones)";
  if (kind == "convex_contact") return "conic_qp";
  if (kind == "friction_contact")
    return "mcp, lcp (in 2D or without friction), conic_qp (without friction), and by name "
           "pyramid, "
           "pyramid:EDGES, convex (approximate), fritz-john (exact)";
  return "none";
}

bool is_named(std::string_view as) {
  return as == "convex" || as == "fritz-john" || as.starts_with("pyramid");
}

[[noreturn]] void refuse(const Problem& posed, const std::string& as) {
  throw std::invalid_argument(fmt::format("there is no reduction of {} as \"{}\"; there are: {}",
                                          posed.kind(), as, reductions_in_words(posed.kind())));
}

// The reduction of a friction problem as a kind, which may be an approximate one.
std::optional<Reduction> friction_as(const FrictionContact& contact, std::string_view kind) {
  if (kind == "lcp") return reduce_to_pyramid_lcp(contact);
  if (kind == "conic_qp") return reduce_to_conic_qp(contact);
  if (kind == "mcp") return reduce_to_mcp(contact);
  return {};
}

std::optional<Reduction> reduction_as_kind(const Problem& posed, std::string_view kind) {
  if (const auto* p = std::get_if<FrictionContact>(&posed.data)) return friction_as(*p, kind);
  for (const ExactReduction& exact : exact_reductions(posed)) {
    if (exact.kind == kind) return exact.make();
  }
  return {};
}

Reduction find_reduction(const Problem& posed, const std::string& as) {
  validate(posed);
  const auto* contact = std::get_if<FrictionContact>(&posed.data);
  if (is_named(as)) {
    if (!contact) refuse(posed, as);
    return named_reduction(*contact, as);
  }
  std::optional<Reduction> found = reduction_as_kind(posed, as);
  if (!found) refuse(posed, as);
  if (!found->exact) {
    throw std::invalid_argument(
        fmt::format("{} as {} is approximate here; ask for it by name: {}; exact: mcp",
                    posed.kind(), as, as == "lcp" ? "pyramid or pyramid:EDGES" : "convex"));
  }
  return std::move(*found);
}

json::Value source_of(const Problem& posed, const Reduction& reduction, const std::string& file) {
  json::Object of{
      {"kind", std::string(posed.kind())}, {"name", posed.name}, {"n", std::int64_t{posed.size()}}};
  if (!file.empty()) of.emplace_back("file", file);
  if (!posed.source.is_null()) of.emplace_back("source", posed.source);
  return json::Object{{"reduction", reduction.name},
                      {"label", std::string(reduction.exact ? "exact" : "approximate")},
                      {"tolerance_factor", reduction.tolerance_factor},
                      {"of", std::move(of)}};
}

void map_points(const Problem& posed, const Reduction& reduction, Problem& reduced) {
  if (posed.start) reduced.start = reduction.map_start({*posed.start, {}}).z;
  if (!posed.solution || !reduction.exact) return;
  const Answer answer = reduction.map_start({posed.solution->z, posed.solution->dual});
  constexpr double kTolerance = 1e-8;
  if (verify(reduced.data, answer, kTolerance * reduction.tolerance_factor).solved)
    reduced.solution = {answer.z, answer.dual};
}

// Whether the unknowns of a reduction are those of the problem. An lcp counts them from bounds, and
// the duals of a conic_qp become unknowns.
bool has_same_unknowns(const Problem& posed, const Reduction& reduction) {
  return reduction.copies && posed.kind() != "conic_qp";
}

}  // namespace

Problem reduced_problem(const Problem& posed, const std::string& as, const std::string& file) {
  const Reduction reduction = find_reduction(posed, as);
  Problem reduced;
  reduced.data = reduction.problem;
  const auto* contact = std::get_if<FrictionContact>(&posed.data);
  // F as a callback has no form in a file.
  if (contact && reduced.kind() == "mcp") reduced.data = fritz_john_graph(*contact);
  const std::string what = reduction.name + (reduction.exact ? "" : ", approximate");
  reduced.name = posed.name.empty() ? what : fmt::format("{} ({})", posed.name, what);
  reduced.source = source_of(posed, reduction, file);
  map_points(posed, reduction, reduced);
  if (has_same_unknowns(posed, reduction)) {
    reduced.variables = posed.variables;
    reduced.contacts = posed.contacts;
  }
  validate(reduced);
  return reduced;
}

}  // namespace perp
