#include <perp/problems/standard/clear_miss.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/residuals.hpp>

namespace perp {

namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();
constexpr double kUnderflow = 1e-300;  // more than the products of a row can lose below the range
constexpr double kMargin = 2.0;        // for the rounding of the verifier's own measure
constexpr double kSurelyVanishing = 2e-14;  // FrictionMeasure is absolute for ||q|| up to half

// a + sign M x in doubles, row by row, and what it may be wrong by.
class BoundedSum {
 public:
  void set(const Vector& a) {
    value_ = a;
    size_ = a.cwiseAbs();
    terms_ = 1;
  }
  void add_product(const Matrix& m, const Vector& x, double sign = 1.0) {
    terms_ += m.cols();
    for (int col = 0; col < m.cols(); ++col) {
      if (x[col] == 0.0) continue;
      const double factor = sign * x[col];
      m.for_column(col, [&](int row, double entry) { add(row, entry * factor); });
    }
  }
  void add_scaled(const Vector& diagonal, const Vector& x) {
    terms_ += 1;
    for (int i = 0; i < x.size(); ++i) add(i, diagonal[i] * x[i]);
  }
  double value(int row) const { return value_[row]; }
  // A sum of n numbers, each of them rounded, is wrong by less than n + 1 units of its size. Twice
  // that leaves room for the rounding of the size.
  double error(int row) const { return 2.0 * (terms_ + 1) * kUnit * size_[row] + kUnderflow; }

 private:
  void add(int row, double product) {
    value_[row] += product;
    size_[row] += std::abs(product);
  }

  Vector value_, size_;
  double terms_ = 0;
};

// mid(z - l, z - u, F) grows with each of the three, so two evaluations enclose it.
bool box_row_misses(double z, double lower, double upper, double f, double error, double least) {
  if (!std::isfinite(f) || !std::isfinite(error)) return false;
  const double a = z - lower, b = z - upper;
  const double da = std::isinf(a) ? 0.0 : kUnit * std::abs(a);
  const double db = std::isinf(b) ? 0.0 : kUnit * std::abs(b);
  return mid(a - da, b - db, f - error) > least || mid(a + da, b + db, f + error) < -least;
}

template <class Bounds>
bool box_misses(const Matrix& m, const Vector& q, const Vector& z, double tolerance,
                const Bounds& bounds) {
  static thread_local BoundedSum f;
  f.set(q);
  f.add_product(m, z);
  for (int i = 0; i < z.size(); ++i) {
    const auto [lower, upper] = bounds(i);
    if (box_row_misses(z[i], lower, upper, f.value(i), f.error(i), kMargin * tolerance))
      return true;
  }
  return false;
}

}  // namespace

bool clearly_misses(const Lcp& p, const Vector& z, double tolerance) {
  return box_misses(p.M, p.q, z, tolerance, [](int) { return std::pair(0.0, kInfinity); });
}

bool clearly_misses(const Mlcp& p, const Vector& z, double tolerance) {
  return box_misses(p.M, p.q, z, tolerance,
                    [&](int i) { return std::pair(p.lower[i], p.upper[i]); });
}

bool clearly_misses(const BoxQp& p, const Vector& z, double tolerance) {
  return box_misses(p.H, p.c, z, tolerance,
                    [&](int i) { return std::pair(p.lower[i], p.upper[i]); });
}

// A contact's error is at least |min(r_n, u_n)|, and no part is judged relative to more than ||q||.
bool clearly_misses(const FrictionContact& p, const Vector& r, double tolerance) {
  static thread_local BoundedSum u;
  const bool zero = r.isZero(0.0);
  if (p.is_operator() && !zero) return false;
  u.set(p.q);
  if (!zero) {
    u.add_product(p.W, r);
    if (p.compliance.size() > 0) u.add_scaled(p.compliance, r);
  }
  const double norm = p.q.norm();
  const double scale = norm <= kSurelyVanishing ? 1.0 : norm;
  for (int i = 0; i < p.size(); i += p.dimension) {
    if (std::abs(std::min(r[i], u.value(i))) - u.error(i) > kMargin * tolerance * scale)
      return true;
  }
  return false;
}

bool clearly_misses(const ConicQp& p, const Vector& x, double tolerance) {
  static thread_local BoundedSum sum;
  const double least = kMargin * tolerance;
  sum.set(p.c);
  sum.add_product(p.P, x);
  for (int j = 0; j < x.size(); ++j)
    if (std::abs(sum.value(j)) - sum.error(j) > least) return true;
  sum.set(p.b);
  sum.add_product(p.A, x, -1.0);
  int row = 0;
  for (const Cone& cone : p.cones) {
    // A point (t, x) with t < 0 is at least |t| from the second-order cone.
    const int rows = cone.type == ConeType::kSecondOrder ? 1 : cone.size;
    for (int i = row; i < row + rows; ++i) {
      const double s = sum.value(i), wrong = cone.type == ConeType::kZero ? std::abs(s) : -s;
      if (wrong - sum.error(i) > least) return true;
    }
    row += cone.size;
  }
  return false;
}

}  // namespace perp
