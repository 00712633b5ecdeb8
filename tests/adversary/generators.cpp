#include "generators.hpp"

#include <cmath>
#include <perp/problems/families/family.hpp>
#include <perp/problems/matrix/infinity.hpp>
#include <stdexcept>

namespace perp::adversary {

namespace {

class Generator {
 public:
  explicit Generator(Random& random) : random_(random) {}

  ProblemData make(std::string_view kind) {
    if (kind == "lcp") return lcp();
    if (kind == "mlcp") return mlcp();
    if (kind == "mcp") return mcp();
    if (kind == "box_qp") return box_qp();
    if (kind == "conic_qp") return conic_qp();
    if (kind == "friction_contact") return friction();
    return convex();
  }

  bool chance(double p) { return random_.uniform() < p; }

 private:
  int count(int largest) { return 1 + random_.index(largest); }
  double power() { return std::ldexp(1.0, random_.index(81) - 40); }
  double entry() { return integer_ ? static_cast<double>(random_.index(5) - 2) : random_.normal(); }
  DenseMatrix filled(int rows, int cols) {
    DenseMatrix a(rows, cols);
    for (double& x : a.reshaped()) x = entry();
    return a;
  }
  Vector values(int n) { return filled(n, 1); }

  // Both halves equal, bit for bit.
  static DenseMatrix symmetric(DenseMatrix a) {
    for (int i = 0; i < a.rows(); ++i) {
      for (int j = 0; j < i; ++j) a(i, j) = a(j, i);
    }
    return a;
  }
  DenseMatrix semidefinite(int n, int rank) {
    const DenseMatrix a = filled(n, rank);
    return symmetric(a * a.transpose());
  }
  DenseMatrix definite(int n) {
    return symmetric(semidefinite(n, n) + DenseMatrix::Identity(n, n));
  }

  DenseMatrix square(int n) {
    const int rank = count(n);
    switch (random_.index(8)) {
      case 0:
        return semidefinite(n, rank);
      case 1:
        return definite(n);
      case 2: {  // skew, and a little positive
        const DenseMatrix a = filled(n, n);
        return a - a.transpose() + (chance(0.5) ? 0.0 : 1.0) * DenseMatrix::Identity(n, n);
      }
      case 3:
        return filled(n, rank) * filled(rank, n);
      case 4: {  // nonnegative: copositive
        DenseMatrix a = filled(n, n).cwiseAbs();
        for (double& x : a.reshaped()) x = chance(0.4) ? 0.0 : x;
        return a;
      }
      case 5: {  // sparse, with zeros on the diagonal
        DenseMatrix a = filled(n, n);
        for (double& x : a.reshaped()) x = chance(0.5) ? 0.0 : x;
        return a;
      }
      case 6: {  // contact-like: [A B; -B' 0]
        const int k = std::max(1, n / 2);
        DenseMatrix a = DenseMatrix::Zero(n, n);
        a.topLeftCorner(k, k) = semidefinite(k, count(k));
        if (k < n) {
          const DenseMatrix b = filled(k, n - k);
          a.topRightCorner(k, n - k) = b;
          a.bottomLeftCorner(n - k, k) = -b.transpose();
        }
        return a;
      }
      default:
        return filled(n, n);
    }
  }

  // q such that a solution is known and rows are degenerate, or such that rows miss by a hair.
  Vector right_side(const DenseMatrix& m) {
    const int n = static_cast<int>(m.rows());
    if (chance(0.4)) return values(n);
    Vector z = values(n).cwiseAbs();
    for (double& x : z) x = chance(0.5) ? 0.0 : x;
    Vector w = values(n).cwiseAbs();
    for (int i = 0; i < n; ++i) w[i] = z[i] > 0 || chance(0.3) ? 0.0 : w[i];
    Vector q = w - m * z;
    if (chance(0.3)) q[random_.index(n)] -= std::ldexp(1.0, -20 - random_.index(30));
    return q;
  }

  void scale(DenseMatrix& m, Vector& q) {
    if (!chance(0.25)) return;
    for (int i = 0; i < q.size(); ++i) {
      const double row = power(), col = power();
      m.row(i) *= row;
      q[i] *= row;
      m.col(i) *= col;
    }
  }
  Matrix stored(const DenseMatrix& m) {
    if (chance(0.5)) return Matrix(m);
    return Matrix(SparseMatrix(m.sparseView()));
  }

  void bounds(int n, Vector& lower, Vector& upper) {
    lower = Vector::Zero(n);
    upper = Vector::Constant(n, kInfinity);
    for (int i = 0; i < n; ++i) {
      switch (random_.index(6)) {
        case 0:
          lower[i] = -kInfinity;
          break;
        case 1:
          lower[i] = -kInfinity;
          upper[i] = entry();
          break;
        case 2:
          lower[i] = entry();
          upper[i] = lower[i] + std::abs(entry());
          break;
        case 3:
          lower[i] = upper[i] = chance(0.5) ? 0.0 : entry();
          break;
        default:
          break;
      }
    }
  }

  Lcp lcp() {
    const int n = count(chance(0.1) ? 24 : 8);
    integer_ = chance(0.4);
    DenseMatrix m = square(n);
    Vector q = right_side(m);
    if (chance(0.1)) hair_from_infeasible(m, q);
    scale(m, q);
    return {stored(m), q};
  }

  // One row w_i = -a z - b - tiny >= 0 with a >= 0: infeasible by `tiny`, or feasible by it.
  void hair_from_infeasible(DenseMatrix& m, Vector& q) {
    const int i = random_.index(static_cast<int>(q.size()));
    m.row(i) = -m.row(i).cwiseAbs().eval();
    q[i] = (chance(0.5) ? 1 : -1) * std::ldexp(1.0, -10 - random_.index(40));
  }

  Mlcp mlcp() {
    const Lcp base = lcp();
    Mlcp p{base.M, base.q, {}, {}};
    bounds(base.size(), p.lower, p.upper);
    return p;
  }

  BoxQp box_qp() {
    const int n = count(chance(0.1) ? 20 : 8);
    integer_ = chance(0.4);
    DenseMatrix h = chance(0.8) ? semidefinite(n, count(n)) : symmetric(filled(n, n));
    Vector c = values(n);
    if (chance(0.2)) {
      const double factor = power();
      h *= factor;
      c *= factor;
    }
    BoxQp p{stored(h), c, {}, {}};
    bounds(n, p.lower, p.upper);
    return p;
  }

  // F = M z + q and, in some rows, a smooth or convex term.
  Mcp mcp() {
    const int n = count(6);
    integer_ = chance(0.4);
    const DenseMatrix m = square(n);
    const Vector q = right_side(m);
    ExpressionGraph g;
    std::vector<int> z;
    for (int i = 0; i < n; ++i) z.push_back(g.add_leaf(Operation::kVariable, i));
    for (int i = 0; i < n; ++i) {
      int sum = g.add_constant(q[i]);
      for (int j = 0; j < n; ++j) {
        if (m(i, j) == 0) continue;
        const int product = g.add(Operation::kMultiply, {g.add_constant(m(i, j)), z[j]});
        sum = g.add(Operation::kAdd, {sum, product});
      }
      if (chance(0.6)) sum = g.add(Operation::kAdd, {sum, term(g, z[random_.index(n)])});
      g.outputs.push_back(sum);
    }
    Mcp p;
    p.graph = std::make_shared<const ExpressionGraph>(std::move(g));
    p.parameters = Vector(0);
    bounds(n, p.lower, p.upper);
    return p;
  }
  int term(ExpressionGraph& g, int z) {
    using enum Operation;
    switch (random_.index(9)) {
      case 0:
        return g.add(kExp, {z});
      case 1:
        return g.add(kSqrt, {g.add(kAdd, {g.add_constant(1.0), g.add(kMultiply, {z, z})})});
      case 2:
        return g.add(kPow, {z, g.add_constant(3.0)});
      case 3:
        return g.add(kTanh, {z});
      case 4:
        return g.add(kSin, {z});
      case 5:
        return g.add(kLog, {g.add(kAdd, {g.add_constant(1.5), z})});
      case 6:
        return g.add(kDivide, {g.add_constant(1.0), g.add(kAdd, {g.add_constant(0.5), z})});
      case 7:
        return g.add(kMax, {z, g.add(kNegate, {z})});
      default: {  // cancels: (c + z) - c
        const int c = g.add_constant(std::ldexp(1.0, random_.index(70)));
        return g.add(kSubtract, {g.add(kAdd, {c, z}), c});
      }
    }
  }

  ConicQp conic_qp() {
    const int n = count(6);
    integer_ = chance(0.4);
    ConicQp p;
    int m = 0;
    const int cones = count(4);
    for (int k = 0; k < cones; ++k) {
      const auto type = static_cast<ConeType>(random_.index(3));
      const int size = type == ConeType::kZero ? count(2) : count(4);
      p.cones.push_back({type, size});
      m += size;
    }
    p.P = stored(chance(0.3) ? DenseMatrix::Zero(n, n) : semidefinite(n, count(n)));
    DenseMatrix a = filled(m, n);
    if (chance(0.3)) {
      for (double& x : a.reshaped()) x = chance(0.6) ? 0.0 : x;
    }
    if (m > 1 && chance(0.2)) a.row(m - 1) = (chance(0.5) ? 1 : -1) * a.row(0).eval();
    p.b = values(m);
    if (chance(0.6)) {  // feasible: b = A x + s
      Vector s = values(m).cwiseAbs();
      int at = 0;
      for (const Cone& cone : p.cones) {
        if (cone.type == ConeType::kZero) s.segment(at, cone.size).setZero();
        if (cone.type == ConeType::kSecondOrder)
          s[at] = s.segment(at + 1, cone.size - 1).norm() + (chance(0.5) ? 0.0 : s[at]);
        at += cone.size;
      }
      p.b = a * values(n) + s;
      if (chance(0.3)) p.b[random_.index(m)] -= std::ldexp(1.0, -20 - random_.index(30));
    }
    p.c = values(n);
    if (chance(0.15)) {
      const double factor = power();
      a *= factor;
      p.b *= factor;
    }
    p.A = stored(a);
    return p;
  }

  double friction_coefficient() {
    static const double kValues[] = {0.0, 0.1, 0.3, 0.7, 1.0, 2.5, 1e4, 1e9};
    return kValues[random_.index(8)];
  }

  FrictionContact friction() {
    FrictionContact p;
    p.dimension = chance(0.3) ? 2 : 3;
    const int nc = count(chance(0.1) ? 6 : 3), d = p.dimension, n = nc * d;
    integer_ = chance(0.2);
    const int bodies = count(6) + (chance(0.5) ? n : 0);
    DenseMatrix j = filled(n, bodies);
    if (nc > 1 && chance(0.3)) {  // the same contact twice, or its counterpart
      j.bottomRows(d) = (chance(0.5) ? 1 : -1) * j.topRows(d).eval();
    }
    if (chance(0.4)) {
      p.J = stored(j);
      p.M = stored(
          chance(0.5)
              ? definite(bodies)
              : DenseMatrix(values(bodies).cwiseAbs2().array().max(0.1).matrix().asDiagonal()));
    } else {
      DenseMatrix w = symmetric(j * j.transpose());
      if (chance(0.2) && nc > 1) {  // two that do not act on each other
        w.topRightCorner(d, n - d).setZero();
        w.bottomLeftCorner(n - d, d).setZero();
      }
      p.W = stored(w);
    }
    p.q = chance(0.6) ? Vector(j * values(bodies)) : values(n);
    if (chance(0.2)) p.q *= power();
    p.mu = Vector(nc);
    for (double& mu : p.mu) mu = friction_coefficient();
    if (chance(0.1)) p.compliance = values(n).cwiseAbs();
    return p;
  }

  ConvexContact convex() {
    const int nc = count(3), n = count(6);
    integer_ = chance(0.2);
    ConvexContact p;
    p.A = stored(definite(n));
    p.J = stored(filled(3 * nc, n));
    p.R = Vector(3 * nc);
    p.mu = Vector(nc);
    for (int c = 0; c < nc; ++c) {
      const double part =
          chance(0.5) ? 1.0 : count(3) / 3.0;  // of a power of two, and to divide by
      p.R[3 * c] = part * std::ldexp(1.0, -random_.index(12));
      p.R[3 * c + 1] = p.R[3 * c + 2] = part * std::ldexp(1.0, -random_.index(12));
      p.mu[c] = friction_coefficient();
    }
    p.bias = values(3 * nc);
    p.v_star = values(n);
    return p;
  }

  Random& random_;
  bool integer_ = false;
};

// A small member of a family of the kind; nothing if there is none.
std::optional<Problem> family_member(std::string_view kind, Random& random) {
  static const std::vector<const Family*> all = [] {
    std::vector<const Family*> list;
    for (const Family& f : families()) {
      if (f.members.empty() && f.min_size <= 8) list.push_back(&f);
    }
    return list;
  }();
  const Family& family = *all[static_cast<std::size_t>(random.index(static_cast<int>(all.size())))];
  const int size = family.min_size + random.index(4);
  try {
    Problem p = generate(family, size, 1 + random.bits() % 1000);
    if (p.kind() == kind && p.size() <= 60) return p;
  } catch (const std::invalid_argument&) {
    // a size between that the family does not have
  }
  return {};
}

}  // namespace

Problem random_problem(std::string_view kind, Random& random) {
  Generator generator(random);
  if (generator.chance(0.15)) {
    if (std::optional<Problem> p = family_member(kind, random)) return *std::move(p);
  }
  for (int attempt = 0;; ++attempt) {
    Problem p;
    p.data = generator.make(kind);
    p.name = "random";
    try {
      validate(p);
      return p;
    } catch (const std::invalid_argument&) {
      if (attempt == 100) throw;  // scaled out of range, or a mass that is not definite
    }
  }
}

}  // namespace perp::adversary
