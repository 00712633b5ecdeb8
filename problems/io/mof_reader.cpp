#include <perp/problems/io/mof.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <perp/problems/io/foreign_model.hpp>
#include <perp/problems/json/field.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/problems/matrix/infinity.hpp>
#include <unordered_map>

namespace perp {

namespace {

using enum Operation;
constexpr int kNewestMinor = 9;
constexpr int kMaxRows = 10'000'000;

class MofReader {
 public:
  explicit MofReader(const Field& root) : root_(root) {}

  Problem read() {
    check_version();
    read_variables();
    if (root_["objective"]["sense"].text() != "feasibility") {
      root_["objective"]["sense"].fail("a complementarity problem has no objective");
    }
    for (const Field& constraint : root_["constraints"].items()) read_constraint(constraint);
    Problem problem;
    try {
      problem.data = model_.to_problem();
    } catch (const std::invalid_argument& error) {
      root_["constraints"].fail(error.what());
    }
    if (root_.has("name")) problem.name = root_["name"].text();
    problem.variables = model_.names;
    problem.start = start_;
    return problem;
  }

 private:
  void check_version() const {
    const int major = root_["version"]["major"].integer(0, 1000);
    const int minor = root_["version"]["minor"].integer(0, 1000);
    if (major != 1 || minor > kNewestMinor) {
      root_["version"].fail(
          fmt::format("{}.{} is not among 1.0 to 1.{}", major, minor, kNewestMinor));
    }
  }

  void read_variables() {
    for (const Field& variable : root_["variables"].items()) {
      const std::string name = variable["name"].text();
      const int index = static_cast<int>(model_.names.size());
      if (!index_.try_emplace(name, index).second) {
        variable["name"].fail("a variable of that name exists already");
      }
      model_.names.push_back(name);
      start_values_.push_back(0.0);
      if (!variable.has("primal_start")) continue;
      start_values_.back() = variable["primal_start"].number();
      has_start_ = true;
    }
    const auto n = model_.names.size();
    model_.lower.assign(n, -kInfinity);
    model_.upper.assign(n, kInfinity);
    if (has_start_) start_ = Vector::Map(start_values_.data(), static_cast<Eigen::Index>(n));
  }

  int variable(const Field& name) const {
    const auto found = index_.find(name.text());
    if (found == index_.end()) name.fail("there is no such variable");
    return found->second;
  }

  void read_constraint(const Field& constraint) {
    const Field function = constraint["function"], set = constraint["set"];
    const std::string function_type = function["type"].text(), set_type = set["type"].text();
    if (function_type == "Variable") {
      const auto [lower, upper] = interval(set, set_type);
      bound(variable(function["name"]), lower, upper);
      return;
    }
    const std::vector<int> rows = rows_of_function(function, function_type);
    const std::string label =
        constraint.has("name") ? fmt::format("constraint \"{}\"", shown(constraint["name"].text()))
                               : fmt::format("constraint {}", ++unnamed_);
    if (function_type.starts_with("Scalar")) {
      if (set_type != "EqualTo") fail_set(set, set_type);
      const int right = model_.builder.constant(set["value"].number());
      model_.rows.push_back({label, model_.builder.apply(kSubtract, rows[0], right), -1});
      return;
    }
    if (set["dimension"].integer(0, kMaxRows) != static_cast<int>(rows.size())) {
      set["dimension"].fail(fmt::format("the function has {} rows", rows.size()));
    }
    if (set_type == "Complements") {
      read_complements(set, label, rows);
    } else if (set_type == "Zeros") {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        model_.rows.push_back({fmt::format("{}, row {}", label, i + 1), rows[i], -1});
      }
    } else if (function_type == "VectorOfVariables") {
      const auto [lower, upper] = cone(set, set_type);
      for (const int row : rows) bound(model_.builder.node(row).first, lower, upper);
    } else {
      fail_set(set, set_type);
    }
  }

  void read_complements(const Field& set, const std::string& label, const std::vector<int>& rows) {
    const std::size_t half = rows.size() / 2;
    if (rows.size() % 2 != 0) set["dimension"].fail("is odd");
    for (std::size_t i = 0; i < half; ++i) {
      const ExpressionGraph::Node& second = model_.builder.node(rows[half + i]);
      if (second.operation != kVariable) {
        set.fail(fmt::format("row {} of the function is no single variable", half + i + 1));
      }
      model_.rows.push_back({fmt::format("{}, row {}", label, i + 1), rows[i], second.first});
    }
  }

  [[noreturn]] static void fail_set(const Field& set, const std::string& type) {
    set["type"].fail(fmt::format("{} has no place in a complementarity problem", shown(type)));
  }

  static std::pair<double, double> interval(const Field& set, const std::string& type) {
    if (type == "GreaterThan") return {set["lower"].number(), kInfinity};
    if (type == "LessThan") return {-kInfinity, set["upper"].number()};
    if (type == "EqualTo") return {set["value"].number(), set["value"].number()};
    if (type == "Interval") return {set["lower"].number(), set["upper"].number()};
    fail_set(set, type);
  }

  static std::pair<double, double> cone(const Field& set, const std::string& type) {
    if (type == "Nonnegatives") return {0.0, kInfinity};
    if (type == "Nonpositives") return {-kInfinity, 0.0};
    if (type == "Reals") return {-kInfinity, kInfinity};
    fail_set(set, type);
  }

  void bound(int variable, double lower, double upper) {
    model_.lower[variable] = std::max(model_.lower[variable], lower);
    model_.upper[variable] = std::min(model_.upper[variable], upper);
  }

  // The rows of any function, as nodes.
  std::vector<int> rows_of_function(const Field& function, const std::string& type) {
    if (type == "VectorOfVariables") {
      std::vector<int> rows;
      for (const Field& name : function["variables"].items()) {
        rows.push_back(model_.builder.variable(variable(name)));
      }
      return rows;
    }
    if (type == "ScalarNonlinearFunction" || type == "VectorNonlinearFunction") {
      return nonlinear_rows(function, type[0] == 'S');
    }
    const bool is_scalar = type.starts_with("Scalar");
    std::vector<int> rows;
    if (is_scalar) {
      rows.push_back(model_.builder.constant(function["constant"].number()));
    } else {
      for (const double c : function["constants"].numbers()) {
        rows.push_back(model_.builder.constant(c));
      }
    }
    if (type.ends_with("AffineFunction")) {
      add_terms(function["terms"], rows, is_scalar, false);
    } else if (type.ends_with("QuadraticFunction")) {
      add_terms(function["affine_terms"], rows, is_scalar, false);
      add_terms(function["quadratic_terms"], rows, is_scalar, true);
    } else {
      function["type"].fail(fmt::format("\"{}\" is not supported", shown(type)));
    }
    return rows;
  }

  void add_terms(const Field& terms, std::vector<int>& rows, bool is_scalar, bool quadratic) {
    GraphBuilder& b = model_.builder;
    for (const Field& term : terms.items()) {
      const int row =
          is_scalar ? 0 : term["output_index"].integer(1, static_cast<int>(rows.size())) - 1;
      const Field scalar = is_scalar ? term : term["scalar_term"];
      double coefficient = scalar["coefficient"].number();
      int product = 0;
      if (quadratic) {
        const int i = variable(scalar["variable_1"]), j = variable(scalar["variable_2"]);
        if (i == j) coefficient *= 0.5;  // the function is 1/2 x'Qx
        product = b.apply(kMultiply, b.variable(i), b.variable(j));
      } else {
        product = b.variable(variable(scalar["variable"]));
      }
      rows[row] = b.apply(kAdd, rows[row], b.apply(kMultiply, b.constant(coefficient), product));
    }
  }

  std::vector<int> nonlinear_rows(const Field& function, bool is_scalar) {
    std::vector<int> nodes;
    append_terms(function["node_list"], nodes, nodes);
    if (is_scalar) return {nonlinear_term(function["root"], nodes)};
    std::vector<int> rows;
    append_terms(function["rows"], nodes, rows);
    return rows;
  }

  // The parser keeps an array that holds only numbers as Numbers.
  void append_terms(const Field& terms, const std::vector<int>& nodes, std::vector<int>& result) {
    if (const auto* numbers = terms.value().get_if<json::Numbers>()) {
      for (const double value : numbers->values) result.push_back(model_.builder.constant(value));
      return;
    }
    for (const Field& term : terms.items()) result.push_back(nonlinear_term(term, nodes));
  }

  // Terms may be nested, as deep as the parser allows for any JSON.
  int nonlinear_term(const Field& term, const std::vector<int>& nodes) {
    GraphBuilder& b = model_.builder;
    if (term.value().get_if<std::string>()) return b.variable(variable(term));
    if (!term.value().get_if<json::Object>()) return b.constant(term.number());
    const std::string type = term["type"].text();
    if (type == "node") {
      return nodes[static_cast<std::size_t>(
          term["index"].integer(1, static_cast<int>(nodes.size())) - 1)];
    }
    if (type == "variable") return b.variable(variable(term["name"]));
    if (type == "real") return b.constant(term["value"].number());
    std::vector<int> operands;
    append_terms(term["args"], nodes, operands);
    const int node = apply_function(b, type, operands);
    if (node < 0) {
      term["type"].fail(
          fmt::format("\"{}\" of {} arguments is not supported", shown(type), operands.size()));
    }
    return node;
  }

  const Field& root_;
  ForeignModel model_;
  std::unordered_map<std::string, int> index_;
  std::vector<double> start_values_;
  bool has_start_ = false;
  std::optional<Vector> start_;
  int unnamed_ = 0;
};

}  // namespace

Problem problem_from_mof(std::string_view text, const std::string& file) {
  const json::Value document = json::parse(text, file);
  const Field root(document, file, "");
  return validated(MofReader(root).read(), file);
}

}  // namespace perp
