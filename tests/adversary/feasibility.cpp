// Linear constraints in rational arithmetic.
#include "oracle.hpp"

#include <limits>
#include <vector>

namespace perp::adversary {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Is there x >= 0 with A x = b? The first phase of the simplex method, Bland's rule.
bool has_point(std::vector<std::vector<mpq_class>> a, std::vector<mpq_class> b) {
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
    if (enter == cols) return left == 0;
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
    if (leave == rows) return true;  // the sum has no lower bound but 0: cannot be
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
}

/// Rows sum of coefficients times unknowns (=, >=, <=) right, unknowns with bounds, as x >= 0.
class LinearConditions {
 public:
  explicit LinearConditions(int unknowns) : unknowns_(static_cast<std::size_t>(unknowns)) {}

  /// row x (sign 0: =, 1: >=, -1: <=) right
  void add(std::vector<mpq_class> row, mpq_class right, int sign) {
    rows_.push_back({std::move(row), std::move(right), sign});
  }
  void bound(int i, double value, int sign) {
    std::vector<mpq_class> row(unknowns_);
    row[static_cast<std::size_t>(i)] = 1;
    add(std::move(row), mpq_class(value), sign);
  }
  bool hold_somewhere() const {
    std::size_t slacks = 0;
    for (const Row& row : rows_) slacks += row.sign != 0;
    std::vector<std::vector<mpq_class>> a;
    std::vector<mpq_class> b;
    std::size_t slack = 0;
    for (const Row& row : rows_) {
      std::vector<mpq_class> x(2 * unknowns_ + slacks);  // x = p - m
      for (std::size_t j = 0; j < unknowns_; ++j) {
        x[2 * j] = row.coefficients[j];
        x[2 * j + 1] = -row.coefficients[j];
      }
      if (row.sign != 0) x[2 * unknowns_ + slack++] = -row.sign;
      a.push_back(std::move(x));
      b.push_back(row.right);
    }
    return has_point(std::move(a), std::move(b));
  }

 private:
  struct Row {
    std::vector<mpq_class> coefficients;
    mpq_class right;
    int sign;
  };
  std::size_t unknowns_;
  std::vector<Row> rows_;
};

std::vector<std::vector<mpq_class>> rational_rows(const Matrix& m) {
  std::vector<std::vector<mpq_class>> rows(
      static_cast<std::size_t>(m.rows()),
      std::vector<mpq_class>(static_cast<std::size_t>(m.cols())));
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

std::optional<bool> dual_feasible(const ProblemData& problem) {
  const auto* p = std::get_if<ConicQp>(&problem);
  if (p == nullptr || has_second_order(*p)) return {};
  const int n = p->size(), m = static_cast<int>(p->b.size());
  LinearConditions conditions(n + m);
  const auto quadratic = rational_rows(p->P), rows = rational_rows(p->A);
  for (int j = 0; j < n; ++j) {
    std::vector<mpq_class> row = quadratic[static_cast<std::size_t>(j)];
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
