#include <perp/problems/standard/exact_conditions.hpp>

#include <gmpxx.h>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <perp/problems/matrix/sparse_copies.hpp>
#include <perp/problems/standard/exact_linear_system.hpp>
#include <perp/problems/standard/extended.hpp>

namespace perp {

namespace {

constexpr double kMostWork = 1e7;      // products of integers in a repair: some tenths of a second
constexpr Extended kWide = 1e100L;     // bounds on distances from here on are useless
constexpr double kLargestDense = 1e6;  // most entries of the matrix whose rank is found in a repair
constexpr double kRankTolerance = 1e-11;
// A row counts as nearly zero below this part of the sizes that are summed in it. All are tried.
constexpr double kNearlyZero[] = {1e-13, 1e-10, 1e-7};

// Doubles as integers over one common power of two.
class Scaled {
 public:
  explicit Scaled(std::initializer_list<std::pair<const double*, long>> arrays) {
    for (const auto& [values, count] : arrays)
      for (long i = 0; i < count; ++i) include(values[i]);
  }
  mpz_class operator()(double value) const {
    if (value == 0) return 0;
    int exponent = 0;
    mpz_class integer = std::ldexp(std::frexp(value, &exponent), 53);
    const int shift = exponent - 53 - least_;
    if (shift >= 0) return mpz_class(integer << static_cast<mp_bitcnt_t>(shift));
    mpz_class quotient;  // the low bits are zero
    mpz_tdiv_q_2exp(quotient.get_mpz_t(), integer.get_mpz_t(), static_cast<mp_bitcnt_t>(-shift));
    return quotient;
  }

 private:
  // The exponent of the last bit that is set.
  void include(double value) {
    if (value == 0) return;
    int exponent = 0;
    auto integer = static_cast<long long>(std::ldexp(std::frexp(value, &exponent), 53));
    int last = exponent - 53;
    for (; integer % 2 == 0; integer /= 2) ++last;
    least_ = std::min(least_, last);
  }
  int least_ = 0;
};

using Integers = std::vector<mpz_class>;

// The exact test, with the rows, c and the ends of the intervals as integers.
class ExactTest {
 public:
  explicit ExactTest(const ConeConditions& conditions)
      : conditions_(conditions),
        row_scale_({{conditions.rows.valuePtr(), conditions.rows.nonZeros()}}),
        value_scale_({{conditions.objective.data(), conditions.objective.size()},
                      {conditions.low.data(), conditions.low.size()},
                      {conditions.high.data(), conditions.high.size()}}),
        unit_(row_scale_(1.0)) {}

  bool holds(const Integers& v) const {
    const Integers g = multiply(v);
    int offset = 0;
    for (const Cone& cone : conditions_.cones) {
      if (!contains(cone, g, offset)) return false;
      offset += cone.size;
    }
    return objective(v, g) < 0;
  }

 private:
  Integers multiply(const Integers& v) const {
    Integers g(static_cast<std::size_t>(conditions_.rows.rows()), 0);
    for (int j = 0; j < conditions_.rows.cols(); ++j) {
      if (v[j] == 0) continue;
      for (SparseMatrix::InnerIterator it(conditions_.rows, j); it; ++it)
        g[it.row()] += row_scale_(it.value()) * v[j];
    }
    return g;
  }

  static bool contains(const Cone& cone, const Integers& g, int offset) {
    if (cone.type == ConeType::kSecondOrder) {
      mpz_class squares = 0;
      for (int i = offset + 1; i < offset + cone.size; ++i) squares += g[i] * g[i];
      return g[offset] >= 0 && g[offset] * g[offset] >= squares;
    }
    const bool zero = cone.type == ConeType::kZero;
    for (int i = offset; i < offset + cone.size; ++i)
      if (zero ? g[i] != 0 : g[i] < 0) return false;
    return true;
  }

  // The sum times the scales of both kinds of numbers, which are positive.
  mpz_class objective(const Integers& v, const Integers& g) const {
    mpz_class sum = 0;
    for (int j = 0; j < conditions_.objective.size(); ++j)
      sum += value_scale_(conditions_.objective[j]) * unit_ * v[j];
    for (int k = 0; k < conditions_.low.size(); ++k) {
      const mpz_class& value = g[static_cast<std::size_t>(conditions_.conic_rows + k)];
      sum += value * value_scale_(value > 0 ? conditions_.high[k] : conditions_.low[k]);
    }
    return sum;
  }

  const ConeConditions& conditions_;
  Scaled row_scale_, value_scale_;
  mpz_class unit_;
};

// The conic rows that must be exactly zero: those of zero cones, and those that are nearly zero.
std::vector<char> tight_rows(const ConeConditions& c, const AffineSum& g, double nearly) {
  std::vector<char> tight(static_cast<std::size_t>(c.conic_rows), 0);
  const auto small = [&](int i) { return std::abs(g.values[i]) <= nearly * g.sizes[i]; };
  int offset = 0;
  for (const Cone& cone : c.cones) {
    const int end = offset + cone.size;
    bool whole = cone.type == ConeType::kSecondOrder;
    for (int i = offset; i < end; ++i) whole &= small(i);
    for (int i = offset; i < end; ++i) {
      const bool linear = cone.type == ConeType::kNonnegative && (small(i) || g.values[i] < 0);
      tight[i] = cone.type == ConeType::kZero || whole || linear;
    }
    offset = end;
  }
  return tight;
}

// The tight rows E as equations E v' = 0, ordered by the sizes of pivots: the components v'_P
// follow from the others.
struct Equations {
  Vector v;                        // with components that must be zero set to zero
  std::vector<int> rows, columns;  // of the conditions; the first `rank` are the pivots
  DenseMatrix e;                   // rows by columns, in this order
  int rank = 0;
};

// A row with one entry left fixes its unknown at zero, after which other rows may have one left.
Equations equations(const ConeConditions& c, const std::vector<char>& tight, const Vector& v) {
  Equations result;
  result.v = v;
  std::vector<int> count, last;
  for (bool changed = true; changed;) {
    changed = false;
    count.assign(tight.size(), 0);
    last.assign(tight.size(), -1);
    for (int j = 0; j < c.rows.cols(); ++j) {
      if (result.v[j] == 0) continue;
      for (SparseMatrix::InnerIterator it(c.rows, j); it; ++it) {
        if (it.row() >= c.conic_rows || !tight[it.row()] || it.value() == 0) continue;
        ++count[it.row()];
        last[it.row()] = j;
      }
    }
    for (std::size_t i = 0; i < tight.size(); ++i) {
      if (count[i] != 1 || result.v[last[i]] == 0) continue;
      result.v[last[i]] = 0;
      changed = true;
    }
  }
  for (std::size_t i = 0; i < tight.size(); ++i)
    if (count[i] > 1) result.rows.push_back(static_cast<int>(i));
  for (int j = 0; j < c.rows.cols(); ++j)
    if (result.v[j] != 0) result.columns.push_back(j);
  return result;
}

// Orders rows and columns by complete pivoting. False if there are too many.
bool order(const ConeConditions& c, Equations& q) {
  const auto k = static_cast<int>(q.rows.size()), s = static_cast<int>(q.columns.size());
  if (s == 0 || double(k) * s > kLargestDense) return false;
  std::vector<int> place(static_cast<std::size_t>(c.rows.rows()), -1);
  for (int i = 0; i < k; ++i) place[q.rows[i]] = i;
  DenseMatrix e = DenseMatrix::Zero(k, s);
  for (int j = 0; j < s; ++j) {
    for (SparseMatrix::InnerIterator it(c.rows, q.columns[j]); it; ++it)
      if (place[it.row()] >= 0) e(place[it.row()], j) = it.value();
  }
  for (int i = 0; i < k; ++i)  // powers of two: exact
    e.row(i) *= std::ldexp(1.0, -std::ilogb(e.row(i).cwiseAbs().maxCoeff()));
  Eigen::FullPivLU<DenseMatrix> lu(e);
  lu.setThreshold(kRankTolerance);
  q.rank = static_cast<int>(lu.rank());
  q.e = lu.permutationP() * e * lu.permutationQ();
  std::vector<int> rows = q.rows, columns = q.columns;
  for (int i = 0; i < k; ++i) q.rows[lu.permutationP().indices()[i]] = rows[i];
  for (int j = 0; j < s; ++j) q.columns[j] = columns[lu.permutationQ().indices()[j]];
  return true;
}

// v' times a positive factor, as integers, if the equations can be solved at reasonable cost.
std::optional<Integers> solve(const Equations& q) {
  const auto rank = static_cast<std::size_t>(q.rank);
  const Scaled scale({{q.v.data(), q.v.size()}});
  const Scaled entry({{q.e.data(), q.e.size()}});
  Integers result(static_cast<std::size_t>(q.v.size()), 0), right(rank, 0);
  for (const int j : q.columns) result[j] = scale(q.v[j]);
  std::vector<Integers> a(rank, Integers(rank));
  for (int i = 0; i < q.rank; ++i) {
    for (int j = 0; j < q.e.cols(); ++j) {
      if (j < q.rank)
        a[i][j] = entry(q.e(i, j));
      else
        right[i] -= entry(q.e(i, j)) * result[q.columns[j]];
    }
  }
  const auto x = solve_exactly(a, right, kMostWork);
  if (!x) return {};
  for (mpz_class& value : result) value *= x->denominator;
  for (std::size_t j = 0; j < rank; ++j) result[q.columns[j]] = x->numerators[j];
  return result;
}

// A bound on ||v'_P - v_P|| in the largest entry for equations of full rank, which includes all
// rounding errors. With C near E_P^-1 and kappa = ||I - C E_P|| < 1 it is ||C E v|| / (1 - kappa)
// [Rump2010, Sec. 10]. Infinite if no bound was found.
Extended distance(const Equations& q) {
  const int n = q.rank;
  const Extended infinity = std::numeric_limits<Extended>::infinity();
  if (n < q.e.rows()) return infinity;
  if (n == 0) return 0;
  const DenseMatrix square = q.e.leftCols(n), inverse = square.partialPivLu().inverse();
  if (!inverse.allFinite()) return infinity;
  const DenseMatrix defect = DenseMatrix::Identity(n, n) - inverse * square;
  const double unit = (n + 4) * std::numeric_limits<double>::epsilon();  // twice the rounding
  const Vector size = inverse.cwiseAbs() * square.cwiseAbs().rowwise().sum();
  const double kappa =
      (defect.cwiseAbs().rowwise().sum() + unit * (size + Vector::Ones(n))).maxCoeff() * (1 + unit);
  if (!(kappa < 0.5)) return infinity;
  Vector v(q.e.cols());
  for (int j = 0; j < v.size(); ++j) v[j] = q.v[q.columns[j]];
  const Matrix e = q.e;
  const AffineSum exact = sum_of({AffineTerm::product(e, v)}, n);
  ExtendedVector residual(n);
  for (int i = 0; i < n; ++i)
    residual[i] = std::abs(exact.values[i]) * (1 + unit) + hidden_in(exact, i);
  const ExtendedVector moved = inverse.cwiseAbs().cast<Extended>() * residual;
  return moved.maxCoeff() * (1 + unit) / (1 - kappa) + std::numeric_limits<double>::denorm_min();
}

// Whether every point that differs from q.v by no more than `radius` in the pivots, with the tight
// rows zero, satisfies the conditions.
bool hold_around(const ConeConditions& c, const std::vector<char>& tight, const Equations& q,
                 Extended radius) {
  Vector moves = Vector::Zero(q.v.size());
  for (int j = 0; j < q.rank; ++j) moves[q.columns[j]] = 1;
  const Matrix rows = c.rows;
  const auto m = rows.rows();
  const AffineSum g = sum_of({AffineTerm::product(rows, q.v)}, m);
  // For the rounding of sums of doubles: twice as much for each term, and for a root.
  const Extended slack = 1 + Extended(q.v.size() + 8) * std::numeric_limits<double>::epsilon();
  ExtendedVector off = rows.multiply_abs(moves).cast<Extended>() * (radius * slack);
  for (int i = 0; i < m; ++i) off[i] += std::abs(g.values[i]) * 1e-18L + hidden_in(g, i);
  int offset = 0;
  for (const Cone& cone : c.cones) {
    Extended squares = 0;
    for (int i = offset + 1; i < offset + cone.size; ++i) {
      const Extended largest = std::abs(g.values[i]) + off[i];
      squares += largest * largest;
    }
    if (cone.type == ConeType::kSecondOrder && !tight[offset] &&
        g.values[offset] - off[offset] < std::sqrt(squares) * slack)
      return false;
    for (int i = offset; i < offset + cone.size && cone.type == ConeType::kNonnegative; ++i)
      if (!tight[i] && g.values[i] < off[i]) return false;
    offset += cone.size;
  }
  const Matrix objective = DenseMatrix(c.objective.transpose());
  const AffineSum level = sum_of({AffineTerm::product(objective, q.v)}, 1);
  Extended sum = level.values[0] + hidden_in(level, 0), size = std::abs(sum);
  sum += c.objective.cwiseAbs().dot(moves) * radius * slack;
  for (int k = 0; k < c.low.size(); ++k) {
    const auto support = [&](Extended value) { return value * (value > 0 ? c.high[k] : c.low[k]); };
    const int i = c.conic_rows + k;
    const Extended largest = std::max(support(g.values[i] - off[i]), support(g.values[i] + off[i]));
    sum += largest;
    size += std::abs(largest);
  }
  return sum + 1e-15L * size < 0;
}

}  // namespace

namespace {

// Whether a point next to v, at which the tight rows are zero, satisfies the conditions.
bool holds_nearby(const ConeConditions& conditions, const ExactTest& test,
                  const std::vector<char>& tight, const Vector& v) {
  Equations q = equations(conditions, tight, v);
  if (!q.rows.empty() && !order(conditions, q)) return false;
  const Extended radius = distance(q);
  if (radius < kWide && hold_around(conditions, tight, q, radius)) return true;
  const auto repaired = solve(q);
  return repaired && test.holds(*repaired);
}

}  // namespace

namespace {

bool same_conditions(const ConeConditions& a, const ConeConditions& b) {
  return same_pattern(a.rows, b.rows) &&
         same_bits(a.rows.valuePtr(), b.rows.valuePtr(), a.rows.nonZeros()) &&
         a.conic_rows == b.conic_rows &&
         std::equal(
             a.cones.begin(), a.cones.end(), b.cones.begin(), b.cones.end(),
             [](const Cone& x, const Cone& y) { return x.type == y.type && x.size == y.size; }) &&
         same_bits(a.objective, b.objective) && same_bits(a.low, b.low) &&
         same_bits(a.high, b.high);
}

bool find_proof(const ConeConditions& conditions, const Vector& v) {
  const ExactTest test(conditions);
  const Scaled scale({{v.data(), v.size()}});
  Integers given(static_cast<std::size_t>(v.size()));
  for (int j = 0; j < v.size(); ++j) given[j] = scale(v[j]);
  if (test.holds(given)) return true;
  const Matrix rows = conditions.rows;
  AffineSum g = sum_of({AffineTerm::product(rows, v)}, rows.rows());
  const double largest = v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0;
  const ExtendedVector whole =
      rows.multiply_abs(Vector::Constant(v.size(), largest)).cast<Extended>();
  std::vector<std::vector<char>> tried;
  // Rows are compared first with the sizes that are summed in them, then with those of the largest
  // entry of v. The second comparison treats tiny entries of v as zero, too.
  for (const bool beside_largest : {false, true}) {
    if (beside_largest) g.sizes = whole;
    for (const double nearly : kNearlyZero) {
      const std::vector<char> tight = tight_rows(conditions, g, nearly);
      if (std::find(tried.begin(), tried.end(), tight) != tried.end()) continue;
      if (holds_nearby(conditions, test, tight, v)) return true;
      tried.push_back(tight);
    }
  }
  return false;
}

}  // namespace

// A method asks before it claims, the verifier asks again. To the same question, to the bit, the
// answer is the same, so the last proof on this thread is remembered.
bool hold_exactly(const ConeConditions& conditions, const Vector& v) {
  if (!v.allFinite()) return false;
  static thread_local ConeConditions proven;
  static thread_local Vector by;
  if (by.size() > 0 && same_bits(v, by) && same_conditions(conditions, proven)) return true;
  if (!find_proof(conditions, v)) return false;
  proven = conditions;
  by = v;
  return true;
}

}  // namespace perp
