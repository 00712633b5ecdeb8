#include <perp/problems/standard/reductions.hpp>

#include <algorithm>
#include <memory>
#include <perp/problems/expression/builder.hpp>
#include <perp/problems/matrix/infinity.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

namespace perp {

namespace {

Answer same_unknown(const Answer& answer) { return {answer.z, {}}; }

// The same numbers and unknowns under another name.
Reduction copied(ProblemData problem, std::string name) {
  Reduction reduction{std::move(problem), std::move(name), true, same_unknown, same_unknown};
  reduction.copies = true;
  return reduction;
}

// "a as b" and "b as c" are "a as b as c".
std::string composed_name(const std::string& first, const std::string& second) {
  return first + second.substr(std::min(second.find(" as "), second.size()));
}

}  // namespace

Reduction composed(Reduction first, Reduction second) {
  Reduction whole{std::move(second.problem),
                  composed_name(first.name, second.name),
                  first.exact && second.exact,
                  [outer = std::move(first.map_back),
                   inner = std::move(second.map_back)](const Answer& a) { return outer(inner(a)); },
                  [outer = std::move(first.map_start), inner = std::move(second.map_start)](
                      const Answer& a) { return inner(outer(a)); },
                  first.tolerance_factor * second.tolerance_factor};
  whole.copies = first.copies && second.copies;
  return whole;
}

Mlcp to_mlcp(const Lcp& p) {
  return {p.M, p.q, Vector::Zero(p.size()), Vector::Constant(p.size(), kInfinity)};
}

Mlcp to_mlcp(const BoxQp& p) { return {p.H, p.c, p.lower, p.upper}; }

Reduction reduce_to_mlcp(const Lcp& p) { return copied(to_mlcp(p), "lcp as mlcp"); }

Reduction reduce_to_mlcp(const BoxQp& p) { return copied(to_mlcp(p), "box_qp as mlcp"); }

Reduction reduce_to_mlcp(const ConicQp& p) {
  const int n = p.size(), m = static_cast<int>(p.b.size());
  std::vector<Triplet> entries;
  for (int j = 0; j < n; ++j) {
    p.P.for_column(j, [&](int i, double value) { entries.emplace_back(i, j, value); });
    p.A.for_column(j, [&](int i, double value) {
      entries.emplace_back(j, n + i, value);
      entries.emplace_back(n + i, j, -value);
    });
  }
  Mlcp reduced{Matrix::from_triplets(n + m, n + m, entries), Vector(n + m),
               Vector::Constant(n + m, -kInfinity), Vector::Constant(n + m, kInfinity)};
  reduced.q << p.c, p.b;
  int row = n;
  for (const Cone& cone : p.cones) {
    if (cone.type == ConeType::kSecondOrder) {
      throw std::invalid_argument("cones: a second_order cone has no exact mlcp form");
    }
    if (cone.type == ConeType::kNonnegative) reduced.lower.segment(row, cone.size).setZero();
    row += cone.size;
  }
  Reduction reduction{std::move(reduced), "conic_qp as mlcp", true,
                      [n, m](const Answer& a) {
                        return Answer{a.z.head(n), a.z.tail(m)};
                      },
                      [n, m](const Answer& a) {
                        Answer start{Vector::Zero(n + m), {}};
                        start.z.head(n) = a.z;
                        if (a.dual.size() == m) start.z.tail(m) = a.dual;
                        return start;
                      }};
  reduction.copies = true;
  return reduction;
}

Reduction reduce_to_box_qp(const Lcp& p) {
  if (!p.M.is_symmetric()) throw std::invalid_argument("M: not symmetric");
  return copied(BoxQp{p.M, p.q, Vector::Zero(p.size()), Vector::Constant(p.size(), kInfinity)},
                "lcp as box_qp");
}

Reduction reduce_to_box_qp(const Mlcp& p) {
  if (!p.M.is_symmetric()) throw std::invalid_argument("M: not symmetric");
  return copied(BoxQp{p.M, p.q, p.lower, p.upper}, "mlcp as box_qp");
}

Reduction reduce_to_mcp(const Mlcp& p) {
  GraphBuilder builder;
  std::vector<int> rows;
  rows.reserve(static_cast<std::size_t>(p.size()));
  for (int i = 0; i < p.size(); ++i) rows.push_back(builder.constant(p.q[i]));
  for (int j = 0; j < p.size(); ++j) {
    const int z = builder.variable(j);
    p.M.for_column(j, [&](int i, double value) {
      int& row = rows[static_cast<std::size_t>(i)];
      const int term = builder.apply(Operation::kMultiply, builder.constant(value), z);
      row = builder.apply(Operation::kAdd, row, term);
    });
  }
  Mcp reduced;
  reduced.graph = std::make_shared<const ExpressionGraph>(builder.extract(rows));
  reduced.lower = p.lower;
  reduced.upper = p.upper;
  return copied(std::move(reduced), "mlcp as mcp");
}

}  // namespace perp
