#include <perp/problems/io/nl.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <perp/problems/io/foreign_model.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/problems/matrix/infinity.hpp>
#include <unordered_map>

namespace perp {

namespace {

constexpr int kMaxNlSize = 10'000'000;
constexpr int kAny = -1;

struct OperationCode {
  int code;
  std::string_view name;  // as apply_function knows it
  int operands;           // kAny: the next line has their number
};
constexpr OperationCode kOperationCodes[] = {
    {0, "+", 2},      {1, "-", 2},       {2, "*", 2},       {3, "/", 2},     {5, "^", 2},
    {6, "less", 2},   {11, "min", kAny}, {12, "max", kAny}, {15, "abs", 1},  {16, "-", 1},
    {37, "tanh", 1},  {38, "tan", 1},    {39, "sqrt", 1},   {40, "sinh", 1}, {41, "sin", 1},
    {42, "log10", 1}, {43, "log", 1},    {44, "exp", 1},    {45, "cosh", 1}, {46, "cos", 1},
    {47, "atanh", 1}, {49, "atan", 1},   {50, "asinh", 1},  {51, "asin", 1}, {52, "acosh", 1},
    {53, "acos", 1},  {54, "+", kAny},   {75, "^", 2},      {76, "abs2", 1}, {77, "^", 2}};

const std::map<int, std::string_view> kUnsupported = {
    {4, "mod"},        {13, "floor"}, {14, "ceil"},  {20, "or"},    {21, "and"},
    {22, "<"},         {23, "<="},    {24, "="},     {28, ">="},    {29, ">"},
    {30, "!="},        {34, "not"},   {35, "if"},    {48, "atan2"}, {55, "div"},
    {56, "precision"}, {57, "round"}, {58, "trunc"}, {59, "count"}, {64, "piecewise-linear"},
    {65, "if"}};

// The lines of a file, without remarks and split into words.
class Lines {
 public:
  Lines(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  [[noreturn]] void fail(std::string_view fault) const {
    throw InputError(fmt::format("{}: line {}: {}", file_, number_, fault));
  }

  /// False at the end of the file.
  bool next() {
    words_.clear();
    while (words_.empty()) {
      if (at_ >= text_.size()) return false;
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      std::string_view line = text_.substr(at_, end - at_);
      at_ = end + 1;
      ++number_;
      remark_ = {};
      if (const std::size_t hash = line.find('#'); hash != std::string_view::npos) {
        remark_ = line.substr(hash + 1);
        line = line.substr(0, hash);
      }
      split(line);
    }
    return true;
  }
  void need(std::string_view what) {
    if (!next()) fail(fmt::format("the file ends before {}", what));
  }

  const std::vector<std::string_view>& words() const { return words_; }
  std::size_t bytes_left() const { return text_.size() - std::min(at_, text_.size()); }
  std::string_view remark() const { return remark_; }

  int integer(std::size_t k, std::string_view what, int low = 0, int high = kMaxNlSize) const {
    return integer_in(word(k, what), what, low, high);
  }
  double number(std::size_t k, std::string_view what) const {
    return number_in(word(k, what), what);
  }
  /// The first word without its letter.
  int integer_behind_letter(std::string_view what, int high = kMaxNlSize) const {
    return integer_in(words_[0].substr(1), what, 0, high);
  }
  double number_behind_letter() const { return number_in(words_[0].substr(1), "a number"); }

 private:
  void split(std::string_view line) {
    constexpr std::string_view kBlank = " \t\r";
    for (std::size_t i = line.find_first_not_of(kBlank); i != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(kBlank, i), line.size());
      words_.push_back(line.substr(i, end - i));
      i = line.find_first_not_of(kBlank, end);
    }
  }
  std::string_view word(std::size_t k, std::string_view what) const {
    if (k >= words_.size()) fail(fmt::format("{} is missing", what));
    return words_[k];
  }
  int integer_in(std::string_view w, std::string_view what, int low, int high) const {
    int value = 0;
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), value);
    if (error != std::errc() || end != w.data() + w.size()) {
      fail(fmt::format("{} is \"{}\", expected an integer", what, shown(w, 40)));
    }
    if (value < low || value > high) {
      fail(fmt::format("{} is {}, expected {}..{}", what, value, low, high));
    }
    return value;
  }
  double number_in(std::string_view w, std::string_view what) const {
    if (!w.empty() && w[0] == '+') w.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), value);
    if (error != std::errc() || end != w.data() + w.size() || !std::isfinite(value)) {
      fail(fmt::format("{} is \"{}\", expected a finite number", what, shown(w, 40)));
    }
    return value;
  }
  std::string_view text_, remark_;
  const std::string& file_;
  std::size_t at_ = 0;
  int number_ = 0;
  std::vector<std::string_view> words_;
};

class NlReader {
 public:
  NlReader(std::string_view text, const std::string& file) : in_(text, file), file_(file) {}

  Problem read(std::string_view names) {
    read_header();
    read_names(names);
    while (in_.next()) read_segment();
    if (!have_rows_ && !rows_.empty()) in_.fail("the r segment is missing");
    if (!have_bounds_ && variables_ > 0) in_.fail("the b segment is missing");
    try {
      return validated(finish(), file_);
    } catch (const std::invalid_argument& error) {
      throw InputError(fmt::format("{}: {}", file_, error.what()));
    }
  }

 private:
  struct Row {
    int node = -1;  // the nonlinear part
    std::vector<std::pair<int, double>> linear;
    int type = 3, variable = -1;
    double right = 0.0;
  };

  void read_header() {
    in_.need("the header");
    const std::string_view first = in_.words()[0];
    if (first[0] == 'b') {
      in_.fail("the binary form of .nl is not read; have it written as text (ampl: -og, write g)");
    }
    if (first[0] != 'g') in_.fail("no .nl file: the header does not begin with g");
    if (in_.remark().starts_with(" problem ")) name_ = in_.remark().substr(9);
    while (!name_.empty() && (name_.back() == '\r' || name_.back() == ' ')) name_.pop_back();
    in_.need("the numbers of variables and constraints");
    variables_ = in_.integer(0, "the number of variables");
    const int constraints = in_.integer(1, "the number of constraints");
    if (in_.words().size() > 5 && in_.integer(5, "the number of logical conditions") > 0) {
      in_.fail("logical conditions are not supported");
    }
    for (int line = 3; line <= 10; ++line) {
      in_.need("the end of the header");
      if (line == 7) {
        for (std::size_t k = 0; k < in_.words().size(); ++k) {
          if (in_.integer(k, "a number of discrete variables") > 0) {
            in_.fail("discrete variables are not supported");
          }
        }
      }
    }
    // Each has a line of its own in the r or b segment.
    const std::size_t least = 2 * (static_cast<std::size_t>(variables_) + constraints);
    if (in_.bytes_left() < least) {
      in_.fail(
          fmt::format("{} variables and {} constraints do not fit into the {} bytes that follow",
                      variables_, constraints, in_.bytes_left()));
    }
    rows_.resize(static_cast<std::size_t>(constraints));
    model_.lower.assign(static_cast<std::size_t>(variables_), -kInfinity);
    model_.upper.assign(static_cast<std::size_t>(variables_), kInfinity);
  }

  void read_names(std::string_view names) {
    while (!names.empty() && static_cast<int>(model_.names.size()) < variables_) {
      const std::size_t end = std::min(names.find('\n'), names.size());
      std::string name(names.substr(0, end));
      if (!name.empty() && name.back() == '\r') name.pop_back();
      model_.names.push_back(std::move(name));
      names.remove_prefix(std::min(end + 1, names.size()));
    }
    if (static_cast<int>(model_.names.size()) < variables_) model_.names.clear();
  }

  void read_segment() {
    switch (in_.words()[0][0]) {
      case 'C':
        read_body();
        break;
      case 'V':
        read_defined_variable();
        break;
      case 'O':
        in_.integer_behind_letter("the number of the objective");
        check_objective(expression());
        break;
      case 'G':
        read_objective_gradient();
        break;
      case 'J':
        read_linear_part();
        break;
      case 'r':
        read_rows();
        break;
      case 'b':
        read_bounds();
        break;
      case 'x':
        read_start();
        break;
      case 'k':
      case 'K':
      case 'd':
        skip_lines(in_.integer_behind_letter("the number of lines"));
        break;
      case 'S':
        skip_lines(in_.integer(1, "the number of values"));
        break;
      case 'F':
        in_.fail("functions of the user (F) are not supported");
      case 'L':
        in_.fail("logical conditions (L) are not supported");
      default:
        in_.fail(fmt::format("there is no segment \"{}\"", shown(in_.words()[0].substr(0, 1))));
    }
  }

  void skip_lines(int count) {
    for (int k = 0; k < count; ++k) in_.need("the end of the segment");
  }

  Row& row_behind_letter() {
    return rows_[static_cast<std::size_t>(in_.integer_behind_letter(
        "the number of the constraint", static_cast<int>(rows_.size()) - 1))];
  }

  void read_body() {
    Row& row = row_behind_letter();
    row.node = expression();
  }

  void read_linear_part() {
    Row& row = row_behind_letter();
    const int count = in_.integer(1, "the number of entries", 0, variables_);
    for (int k = 0; k < count; ++k) row.linear.push_back(linear_term());
  }

  std::pair<int, double> linear_term() {
    in_.need("a linear term");
    return {in_.integer(0, "the variable", 0, variables_ - 1), in_.number(1, "the coefficient")};
  }

  void read_defined_variable() {
    const int index = in_.integer_behind_letter("the number of the defined variable");
    if (index < variables_) in_.fail(fmt::format("V{} is a variable of the model", index));
    const int count = in_.integer(1, "the number of linear terms", 0, variables_);
    std::vector<std::pair<int, double>> linear;
    for (int k = 0; k < count; ++k) linear.push_back(linear_term());
    defined_[index] = sum(expression(), linear);
  }

  void read_objective_gradient() {
    const int count = in_.integer(1, "the number of entries", 0, variables_);
    for (int k = 0; k < count; ++k) {
      if (linear_term().second != 0.0) fail_objective();
    }
  }

  void check_objective(int node) {
    if (!model_.builder.is_constant(node)) fail_objective();
  }
  [[noreturn]] void fail_objective() const {
    in_.fail("the objective is not constant: a complementarity problem has none");
  }

  void read_rows() {
    have_rows_ = true;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      in_.need("the end of the r segment");
      Row& row = rows_[i];
      row.type = in_.integer(0, "the type of the constraint", 0, 5);
      if (row.type < 3) {
        in_.fail(fmt::format(
            "constraint {} is an inequality that complements no variable: not supported", i));
      }
      if (row.type == 4) row.right = in_.number(1, "the right-hand side");
      if (row.type != 5) continue;
      row.right = in_.integer(1, "the bounds that are finite", 0, 3);
      row.variable = in_.integer(2, "the complementing variable", 1, variables_) - 1;
    }
  }

  void read_bounds() {
    have_bounds_ = true;
    for (int j = 0; j < variables_; ++j) {
      in_.need("the end of the b segment");
      const int type = in_.integer(0, "the type of the bounds", 0, 4);
      double &lower = model_.lower[j], &upper = model_.upper[j];
      if (type == 0 || type == 2 || type == 4) lower = in_.number(1, "the bound");
      if (type == 0) upper = in_.number(2, "the upper bound");
      if (type == 1) upper = in_.number(1, "the bound");
      if (type == 4) upper = lower;
      if (lower > upper) in_.fail(fmt::format("variable {}: bounds are crossed", j));
    }
  }

  void read_start() {
    start_ = Vector::Zero(variables_);
    const int count = in_.integer_behind_letter("the number of values", variables_);
    for (int k = 0; k < count; ++k) {
      in_.need("the end of the x segment");
      (*start_)[in_.integer(0, "the variable", 0, variables_ - 1)] = in_.number(1, "the value");
    }
  }

  // Polish notation, one operator or operand in each line; read without recursion.
  int expression() {
    struct Open {
      const OperationCode* code;
      std::size_t operands;
      std::vector<int> nodes;
    };
    std::vector<Open> open;
    while (true) {
      in_.need("the end of an expression");
      if (in_.words()[0][0] == 'o') {
        const OperationCode& code = operation();
        const int count = code.operands == kAny ? operand_count() : code.operands;
        open.push_back({&code, static_cast<std::size_t>(count), {}});
        continue;
      }
      int node = operand();
      while (!open.empty()) {
        open.back().nodes.push_back(node);
        if (open.back().nodes.size() < open.back().operands) break;
        node = apply_function(model_.builder, open.back().code->name, open.back().nodes);
        open.pop_back();
      }
      if (open.empty()) return node;
    }
  }

  int operand_count() {
    in_.need("the number of operands");
    return in_.integer(0, "the number of operands", 1);
  }

  const OperationCode& operation() const {
    const int number = in_.integer_behind_letter("the operation");
    const auto* found = std::ranges::find(kOperationCodes, number, &OperationCode::code);
    if (found != std::end(kOperationCodes)) return *found;
    const auto name = kUnsupported.find(number);
    in_.fail(name == kUnsupported.end()
                 ? fmt::format("there is no operation o{}", number)
                 : fmt::format("operation o{} ({}) is not supported", number, name->second));
  }

  int operand() {
    const char letter = in_.words()[0][0];
    if (letter == 'n' || letter == 's' || letter == 'l') {
      return model_.builder.constant(in_.number_behind_letter());
    }
    if (letter != 'v') {
      in_.fail(fmt::format("expected an operation, a number or a variable, found \"{}\"",
                           shown(in_.words()[0], 20)));
    }
    const int index = in_.integer_behind_letter("the variable");
    if (index < variables_) return model_.builder.variable(index);
    const auto found = defined_.find(index);
    if (found == defined_.end()) in_.fail(fmt::format("v{} is not defined before its use", index));
    return found->second;
  }

  int sum(int node, const std::vector<std::pair<int, double>>& linear) {
    GraphBuilder& b = model_.builder;
    for (const auto& [variable, value] : linear) {
      const int term = b.apply(Operation::kMultiply, b.constant(value), b.variable(variable));
      node = b.apply(Operation::kAdd, node, term);
    }
    return node;
  }

  void check_bounds_of(std::size_t i) const {
    const Row& row = rows_[i];
    const int flags = (std::isfinite(model_.lower[row.variable]) ? 1 : 0) +
                      (std::isfinite(model_.upper[row.variable]) ? 2 : 0);
    if (flags != static_cast<int>(row.right)) {
      throw std::invalid_argument(
          fmt::format("constraint {}: its line \"5 {} {}\" does not agree with the bounds of {}", i,
                      static_cast<int>(row.right), row.variable + 1, model_.shown(row.variable)));
    }
  }

  Problem finish() {
    GraphBuilder& b = model_.builder;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      if (row.type == 3) continue;  // bounds nothing
      int node = sum(row.node >= 0 ? row.node : b.constant(0.0), row.linear);
      if (row.type == 4) node = b.apply(Operation::kSubtract, node, b.constant(row.right));
      if (row.type == 5) check_bounds_of(i);
      model_.rows.push_back({fmt::format("constraint {}", i), node, row.variable});
    }
    Problem problem;
    problem.data = model_.to_problem();
    problem.name = name_;
    problem.start = start_;
    problem.variables = model_.names;
    return problem;
  }

  Lines in_;
  const std::string& file_;
  std::string name_;
  int variables_ = 0;
  bool have_rows_ = false, have_bounds_ = false;
  ForeignModel model_;
  std::vector<Row> rows_;
  std::unordered_map<int, int> defined_;  // V segments: number -> node
  std::optional<Vector> start_;
};

}  // namespace

Problem problem_from_nl(std::string_view text, std::string_view names, const std::string& file) {
  return NlReader(text, file).read(names);
}

}  // namespace perp
