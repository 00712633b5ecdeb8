#include <perp/problems/standard/exact_conditions.hpp>

#include <gmpxx.h>
#include <Eigen/LU>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <perp/problems/matrix/sparse_copies.hpp>
#include <perp/problems/standard/exact_linear_system.hpp>
#include <perp/problems/standard/extended.hpp>

namespace perp {

namespace {

// Products of integers in a repair: some hundredths of a second at first, then some tenths.
constexpr double kLittleWork = 1e7, kMostWork = 1e8;
// A point with no neighbours but its multiples does not depend on the digits of v. Its numbers may
// be as short as those of the problem, so these steps are tried whatever Hadamard's bound says.
constexpr double kMostWorkForRay = 5e8;
constexpr int kStepsForRay = 18;
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
    const double integer = std::ldexp(std::frexp(std::abs(value), &exponent), 53);
    least_ =
        std::min(least_, exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(integer)));
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

// The equations for v' times a positive factor, in integers: a x = right for the pivots, the other
// components as they are.
struct IntegerEquations {
  std::vector<int> pivots;  // components
  std::vector<Integers> a;
  Integers right, others;
  bool ray = false;  // there is no solution but its multiples

  explicit IntegerEquations(const Equations& q)
      : pivots(q.columns.begin(), q.columns.begin() + q.rank),
        a(static_cast<std::size_t>(q.rank), Integers(static_cast<std::size_t>(q.rank))),
        right(static_cast<std::size_t>(q.rank), 0),
        others(static_cast<std::size_t>(q.v.size()), 0),
        ray(q.e.cols() == q.rank + 1) {
    const Scaled scale({{q.v.data(), q.v.size()}});
    const Scaled entry({{q.e.data(), q.e.size()}});
    for (const int j : q.columns) others[j] = scale(q.v[j]);
    for (int i = 0; i < q.rank; ++i) {
      for (int j = 0; j < q.e.cols(); ++j) {
        if (j < q.rank)
          a[i][j] = entry(q.e(i, j));
        else
          right[i] -= entry(q.e(i, j)) * others[q.columns[j]];
      }
    }
  }

  std::optional<Integers> solution(double most_work, int most_steps) const {
    const auto x = solve_exactly(a, right, most_work, most_steps);
    if (!x) return {};
    Integers result = others;
    for (mpz_class& value : result) value *= x->denominator;
    for (std::size_t j = 0; j < pivots.size(); ++j) result[pivots[j]] = x->numerators[j];
    return result;
  }
};

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

// Points next to v at which some rows are exactly zero.
class Neighbours {
 public:
  Neighbours(const ConeConditions& conditions, const ExactTest& test, const Vector& v)
      : conditions_(conditions), test_(test), v_(v) {}

  // Whether a point at which the tight rows are zero is found to satisfy the conditions.
  bool hold(const std::vector<char>& tight) {
    if (std::find(tried_.begin(), tried_.end(), tight) != tried_.end()) return false;
    tried_.push_back(tight);
    Equations q = equations(conditions_, tight, v_);
    if (!q.rows.empty() && !order(conditions_, q)) return false;
    const Extended radius = distance(q);
    if (radius < kWide && hold_around(conditions_, tight, q, radius)) return true;
    IntegerEquations exact(q);
    if (exact_work(exact.a, exact.right) <= kLittleWork) return repaired(exact, kLittleWork);
    if (exact.ray) return repaired(exact, kMostWorkForRay, kStepsForRay);
    left_.push_back(std::move(exact));
    return false;
  }
  // The same for the rows tried so far that ask for more work.
  bool hold_at_last() const {
    return std::any_of(left_.begin(), left_.end(),
                       [&](const IntegerEquations& q) { return repaired(q, kMostWork); });
  }

 private:
  bool repaired(const IntegerEquations& equations, double most_work,
                int most_steps = std::numeric_limits<int>::max()) const {
    const auto point = equations.solution(most_work, most_steps);
    return point && test_.holds(*point);
  }

  const ConeConditions& conditions_;
  const ExactTest& test_;
  const Vector& v_;
  std::vector<std::vector<char>> tried_;
  std::vector<IntegerEquations> left_;
};

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

// Whether rows that must be zero are surely not, so that the exact test is not needed.
bool surely_fail(const ConeConditions& c, const AffineSum& g) {
  int offset = 0;
  for (const Cone& cone : c.cones) {
    for (int i = offset; i < offset + cone.size && cone.type == ConeType::kZero; ++i)
      if (std::abs(g.values[i]) > 2 * hidden_in(g, i)) return true;
    offset += cone.size;
  }
  return false;
}

bool find_proof(const ConeConditions& conditions, const Vector& v) {
  const ExactTest test(conditions);
  const Matrix rows = conditions.rows;
  AffineSum g = sum_of({AffineTerm::product(rows, v)}, rows.rows());
  if (!surely_fail(conditions, g)) {
    const Scaled scale({{v.data(), v.size()}});
    Integers given(static_cast<std::size_t>(v.size()));
    for (int j = 0; j < v.size(); ++j) given[j] = scale(v[j]);
    if (test.holds(given)) return true;
  }
  const double largest = v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0;
  const ExtendedVector whole =
      rows.multiply_abs(Vector::Constant(v.size(), largest)).cast<Extended>();
  Neighbours neighbours(conditions, test, v);
  // Rows are compared first with the sizes that are summed in them, then with those of the largest
  // entry of v. The second comparison treats tiny entries of v as zero, too.
  for (const bool beside_largest : {false, true}) {
    if (beside_largest) g.sizes = whole;
    for (const double nearly : kNearlyZero)
      if (neighbours.hold(tight_rows(conditions, g, nearly))) return true;
  }
  return neighbours.hold_at_last();
}

}  // namespace

namespace {

// Asked the same question, to the bit, hold_exactly() gives the same answer.
struct LastProof {
  ConeConditions conditions;
  Vector point;
};
thread_local LastProof last_proof;

}  // namespace

bool hold_exactly(const ConeConditions& conditions, const Vector& v) {
  if (!v.allFinite()) return false;
  const bool known = last_proof.point.size() > 0 && same_bits(v, last_proof.point) &&
                     same_conditions(conditions, last_proof.conditions);
  if (known) return true;
  if (!find_proof(conditions, v)) return false;
  last_proof = {conditions, v};
  return true;
}

void forget_proof() { last_proof.point.resize(0); }

}  // namespace perp
