#include <perp/problems/io/nl.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <perp/problems/io/foreign_model.hpp>
#include <stdexcept>
#include <tuple>

namespace perp {

namespace {

using enum Operation;

int operation_code(Operation operation) {
  switch (operation) {
    case kNegate:
      return 16;
    case kSqrt:
      return 39;
    case kExp:
      return 44;
    case kLog:
      return 43;
    case kSin:
      return 41;
    case kCos:
      return 46;
    case kTan:
      return 38;
    case kAtan:
      return 49;
    case kTanh:
      return 37;
    case kAbs:
      return 15;
    case kAdd:
      return 0;
    case kSubtract:
      return 1;
    case kMultiply:
      return 2;
    case kDivide:
      return 3;
    case kPow:
      return 5;
    case kMin:
      return 11;
    default:
      return 12;  // max; norm is written as a root of squares
  }
}

class NlWriter {
 public:
  explicit NlWriter(const Problem& problem)
      : problem_(problem), n_(problem.size()), rows_(rows_of(problem, builder_)) {
    std::tie(lower_, upper_) = bounds_of(problem);
    if (std::holds_alternative<Mcp>(problem.data)) count_columns();
    for (const RowTerms& row : rows_) columns_.push_back(columns_of(row));
    number_defined_variables();
  }

  std::string write() {
    write_header();
    for (std::size_t node = 0; node < defined_.size(); ++node) {
      if (defined_[node] < 0) continue;
      line("V{} 0 0", n_ + defined_[node]);
      write_expression(static_cast<int>(node), true);
    }
    for (int i = 0; i < n_; ++i) write_body(i);
    write_start();
    write_rows_and_bounds();
    write_columns();
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  // The variables of a row with the coefficients of its linear part, 0 for those not in it.
  std::map<int, double> columns_of(const RowTerms& row) {
    std::map<int, double> columns = row.linear;
    if (visited_.size() < builder_.graph().nodes.size()) {
      visited_.resize(builder_.graph().nodes.size(), 0);
    }
    ++visit_;
    std::vector<int> open;
    for (const auto& [node, factor] : row.nonlinear) open.push_back(node);
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (visited_[node] == visit_) continue;
      visited_[node] = visit_;
      ++steps_;
      const ExpressionGraph::Node& n = builder_.node(node);
      if (n.operation == kVariable) {
        columns.try_emplace(n.first, 0.0);
        nonlinear_variables_ = std::max(nonlinear_variables_, n.first + 1);
      }
      for (const int operand : builder_.graph().operands_of(n)) open.push_back(operand);
    }
    return columns;
  }

  // The format lists the variables that each row depends on. If rows share sums of many variables,
  // that list can be far larger than the problem. So its length is counted before it is made.
  void count_columns() {
    const std::size_t most = 4'000'000 + 100 * builder_.graph().nodes.size();
    std::size_t nonzeros = 0;
    for (const RowTerms& row : rows_) {
      nonzeros += columns_of(row).size();
      if (nonzeros <= most && steps_ <= 10 * most) continue;
      throw std::invalid_argument(fmt::format(
          "graph: .nl lists the variables of each row, and the rows share so much that this list "
          "would be far too long (more than {} entries); perp and mof files keep what is shared",
          most));
    }
  }

  // Operations that are used more than once.
  void number_defined_variables() {
    const ExpressionGraph& graph = builder_.graph();
    std::vector<int> uses(graph.nodes.size(), 0);
    for (const RowTerms& row : rows_) {
      for (const auto& [node, factor] : row.nonlinear) ++uses[node];
    }
    for (std::size_t v = graph.nodes.size(); v-- > 0;) {
      if (uses[v] == 0) continue;
      const bool twice = graph.nodes[v].operation == kNorm;  // x^2 is written x * x
      for (const int operand : graph.operands_of(graph.nodes[v])) uses[operand] += twice ? 2 : 1;
    }
    defined_.assign(graph.nodes.size(), -1);
    for (std::size_t v = 0; v < graph.nodes.size(); ++v) {
      if (uses[v] > 1 && graph.nodes[v].count > 0) defined_[v] = defined_variables_++;
    }
  }

  bool is_complementarity(int i) const {
    return std::isfinite(lower_[i]) || std::isfinite(upper_[i]);
  }

  // The format wants nonlinear rows and variables first. To keep their order, all up to the last
  // nonlinear one are declared nonlinear.
  void write_header() {
    int nonlinear_rows = 0, linear_conditions = 0, nonlinear_conditions = 0, doubles = 0, lows = 0;
    int equations = 0;
    std::size_t nonzeros = 0;
    for (int i = 0; i < n_; ++i) {
      if (!rows_[i].nonlinear.empty()) nonlinear_rows = i + 1;
      nonzeros += columns_[i].size();
    }
    for (int i = 0; i < n_; ++i) {
      if (!is_complementarity(i)) {
        ++equations;
        continue;
      }
      ++(i < nonlinear_rows ? nonlinear_conditions : linear_conditions);
      if (std::isfinite(lower_[i]) && std::isfinite(upper_[i])) ++doubles;
      if (std::isfinite(lower_[i]) && lower_[i] != 0.0) ++lows;
    }
    std::string name;
    for (const char c : problem_.name) name += c >= ' ' && c <= '~' ? c : ' ';
    line("g3 1 1 0\t# problem {}", name);
    line(" {} {} 0 0 {}\t# vars, constraints, objectives, ranges, eqns", n_, n_, equations);
    line(" {} 0 {} {} {} {}\t# nonlinear constrs, objs; ccons: lin, nonlin, nd, nzlb",
         nonlinear_rows, linear_conditions, nonlinear_conditions, doubles, lows);
    line(" 0 0\t# network constraints: nonlinear, linear");
    line(" {} 0 0\t# nonlinear vars in constraints, objectives, both", nonlinear_variables_);
    line(" 0 0 0 1\t# linear network variables; functions; arith, flags");
    line(" 0 0 0 0 0\t# discrete variables: binary, integer, nonlinear (b,c,o)");
    line(" {} 0\t# nonzeros in Jacobian, gradients", nonzeros);
    std::size_t longest = 0;
    for (const std::string& variable : problem_.variables) {
      longest = std::max(longest, variable.size());
    }
    line(" 0 {}\t# max name lengths: constraints, variables", longest);
    line(" 0 {} 0 0 0\t# common exprs: b,c,o,c1,o1", defined_variables_);
  }

  void write_body(int i) {
    const RowTerms& row = rows_[i];
    line("C{}", i);
    const std::size_t terms = row.nonlinear.size() + (row.constant != 0.0 ? 1 : 0);
    if (row.nonlinear.empty()) {
      line("n{}", row.constant);
      return;
    }
    if (terms == 2) line("o0");
    if (terms > 2) line("o54\n{}", terms);
    for (const auto& [node, factor] : row.nonlinear) {
      if (factor == -1.0) line("o16");
      if (std::abs(factor) != 1.0) line("o2\nn{}", factor);
      write_expression(node, false);
    }
    if (row.constant != 0.0) line("n{}", row.constant);
  }

  // Polish notation. With `expand`, the root is written out even if it is a defined variable.
  void write_expression(int root, bool expand) {
    std::vector<int> open = {root};
    for (bool at_root = true; !open.empty(); at_root = false) {
      const int node = open.back();
      open.pop_back();
      const ExpressionGraph::Node& n = builder_.node(node);
      const std::span<const int> operands = builder_.graph().operands_of(n);
      if (n.operation == kConstant) {
        line("n{}", n.value);
      } else if (n.operation == kVariable) {
        line("v{}", n.first);
      } else if (defined_[node] >= 0 && !(at_root && expand)) {
        line("v{}", n_ + defined_[node]);
      } else if (n.operation == kNorm) {
        write_norm(operands);
      } else {
        line("o{}", operation_code(n.operation));
        if (n.operation == kMin || n.operation == kMax) line("2");
        open.insert(open.end(), operands.rbegin(), operands.rend());
      }
    }
  }

  // Every operand that is an operation is used twice here, so it is a defined variable: a name.
  void write_norm(std::span<const int> operands) {
    line("o39");
    if (operands.size() == 2) line("o0");
    if (operands.size() > 2) line("o54\n{}", operands.size());
    for (const int operand : operands) {
      line("o2");
      write_expression(operand, false);
      write_expression(operand, false);
    }
  }

  void write_start() {
    if (!problem_.start) return;
    line("x{}", n_);
    for (int j = 0; j < n_; ++j) line("{} {}", j, (*problem_.start)[j]);
  }

  void write_rows_and_bounds() {
    line("r");
    for (int i = 0; i < n_; ++i) {
      const int flags = (std::isfinite(lower_[i]) ? 1 : 0) + (std::isfinite(upper_[i]) ? 2 : 0);
      if (flags == 0) {
        line("4 0");
      } else {
        line("5 {} {}", flags, i + 1);
      }
    }
    line("b");
    for (int j = 0; j < n_; ++j) {
      const bool low = std::isfinite(lower_[j]), high = std::isfinite(upper_[j]);
      if (low && high && lower_[j] == upper_[j]) {
        line("4 {}", lower_[j]);
      } else if (low && high) {
        line("0 {} {}", lower_[j], upper_[j]);
      } else if (high) {
        line("1 {}", upper_[j]);
      } else if (low) {
        line("2 {}", lower_[j]);
      } else {
        line("3");
      }
    }
  }

  void write_columns() {
    if (n_ == 0) return;
    std::vector<int> counts(static_cast<std::size_t>(n_), 0);
    for (const auto& columns : columns_) {
      for (const auto& [column, value] : columns) ++counts[column];
    }
    line("k{}", n_ - 1);
    int total = 0;
    for (int j = 0; j + 1 < n_; ++j) line("{}", total += counts[j]);
    for (int i = 0; i < n_; ++i) {
      if (columns_[i].empty()) continue;
      line("J{} {}", i, columns_[i].size());
      for (const auto& [column, value] : columns_[i]) line("{} {}", column, value);
    }
  }

  const Problem& problem_;
  int n_;
  GraphBuilder builder_;
  std::vector<RowTerms> rows_;
  Vector lower_, upper_;
  std::vector<std::map<int, double>> columns_;
  std::size_t steps_ = 0;  // of columns_of
  int nonlinear_variables_ = 0;
  std::vector<int> defined_;  // number of the defined variable, by node; -1: none
  int defined_variables_ = 0;
  std::vector<int> visited_;
  int visit_ = 0;
  std::string out_;
};

}  // namespace

std::string problem_to_nl(const Problem& problem) { return NlWriter(problem).write(); }

}  // namespace perp
