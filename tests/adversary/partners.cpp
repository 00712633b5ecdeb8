#include "partners.hpp"

#include <cmath>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/reductions.hpp>
#include <vector>

namespace perp::adversary {

namespace {

Vector permuted(const Vector& v, const std::vector<int>& order) {
  Vector w(v.size());
  for (int i = 0; i < v.size(); ++i) w[i] = v[order[static_cast<std::size_t>(i)]];
  return w;
}

// In the same storage; explicit zeros are left out.
Matrix like(const Matrix& m, const DenseMatrix& values) {
  return m.is_sparse() ? Matrix(SparseMatrix(values.sparseView())) : Matrix(values);
}
Matrix permuted(const Matrix& m, const std::vector<int>& rows, const std::vector<int>& cols) {
  const DenseMatrix a = m.to_dense();
  DenseMatrix b(a.rows(), a.cols());
  for (int i = 0; i < a.rows(); ++i) {
    for (int j = 0; j < a.cols(); ++j)
      b(i, j) = a(rows[static_cast<std::size_t>(i)], cols[static_cast<std::size_t>(j)]);
  }
  return like(m, b);
}
Matrix swapped_storage(const Matrix& m) {
  return m.is_sparse() ? Matrix(m.to_dense()) : Matrix(m.to_sparse());
}
Matrix joined(const Matrix& a, const Matrix& b) {
  DenseMatrix m = DenseMatrix::Zero(a.rows() + b.rows(), a.cols() + b.cols());
  m.topLeftCorner(a.rows(), a.cols()) = a.to_dense();
  m.bottomRightCorner(b.rows(), b.cols()) = b.to_dense();
  return like(a, m);
}
Vector joined(const Vector& a, const Vector& b) {
  Vector v(a.size() + b.size());
  v << a, b;
  return v;
}

Partner partner_of(ProblemData data, std::string relation,
                   std::function<Answer(const Answer&)> carry = nullptr, double factor = 0.0) {
  Partner p;
  p.problem.data = std::move(data);
  p.problem.name = relation;
  p.relation = std::move(relation);
  p.carry = std::move(carry);
  p.factor = factor;
  return p;
}

Answer same(const Answer& a) { return a; }

// What lcp, mlcp and box_qp share: a matrix, a vector, and bounds unless they are those of an lcp.
struct Box {
  Matrix m;
  Vector q, lower, upper;
};
Box box_of(const Lcp& p) { return {p.M, p.q, {}, {}}; }
Box box_of(const Mlcp& p) { return {p.M, p.q, p.lower, p.upper}; }
Box box_of(const BoxQp& p) { return {p.H, p.c, p.lower, p.upper}; }
void put(const Box& b, Lcp& p) { p = {b.m, b.q}; }
void put(const Box& b, Mlcp& p) { p = {b.m, b.q, b.lower, b.upper}; }
void put(const Box& b, BoxQp& p) { p = {b.m, b.q, b.lower, b.upper}; }

template <class P>
ProblemData as(const Box& box) {
  P p;
  put(box, p);
  return p;
}

template <class P>
Partner scaled_by_rows_and_columns(Box box, Random& random, bool symmetric) {
  const auto n = box.q.size();
  Vector row(n), col(n);
  for (int i = 0; i < n; ++i) {
    row[i] = std::ldexp(1.0, random.index(41) - 20);
    col[i] = symmetric ? row[i] : std::ldexp(1.0, random.index(41) - 20);
  }
  box.m = like(box.m, row.asDiagonal() * box.m.to_dense() * col.asDiagonal());
  box.q = row.cwiseProduct(box.q);
  if (box.lower.size() > 0) {
    box.lower = box.lower.cwiseQuotient(col);
    box.upper = box.upper.cwiseQuotient(col);
  }
  return partner_of(as<P>(box), "rows and columns scaled", [col](const Answer& a) {
    return Answer{a.z.cwiseQuotient(col), {}};
  });
}

// Beside a problem of one unknown that 0 solves, with no word between them.
template <class P>
Partner beside_another(const Box& box) {
  Box both{joined(box.m, like(box.m, DenseMatrix::Identity(1, 1))),
           joined(box.q, Vector::Ones(1)),
           {},
           {}};
  if (box.lower.size() > 0) {
    both.lower = joined(box.lower, Vector::Zero(1));
    both.upper = joined(box.upper, Vector::Constant(1, kInfinity));
  }
  return partner_of(
      as<P>(both), "beside another",
      [](const Answer& a) {
        return Answer{joined(a.z, Vector::Zero(1)), {}};
      },
      1.0);
}

// An unknown within bounds on which nothing depends: every value will do.
template <class P>
Partner with_an_idle_unknown(const Box& box) {
  const Box more{joined(box.m, like(box.m, DenseMatrix::Zero(1, 1))),
                 joined(box.q, Vector::Zero(1)), joined(box.lower, Vector::Constant(1, -1.0)),
                 joined(box.upper, Vector::Ones(1))};
  return partner_of(
      as<P>(more), "with an idle unknown",
      [](const Answer& a) {
        return Answer{joined(a.z, Vector::Constant(1, 0.5)), {}};
      },
      1.0);
}

// An unknown with an empty column and the row of another: 0 is its value.
template <class P>
Partner with_a_row_twice(Box box, Random& random) {
  const int n = static_cast<int>(box.q.size()), i = random.index(n);
  DenseMatrix m = DenseMatrix::Zero(n + 1, n + 1);
  m.topLeftCorner(n, n) = box.m.to_dense();
  m.row(n) = m.row(i).eval();
  box.m = like(box.m, m);
  box.q = joined(box.q, Vector::Constant(1, box.q[i]));
  return partner_of(as<P>(box), "a row twice", [](const Answer& a) {
    return Answer{joined(a.z, Vector::Zero(1)), {}};
  });
}

template <class P>
Partner box_partner(const P& problem, Random& random) {
  constexpr bool kSymmetric = std::is_same_v<P, BoxQp>;
  constexpr bool kPlain = std::is_same_v<P, Lcp>;
  Box box = box_of(problem);
  const int n = static_cast<int>(box.q.size());
  switch (random.index(10)) {
    case 8:
      return beside_another<P>(box);
    case 9:
      if constexpr (kPlain) return beside_another<P>(box);
      if constexpr (!kPlain) return with_an_idle_unknown<P>(box);
      [[fallthrough]];
    case 0: {
      const std::vector<int> order = random.permutation(n);
      box.m = permuted(box.m, order, order);
      box.q = permuted(box.q, order);
      if (!kPlain) {
        box.lower = permuted(box.lower, order);
        box.upper = permuted(box.upper, order);
      }
      return partner_of(
          as<P>(box), "permuted",
          [order](const Answer& a) {
            return Answer{permuted(a.z, order), {}};
          },
          1.0);
    }
    case 1: {
      const double factor = std::ldexp(1.0, random.index(61) - 30);
      box.q *= factor;
      if (!kPlain) {
        box.lower *= factor;
        box.upper *= factor;
      }
      return partner_of(
          as<P>(box), "right sides scaled",
          [factor](const Answer& a) {
            return Answer{factor * a.z, {}};
          },
          factor);
    }
    case 2:
      return scaled_by_rows_and_columns<P>(std::move(box), random, kSymmetric);
    case 3:
      box.m = swapped_storage(box.m);
      return partner_of(as<P>(box), "stored otherwise", same, 1.0);
    case 4: {
      Box twice{joined(box.m, box.m), joined(box.q, box.q), {}, {}};
      if (!kPlain) {
        twice.lower = joined(box.lower, box.lower);
        twice.upper = joined(box.upper, box.upper);
      }
      return partner_of(
          as<P>(twice), "twice",
          [](const Answer& a) {
            return Answer{joined(a.z, a.z), {}};
          },
          1.0);
    }
    case 5:
      if constexpr (kPlain) return with_a_row_twice<P>(std::move(box), random);
      if constexpr (!kPlain) {  // z = y + s
        const double s = std::ldexp(random.index(9) - 4.0, -random.index(4));
        box.q += box.m.multiply(Vector::Constant(n, s));
        box.lower.array() -= s;
        box.upper.array() -= s;
        return partner_of(as<P>(box), "bounds shifted", [s](const Answer& a) {
          return Answer{a.z.array() - s, {}};
        });
      }
      [[fallthrough]];
    case 6:
      if constexpr (kPlain) {
        if (problem.M.is_symmetric())
          return partner_of(reduce_to_box_qp(problem).problem, "as box_qp", same, 1.0);
      }
      [[fallthrough]];
    default:
      if constexpr (std::is_same_v<P, Mlcp>) {
        box.m = swapped_storage(box.m);
        return partner_of(as<P>(box), "stored otherwise", same, 1.0);
      } else {
        return partner_of(to_mlcp(problem), "as mlcp", same, 1.0);
      }
  }
}

Partner partner(const Lcp& p, Random& random) { return box_partner(p, random); }
Partner partner(const Mlcp& p, Random& random) { return box_partner(p, random); }
Partner partner(const BoxQp& p, Random& random) { return box_partner(p, random); }

// One more unknown, which is its own function: 0 is its value.
Partner beside_another(const Mcp& p) {
  ExpressionGraph g = *p.graph;
  g.outputs.push_back(static_cast<int>(g.nodes.size()));
  g.nodes.push_back({Operation::kVariable, 0.0, p.size(), 0});
  Mcp q = p;
  q.compiled = nullptr;
  q.graph = std::make_shared<const ExpressionGraph>(std::move(g));
  q.lower = joined(p.lower, Vector::Zero(1));
  q.upper = joined(p.upper, Vector::Constant(1, kInfinity));
  return partner_of(
      q, "beside another",
      [](const Answer& a) {
        return Answer{joined(a.z, Vector::Zero(1)), {}};
      },
      1.0);
}

Partner partner(const Mcp& p, Random& random) {
  if (!p.graph) return partner_of(p, "itself", same, 1.0);
  if (random.index(3) == 0) return beside_another(p);
  const std::vector<int> order = random.permutation(p.size());
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  ExpressionGraph g = *p.graph;
  for (ExpressionGraph::Node& node : g.nodes) {
    if (node.operation == Operation::kVariable)
      node.first = place[static_cast<std::size_t>(node.first)];
  }
  std::vector<int> outputs;
  for (const int i : order) outputs.push_back(p.graph->outputs[static_cast<std::size_t>(i)]);
  g.outputs = outputs;
  Mcp q = p;
  q.compiled = nullptr;
  q.graph = std::make_shared<const ExpressionGraph>(std::move(g));
  q.lower = permuted(p.lower, order);
  q.upper = permuted(p.upper, order);
  return partner_of(
      q, "permuted",
      [order](const Answer& a) {
        return Answer{permuted(a.z, order), {}};
      },
      1.0);
}

Partner partner(const ConicQp& p, Random& random) {
  ConicQp q = p;
  q.partition = nullptr;
  const int n = p.size(), m = static_cast<int>(p.b.size());
  std::vector<int> rows(static_cast<std::size_t>(m));
  for (int i = 0; i < m; ++i) rows[static_cast<std::size_t>(i)] = i;
  switch (random.index(7)) {
    case 5: {  // a constraint on nothing: 0 <= 1
      q.A =
          like(p.A, (DenseMatrix(m + 1, n) << p.A.to_dense(), DenseMatrix::Zero(1, n)).finished());
      q.b = joined(p.b, Vector::Ones(1));
      q.cones.push_back({ConeType::kNonnegative, 1});
      return partner_of(
          q, "with an idle row",
          [](const Answer& a) {
            return Answer{a.z, joined(a.dual, Vector::Zero(1))};
          },
          1.0);
    }
    case 6: {  // min y^2/2 s.t. y <= 1
      q.P = joined(p.P, like(p.P, DenseMatrix::Identity(1, 1)));
      q.c = joined(p.c, Vector::Zero(1));
      q.A = joined(p.A, like(p.A, DenseMatrix::Identity(1, 1)));
      q.b = joined(p.b, Vector::Ones(1));
      q.cones.push_back({ConeType::kNonnegative, 1});
      return partner_of(
          q, "beside another",
          [](const Answer& a) {
            return Answer{joined(a.z, Vector::Zero(1)), joined(a.dual, Vector::Zero(1))};
          },
          1.0);
    }
    case 0: {
      const std::vector<int> order = random.permutation(n);
      q.P = permuted(p.P, order, order);
      q.c = permuted(p.c, order);
      q.A = permuted(p.A, rows, order);
      return partner_of(
          q, "permuted",
          [order](const Answer& a) {
            return Answer{permuted(a.z, order), a.dual};
          },
          1.0);
    }
    case 1: {  // the cones in another order
      const std::vector<int> order = random.permutation(static_cast<int>(p.cones.size()));
      std::vector<int> first = {0};
      for (const Cone& cone : p.cones) first.push_back(first.back() + cone.size);
      rows.clear();
      q.cones.clear();
      for (const int k : order) {
        q.cones.push_back(p.cones[static_cast<std::size_t>(k)]);
        for (int i = first[static_cast<std::size_t>(k)]; i < first[static_cast<std::size_t>(k) + 1];
             ++i)
          rows.push_back(i);
      }
      std::vector<int> cols;
      for (int j = 0; j < n; ++j) cols.push_back(j);
      q.A = permuted(p.A, rows, cols);
      q.b = permuted(p.b, rows);
      return partner_of(
          q, "cones permuted",
          [rows](const Answer& a) {
            return Answer{a.z, permuted(a.dual, rows)};
          },
          1.0);
    }
    case 2: {  // each cone's rows by a power of two
      Vector factor(m);
      int at = 0;
      for (const Cone& cone : p.cones) {
        factor.segment(at, cone.size).setConstant(std::ldexp(1.0, random.index(41) - 20));
        at += cone.size;
      }
      q.A = like(p.A, factor.asDiagonal() * p.A.to_dense());
      q.b = factor.cwiseProduct(p.b);
      return partner_of(q, "cones scaled", [factor](const Answer& a) {
        return Answer{a.z, a.dual.cwiseQuotient(factor)};
      });
    }
    case 3: {
      q.P = swapped_storage(p.P);
      q.A = swapped_storage(p.A);
      return partner_of(q, "stored otherwise", same, 1.0);
    }
    default: {  // the rows of a cone once more
      q.b = joined(p.b, p.b);
      DenseMatrix a(2 * m, n);
      a << p.A.to_dense(), p.A.to_dense();
      q.A = like(p.A, a);
      q.cones.insert(q.cones.end(), p.cones.begin(), p.cones.end());
      return partner_of(q, "rows twice", [](const Answer& x) {
        return Answer{x.z, joined(x.dual, Vector::Zero(x.dual.size()))};
      });
    }
  }
}

// A contact between bodies of its own, which part: no impulse.
Partner beside_another(const FrictionContact& p) {
  const DenseMatrix identity = DenseMatrix::Identity(p.dimension, p.dimension);
  FrictionContact q = p;
  if (p.is_operator()) {
    q.J = joined(p.J, like(p.J, identity));
    q.M = joined(p.M, like(p.M, identity));
  } else {
    q.W = joined(p.W, like(p.W, identity));
  }
  q.q = joined(p.q, Vector::Unit(p.dimension, 0));
  q.mu = joined(p.mu, Vector::Constant(1, 0.5));
  const Vector none = Vector::Zero(p.dimension);
  if (p.compliance.size() > 0) q.compliance = joined(p.compliance, none);
  return partner_of(q, "beside another", [none](const Answer& a) {
    return Answer{joined(a.z, none), {}};
  });
}

Partner partner(const FrictionContact& p, Random& random) {
  FrictionContact q = p;
  const int nc = p.contacts(), d = p.dimension;
  const auto columns = [](const Matrix& m) {
    std::vector<int> all(static_cast<std::size_t>(m.cols()));
    for (int j = 0; j < m.cols(); ++j) all[static_cast<std::size_t>(j)] = j;
    return all;
  };
  switch (random.index(6)) {
    case 4:
      return beside_another(p);
    case 0: {
      const std::vector<int> order = random.permutation(nc);
      std::vector<int> rows;
      for (const int c : order) {
        for (int k = 0; k < d; ++k) rows.push_back(d * c + k);
      }
      if (p.is_operator()) {
        q.J = permuted(p.J, rows, columns(p.J));
      } else {
        q.W = permuted(p.W, rows, rows);
      }
      q.q = permuted(p.q, rows);
      q.mu = permuted(p.mu, order);
      if (p.compliance.size() > 0) q.compliance = permuted(p.compliance, rows);
      return partner_of(q, "contacts permuted", [rows](const Answer& a) {
        return Answer{permuted(a.z, rows), {}};
      });
    }
    case 1: {  // tangents turned by a right angle: (t1, t2) -> (t2, -t1)
      if (d == 2) break;
      Vector sign = Vector::Ones(3 * nc);
      std::vector<int> rows;
      for (int c = 0; c < nc; ++c) {
        rows.insert(rows.end(), {3 * c, 3 * c + 2, 3 * c + 1});
        sign[3 * c + 2] = -1;
      }
      const auto turn = [rows, sign](const Vector& v) {
        return Vector(sign.cwiseProduct(permuted(v, rows)));
      };
      if (p.is_operator()) {
        const Matrix j = permuted(p.J, rows, columns(p.J));
        q.J = like(j, sign.asDiagonal() * j.to_dense());
      } else {
        const Matrix w = permuted(p.W, rows, rows);
        q.W = like(w, sign.asDiagonal() * w.to_dense() * sign.asDiagonal());
      }
      q.q = turn(p.q);
      if (p.compliance.size() > 0) q.compliance = permuted(p.compliance, rows);
      return partner_of(q, "tangents turned", [turn](const Answer& a) {
        return Answer{turn(a.z), {}};
      });
    }
    case 2: {  // impulses in another unit
      const double factor = std::ldexp(1.0, random.index(21) - 10);
      if (p.is_operator()) {
        q.M = like(p.M, factor * p.M.to_dense());
      } else {
        q.W = like(p.W, p.W.to_dense() / factor);
      }
      if (p.compliance.size() > 0) q.compliance = p.compliance / factor;
      return partner_of(q, "impulses scaled", [factor](const Answer& a) {
        return Answer{factor * a.z, {}};
      });
    }
    case 3: {
      if (p.is_operator()) {
        q.J = swapped_storage(p.J);
        q.M = swapped_storage(p.M);
      } else {
        q.W = swapped_storage(p.W);
      }
      return partner_of(q, "stored otherwise", same, 1.0);
    }
    default:
      break;
  }
  if (p.is_operator()) {
    q.J = joined(p.J, p.J);
    q.M = joined(p.M, p.M);
  } else {
    q.W = joined(p.W, p.W);
  }
  q.q = joined(p.q, p.q);
  q.mu = joined(p.mu, p.mu);
  if (p.compliance.size() > 0) q.compliance = joined(p.compliance, p.compliance);
  return partner_of(q, "twice", [](const Answer& a) { return Answer{joined(a.z, a.z), {}}; });
}

Partner partner(const ConvexContact& p, Random& random) {
  ConvexContact q = p;
  const int n = p.size(), nc = p.contacts();
  std::vector<int> rows;
  for (int i = 0; i < 3 * nc; ++i) rows.push_back(i);
  switch (random.index(5)) {
    case 3: {  // a body that touches nothing
      q.A = joined(p.A, like(p.A, DenseMatrix::Identity(1, 1)));
      q.J = like(
          p.J, (DenseMatrix(p.J.rows(), n + 1) << p.J.to_dense(), DenseMatrix::Zero(p.J.rows(), 1))
                   .finished());
      q.v_star = joined(p.v_star, Vector::Ones(1));
      return partner_of(
          q, "beside another",
          [](const Answer& a) {
            return Answer{joined(a.z, Vector::Ones(1)), {}};
          },
          1.0);
    }
    case 0: {
      const std::vector<int> order = random.permutation(n);
      q.A = permuted(p.A, order, order);
      q.J = permuted(p.J, rows, order);
      q.v_star = permuted(p.v_star, order);
      return partner_of(
          q, "permuted",
          [order](const Answer& a) {
            return Answer{permuted(a.z, order), {}};
          },
          1.0);
    }
    case 1: {
      q.A = swapped_storage(p.A);
      q.J = swapped_storage(p.J);
      return partner_of(q, "stored otherwise", same, 1.0);
    }
    case 2:
      return partner_of(reduce_to_conic_qp(p).problem, "as conic_qp",
                        reduce_to_conic_qp(p).map_start);
    default: {
      q.A = joined(p.A, p.A);
      q.J = joined(p.J, p.J);
      q.R = joined(p.R, p.R);
      q.bias = joined(p.bias, p.bias);
      q.mu = joined(p.mu, p.mu);
      q.v_star = joined(p.v_star, p.v_star);
      return partner_of(
          q, "twice",
          [](const Answer& a) {
            return Answer{joined(a.z, a.z), {}};
          },
          1.0);
    }
  }
}

}  // namespace

Partner random_partner(const Problem& problem, Random& random) {
  return std::visit([&](const auto& p) { return partner(p, random); }, problem.data);
}

}  // namespace perp::adversary
