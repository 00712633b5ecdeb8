#include <perp/problems/io/problem_json.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace perp {

namespace {

class JsonWriter {
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

void write(JsonWriter& w, const Lcp& p) {
  w.matrix("M", p.M);
  w.vector("q", p.q);
}

void write(JsonWriter& w, const Mlcp& p) {
  w.matrix("M", p.M);
  w.vector("q", p.q);
  w.vector("lower", p.lower);
  w.vector("upper", p.upper);
}

void write(JsonWriter& w, const Mcp& p) {
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

void write(JsonWriter& w, const BoxQp& p) {
  w.matrix("H", p.H);
  w.vector("c", p.c);
  w.vector("lower", p.lower);
  w.vector("upper", p.upper);
}

void write(JsonWriter& w, const Partition& p) {
  const auto list = [&](std::string_view field, const std::vector<int>& values) {
    if (!values.empty()) w.integers(field, values);
  };
  const auto object = [&](std::string_view field, bool empty, const auto& members) {
    if (empty) return;
    w.name(field);
    w.out += '{';
    members();
    w.out += '}';
  };
  object("partition", false, [&] {
    object("velocities", p.velocities == Partition::Velocities{}, [&] {
      list("unknowns", p.velocities.unknowns);
      list("blocks", p.velocities.blocks);
      list("rows", p.velocities.rows);
    });
    object("contacts", p.contacts == Partition::Contacts{}, [&] {
      list("unknowns", p.contacts.unknowns);
      list("sizes", p.contacts.sizes);
      list("rows", p.contacts.rows);
    });
    object("held", p.held == Partition::Held{}, [&] {
      list("unknowns", p.held.unknowns);
      list("rows", p.held.rows);
    });
    list("bounds", p.bounds);
    if (p.total >= 0) w.integer("total", p.total);
  });
}

void write(JsonWriter& w, const ConicQp& p) {
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
  if (p.partition) write(w, *p.partition);
}

void write(JsonWriter& w, const FrictionContact& p) {
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

void write(JsonWriter& w, const ConvexContact& p) {
  w.matrix("A", p.A);
  w.matrix("J", p.J);
  w.vector("R", p.R);
  w.vector("bias", p.bias);
  w.vector("mu", p.mu);
  w.vector("v_star", p.v_star);
}

void write_contact(JsonWriter& w, const ContactInfo& contact) {
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

std::string problem_to_text(const Problem& problem) {
  JsonWriter w;
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
