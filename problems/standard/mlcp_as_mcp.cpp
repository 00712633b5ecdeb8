// A linear problem as a nonlinear one: its rows as an expression graph.
#include <perp/problems/expression/builder.hpp>
#include <perp/problems/standard/reductions.hpp>
#include <utility>

namespace perp {

Reduction reduce_to_mcp(const Mlcp& p) {
  GraphBuilder builder;
  std::vector<int> rows;
  rows.reserve(static_cast<std::size_t>(p.size()));
  for (int i = 0; i < p.size(); ++i) rows.push_back(builder.constant(p.q[i]));
  for (int j = 0; j < p.size(); ++j) {
    const int z = builder.variable(j);
    p.M.for_column(j, [&](int i, double value) {
      const int term = builder.apply(Operation::kMultiply, builder.constant(value), z);
      rows[static_cast<std::size_t>(i)] =
          builder.apply(Operation::kAdd, rows[static_cast<std::size_t>(i)], term);
    });
  }
  Mcp reduced;
  reduced.graph = std::make_shared<const ExpressionGraph>(builder.extract(rows));
  reduced.lower = p.lower;
  reduced.upper = p.upper;
  const auto same_unknown = [](const Answer& answer) { return Answer{answer.z, {}}; };
  Reduction reduction{std::move(reduced), "mlcp as mcp", true, same_unknown, same_unknown};
  reduction.copies = true;
  return reduction;
}

}  // namespace perp
