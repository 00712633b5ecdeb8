#include <perp/bench/report/summary_json.hpp>

#include <perp/bench/harness/json_numbers.hpp>
#include <perp/bench/report/summary.hpp>

namespace perp {

namespace {

using nlohmann::ordered_json;

ordered_json line_json(const GroupSummary& g) {
  ordered_json line = {{"suite", g.suite},         {"problems", g.group},
                       {"size", g.size},           {"n_min", g.n_min},
                       {"n_max", g.n_max},         {"solver", g.solver},
                       {"runs", g.runs},           {"solved", g.solved},
                       {"proven", g.proven},       {"gave_up", g.gave_up},
                       {"wrong", g.wrong},         {"unsupported", g.unsupported},
                       {"vacuous", g.vacuous},     {"tightened", ordered_json::object()},
                       {"median_s", nullptr},      {"p10_s", nullptr},
                       {"p90_s", nullptr},         {"solve_median_s", nullptr},
                       {"residual", nullptr},      {"iterations", nullptr},
                       {"factorisations", nullptr}};
  for (const auto& [factor, runs] : g.tightened) line["tightened"][std::to_string(factor)] = runs;
  if (g.solved == 0) return line;
  line["median_s"] = finite_or_null(1e-3 * g.median_ms);
  line["p10_s"] = finite_or_null(1e-3 * g.low_ms);
  line["p90_s"] = finite_or_null(1e-3 * g.high_ms);
  line["solve_median_s"] = finite_or_null(1e-3 * g.solve_median_ms);
  line["residual"] = finite_or_null(g.worst_residual);
  line["iterations"] = finite_or_null(g.median_iterations);
  line["factorisations"] = finite_or_null(g.median_factorisations);
  return line;
}

}  // namespace

ordered_json summary_json(const std::vector<Record>& records) {
  const std::vector<Record> counted = one_each(records);
  ordered_json table = ordered_json::array(), causes = ordered_json::array();
  for (const GroupSummary& g : summarise(counted)) table.push_back(line_json(g));
  for (const FailureSummary& f : failures(counted)) {
    causes.push_back({{"solver", f.solver},
                      {"outcome", f.outcome},
                      {"problems", f.group},
                      {"message", f.message},
                      {"runs", f.count},
                      {"examples", f.examples}});
  }
  return {{"table", std::move(table)}, {"failures", std::move(causes)}};
}

}  // namespace perp
