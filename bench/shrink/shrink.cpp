#include <perp/bench/shrink/shrink.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace perp {

namespace {

using Indices = std::vector<int>;

Vector taken(const Vector& v, const Indices& kept) {
  Vector w(static_cast<Eigen::Index>(kept.size()));
  for (std::size_t i = 0; i < kept.size(); ++i) w[static_cast<Eigen::Index>(i)] = v[kept[i]];
  return w;
}

Matrix taken(const Matrix& m, const Indices& rows, const Indices& cols) {
  Indices place(static_cast<std::size_t>(m.rows()), -1);
  for (std::size_t i = 0; i < rows.size(); ++i)
    place[static_cast<std::size_t>(rows[i])] = static_cast<int>(i);
  std::vector<Triplet> entries;
  for (std::size_t j = 0; j < cols.size(); ++j) {
    m.for_column(cols[j], [&](int row, double value) {
      const int to = place[static_cast<std::size_t>(row)];
      if (to >= 0) entries.emplace_back(to, static_cast<int>(j), value);
    });
  }
  Matrix r =
      Matrix::from_triplets(static_cast<int>(rows.size()), static_cast<int>(cols.size()), entries);
  return m.is_sparse() ? r : Matrix(r.to_dense());
}

Indices all(int count) {
  Indices k(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) k[static_cast<std::size_t>(i)] = i;
  return k;
}

// The `size` indices of each block that is kept.
Indices blocks(const Indices& kept, int size) {
  Indices r;
  for (const int b : kept) {
    for (int k = 0; k < size; ++k) r.push_back(size * b + k);
  }
  return r;
}

/// A type of parts of a problem that can be left out.
struct Aspect {
  int (*count)(const Problem&);
  /// The problem with these parts only.
  Problem (*with)(const Problem&, const Indices& kept);
};

// A problem with this data. It has no names of unknowns, and the start of the unknowns that stay.
Problem of_data(const Problem& p, ProblemData data, const Indices& unknowns) {
  Problem r;
  r.data = std::move(data);
  r.name = p.name;
  if (p.start) r.start = taken(*p.start, unknowns);
  return r;
}

int unknowns_of(const Problem& p) { return p.size(); }

Problem with_unknowns(const Problem& p, const Indices& k) {
  if (const auto* lcp = std::get_if<Lcp>(&p.data))
    return of_data(p, Lcp{taken(lcp->M, k, k), taken(lcp->q, k)}, k);
  if (const auto* m = std::get_if<Mlcp>(&p.data)) {
    return of_data(
        p, Mlcp{taken(m->M, k, k), taken(m->q, k), taken(m->lower, k), taken(m->upper, k)}, k);
  }
  if (const auto* qp = std::get_if<BoxQp>(&p.data)) {
    return of_data(
        p, BoxQp{taken(qp->H, k, k), taken(qp->c, k), taken(qp->lower, k), taken(qp->upper, k)}, k);
  }
  if (const auto* qp = std::get_if<ConicQp>(&p.data)) {
    ConicQp r{taken(qp->P, k, k), taken(qp->c, k), taken(qp->A, all(qp->A.rows()), k), qp->b,
              qp->cones};
    return of_data(p, std::move(r), k);
  }
  const auto& c = std::get<ConvexContact>(p.data);
  ConvexContact r = c;
  r.A = taken(c.A, k, k);
  r.J = taken(c.J, all(c.J.rows()), k);
  r.v_star = taken(c.v_star, k);
  return of_data(p, std::move(r), k);
}

// Fixes the other unknowns at the point at which a solver would begin.
Problem with_graph_unknowns(const Problem& p, const Indices& k) {
  const auto& mcp = std::get<Mcp>(p.data);
  Vector at = p.start ? *p.start : Vector::Zero(p.size());
  at = at.cwiseMax(mcp.lower).cwiseMin(mcp.upper);
  Indices place(static_cast<std::size_t>(p.size()), -1);
  for (std::size_t i = 0; i < k.size(); ++i)
    place[static_cast<std::size_t>(k[i])] = static_cast<int>(i);
  ExpressionGraph g = *mcp.graph;
  for (ExpressionGraph::Node& node : g.nodes) {
    if (node.operation != Operation::kVariable) continue;
    const int to = place[static_cast<std::size_t>(node.first)];
    if (to >= 0) {
      node.first = to;
    } else {
      node = {Operation::kConstant, at[node.first], 0, 0};
    }
  }
  g.outputs.clear();
  for (const int i : k) g.outputs.push_back(mcp.graph->outputs[static_cast<std::size_t>(i)]);
  Mcp r = mcp;
  r.compiled = nullptr;
  r.graph = std::make_shared<const ExpressionGraph>(std::move(g));
  r.lower = taken(mcp.lower, k);
  r.upper = taken(mcp.upper, k);
  return of_data(p, std::move(r), k);
}

int friction_contacts(const Problem& p) { return std::get<FrictionContact>(p.data).contacts(); }

Problem with_friction_contacts(const Problem& p, const Indices& kept) {
  const auto& c = std::get<FrictionContact>(p.data);
  const Indices rows = blocks(kept, c.dimension);
  FrictionContact r = c;
  if (c.is_operator()) {
    r.J = taken(c.J, rows, all(c.J.cols()));
  } else {
    r.W = taken(c.W, rows, rows);
  }
  r.q = taken(c.q, rows);
  r.mu = taken(c.mu, kept);
  if (c.compliance.size() > 0) r.compliance = taken(c.compliance, rows);
  return of_data(p, std::move(r), rows);
}

int velocities_of(const Problem& p) {
  const auto& c = std::get<FrictionContact>(p.data);
  return c.is_operator() ? c.J.cols() : 0;
}

Problem with_velocities(const Problem& p, const Indices& kept) {
  const auto& c = std::get<FrictionContact>(p.data);
  FrictionContact r = c;
  r.J = taken(c.J, all(c.J.rows()), kept);
  r.M = taken(c.M, kept, kept);
  return of_data(p, std::move(r), all(p.size()));
}

int compliant_contacts(const Problem& p) { return std::get<ConvexContact>(p.data).contacts(); }

Problem with_compliant_contacts(const Problem& p, const Indices& kept) {
  const auto& c = std::get<ConvexContact>(p.data);
  const Indices rows = blocks(kept, 3);
  ConvexContact r = c;
  r.J = taken(c.J, rows, all(c.J.cols()));
  r.R = taken(c.R, rows);
  r.bias = taken(c.bias, rows);
  r.mu = taken(c.mu, kept);
  return of_data(p, std::move(r), all(p.size()));
}

int rows_of(const Problem& p) { return static_cast<int>(std::get<ConicQp>(p.data).b.size()); }

// If a second-order cone loses its first row, the rest becomes nonnegative rows.
Problem with_rows(const Problem& p, const Indices& kept) {
  const auto& qp = std::get<ConicQp>(p.data);
  ConicQp r{qp.P, qp.c, taken(qp.A, kept, all(qp.A.cols())), taken(qp.b, kept), {}};
  int at = 0;
  for (const Cone& cone : qp.cones) {
    const int left = static_cast<int>(std::count_if(
        kept.begin(), kept.end(), [&](int i) { return i >= at && i < at + cone.size; }));
    const bool headless = cone.type == ConeType::kSecondOrder &&
                          std::find(kept.begin(), kept.end(), at) == kept.end();
    if (left > 0) r.cones.push_back({headless ? ConeType::kNonnegative : cone.type, left});
    at += cone.size;
  }
  return of_data(p, std::move(r), all(p.size()));
}

std::vector<Aspect> aspects_of(const Problem& p) {
  const Aspect unknowns{unknowns_of, with_unknowns};
  if (p.kind() == "mcp") return {{unknowns_of, with_graph_unknowns}};
  if (p.kind() == "conic_qp") return {{rows_of, with_rows}, unknowns};
  if (p.kind() == "friction_contact")
    return {{friction_contacts, with_friction_contacts}, {velocities_of, with_velocities}};
  if (p.kind() == "convex_contact")
    return {{compliant_contacts, with_compliant_contacts}, unknowns};
  return {unknowns};
}

// ---- numbers

template <class F>
void visit(Vector& v, const F& f) {
  for (double& x : v) {
    if (x != 0 && std::isfinite(x)) f(x);
  }
}

// Visits the numbers of a matrix. Both halves of a symmetric matrix change together.
template <class F>
void visit(Matrix& m, const F& f) {
  if (m.rows() == 0 || m.cols() == 0) return;
  const bool symmetric = m.rows() == m.cols() && m.is_symmetric();
  DenseMatrix a = m.to_dense();
  for (int j = 0; j < a.cols(); ++j) {
    for (int i = 0; i < (symmetric ? j + 1 : static_cast<int>(a.rows())); ++i) {
      if (a(i, j) == 0) continue;
      f(a(i, j));
      if (symmetric) a(j, i) = a(i, j);
    }
  }
  m = m.is_sparse() ? Matrix(SparseMatrix(a.sparseView())) : Matrix(std::move(a));
}

template <class F>
struct NumberVisitor {
  const F& f;

  template <class... Fields>
  void all(Fields&... fields) const {
    (visit(fields, f), ...);
  }
  void operator()(Lcp& d) const { all(d.M, d.q); }
  void operator()(Mlcp& d) const { all(d.M, d.q, d.lower, d.upper); }
  void operator()(BoxQp& d) const { all(d.H, d.c, d.lower, d.upper); }
  void operator()(ConicQp& d) const { all(d.P, d.c, d.A, d.b); }
  void operator()(FrictionContact& d) const { all(d.W, d.J, d.M, d.q, d.mu, d.compliance); }
  void operator()(ConvexContact& d) const { all(d.A, d.J, d.R, d.bias, d.mu, d.v_star); }
  void operator()(Mcp& d) const {
    all(d.parameters, d.lower, d.upper);
    if (!d.graph) return;
    ExpressionGraph g = *d.graph;
    for (ExpressionGraph::Node& node : g.nodes) {
      if (node.operation == Operation::kConstant && node.value != 0) f(node.value);
    }
    d.graph = std::make_shared<const ExpressionGraph>(std::move(g));
    d.compiled = nullptr;
  }
};

template <class F>
void visit_numbers(Problem& p, const F& f) {
  std::visit(NumberVisitor<F>{f}, p.data);
}

double with_digits(double x, int digits) {
  return std::strtod(fmt::format("{:.{}e}", x, digits - 1).c_str(),
                     nullptr);  // std::stod refuses subnormal numbers
}

class Shrinker {
 public:
  Shrinker(const Problem& problem, const std::function<bool(const Problem&)>& shows,
           const Deadline& deadline, const std::function<bool()>& stopped)
      : shows_(shows), deadline_(deadline), stopped_(stopped) {
    best_.problem = problem;
  }

  Shrunk run() {
    best_.problem.solution.reset();
    best_.problem.variables.clear();
    best_.problem.contacts.clear();
    if (auto* qp = std::get_if<ConicQp>(&best_.problem.data)) qp->partition = nullptr;
    bool smaller = true;
    while (smaller && !is_over()) {
      smaller = false;
      for (const Aspect& aspect : aspects_of(best_.problem)) smaller |= leave_out(aspect);
      smaller |= lose_digits();
      smaller |= change_single_numbers();
    }
    best_.at_end = !smaller && !is_over();
    return std::move(best_);
  }

 private:
  bool is_over() const { return deadline_.passed() || (stopped_ && stopped_()); }

  bool take(Problem candidate) {
    if (is_over()) return false;
    try {
      validate(candidate);
    } catch (const std::invalid_argument&) {
      return false;
    }
    ++best_.tries;
    if (!shows_(candidate)) return false;
    best_.problem = std::move(candidate);
    return true;
  }

  bool leave_out(const Aspect& aspect) {
    bool smaller = false;
    for (int chunk = std::max(1, aspect.count(best_.problem) / 2);; chunk /= 2) {
      for (int first = 0; first < aspect.count(best_.problem);) {
        const int count = aspect.count(best_.problem);
        Indices kept;
        for (int i = 0; i < count; ++i) {
          if (i < first || i >= first + chunk) kept.push_back(i);
        }
        if (!kept.empty() && take(aspect.with(best_.problem, kept))) {
          smaller = true;
        } else {
          first += chunk;
        }
      }
      if (chunk <= 1) return smaller;
    }
  }

  // Gives all numbers as few digits as possible.
  bool lose_digits() {
    for (int digits = 1; digits <= 15 && digits < digits_; ++digits) {
      Problem candidate = best_.problem;
      visit_numbers(candidate, [&](double& x) { x = with_digits(x, digits); });
      if (take(std::move(candidate))) {
        digits_ = digits;
        return true;
      }
    }
    return false;
  }

  // Tries 0, then 1 or -1, then one digit, for each number.
  bool change_single_numbers() {
    bool smaller = false;
    for (long k = 0; k < numbers_of(best_.problem) && !is_over(); ++k) {
      for (int change = 0; change < 3; ++change) {
        Problem candidate = best_.problem;
        long at = 0;
        bool changed = false;
        visit_numbers(candidate, [&](double& x) {
          if (at++ != k) return;
          const double simple = change == 0   ? 0.0
                                : change == 1 ? std::copysign(1.0, x)
                                              : with_digits(x, 1);
          changed = simple != x;
          x = simple;
        });
        if (changed && take(std::move(candidate))) {
          smaller = true;
          if (change == 0) --k;  // there is one number fewer now
          break;
        }
        if (!changed && change > 0) break;  // it is simple enough already
      }
    }
    return smaller;
  }

  const std::function<bool(const Problem&)>& shows_;
  const Deadline& deadline_;
  const std::function<bool()>& stopped_;
  Shrunk best_;
  int digits_ = 17;
};

}  // namespace

Shrunk shrink(const Problem& problem, const std::function<bool(const Problem&)>& shows,
              const Deadline& deadline, const std::function<bool()>& stopped) {
  const auto* mcp = std::get_if<Mcp>(&problem.data);
  if (mcp && !mcp->graph) return {problem, 0, true};
  return Shrinker(problem, shows, deadline, stopped).run();
}

long numbers_of(const Problem& problem) {
  Problem copy = problem;
  long count = 0;
  visit_numbers(copy, [&](double&) { ++count; });
  return count;
}

}  // namespace perp
