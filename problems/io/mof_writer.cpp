#include <perp/problems/io/mof.hpp>

#include <fmt/format.h>
#include <cmath>
#include <perp/problems/io/foreign_model.hpp>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

namespace perp {

namespace {

using enum Operation;

std::string_view operator_name(Operation operation) {
  switch (operation) {
    case kNegate:
    case kSubtract:
      return "-";
    case kAdd:
      return "+";
    case kMultiply:
      return "*";
    case kDivide:
      return "/";
    case kPow:
      return "^";
    default:
      return to_string(operation);  // sqrt, exp, min, ...: the same names
  }
}

constexpr std::size_t kLongestVariableName = 1000;

class MofWriter {
 public:
  explicit MofWriter(const Problem& problem) : problem_(problem), n_(problem.size()) {
    // Names must differ: a name that is equal to an earlier one gets a _ and, if that is not
    // enough, a number.
    std::unordered_set<std::string> used;
    std::unordered_map<std::string, int> numbers;
    for (int j = 0; j < n_; ++j) {
      const std::string given = problem.variable_name(j);
      if (given.size() > kLongestVariableName) {  // every term repeats it
        throw std::invalid_argument(fmt::format("variables[{}]: a name of {} bytes; mof takes {}",
                                                j, given.size(), kLongestVariableName));
      }
      std::string name = given.empty() ? "_" : given;
      if (used.contains(name)) name = given + "_";
      while (!used.insert(name).second) name = fmt::format("{}_{}", given, ++numbers[given]);
      names_.push_back(std::move(name));
    }
  }

  std::string write() {
    const bool nonlinear = std::holds_alternative<Mcp>(problem_.data);
    const std::string function = nonlinear ? nonlinear_function() : affine_function();
    out_ = "{\"name\":";
    json::append_string(out_, problem_.name);
    out_ += ",\"version\":{\"major\":1,\"minor\":7},\n\"variables\":[";
    for (int j = 0; j < n_; ++j) write_variable(j);
    out_ += "],\n\"objective\":{\"sense\":\"feasibility\"},\n\"constraints\":[";
    const auto [lower, upper] = bounds_of(problem_);
    for (int j = 0; j < n_; ++j) write_bounds(j, lower[j], upper[j]);
    out_ +=
        fmt::format("{{\"function\":{},\n\"set\":{{\"type\":\"Complements\",\"dimension\":{}}}}}",
                    function, 2 * n_);
    out_ += "]}\n";
    return std::move(out_);
  }

 private:
  static void separate(std::string& text) {
    if (text.back() != '[') text += ",\n";
  }

  void write_variable(int j) {
    separate(out_);
    out_ += "{\"name\":";
    json::append_string(out_, names_[j]);
    if (problem_.start) {
      out_ += ",\"primal_start\":";
      json::append_number(out_, (*problem_.start)[j]);
    }
    out_ += '}';
  }

  void write_bounds(int j, double lower, double upper) {
    const bool low = std::isfinite(lower), high = std::isfinite(upper);
    if (!low && !high) return;
    out_ += "{\"function\":{\"type\":\"Variable\",\"name\":";
    json::append_string(out_, names_[j]);
    out_ += "},\"set\":{\"type\":";
    const auto member = [this](std::string_view name, double value) {
      out_ += name;
      json::append_number(out_, value);
    };
    if (low && high && lower == upper) {
      member("\"EqualTo\",\"value\":", lower);
    } else if (low && high) {
      member("\"Interval\",\"lower\":", lower);
      member(",\"upper\":", upper);
    } else if (low) {
      member("\"GreaterThan\",\"lower\":", lower);
    } else {
      member("\"LessThan\",\"upper\":", upper);
    }
    out_ += "}},\n";
  }

  void append_affine_term(std::string& text, int row, int column, double value) const {
    separate(text);
    text += fmt::format("{{\"output_index\":{},\"scalar_term\":{{\"coefficient\":", row + 1);
    json::append_number(text, value);
    text += ",\"variable\":";
    json::append_string(text, names_[column]);
    text += "}}";
  }

  std::string affine_function() {
    GraphBuilder unused;
    const std::vector<RowTerms> rows = rows_of(problem_, unused);
    std::string text = "{\"type\":\"VectorAffineFunction\",\"terms\":[";
    for (int i = 0; i < n_; ++i) {
      for (const auto& [j, value] : rows[i].linear) append_affine_term(text, i, j, value);
    }
    for (int j = 0; j < n_; ++j) append_affine_term(text, n_ + j, j, 1.0);
    text += "],\n\"constants\":[";
    for (int i = 0; i < 2 * n_; ++i) {
      if (i > 0) text += ',';
      json::append_number(text, i < n_ ? rows[i].constant : 0.0);
    }
    return text + "]}";
  }

  std::string nonlinear_function() {
    GraphBuilder builder;
    const ExpressionGraph graph =
        builder.extract(outputs_of(std::get<Mcp>(problem_.data), builder));
    std::vector<std::string> terms(graph.nodes.size());  // how a node is referred to
    std::string list = "[";
    int listed = 0;
    for (std::size_t v = 0; v < graph.nodes.size(); ++v) {
      const ExpressionGraph::Node& n = graph.nodes[v];
      if (n.operation == kConstant) {
        json::append_number(terms[v], n.value);
      } else if (n.operation == kVariable) {
        json::append_string(terms[v], names_[n.first]);
      } else {
        append_node(list, listed, n.operation, graph.operands_of(n), terms);
        terms[v] = fmt::format("{{\"type\":\"node\",\"index\":{}}}", listed);
      }
    }
    std::string text = "{\"type\":\"VectorNonlinearFunction\",\"rows\":[";
    for (const int output : graph.outputs) {
      separate(text);
      text += terms[output];
    }
    for (const std::string& name : names_) {
      separate(text);
      json::append_string(text, name);
    }
    return text + "],\n\"node_list\":" + list + "]}";
  }

  // norm is written as a root of squares.
  static void append_node(std::string& list, int& listed, Operation operation,
                          std::span<const int> operands, const std::vector<std::string>& terms) {
    std::vector<std::string> arguments;
    for (const int operand : operands) arguments.push_back(terms[operand]);
    const auto append = [&](std::string_view name) {
      separate(list);
      list += fmt::format("{{\"type\":\"{}\",\"args\":[{}]}}", name, fmt::join(arguments, ","));
      ++listed;
    };
    if (operation != kNorm) {
      append(operator_name(operation));
      return;
    }
    std::vector<std::string> squares;
    for (const int operand : operands) {
      arguments = {terms[operand], "2.0"};
      append("^");
      squares.push_back(fmt::format("{{\"type\":\"node\",\"index\":{}}}", listed));
    }
    arguments = squares;
    append("+");
    arguments = {fmt::format("{{\"type\":\"node\",\"index\":{}}}", listed)};
    append("sqrt");
  }

  const Problem& problem_;
  int n_;
  std::vector<std::string> names_;
  std::string out_;
};

}  // namespace

std::string problem_to_mof(const Problem& problem) { return MofWriter(problem).write(); }

}  // namespace perp
