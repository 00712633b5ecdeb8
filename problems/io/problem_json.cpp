#include <perp/problems/io/problem_json.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMaxSize = 100'000'000;

// A value with the way to it, so that every complaint names file, field and fault.
class Field {
 public:
  Field(const json::Value& value, const std::string& file, std::string path)
      : value_(&value), file_(&file), path_(std::move(path)) {}

  [[noreturn]] void fail(std::string_view fault) const {
    throw InputError(path_.empty() ? fmt::format("{}: {}", *file_, fault)
                                   : fmt::format("{}: field \"{}\": {}", *file_, path_, fault));
  }
  [[noreturn]] void expected(std::string_view what) const {
    fail(fmt::format("expected {}, found {}", what, value_->type_name()));
  }

  const json::Value& value() const { return *value_; }
  const std::string& file() const { return *file_; }

  bool has(std::string_view name) const { return value_->find(name) != nullptr; }
  Field operator[](std::string_view name) const {
    if (!value_->get_if<json::Object>()) expected("an object");
    const json::Value* member = value_->find(name);
    if (!member) Field(json::Value(), *file_, join(name)).fail("is missing");
    return Field(*member, *file_, join(name));
  }
  Field at(std::size_t i) const {
    return Field((*value_->get_if<json::Array>())[i], *file_, fmt::format("{}[{}]", path_, i));
  }
  void only(const std::set<std::string_view>& allowed, bool extensions = false) const {
    if (!value_->get_if<json::Object>()) expected("an object");
    for (const json::Member& member : *value_->get_if<json::Object>()) {
      if (allowed.contains(member.first) || (extensions && member.first.starts_with("x-"))) continue;
      Field(member.second, *file_, join(member.first)).fail("unknown field");
    }
  }

  std::string text() const {
    const auto* s = value_->get_if<std::string>();
    if (!s) expected("a string");
    return *s;
  }
  double number() const {
    if (const auto* d = value_->get_if<double>()) return *d;
    if (const auto* i = value_->get_if<std::int64_t>()) return static_cast<double>(*i);
    expected("a number");
  }
  int integer(int low, int high) const {
    const auto* i = value_->get_if<std::int64_t>();
    if (!i) expected("an integer");
    if (*i < low || *i > high) fail(fmt::format("{} is not in {}..{}", *i, low, high));
    return static_cast<int>(*i);
  }
  const std::vector<double>& numbers() const {
    const auto* n = value_->get_if<json::Numbers>();
    if (!n) fail_at_first_non_number();
    return n->values;
  }
  std::vector<int> integers() const {
    const std::vector<double>& values = numbers();
    if (!value_->get_if<json::Numbers>()->integral) fail("expected integers only");
    std::vector<int> result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::abs(values[i]) > kMaxSize) fail(fmt::format("[{}]: {} is out of range", i, values[i]));
      result[i] = static_cast<int>(values[i]);
    }
    return result;
  }
  // Elements of an array that need not be numbers.
  std::vector<Field> items() const {
    std::vector<Field> result;
    if (const auto* array = value_->get_if<json::Array>()) {
      for (std::size_t i = 0; i < array->size(); ++i) result.push_back(at(i));
    } else if (const auto* n = value_->get_if<json::Numbers>(); !n || !n->values.empty()) {
      if (n) fail("expected an array of objects or arrays, found numbers");
      expected("an array");
    }
    return result;
  }
  Vector vector() const {
    const std::vector<double>& values = numbers();
    return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
  }

 private:
  std::string join(std::string_view name) const {
    std::string shown;  // names come from the file: keep the message one printable line
    for (const char c : name.substr(0, 60)) shown += c >= ' ' && c <= '~' ? c : '?';
    return path_.empty() ? shown : fmt::format("{}.{}", path_, shown);
  }
  [[noreturn]] void fail_at_first_non_number() const {
    const auto* array = value_->get_if<json::Array>();
    if (!array) expected("an array of numbers");
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (!(*array)[i].get_if<double>() && !(*array)[i].get_if<std::int64_t>()) at(i).expected("a number");
    }
    fail("expected an array of numbers");
  }

  const json::Value* value_;
  const std::string* file_;
  std::string path_;
};

Vector read_bounds(const Field& field) {
  if (field.value().get_if<json::Numbers>()) return field.vector();
  const std::vector<Field> items = field.items();
  Vector result(static_cast<Eigen::Index>(items.size()));
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (const auto* word = items[i].value().get_if<std::string>()) {
      if (*word != "inf" && *word != "-inf") items[i].fail("expected a number, \"inf\" or \"-inf\"");
      result[i] = *word == "inf" ? kInfinity : -kInfinity;
    } else {
      result[i] = items[i].number();
    }
  }
  return result;
}

Matrix read_dense(const Field& field, int rows, int cols) {
  const std::vector<Field> items = rows > 0 ? field.items() : std::vector<Field>{};
  if (static_cast<int>(items.size()) != rows) {
    field.fail(fmt::format("has {} rows, expected {}", items.size(), rows));
  }
  DenseMatrix dense(rows, cols);
  for (int i = 0; i < rows; ++i) {
    const std::vector<double>& row = items[i].numbers();
    if (static_cast<int>(row.size()) != cols) {
      items[i].fail(fmt::format("has {} entries, expected {}", row.size(), cols));
    }
    dense.row(i) = Eigen::Map<const Eigen::RowVectorXd>(row.data(), cols);
  }
  return Matrix(std::move(dense));
}

// Straight from the coordinate arrays to compressed columns, to keep the memory near that of the file.
Matrix read_coordinates(const Field& field, int rows, int cols) {
  const std::vector<int> row = field["row"].integers(), col = field["col"].integers();
  const std::vector<double>& value = field["value"].numbers();
  if (row.size() != value.size() || col.size() != value.size()) {
    field.fail(fmt::format("row, col and value have {}, {} and {} entries", row.size(), col.size(),
                           value.size()));
  }
  for (std::size_t k = 0; k < value.size(); ++k) {
    if (row[k] < 0 || row[k] >= rows) {
      field["row"].fail(fmt::format("[{}]: {} is not in 0..{}", k, row[k], rows - 1));
    }
    if (col[k] < 0 || col[k] >= cols) {
      field["col"].fail(fmt::format("[{}]: {} is not in 0..{}", k, col[k], cols - 1));
    }
  }
  struct Iterator {  // what Eigen's setFromTriplets needs of an entry
    const int* r;
    const int* c;
    const double* v;
    Iterator* operator->() { return this; }
    int row() const { return *r; }
    int col() const { return *c; }
    double value() const { return *v; }
    Iterator& operator++() { ++r, ++c, ++v; return *this; }
    bool operator!=(const Iterator& other) const { return v != other.v; }
  };
  SparseMatrix sparse(rows, cols);
  sparse.setFromTriplets(Iterator{row.data(), col.data(), value.data()},
                         Iterator{row.data() + row.size(), col.data() + col.size(),
                                  value.data() + value.size()});
  return Matrix(std::move(sparse));
}

Matrix read_matrix(const Field& field) {
  const std::vector<int> shape = field["shape"].integers();
  if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0) {
    field["shape"].fail("expected two sizes, rows and columns");
  }
  if (field.has("dense")) {
    field.only({"shape", "dense"});
    return read_dense(field["dense"], shape[0], shape[1]);
  }
  field.only({"shape", "row", "col", "value"});
  return read_coordinates(field, shape[0], shape[1]);
}

ExpressionGraph read_graph(const Field& field) {
  field.only({"nodes", "outputs", "parameters"});
  ExpressionGraph graph;
  for (const Field& node : field["nodes"].items()) {
    const std::vector<Field> parts = node.items();
    if (parts.empty()) node.fail("an empty node");
    Operation operation;
    try {
      operation = operation_from(parts[0].text());
    } catch (const std::invalid_argument& error) {
      parts[0].fail(error.what());
    }
    if (arity(operation) == 0 && parts.size() != 2) node.fail("a leaf has one argument");
    if (operation == Operation::kConstant) {
      graph.add_constant(parts[1].number());
    } else if (arity(operation) == 0) {
      graph.add_leaf(operation, parts[1].integer(0, kMaxSize));
    } else {
      std::vector<int> operands;
      for (std::size_t k = 1; k < parts.size(); ++k) operands.push_back(parts[k].integer(0, kMaxSize));
      graph.add(operation, operands);
    }
  }
  graph.outputs = field["outputs"].integers();
  return graph;
}

std::vector<Cone> read_cones(const Field& field) {
  std::vector<Cone> cones;
  for (const Field& item : field.items()) {
    item.only({"type", "size"});
    const std::string type = item["type"].text();
    Cone cone{ConeType::kZero, item["size"].integer(1, kMaxSize)};
    if (type == to_string(ConeType::kNonnegative)) {
      cone.type = ConeType::kNonnegative;
    } else if (type == to_string(ConeType::kSecondOrder)) {
      cone.type = ConeType::kSecondOrder;
    } else if (type != to_string(ConeType::kZero)) {
      item["type"].fail("expected \"zero\", \"nonnegative\" or \"second_order\"");
    }
    cones.push_back(cone);
  }
  return cones;
}

std::vector<double> read_coordinates_of(const Field& field) {
  const std::vector<double>& values = field.numbers();
  if (values.size() != 2 && values.size() != 3) field.fail("expected 2 or 3 coordinates");
  return values;
}

ContactInfo read_contact(const Field& field) {
  field.only({"name", "body_a", "body_b", "point", "normal", "tangents", "gap"});
  ContactInfo contact;
  if (field.has("name")) contact.name = field["name"].text();
  if (field.has("body_a")) contact.body_a = field["body_a"].text();
  if (field.has("body_b")) contact.body_b = field["body_b"].text();
  if (field.has("point")) contact.point = read_coordinates_of(field["point"]);
  if (field.has("normal")) contact.normal = read_coordinates_of(field["normal"]);
  if (field.has("tangents")) {
    for (const Field& t : field["tangents"].items()) contact.tangents.push_back(read_coordinates_of(t));
  }
  if (field.has("gap")) contact.gap = field["gap"].number();
  return contact;
}

const std::set<std::string_view> kCommon = {"format",   "version",   "kind",     "name",  "n",
                                            "start",    "solution",  "variables", "contacts", "source"};

void only_fields(const Field& root, std::set<std::string_view> own) {
  own.insert(kCommon.begin(), kCommon.end());
  root.only(own, /*extensions=*/true);
}

ProblemData read_data(const Field& root, std::string_view kind) {
  if (kind == "lcp") {
    only_fields(root, {"M", "q"});
    return Lcp{read_matrix(root["M"]), root["q"].vector()};
  }
  if (kind == "mlcp") {
    only_fields(root, {"M", "q", "lower", "upper"});
    return Mlcp{read_matrix(root["M"]), root["q"].vector(), read_bounds(root["lower"]),
                read_bounds(root["upper"])};
  }
  if (kind == "mcp") {
    only_fields(root, {"graph", "lower", "upper"});
    Mcp mcp;
    mcp.graph = std::make_shared<const ExpressionGraph>(read_graph(root["graph"]));
    if (root["graph"].has("parameters")) mcp.parameters = root["graph"]["parameters"].vector();
    mcp.lower = read_bounds(root["lower"]);
    mcp.upper = read_bounds(root["upper"]);
    return mcp;
  }
  if (kind == "box_qp") {
    only_fields(root, {"H", "c", "lower", "upper"});
    return BoxQp{read_matrix(root["H"]), root["c"].vector(), read_bounds(root["lower"]),
                 read_bounds(root["upper"])};
  }
  if (kind == "conic_qp") {
    only_fields(root, {"P", "c", "A", "b", "cones"});
    return ConicQp{read_matrix(root["P"]), root["c"].vector(), read_matrix(root["A"]),
                   root["b"].vector(), read_cones(root["cones"])};
  }
  if (kind == "friction_contact") {
    only_fields(root, {"dimension", "W", "J", "M", "q", "mu", "compliance"});
    FrictionContact p;
    p.dimension = root["dimension"].integer(2, 3);
    if (root.has("W") && (root.has("J") || root.has("M"))) root["W"].fail("given beside J and M: one or the other");
    if (root.has("J")) {
      p.J = read_matrix(root["J"]);
      p.M = read_matrix(root["M"]);
    } else {
      p.W = read_matrix(root["W"]);
    }
    p.q = root["q"].vector();
    p.mu = root["mu"].vector();
    if (root.has("compliance")) p.compliance = root["compliance"].vector();
    return p;
  }
  if (kind == "convex_contact") {
    only_fields(root, {"A", "J", "R", "bias", "mu", "v_star"});
    return ConvexContact{read_matrix(root["A"]), read_matrix(root["J"]), root["R"].vector(),
                         root["bias"].vector(),  root["mu"].vector(),    root["v_star"].vector()};
  }
  root["kind"].fail(fmt::format("unknown kind; expected one of {}", fmt::join(problem_kinds(), ", ")));
}

class Writer {
 public:
  std::string out = "{";

  void name(std::string_view field) {
    if (out.back() != '{' && out.back() != '[') out += ',';
    json::append_string(out, field);
    out += ':';
  }
  void text(std::string_view field, std::string_view value) {
    name(field);
    json::append_string(out, value);
  }
  void integer(std::string_view field, long value) {
    name(field);
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
  void number(std::string_view field, double value) {
    name(field);
    json::append_number(out, value);
  }
  template <class Range, class Append>
  void array(const Range& range, Append&& append) {
    out += '[';
    bool first = true;
    for (const auto& item : range) {
      if (!first) out += ',';
      first = false;
      append(item);
    }
    out += ']';
  }
  void vector(const Vector& values) {
    array(values, [&](double v) {
      if (std::isinf(v)) {
        out += v > 0 ? "\"inf\"" : "\"-inf\"";
      } else {
        json::append_number(out, v);
      }
    });
  }
  void vector(std::string_view field, const Vector& values) {
    name(field);
    vector(values);
  }
  void numbers(std::string_view field, const std::vector<double>& values) {
    name(field);
    array(values, [&](double v) { json::append_number(out, v); });
  }
  void integers(std::string_view field, const std::vector<int>& values) {
    name(field);
    array(values, [&](int v) { fmt::format_to(std::back_inserter(out), "{}", v); });
  }
  void matrix(std::string_view field, const Matrix& a) {
    name(field);
    fmt::format_to(std::back_inserter(out), "{{\"shape\":[{},{}]", a.rows(), a.cols());
    if (a.is_sparse()) {
      sparse_entries(a.sparse());
    } else {
      name("dense");
      std::vector<int> rows(a.rows());
      for (int i = 0; i < a.rows(); ++i) rows[i] = i;
      array(rows, [&](int i) { vector(Vector(a.dense().row(i))); });
    }
    out += '}';
  }

 private:
  void sparse_entries(const SparseMatrix& a) {
    std::vector<int> rows(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros()), cols(a.nonZeros());
    for (int j = 0; j < a.cols(); ++j) {
      std::fill(cols.begin() + a.outerIndexPtr()[j], cols.begin() + a.outerIndexPtr()[j + 1], j);
    }
    integers("row", rows);
    integers("col", cols);
    vector("value", Eigen::Map<const Vector>(a.valuePtr(), a.nonZeros()));
  }
};

void write(Writer& w, const Lcp& p) {
  w.matrix("M", p.M);
  w.vector("q", p.q);
}

void write(Writer& w, const Mlcp& p) {
  w.matrix("M", p.M);
  w.vector("q", p.q);
  w.vector("lower", p.lower);
  w.vector("upper", p.upper);
}

void write(Writer& w, const Mcp& p) {
  if (!p.graph) throw std::invalid_argument("graph: an mcp given by a callback cannot be written");
  w.name("graph");
  w.out += "{\"nodes\":";
  w.array(p.graph->nodes, [&](const ExpressionGraph::Node& node) {
    w.out += '[';
    json::append_string(w.out, to_string(node.operation));
    if (node.operation == Operation::kConstant) {
      w.out += ',';
      json::append_number(w.out, node.value);
    } else if (arity(node.operation) == 0) {
      fmt::format_to(std::back_inserter(w.out), ",{}", node.first);
    } else {
      for (int k = 0; k < node.count; ++k) {
        fmt::format_to(std::back_inserter(w.out), ",{}", p.graph->operands[node.first + k]);
      }
    }
    w.out += ']';
  });
  w.integers("outputs", p.graph->outputs);
  if (p.parameters.size() > 0) w.vector("parameters", p.parameters);
  w.out += '}';
  w.vector("lower", p.lower);
  w.vector("upper", p.upper);
}

void write(Writer& w, const BoxQp& p) {
  w.matrix("H", p.H);
  w.vector("c", p.c);
  w.vector("lower", p.lower);
  w.vector("upper", p.upper);
}

void write(Writer& w, const ConicQp& p) {
  w.matrix("P", p.P);
  w.vector("c", p.c);
  w.matrix("A", p.A);
  w.vector("b", p.b);
  w.name("cones");
  w.array(p.cones, [&](const Cone& cone) {
    w.out += '{';
    w.text("type", to_string(cone.type));
    w.integer("size", cone.size);
    w.out += '}';
  });
}

void write(Writer& w, const FrictionContact& p) {
  w.integer("dimension", p.dimension);
  if (p.is_operator()) {
    w.matrix("J", p.J);
    w.matrix("M", p.M);
  } else {
    w.matrix("W", p.W);
  }
  w.vector("q", p.q);
  w.vector("mu", p.mu);
  if (p.compliance.size() > 0) w.vector("compliance", p.compliance);
}

void write(Writer& w, const ConvexContact& p) {
  w.matrix("A", p.A);
  w.matrix("J", p.J);
  w.vector("R", p.R);
  w.vector("bias", p.bias);
  w.vector("mu", p.mu);
  w.vector("v_star", p.v_star);
}

void write_contact(Writer& w, const ContactInfo& contact) {
  w.out += '{';
  if (!contact.name.empty()) w.text("name", contact.name);
  if (!contact.body_a.empty()) w.text("body_a", contact.body_a);
  if (!contact.body_b.empty()) w.text("body_b", contact.body_b);
  if (!contact.point.empty()) w.numbers("point", contact.point);
  if (!contact.normal.empty()) w.numbers("normal", contact.normal);
  if (!contact.tangents.empty()) {
    w.name("tangents");
    w.array(contact.tangents, [&](const std::vector<double>& t) {
      w.array(t, [&](double v) { json::append_number(w.out, v); });
    });
  }
  if (contact.gap) w.number("gap", *contact.gap);
  w.out += '}';
}

}  // namespace

Problem problem_from_json(const json::Value& document, const std::string& file) {
  const Field root(document, file, "");
  if (root["format"].text() != "perp-problem") root["format"].fail("expected \"perp-problem\"");
  if (const auto* version = root["version"].value().get_if<std::int64_t>(); !version || *version != 1) {
    root["version"].fail("unknown version; this program reads version 1");
  }
  const std::string kind = root["kind"].text();
  Problem problem{read_data(root, kind), root["name"].text(), {}, {}, {}, {}, {}, {}};
  if (const int n = root["n"].integer(0, kMaxSize); n != problem.size()) {
    root["n"].fail(fmt::format("is {}, but the data has size {}", n, problem.size()));
  }
  if (root.has("start")) problem.start = root["start"].vector();
  if (root.has("solution")) {
    root["solution"].only({"z", "dual"});
    problem.solution = KnownSolution{root["solution"]["z"].vector(), {}};
    if (root["solution"].has("dual")) problem.solution->dual = root["solution"]["dual"].vector();
  }
  if (root.has("variables")) {
    for (const Field& item : root["variables"].items()) problem.variables.push_back(item.text());
  }
  if (root.has("contacts")) {
    for (const Field& item : root["contacts"].items()) problem.contacts.push_back(read_contact(item));
  }
  if (root.has("source")) {
    if (!root["source"].value().get_if<json::Object>()) root["source"].expected("an object");
    problem.source = root["source"].value();
  }
  for (const json::Member& member : *document.get_if<json::Object>()) {
    if (member.first.starts_with("x-")) problem.extensions.push_back(member);
  }
  try {
    validate(problem);
  } catch (const std::invalid_argument& error) {  // "field: fault"
    const std::string what = error.what();
    const auto colon = what.find(": ");
    throw InputError(fmt::format("{}: field \"{}\"{}", file, what.substr(0, colon), what.substr(colon)));
  }
  return problem;
}

Problem problem_from_text(std::string_view text, const std::string& file) {
  return problem_from_json(json::parse(text, file), file);
}

std::string problem_to_text(const Problem& problem) {
  Writer w;
  w.text("format", "perp-problem");
  w.integer("version", 1);
  w.text("kind", problem.kind());
  w.text("name", problem.name);
  w.integer("n", problem.size());
  std::visit([&](const auto& p) { write(w, p); }, problem.data);
  if (problem.start) w.vector("start", *problem.start);
  if (problem.solution) {
    w.name("solution");
    w.out += '{';
    w.vector("z", problem.solution->z);
    if (problem.solution->dual.size() > 0) w.vector("dual", problem.solution->dual);
    w.out += '}';
  }
  if (!problem.variables.empty()) {
    w.name("variables");
    w.array(problem.variables, [&](const std::string& name) { json::append_string(w.out, name); });
  }
  if (!problem.contacts.empty()) {
    w.name("contacts");
    w.array(problem.contacts, [&](const ContactInfo& c) { write_contact(w, c); });
  }
  if (!problem.source.is_null()) {
    w.name("source");
    json::append_text(w.out, problem.source);
  }
  for (const json::Member& member : problem.extensions) {
    w.name(member.first);
    json::append_text(w.out, member.second);
  }
  w.out += "}\n";
  return std::move(w.out);
}

}  // namespace perp
