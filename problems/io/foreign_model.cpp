#include <perp/problems/io/foreign_model.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/problems/matrix/infinity.hpp>
#include <stdexcept>
#include <unordered_map>

namespace perp {

namespace {

using enum Operation;
constexpr int kNone = -1;

[[noreturn]] void refuse(const std::string& fault) { throw std::invalid_argument(fault); }

// The rows of a linear problem have linear terms only: no nodes are made.
std::vector<RowTerms> linear_rows(const Matrix& m, const Vector& q) {
  std::vector<RowTerms> rows(static_cast<std::size_t>(q.size()));
  for (int i = 0; i < q.size(); ++i) rows[i].constant = q[i];
  for (int j = 0; j < m.cols(); ++j) {
    m.for_column(j, [&](int i, double value) { rows[i].linear[j] = value; });
  }
  return rows;
}

struct FunctionNames {
  std::string_view name;
  Operation operation;
};
constexpr FunctionNames kUnary[] = {
    {"-", kNegate}, {"sqrt", kSqrt}, {"exp", kExp},   {"log", kLog},   {"sin", kSin},
    {"cos", kCos},  {"tan", kTan},   {"atan", kAtan}, {"tanh", kTanh}, {"abs", kAbs}};
constexpr FunctionNames kBinary[] = {{"-", kSubtract}, {"/", kDivide}, {"^", kPow}};
constexpr FunctionNames kAssociative[] = {
    {"+", kAdd}, {"*", kMultiply}, {"min", kMin}, {"max", kMax}};

int find(std::span<const FunctionNames> table, std::string_view name) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == name) return static_cast<int>(i);
  }
  return kNone;
}

// Functions of one operand that are no operation of the graph.
int composed_function(GraphBuilder& b, std::string_view name, int x) {
  const auto number = [&](double value) { return b.constant(value); };
  const auto plus = [&](int u, int v) { return b.apply(kAdd, u, v); };
  const auto minus = [&](int u, int v) { return b.apply(kSubtract, u, v); };
  const auto times = [&](int u, int v) { return b.apply(kMultiply, u, v); };
  const auto over = [&](int u, int v) { return b.apply(kDivide, u, v); };
  const auto asin = [&] {  // atan(x / sqrt(1 - x^2))
    return b.apply(kAtan, over(x, b.apply(kSqrt, minus(number(1.0), times(x, x)))));
  };
  if (name == "abs2") return times(x, x);
  if (name == "inv") return over(number(1.0), x);
  if (name == "log10") return over(b.apply(kLog, x), number(std::numbers::ln10));
  if (name == "log2") return over(b.apply(kLog, x), number(std::numbers::ln2));
  if (name == "log1p") return b.apply(kLog, plus(number(1.0), x));
  if (name == "exp2") return b.apply(kPow, number(2.0), x);
  if (name == "expm1") return minus(b.apply(kExp, x), number(1.0));
  if (name == "asin") return asin();
  if (name == "acos") return minus(number(std::numbers::pi / 2), asin());
  if (name == "sinh" || name == "cosh") {
    const int up = b.apply(kExp, x), down = b.apply(kExp, b.apply(kNegate, x));
    return times(number(0.5), name == "sinh" ? minus(up, down) : plus(up, down));
  }
  const auto log_with_root = [&](int u, double one) {  // log(u + sqrt(u^2 + one))
    return b.apply(kLog, plus(u, b.apply(kSqrt, plus(times(u, u), number(one)))));
  };
  if (name == "acosh") return log_with_root(x, -1.0);
  if (name == "asinh") {
    // Of the positive and of the negative part apart, since the sum cancels for x < 0. At 0 the
    // derivatives of both add up to 1, whichever operand of max counts there.
    const int up = b.apply(kMax, x, number(0.0));
    const int down = b.apply(kMax, number(0.0), b.apply(kNegate, x));
    return minus(log_with_root(up, 1.0), log_with_root(down, 1.0));
  }
  if (name == "atanh") {
    const int ratio = over(plus(number(1.0), x), minus(number(1.0), x));
    return times(number(0.5), b.apply(kLog, ratio));
  }
  return kNone;
}

constexpr std::size_t kStepsAlways = 2'000'000, kStepsPerNode = 64;

bool is_finite(const RowTerms& terms) {
  const auto finite = [](const auto& term) { return std::isfinite(term.second); };
  return std::isfinite(terms.constant) && std::ranges::all_of(terms.linear, finite) &&
         std::ranges::all_of(terms.nonlinear, finite);
}

}  // namespace

AffineSplitter::AffineSplitter(const GraphBuilder& builder)
    : builder_(builder), steps_left_(kStepsAlways + kStepsPerNode * builder.graph().nodes.size()) {}

RowTerms AffineSplitter::split(int root) {
  const GraphBuilder& builder = builder_;
  RowTerms terms;
  const RowTerms whole = {0.0, {}, {{root, 1.0}}};
  // Operands come before the nodes that use them. So if the last node is always taken first, each
  // node is taken once.
  std::map<int, double, std::greater<>> open = {{root, 1.0}};
  while (!open.empty()) {
    const auto [node, factor] = *open.begin();
    open.erase(open.begin());
    if (steps_left_ > 0) --steps_left_;
    if (gave_up()) return whole;
    if (factor == 0.0) continue;
    const ExpressionGraph::Node& n = builder.node(node);
    const std::span<const int> operands = builder.graph().operands_of(n);
    const auto is_constant = [&](int k) { return builder.is_constant(operands[k]); };
    const auto value = [&](int k) { return builder.node(operands[k]).value; };
    if (n.operation == kConstant) {
      terms.constant += factor * n.value;
    } else if (n.operation == kVariable) {
      terms.linear[n.first] += factor;
    } else if (n.operation == kAdd || n.operation == kSubtract) {
      open[operands[0]] += factor;
      open[operands[1]] += n.operation == kAdd ? factor : -factor;
    } else if (n.operation == kNegate) {
      open[operands[0]] -= factor;
    } else if (n.operation == kMultiply && (is_constant(0) || is_constant(1))) {
      open[operands[is_constant(0) ? 1 : 0]] += factor * value(is_constant(0) ? 0 : 1);
    } else if (n.operation == kDivide && is_constant(1)) {
      open[operands[0]] += factor / value(1);
    } else {
      terms.nonlinear[node] += factor;
    }
  }
  return is_finite(terms) ? terms : whole;
}

std::vector<int> outputs_of(const Mcp& problem, GraphBuilder& builder) {
  if (!problem.graph) refuse("graph: an mcp given by a callback cannot be written");
  std::vector<int> variables, parameters;
  for (int i = 0; i < problem.size(); ++i) variables.push_back(builder.variable(i));
  for (const double value : problem.parameters) parameters.push_back(builder.constant(value));
  return builder.call(*problem.graph, variables, parameters);
}

std::vector<RowTerms> rows_of(const Problem& problem, GraphBuilder& builder) {
  if (const auto* lcp = std::get_if<Lcp>(&problem.data)) return linear_rows(lcp->M, lcp->q);
  if (const auto* mlcp = std::get_if<Mlcp>(&problem.data)) return linear_rows(mlcp->M, mlcp->q);
  const auto* mcp = std::get_if<Mcp>(&problem.data);
  if (mcp == nullptr) {
    refuse(fmt::format("kind: this format cannot hold {}; it can hold lcp, mlcp and mcp",
                       problem.kind()));
  }
  const std::vector<int> outputs = outputs_of(*mcp, builder);
  AffineSplitter splitter(builder);
  std::vector<RowTerms> rows;
  for (const int output : outputs) rows.push_back(splitter.split(output));
  return rows;
}

std::pair<Vector, Vector> bounds_of(const Problem& problem) {
  if (const auto* mlcp = std::get_if<Mlcp>(&problem.data)) return {mlcp->lower, mlcp->upper};
  if (const auto* mcp = std::get_if<Mcp>(&problem.data)) return {mcp->lower, mcp->upper};
  return {Vector::Zero(problem.size()), Vector::Constant(problem.size(), kInfinity)};
}

int apply_function(GraphBuilder& builder, std::string_view name, std::span<const int> operands) {
  if (const int k = find(kAssociative, name); k != kNone && !operands.empty()) {
    int node = operands[0];
    for (const int operand : operands.subspan(1)) {
      node = builder.apply(kAssociative[k].operation, node, operand);
    }
    return node;
  }
  if (operands.size() == 1) {
    const int k = find(kUnary, name);
    if (k != kNone) return builder.apply(kUnary[k].operation, operands[0]);
    return composed_function(builder, name, operands[0]);
  }
  if (operands.size() != 2) return kNone;
  if (name == "less") {  // max(x - y, 0)
    const int difference = builder.apply(kSubtract, operands[0], operands[1]);
    return builder.apply(kMax, difference, builder.constant(0.0));
  }
  const int k = find(kBinary, name);
  return k == kNone ? kNone : builder.apply(kBinary[k].operation, operands[0], operands[1]);
}

std::string ForeignModel::shown(int variable) const {
  if (names.empty()) return fmt::format("variable {}", variable + 1);
  return fmt::format("variable \"{}\"", perp::shown(names[static_cast<std::size_t>(variable)]));
}

// The row of every variable, or -1 for a fixed variable without one.
std::vector<int> ForeignModel::match_rows() const {
  const int n = static_cast<int>(lower.size());
  std::vector<int> row_of(lower.size(), kNone), equations;
  for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
    const int variable = rows[i].variable;
    if (variable == kNone) {
      equations.push_back(i);
    } else if (row_of[variable] != kNone) {
      refuse(fmt::format("{}: {} is already complemented by {}", rows[i].label, shown(variable),
                         rows[row_of[variable]].label));
    } else {
      row_of[variable] = i;
    }
  }
  int free = 0;
  for (int j = 0; j < n; ++j) {
    if (row_of[j] != kNone || lower[j] == upper[j]) continue;
    if (std::isfinite(lower[j]) || std::isfinite(upper[j])) {
      refuse(fmt::format("{} has bounds, but no row complements it", shown(j)));
    }
    if (free < static_cast<int>(equations.size())) row_of[j] = equations[free];
    ++free;
  }
  if (free != static_cast<int>(equations.size())) {
    refuse(fmt::format("{} equations for {} free variables that no row complements",
                       equations.size(), free));
  }
  return row_of;
}

ProblemData ForeignModel::to_problem() {
  const std::vector<int> row_of = match_rows();
  const int n = static_cast<int>(lower.size());
  const Vector l = Vector::Map(lower.data(), n), u = Vector::Map(upper.data(), n);
  std::vector<int> outputs;
  std::vector<Triplet> entries;
  Vector q = Vector::Zero(n);
  for (int j = 0; j < n; ++j)
    outputs.push_back(row_of[j] == kNone ? builder.constant(0.0) : rows[row_of[j]].node);
  bool is_affine = true;
  AffineSplitter splitter(builder);
  for (int j = 0; j < n && is_affine; ++j) {
    const RowTerms terms = splitter.split(outputs[j]);
    is_affine = terms.nonlinear.empty();
    q[j] = terms.constant;
    for (const auto& [column, value] : terms.linear) entries.emplace_back(j, column, value);
  }
  if (!is_affine) {
    Mcp mcp;
    mcp.graph = std::make_shared<const ExpressionGraph>(builder.extract(outputs));
    mcp.lower = l;
    mcp.upper = u;
    return mcp;
  }
  Matrix m = Matrix::from_triplets(n, n, entries);
  if ((l.array() == 0.0).all() && (u.array() == kInfinity).all()) return Lcp{std::move(m), q};
  return Mlcp{std::move(m), q, l, u};
}

Problem validated(Problem problem, const std::string& file) {
  const auto check_name = [&](const std::string& field, const std::string& name) {
    if (is_utf8(name)) return;
    throw InputError(
        fmt::format("{}: field \"{}\": the name \"{}\" is not UTF-8", file, field, shown(name)));
  };
  check_name("name", problem.name);
  for (std::size_t i = 0; i < problem.variables.size(); ++i)
    check_name(fmt::format("variables[{}]", i), problem.variables[i]);
  try {
    validate(problem);
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
  return problem;
}

}  // namespace perp
