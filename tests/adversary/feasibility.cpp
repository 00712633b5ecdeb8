// Linear constraints in rational arithmetic.
#include "oracle.hpp"

#include <perp/problems/matrix/infinity.hpp>
#include <vector>

namespace perp::adversary {

namespace {

using Rationals = std::vector<mpq_class>;

/// Some x >= 0 with A x = b; nothing if there is none. The first phase of the simplex method,
/// Bland's rule.
std::optional<Rationals> point_of(std::vector<Rationals> a, Rationals b) {
  const std::size_t rows = b.size(), cols = rows == 0 ? 0 : a[0].size();
  for (std::size_t i = 0; i < rows; ++i) {
    if (b[i] < 0) {
      b[i] = -b[i];
      for (mpq_class& x : a[i]) x = -x;
    }
  }
  // Artificial unknowns are the basis; they never come back.
  std::vector<std::size_t> basis(rows, cols);
  std::vector<mpq_class> price(cols);  // sum of the rows with artificial unknowns
  mpq_class left = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    left += b[i];
    for (std::size_t j = 0; j < cols; ++j) price[j] += a[i][j];
  }
  for (;;) {
    std::size_t enter = 0;
    while (enter < cols && price[enter] <= 0) ++enter;
    if (enter == cols) break;
    std::size_t leave = rows;
    mpq_class best;
    for (std::size_t i = 0; i < rows; ++i) {
      if (a[i][enter] <= 0) continue;
      const mpq_class ratio = b[i] / a[i][enter];
      if (leave == rows || ratio < best || (ratio == best && basis[i] < basis[leave])) {
        leave = i;
        best = ratio;
      }
    }
    if (leave == rows) break;  // the sum has no lower bound but 0: cannot be
    const mpq_class pivot = a[leave][enter];
    for (mpq_class& x : a[leave]) x /= pivot;
    b[leave] /= pivot;
    for (std::size_t i = 0; i < rows; ++i) {
      if (i == leave || a[i][enter] == 0) continue;
      const mpq_class factor = a[i][enter];
      for (std::size_t j = 0; j < cols; ++j) a[i][j] -= factor * a[leave][j];
      b[i] -= factor * b[leave];
    }
    const mpq_class factor = price[enter];
    for (std::size_t j = 0; j < cols; ++j) price[j] -= factor * a[leave][j];
    left -= factor * b[leave];
    basis[leave] = enter;
  }
  if (left != 0) return {};
  Rationals x(cols);
  for (std::size_t i = 0; i < rows; ++i) {
    if (basis[i] < cols) x[basis[i]] = b[i];
  }
  return x;
}

/// Rows sum of coefficients times unknowns (=, >=, <=) right, unknowns with bounds, as x >= 0.
class LinearConditions {
 public:
  explicit LinearConditions(int unknowns) : unknowns_(static_cast<std::size_t>(unknowns)) {}

  /// row x (sign 0: =, 1: >=, -1: <=) right
  void add(Rationals row, mpq_class right, int sign) {
    rows_.push_back({std::move(row), std::move(right), sign});
  }
  void bound(int i, double value, int sign) {
    Rationals row(unknowns_);
    row[static_cast<std::size_t>(i)] = 1;
    add(std::move(row), mpq_class(value), sign);
  }
  bool hold_somewhere() const { return point().has_value(); }

  /// Some point at which all hold.
  std::optional<Rationals> point() const {
    std::size_t slacks = 0;
    for (const Row& row : rows_) slacks += row.sign != 0;
    std::vector<Rationals> a;
    Rationals b;
    std::size_t slack = 0;
    for (const Row& row : rows_) {
      Rationals x(2 * unknowns_ + slacks);  // x = p - m
      for (std::size_t j = 0; j < unknowns_; ++j) {
        x[2 * j] = row.coefficients[j];
        x[2 * j + 1] = -row.coefficients[j];
      }
      if (row.sign != 0) x[2 * unknowns_ + slack++] = -row.sign;
      a.push_back(std::move(x));
      b.push_back(row.right);
    }
    const std::optional<Rationals> halves = point_of(std::move(a), std::move(b));
    if (!halves) return {};
    Rationals x(unknowns_);
    for (std::size_t j = 0; j < unknowns_; ++j) x[j] = (*halves)[2 * j] - (*halves)[2 * j + 1];
    return x;
  }

 private:
  struct Row {
    Rationals coefficients;
    mpq_class right;
    int sign;
  };
  std::size_t unknowns_;
  std::vector<Row> rows_;
};

std::vector<Rationals> rational_rows(const Matrix& m) {
  std::vector<Rationals> rows(static_cast<std::size_t>(m.rows()),
                              Rationals(static_cast<std::size_t>(m.cols())));
  for (int col = 0; col < m.cols(); ++col) {
    m.for_column(col, [&](int row, double value) {
      rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(col)] += mpq_class(value);
    });
  }
  return rows;
}

bool feasible_box(const Matrix& m, const Vector& q, const Vector& lower, const Vector& upper) {
  const int n = static_cast<int>(q.size());
  LinearConditions conditions(n);
  const auto rows = rational_rows(m);
  for (int i = 0; i < n; ++i) {
    const bool low = lower[i] > -kInfinity, high = upper[i] < kInfinity;
    if (low) conditions.bound(i, lower[i], 1);
    if (high) conditions.bound(i, upper[i], -1);
    if (low && high) continue;  // F_i may have any sign
    conditions.add(rows[static_cast<std::size_t>(i)], -mpq_class(q[i]), low ? 1 : high ? -1 : 0);
  }
  return conditions.hold_somewhere();
}

// Impulses with |r_t|_1 <= mu r_n are in the cones. If none of them makes all u_n >= 0, others may.
std::optional<bool> feasible_friction(const FrictionContact& p) {
  const int n = p.size(), d = p.dimension, m = p.is_operator() ? p.J.cols() : 0;
  LinearConditions conditions(n + m);  // r, and v with M v = J'r
  const auto zero = Rationals(static_cast<std::size_t>(n + m));
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  const auto j = rational_rows(p.is_operator() ? p.J : p.W), mass = rational_rows(p.M);
  for (int k = 0; k < m; ++k) {
    Rationals row = zero;
    for (int l = 0; l < m; ++l) row[at(n + l)] = mass[at(k)][at(l)];
    for (int i = 0; i < n; ++i) row[at(i)] = -j[at(i)][at(k)];
    conditions.add(std::move(row), 0, 0);
  }
  for (int i = 0; i < n; i += d) {
    Rationals u = zero;
    for (std::size_t k = 0; k < j[at(i)].size(); ++k)
      u[p.is_operator() ? at(n) + k : k] = j[at(i)][k];
    if (p.compliance.size() > 0) u[at(i)] += mpq_class(p.compliance[i]);
    conditions.add(std::move(u), -mpq_class(p.q[i]), 1);
    for (int signs = 0; signs < (1 << (d - 1)); ++signs) {
      Rationals row = zero;
      row[at(i)] = mpq_class(p.mu[i / d]);
      for (int k = 1; k < d; ++k) row[at(i + k)] = (signs >> (k - 1)) & 1 ? -1 : 1;
      conditions.add(std::move(row), 0, 1);
    }
    conditions.bound(i, 0.0, 1);
  }
  return conditions.hold_somewhere() ? std::optional<bool>(true) : std::nullopt;
}

// Complementary bases one after the other, each a set of linear conditions.
class Bases {
 public:
  explicit Bases(const Mlcp& problem)
      : p_(problem), rows_(rational_rows(problem.M)), place_(rows_.size()) {}

  std::optional<Vector> solution() { return choose(0); }

 private:
  enum class Place { kLower, kUpper, kBetween };

  std::optional<Vector> choose(std::size_t i) {
    if (i == rows_.size()) return examine();
    for (const Place place : {Place::kLower, Place::kUpper, Place::kBetween}) {
      const auto row = static_cast<Eigen::Index>(i);
      if (place == Place::kLower && p_.lower[row] == -kInfinity) continue;
      if (place == Place::kUpper && p_.upper[row] == kInfinity) continue;
      place_[i] = place;
      if (std::optional<Vector> found = choose(i + 1)) return found;
    }
    return {};
  }

  std::optional<Vector> examine() const {
    const int n = p_.size();
    LinearConditions conditions(n);
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const Place place = place_[k];
      if (place == Place::kBetween) {
        if (p_.lower[i] > -kInfinity) conditions.bound(i, p_.lower[i], 1);
        if (p_.upper[i] < kInfinity) conditions.bound(i, p_.upper[i], -1);
      } else {
        conditions.bound(i, place == Place::kLower ? p_.lower[i] : p_.upper[i], 0);
      }
      const int sign = place == Place::kBetween ? 0 : place == Place::kLower ? 1 : -1;
      conditions.add(rows_[k], -mpq_class(p_.q[i]), sign);
    }
    const std::optional<Rationals> point = conditions.point();
    if (!point) return {};
    Vector z(n);
    for (int i = 0; i < n; ++i) z[i] = (*point)[static_cast<std::size_t>(i)].get_d();
    return z;
  }

  const Mlcp& p_;
  std::vector<Rationals> rows_;
  std::vector<Place> place_;
};

bool has_second_order(const ConicQp& p) {
  for (const Cone& cone : p.cones) {
    if (cone.type == ConeType::kSecondOrder && cone.size > 1) return true;
  }
  return false;
}

}  // namespace

std::optional<bool> feasible(const ProblemData& problem) {
  if (const auto* lcp = std::get_if<Lcp>(&problem)) {
    const auto n = lcp->q.size();
    return feasible_box(lcp->M, lcp->q, Vector::Zero(n), Vector::Constant(n, kInfinity));
  }
  if (const auto* mlcp = std::get_if<Mlcp>(&problem))
    return feasible_box(mlcp->M, mlcp->q, mlcp->lower, mlcp->upper);
  if (const auto* friction = std::get_if<FrictionContact>(&problem))
    return feasible_friction(*friction);
  const auto* p = std::get_if<ConicQp>(&problem);
  if (p == nullptr || has_second_order(*p)) return {};
  LinearConditions conditions(p->size());
  const auto rows = rational_rows(p->A);
  int at = 0;
  for (const Cone& cone : p->cones) {
    for (int i = at; i < at + cone.size; ++i)
      conditions.add(rows[static_cast<std::size_t>(i)], mpq_class(p->b[i]),
                     cone.type == ConeType::kZero ? 0 : -1);
    at += cone.size;
  }
  return conditions.hold_somewhere();
}

std::optional<Vector> some_solution(const Mlcp& problem) { return Bases(problem).solution(); }

std::optional<bool> dual_feasible(const ProblemData& problem) {
  const auto* p = std::get_if<ConicQp>(&problem);
  if (p == nullptr || has_second_order(*p)) return {};
  const int n = p->size(), m = static_cast<int>(p->b.size());
  LinearConditions conditions(n + m);
  const auto quadratic = rational_rows(p->P), rows = rational_rows(p->A);
  for (int j = 0; j < n; ++j) {
    Rationals row = quadratic[static_cast<std::size_t>(j)];
    for (int i = 0; i < m; ++i)
      row.push_back(rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
    conditions.add(std::move(row), -mpq_class(p->c[j]), 0);
  }
  int at = 0;
  for (const Cone& cone : p->cones) {
    for (int i = at; i < at + cone.size; ++i) {
      if (cone.type != ConeType::kZero) conditions.bound(n + i, 0.0, 1);
    }
    at += cone.size;
  }
  return conditions.hold_somewhere();
}

}  // namespace perp::adversary
