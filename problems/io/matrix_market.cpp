#include <perp/problems/io/matrix_market.hpp>

#include <fmt/format.h>
#include <iterator>
#include <perp/problems/json/text.hpp>
#include <stdexcept>

namespace perp {

namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

class MarketWriter {
 public:
  explicit MarketWriter(const Problem& problem) : problem_(problem) {}

  void add(const std::string& field, const Matrix& m) {
    if (!m.is_sparse()) return add_array(field, m.dense());
    std::string text = head(field, "coordinate real");
    fmt::format_to(std::back_inserter(text), "{} {} {}\n", m.rows(), m.cols(), m.stored());
    const SparseMatrix& a = m.sparse();
    for (int j = 0; j < a.cols(); ++j) {
      for (SparseMatrix::InnerIterator it(a, j); it; ++it)
        fmt::format_to(std::back_inserter(text), "{} {} {}\n", it.row() + 1, j + 1, it.value());
    }
    texts.emplace_back(field, std::move(text));
  }
  void add(const std::string& field, const Vector& v) { add_array(field, v); }
  void add_if_given(const std::string& field, const Vector& v) {
    if (v.size() > 0) add_array(field, v);
  }
  void add(const std::vector<Cone>& cones) {
    std::string text = head("cones", "array integer");
    fmt::format_to(std::back_inserter(text), "{} 2\n", cones.size());
    for (const Cone& c : cones)
      fmt::format_to(std::back_inserter(text), "{}\n", static_cast<int>(c.type));
    for (const Cone& c : cones) fmt::format_to(std::back_inserter(text), "{}\n", c.size);
    texts.emplace_back("cones", std::move(text));
  }

  Texts texts;

 private:
  std::string head(const std::string& field, const char* layout) const {
    return fmt::format("%%MatrixMarket matrix {} general\n% perp {}, field {}{}\n", layout,
                       problem_.kind(), field, origin());
  }
  // Of a reduction its name, which tells what it was made from.
  std::string origin() const {
    const json::Value* of = problem_.source.find("reduction");
    return of && of->get_if<std::string>() ? ", " + shown(problem_.name, 200) : "";
  }
  // By columns.
  void add_array(const std::string& field, const DenseMatrix& m) {
    std::string text = head(field, "array real");
    fmt::format_to(std::back_inserter(text), "{} {}\n", m.rows(), m.cols());
    for (const double x : m.reshaped()) fmt::format_to(std::back_inserter(text), "{}\n", x);
    texts.emplace_back(field, std::move(text));
  }

  const Problem& problem_;
};

struct Fields {
  MarketWriter& w;

  void operator()(const Lcp& p) const {
    w.add("M", p.M);
    w.add("q", p.q);
  }
  void operator()(const Mlcp& p) const {
    w.add("M", p.M);
    w.add("q", p.q);
    w.add("lower", p.lower);
    w.add("upper", p.upper);
  }
  void operator()(const Mcp&) const {
    throw std::invalid_argument("mtx holds matrices and vectors, not mcp");
  }
  void operator()(const BoxQp& p) const {
    w.add("H", p.H);
    w.add("c", p.c);
    w.add("lower", p.lower);
    w.add("upper", p.upper);
  }
  void operator()(const ConicQp& p) const {
    w.add("P", p.P);
    w.add("c", p.c);
    w.add("A", p.A);
    w.add("b", p.b);
    w.add(p.cones);
  }
  void operator()(const FrictionContact& p) const {
    if (p.J.rows() == 0 && p.J.cols() == 0) {
      w.add("W", p.W);
    } else {
      w.add("J", p.J);
      w.add("M", p.M);
    }
    w.add("q", p.q);
    w.add("mu", p.mu);
    w.add_if_given("compliance", p.compliance);
  }
  void operator()(const ConvexContact& p) const {
    w.add("A", p.A);
    w.add("J", p.J);
    w.add("R", p.R);
    w.add("bias", p.bias);
    w.add("mu", p.mu);
    w.add("v_star", p.v_star);
  }
};

}  // namespace

std::vector<std::pair<std::string, std::string>> problem_to_matrix_market(const Problem& problem) {
  MarketWriter writer(problem);
  std::visit(Fields{writer}, problem.data);
  if (problem.start) writer.add("start", *problem.start);
  if (problem.solution) {
    writer.add("solution", problem.solution->z);
    writer.add_if_given("dual", problem.solution->dual);
  }
  return std::move(writer.texts);
}

}  // namespace perp
