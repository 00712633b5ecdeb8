#include <perp/problems/io/problem_json.hpp>

#include <perp/problems/json/field.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr int kMaxProblemSize = Field::kMaxInteger;

Vector any_vector(const Field& field) {
  const std::vector<double>& values = field.numbers();
  return Eigen::Map<const Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

Vector read_bounds(const Field& field) {
  if (field.value().get_if<json::Numbers>()) return any_vector(field);
  const std::vector<Field> items = field.items();
  Vector result(static_cast<Eigen::Index>(items.size()));
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (const auto* word = items[i].value().get_if<std::string>()) {
      if (*word != "inf" && *word != "-inf")
        items[i].fail("expected a number, \"inf\" or \"-inf\"");
      result[i] = *word == "inf" ? kInfinity : -kInfinity;
    } else {
      result[i] = items[i].number();
    }
  }
  return result;
}

Matrix read_dense(const Field& field, int rows, int cols) {
  const std::vector<Field> items = field.items();
  if (static_cast<int>(items.size()) != rows) {
    field.fail(fmt::format("has {} rows, expected {}", items.size(), rows));
  }
  for (const Field& item : items) {  // before memory is allocated for them
    if (item.numbers().size() != static_cast<std::size_t>(cols)) {
      item.fail(fmt::format("has {} entries, expected {}", item.numbers().size(), cols));
    }
  }
  DenseMatrix dense(rows, cols);
  for (int i = 0; i < rows; ++i)
    dense.row(i) = Eigen::Map<const Eigen::RowVectorXd>(items[i].numbers().data(), cols);
  return Matrix(std::move(dense));
}

// Straight from the coordinate arrays to compressed columns, to keep the memory near that of the
// file.
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
    Iterator& operator++() {
      ++r, ++c, ++v;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return v != other.v; }
  };
  SparseMatrix sparse(rows, cols);
  sparse.setFromTriplets(
      Iterator{row.data(), col.data(), value.data()},
      Iterator{row.data() + row.size(), col.data() + col.size(), value.data() + value.size()});
  return Matrix(std::move(sparse));
}

std::pair<int, int> read_shape(const Field& field) {
  const std::vector<int> shape = field["shape"].integers();
  if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0) {
    field["shape"].fail("expected two sizes, rows and columns");
  }
  return {shape[0], shape[1]};
}

// The shape that a file states may be wrong. The sizes come from vectors that the file holds; a
// shape that disagrees is refused before memory of its size is allocated.
Matrix read_matrix(const Field& field, int rows, int cols) {
  if (const auto [m, n] = read_shape(field); m != rows || n != cols) {
    field["shape"].fail(fmt::format("is {} x {}, expected {} x {}", m, n, rows, cols));
  }
  if (field.has("dense")) {
    field.only({"shape", "dense"});
    return read_dense(field["dense"], rows, cols);
  }
  field.only({"shape", "row", "col", "value"});
  return read_coordinates(field, rows, cols);
}

// M of W = J M^-1 J'. No vector has its size, so it must have an entry in every row.
Matrix read_mass(const Field& field) {
  const auto [rows, cols] = read_shape(field);
  const std::size_t entries =
      field.has("dense") ? field["dense"].items().size() : field["value"].numbers().size();
  if (entries < static_cast<std::size_t>(rows)) {
    field["shape"].fail(
        fmt::format("is {} x {}, but there are too few entries for one in every row: not positive "
                    "definite",
                    rows, cols));
  }
  return read_matrix(field, rows, rows);
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
      graph.add_leaf(operation, parts[1].integer(0, kMaxProblemSize));
    } else {
      std::vector<int> operands;
      for (std::size_t k = 1; k < parts.size(); ++k)
        operands.push_back(parts[k].integer(0, kMaxProblemSize));
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
    Cone cone{ConeType::kZero, item["size"].integer(1, kMaxProblemSize)};
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

// validate() checks whether the lists agree.
Partition read_partition(const Field& field) {
  Partition p;
  const auto lists = [](const Field& from,
                        std::initializer_list<std::pair<const char*, std::vector<int>*>> members) {
    for (const auto& [name, list] : members) {
      if (from.has(name)) *list = from[name].integers();
    }
  };
  field.only({"velocities", "contacts", "held", "bounds", "total"});
  if (field.has("velocities")) {
    const Field v = field["velocities"];
    v.only({"unknowns", "blocks", "rows"});
    lists(v, {{"unknowns", &p.velocities.unknowns},
              {"blocks", &p.velocities.blocks},
              {"rows", &p.velocities.rows}});
  }
  if (field.has("contacts")) {
    const Field c = field["contacts"];
    c.only({"unknowns", "sizes", "rows"});
    lists(c, {{"unknowns", &p.contacts.unknowns},
              {"sizes", &p.contacts.sizes},
              {"rows", &p.contacts.rows}});
  }
  if (field.has("held")) {
    const Field h = field["held"];
    h.only({"unknowns", "rows"});
    lists(h, {{"unknowns", &p.held.unknowns}, {"rows", &p.held.rows}});
  }
  lists(field, {{"bounds", &p.bounds}});
  if (field.has("total")) p.total = field["total"].integer(0, kMaxProblemSize);
  return p;
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
    for (const Field& t : field["tangents"].items())
      contact.tangents.push_back(read_coordinates_of(t));
  }
  if (field.has("gap")) contact.gap = field["gap"].number();
  return contact;
}

const std::set<std::string_view> kCommon = {"format",   "version", "kind",     "name",
                                            "n",        "start",   "solution", "variables",
                                            "contacts", "source"};

void only_fields(const Field& root, std::set<std::string_view> own) {
  own.insert(kCommon.begin(), kCommon.end());
  root.only(own, /*extensions=*/true);
}

// The vector that has the size of the problem.
Vector read_sized_vector(const Field& field, int n) {
  Vector v = any_vector(field);
  if (v.size() != n) field.fail(fmt::format("length is {}, but field \"n\" is {}", v.size(), n));
  return v;
}

// A vector of stated length.
Vector read_vector(const Field& field, int length) {
  Vector v = any_vector(field);
  if (v.size() != length) field.fail(fmt::format("length is {}, expected {}", v.size(), length));
  return v;
}

Vector read_bounds(const Field& field, int length) {
  Vector v = read_bounds(field);
  if (v.size() != length) field.fail(fmt::format("length is {}, expected {}", v.size(), length));
  return v;
}

ProblemData read_mcp(const Field& root, int n) {
  Mcp p;
  p.graph = std::make_shared<const ExpressionGraph>(read_graph(root["graph"]));
  if (root["graph"].has("parameters")) p.parameters = any_vector(root["graph"]["parameters"]);
  p.lower = read_bounds(root["lower"], n);
  p.upper = read_bounds(root["upper"], n);
  return p;
}

ProblemData read_conic_qp(const Field& root, int n) {
  ConicQp p;
  p.c = read_sized_vector(root["c"], n);
  p.P = read_matrix(root["P"], n, n);
  p.b = any_vector(root["b"]);
  p.cones = read_cones(root["cones"]);
  long total = 0;
  for (const Cone& cone : p.cones) total += cone.size;
  // If b and the cones disagree, the rows of A show which of them is wrong.
  const int rows = read_shape(root["A"]).first;
  if (p.b.size() == total && rows != total) read_matrix(root["A"], static_cast<int>(total), n);
  if (rows != p.b.size())
    root["b"].fail(fmt::format("length is {}, expected {}", p.b.size(), rows));
  p.A = read_matrix(root["A"], rows, n);
  if (root.has("partition"))
    p.partition = std::make_shared<const Partition>(read_partition(root["partition"]));
  return p;
}

ProblemData read_friction_contact(const Field& root, int n) {
  FrictionContact p;
  p.dimension = root["dimension"].integer(2, 3);
  p.q = read_sized_vector(root["q"], n);
  if (n % p.dimension != 0)
    root["q"].fail(fmt::format("length {} is no multiple of the dimension {}", n, p.dimension));
  p.mu = read_vector(root["mu"], n / p.dimension);
  if (root.has("W") && (root.has("J") || root.has("M")))
    root["W"].fail("is given together with J and M; only one form is allowed");
  if (root.has("J")) {
    p.M = read_mass(root["M"]);
    p.J = read_matrix(root["J"], n, p.M.rows());
  } else {
    p.W = read_matrix(root["W"], n, n);
  }
  if (root.has("compliance")) p.compliance = read_vector(root["compliance"], n);
  return p;
}

ProblemData read_convex_contact(const Field& root, int n) {
  ConvexContact p;
  p.mu = any_vector(root["mu"]);
  if (p.mu.size() > kMaxProblemSize / 3) root["mu"].fail("has too many contacts");
  const int rows = 3 * static_cast<int>(p.mu.size());
  p.v_star = read_sized_vector(root["v_star"], n);
  p.A = read_matrix(root["A"], n, n);
  p.J = read_matrix(root["J"], rows, n);
  p.R = read_vector(root["R"], rows);
  p.bias = read_vector(root["bias"], rows);
  return p;
}

Matrix square_matrix(const Field& field, int n) { return read_matrix(field, n, n); }

// Vectors are read before matrices, so that a wrong n is reported for the vector.
ProblemData read_lcp(const Field& root, int n) {
  Vector q = read_sized_vector(root["q"], n);
  return Lcp{square_matrix(root["M"], n), std::move(q)};
}

ProblemData read_mlcp(const Field& root, int n) {
  Vector q = read_sized_vector(root["q"], n);
  return Mlcp{square_matrix(root["M"], n), std::move(q), read_bounds(root["lower"], n),
              read_bounds(root["upper"], n)};
}

ProblemData read_box_qp(const Field& root, int n) {
  return BoxQp{square_matrix(root["H"], n), read_sized_vector(root["c"], n),
               read_bounds(root["lower"], n), read_bounds(root["upper"], n)};
}

// How each kind is read, in the order of problem_kinds().
struct KindReader {
  std::string_view kind;
  std::set<std::string_view> fields;
  ProblemData (*read)(const Field& root, int n);
};

ProblemData read_data(const Field& root, std::string_view kind) {
  static const KindReader readers[] = {
      {"lcp", {"M", "q"}, read_lcp},
      {"mlcp", {"M", "q", "lower", "upper"}, read_mlcp},
      {"mcp", {"graph", "lower", "upper"}, read_mcp},
      {"box_qp", {"H", "c", "lower", "upper"}, read_box_qp},
      {"conic_qp", {"P", "c", "A", "b", "cones", "partition"}, read_conic_qp},
      {"friction_contact",
       {"dimension", "W", "J", "M", "q", "mu", "compliance"},
       read_friction_contact},
      {"convex_contact", {"A", "J", "R", "bias", "mu", "v_star"}, read_convex_contact}};
  const int n = root["n"].integer(0, kMaxProblemSize);
  for (const KindReader& reader : readers) {
    if (reader.kind != kind) continue;
    only_fields(root, reader.fields);
    return reader.read(root, n);
  }
  root["kind"].fail(
      fmt::format("unknown kind; expected one of {}", fmt::join(problem_kinds(), ", ")));
}

}  // namespace

Problem problem_from_json(const json::Value& document, const std::string& file) {
  const Field root(document, file, "");
  if (root["format"].text() != "perp-problem") root["format"].fail("expected \"perp-problem\"");
  if (const auto* version = root["version"].value().get_if<std::int64_t>();
      !version || *version != 1) {
    root["version"].fail("unknown version; this program reads version 1");
  }
  const std::string kind = root["kind"].text();
  Problem problem{read_data(root, kind), root["name"].text(), {}, {}, {}, {}, {}, {}};
  if (root.has("start")) problem.start = any_vector(root["start"]);
  if (root.has("solution")) {
    root["solution"].only({"z", "dual"});
    problem.solution = KnownSolution{any_vector(root["solution"]["z"]), {}};
    if (root["solution"].has("dual")) problem.solution->dual = any_vector(root["solution"]["dual"]);
  }
  if (root.has("variables")) {
    for (const Field& item : root["variables"].items()) problem.variables.push_back(item.text());
  }
  if (root.has("contacts")) {
    for (const Field& item : root["contacts"].items())
      problem.contacts.push_back(read_contact(item));
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
  } catch (const std::invalid_argument& error) {
    throw field_error(file, error.what());
  }
  return problem;
}

Problem problem_from_text(std::string_view text, const std::string& file) {
  return problem_from_json(json::parse(text, file), file);
}

}  // namespace perp
