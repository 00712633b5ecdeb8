#include <perp/problems/standard/extended.hpp>

#include <cmath>
#include <limits>
#include <perp/problems/standard/row_sums.hpp>
#include <vector>

namespace perp {

namespace {

constexpr Extended kUnitRoundoff = std::numeric_limits<Extended>::epsilon() / 2;
constexpr Extended kSplitter = 0x1p32L + 1;  // halves of 32 bits
constexpr Extended kDoubtful = 0x1p-60L;     // relative error at which a row is summed exactly
constexpr Extended kNegligible = 1e-30L;     // no tolerance asks for less

struct Pair {
  Extended value, error;
};

// value + error = a + b [Knuth1998, Sec. 4.2.2].
Pair two_sum(Extended a, Extended b) {
  const Extended sum = a + b, virtual_b = sum - a;
  return {sum, (a - (sum - virtual_b)) + (b - virtual_b)};
}

// value + error = a b [Dekker1971].
Pair two_product(Extended a, Extended b) {
  const auto split = [](Extended x) {
    const Extended c = kSplitter * x, high = c - (c - x);
    return Pair{high, x - high};
  };
  const Extended product = a * b;
  const Pair x = split(a), y = split(b);
  const Extended error =
      ((x.value * y.value - product) + x.value * y.error + x.error * y.value) + x.error * y.error;
  return {product, error};
}

// A sum of products as if in twice the precision [OgitaRumpOishi2005, Alg. 5.3].
struct CompensatedSum {
  Extended sum = 0, error = 0, size = 0;
  int count = 0;

  void add(Extended a, Extended b) {
    const Pair product = two_product(a, b), total = two_sum(sum, product.value);
    sum = total.value;
    error += product.error + total.error;
    size += std::abs(product.value);
    ++count;
  }
  Extended value() const { return sum + error; }
  bool doubtful() const {
    const Extended n = static_cast<Extended>(count) + 1;
    const Extended bound =
        4 * n * n * kUnitRoundoff * kUnitRoundoff * size;  // [OgitaRumpOishi2005, Prop. 5.5]
    return bound > kNegligible && bound > kDoubtful * std::abs(value());
  }
};

// A sum without rounding: numbers that do not overlap, the smallest first [Shewchuk1997].
class ExactSum {
 public:
  void clear() { parts_.clear(); }
  void add(Extended a, Extended b) {
    const Pair product = two_product(a, b);
    grow(product.error);
    grow(product.value);
  }
  Extended value() const {
    Extended total = 0;
    for (const Extended part : parts_) total += part;
    return total;
  }

 private:
  void grow(Extended number) {
    std::size_t kept = 0;
    for (const Extended part : parts_) {
      const Pair s = two_sum(number, part);
      number = s.value;
      if (s.error != 0) parts_[kept++] = s.error;
    }
    parts_.resize(kept);
    if (number != 0) parts_.push_back(number);
  }

  std::vector<Extended> parts_;
};

// Adds a x for an x of more bits, which two doubles hold unless it is out of their range.
void add_extended(RowSums& sums, int row, double a, Extended x) {
  const double high = static_cast<double>(x), low = static_cast<double>(x - high);
  sums.add(row, a, high);
  if (low != 0.0) sums.add(row, a, low);
  if (static_cast<Extended>(high) + low != x) sums.doubt(row);
}

// Calls add(row, a, i) for every product a x_i in a term, a 1 if it has no factors.
template <class Add>
void for_factors(const AffineTerm& term, const Add& add) {
  if (term.matrix) {
    for (int col = 0; col < term.matrix->cols(); ++col) {
      term.matrix->for_column(col, [&](int row, double value) {
        term.transposed ? add(col, value, row) : add(row, value, col);
      });
    }
    return;
  }
  const auto count = term.x ? term.x->size() : term.extended->size();
  for (int i = 0; i < count; ++i) add(i, term.diagonal ? (*term.diagonal)[i] : 1.0, i);
}

// Calls add(row, a, b) for every product in a term.
template <class Add>
void for_products(const AffineTerm& term, const Add& add) {
  const Extended sign = term.sign;
  if (term.x) {
    for_factors(term, [&](int row, double a, int i) {
      add(row, static_cast<Extended>(a), sign * (*term.x)[i]);
    });
  } else if (term.extended) {
    for_factors(term, [&](int row, double a, int i) {
      add(row, static_cast<Extended>(a), sign * (*term.extended)[i]);
    });
  }
}

// Adds a column times x. Entries of bodies and contacts stand in rows that follow each other.
void add_sparse_column(const SparseColumns& a, int col, double x, RowSums& sums) {
  for (int k = a.start[col]; k < a.start[col + 1];) {
    int end = k + 1;
    while (end < a.start[col + 1] && a.row[end] == a.row[end - 1] + 1) ++end;
    sums.add_rows(a.row[k], end - k, a.value + k, x);
    k = end;
  }
}

void add_term(const AffineTerm& term, RowSums& sums) {
  if (!term.x) {
    if (!term.extended) return;
    const ExtendedVector& x = *term.extended;
    return for_factors(
        term, [&](int row, double a, int at) { add_extended(sums, row, a, term.sign * x[at]); });
  }
  const Vector& x = *term.x;
  if (term.matrix && !term.matrix->is_sparse() && !term.transposed) {
    const DenseMatrix& a = term.matrix->dense();
    for (int col = 0; col < a.cols(); ++col)
      if (x[col] != 0.0)
        sums.add_rows(0, static_cast<int>(a.rows()), a.col(col).data(), term.sign * x[col]);
  } else if (term.matrix && !term.transposed) {
    const SparseColumns a = term.matrix->columns();
    for (int col = 0; col < a.cols; ++col)
      if (x[col] != 0.0) add_sparse_column(a, col, term.sign * x[col], sums);
  } else if (term.matrix || term.diagonal) {
    for_factors(term, [&](int row, double a, int at) {
      if (x[at] != 0.0) sums.add(row, a, term.sign * x[at]);
    });
  } else {
    for (int i = 0; i < x.size(); ++i) sums.add(i, term.sign * x[i]);
  }
}

}  // namespace

struct SumWorkspace::Rows {
  RowSums sums;
  std::vector<int> doubtful;    // of each row: its place in `exact`, or -1
  std::vector<ExactSum> exact;  // never fewer, so that they keep their memory
};

SumWorkspace::SumWorkspace() : rows_(std::make_unique<Rows>()) {}
SumWorkspace::~SumWorkspace() = default;

AffineTerm AffineTerm::vector(const Vector& x, int sign) {
  return {nullptr, nullptr, false, &x, nullptr, sign};
}
AffineTerm AffineTerm::vector(const ExtendedVector& x, int sign) {
  return {nullptr, nullptr, false, nullptr, &x, sign};
}
AffineTerm AffineTerm::product(const Matrix& a, const Vector& x, int sign) {
  return {&a, nullptr, false, &x, nullptr, sign};
}
AffineTerm AffineTerm::product(const Matrix& a, const ExtendedVector& x, int sign) {
  return {&a, nullptr, false, nullptr, &x, sign};
}
AffineTerm AffineTerm::transposed_product(const Matrix& a, const Vector& x, int sign) {
  return {&a, nullptr, true, &x, nullptr, sign};
}
AffineTerm AffineTerm::transposed_product(const Matrix& a, const ExtendedVector& x, int sign) {
  return {&a, nullptr, true, nullptr, &x, sign};
}
AffineTerm AffineTerm::scaled(const Vector& diagonal, const Vector& x, int sign) {
  return {nullptr, &diagonal, false, &x, nullptr, sign};
}

AffineSum sum_of(std::initializer_list<AffineTerm> terms, int rows) {
  SumWorkspace work;
  AffineSum result;
  sum_of(terms, rows, work, result);
  return result;
}

void sum_of(std::initializer_list<AffineTerm> terms, int rows, SumWorkspace& work,
            AffineSum& result) {
  constexpr Extended kUpwards = 1 + 0x1p-40L;  // more than sums of positive numbers are rounded by
  auto& sums = work.rows_->sums;
  auto& doubtful = work.rows_->doubtful;
  auto& exact = work.rows_->exact;
  sums.reset(rows);
  for (const AffineTerm& term : terms) add_term(term, sums);
  result.values.resize(rows);
  result.sizes.resize(rows);
  doubtful.assign(static_cast<std::size_t>(rows), -1);
  std::size_t count = 0;
  for (int i = 0; i < rows; ++i) {
    result.values[i] = sums.value(i);
    result.sizes[i] = sums.size(i);
    if (sums.doubtful(i)) doubtful[i] = static_cast<int>(count++);
  }
  if (count == 0) return;
  if (exact.size() < count) exact.resize(count);
  for (std::size_t k = 0; k < count; ++k) exact[k].clear();
  for (int i = 0; i < rows; ++i)
    if (doubtful[i] >= 0) result.sizes[i] = 0;  // doubles may have lost what underflows
  for (const AffineTerm& term : terms) {
    for_products(term, [&](int row, Extended a, Extended b) {
      if (doubtful[row] < 0) return;
      exact[doubtful[row]].add(a, b);
      result.sizes[row] += std::abs(a * b) * kUpwards;
    });
  }
  for (int i = 0; i < rows; ++i)
    if (doubtful[i] >= 0) result.values[i] = exact[doubtful[i]].value();
}

Extended hidden_in(const AffineSum& sum, Eigen::Index i) {
  constexpr Extended kHidden = 1e-29L, kHiddenShare = 0x1p-90L;
  return std::min(kHidden, kHiddenShare * sum.sizes[i]);
}

Extended dot_product(const Eigen::Ref<const ExtendedVector>& a,
                     const Eigen::Ref<const ExtendedVector>& b) {
  CompensatedSum sum;
  for (int i = 0; i < a.size(); ++i) sum.add(a[i], b[i]);
  if (!sum.doubtful()) return sum.value();
  ExactSum exact;
  for (int i = 0; i < a.size(); ++i) exact.add(a[i], b[i]);
  return exact.value();
}

Extended euclidean_norm(const Extended* v, int count) {
  Extended squares = 0;
  for (int i = 0; i < count; ++i) squares += v[i] * v[i];
  return std::sqrt(squares);
}

double round_up(Extended value) {
  const double nearest = static_cast<double>(value);
  if (static_cast<Extended>(nearest) >= value || std::isnan(nearest)) return nearest;
  return std::nextafter(nearest, std::numeric_limits<double>::infinity());
}

}  // namespace perp
