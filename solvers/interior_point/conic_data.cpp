#include <perp/solvers/interior_point/conic_data.hpp>

#include <algorithm>
#include <cmath>

namespace perp {

namespace {

constexpr double kDense = 0.4;  // share of entries; with more, P is kept dense
constexpr int kScalingRounds = 12;
constexpr double kEven = 1.2;  // largest entries of rows and columns, or their inverses: no more
                               // rounds, since factors are rounded to powers of two
constexpr int kMostColumnScale = 20, kMostScale = 30;  // exponents

// The power of two nearest to x, within 2^+-most; 1 if x is not positive and finite.
double clamped_power_of_two(double x, int most) {
  if (!(x > 0) || !std::isfinite(x)) return 1.0;
  return std::ldexp(1.0, std::clamp(static_cast<int>(std::lround(std::log2(x))), -most, most));
}

// factors := factors / sqrt(largest), entry by entry, if that is not zero.
// @return whether all of these lie between 1 / kEven and kEven
bool divide_by_roots(const Vector& largest, Vector& factors) {
  bool even = true;
  for (Eigen::Index i = 0; i < largest.size(); ++i) {
    if (!(largest[i] > 0)) continue;
    factors[i] /= std::sqrt(largest[i]);
    even = even && largest[i] <= kEven && largest[i] * kEven >= 1.0;
  }
  return even;
}

// ||v - Pi(v)||, the largest entry, for the second-order cone, in extended precision.
template <class Scalar>
double distance_from_cone(const Scalar* v, int size) {
  long double squares = 0;
  for (int k = 1; k < size; ++k) squares += static_cast<long double>(v[k]) * v[k];
  const long double head = v[0], tail = std::sqrt(squares);
  if (tail <= head) return 0.0;
  // Between the cone and its polar, v - Pi(v) = (head - tail) / 2 (1, -v_tail / tail); below, v.
  return static_cast<double>(tail <= -head ? -head : (tail - head) / 2);
}

void raise(double& value, double by) {
  if (!(by <= value)) value = by;  // NaN too
}

}  // namespace

void ConicData::build(const ConicQp& problem, bool wanted) {
  cones.build(problem.cones);
  const int n = problem.size(), m = static_cast<int>(problem.b.size());
  copy_p(problem.P);
  copy_nonzeros(problem.A, a);
  if (m == 0) a.resize(0, n);
  c = problem.c;
  b = problem.b;
  column_scale.setOnes(n);
  row_scale.setOnes(m);
  if (wanted) equilibrate();
  scale_vectors(wanted);
  copy_by_rows(a, a_by_rows);
}

// The symmetric part, dense or sparse.
void ConicData::copy_p(const Matrix& p) {
  const int n = p.cols();
  dense_p_ = p.nonzeros() > kDense * n * n;
  if (!dense_p_) {
    full_p.resize(0, 0);
    copy_nonzeros(p, work_.a);
    copy_symmetric_part(work_.a, work_.transposed, sparse_p);
    return;
  }
  sparse_p.resize(n, n);  // empty; of size 0 it would allocate at every copy
  if (p.is_sparse()) {
    full_p = p.sparse();
  } else {
    full_p = p.dense();
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < j; ++i) full_p(i, j) = full_p(j, i) = 0.5 * (full_p(i, j) + full_p(j, i));
  }
}

bool ConicData::has_pattern_of(const ConicData& other) const {
  return dense_p_ == other.dense_p_ && variables() == other.variables() &&
         same_pattern(sparse_p, other.sparse_p) && same_pattern(a, other.a) && cones == other.cones;
}

// Ruiz's iteration; at its end all factors are rounded to powers of two.
void ConicData::equilibrate() {
  const int n = variables(), m = rows();
  auto& [d, e, by_column, by_row] = work_.scaling;
  d.setOnes(n);
  e.setOnes(m);
  by_column.resize(n);
  by_row.resize(m);
  for (int round = 0; round < kScalingRounds; ++round) {
    by_column.setZero();
    by_row.setZero();
    for (int j = 0; j < n; ++j) {
      if (dense_p_) {
        by_column[j] = d[j] * full_p.col(j).cwiseAbs().cwiseProduct(d).maxCoeff();
      } else {
        for (SparseMatrix::InnerIterator it(sparse_p, j); it; ++it)
          by_column[j] = std::max(by_column[j], d[j] * std::abs(it.value()) * d[it.row()]);
      }
      for (SparseMatrix::InnerIterator it(a, j); it; ++it) {
        const double value = e[it.row()] * std::abs(it.value()) * d[j];
        by_column[j] = std::max(by_column[j], value);
        by_row[it.row()] = std::max(by_row[it.row()], value);
      }
    }
    for (const auto& block : cones.second_order())
      by_row.segment(block.offset, block.size)
          .setConstant(by_row.segment(block.offset, block.size).maxCoeff());
    const bool even = divide_by_roots(by_column, d);
    if (divide_by_roots(by_row, e) && even) break;
  }
  for (int j = 0; j < n; ++j) column_scale[j] = clamped_power_of_two(d[j], kMostColumnScale);
  for (int i = 0; i < m; ++i) row_scale[i] = clamped_power_of_two(e[i], kMostColumnScale);
  for (int j = 0; j < n; ++j) {
    const double scale = column_scale[j];
    if (dense_p_) {
      full_p.col(j).array() *= scale * column_scale.array();
    } else {
      for (SparseMatrix::InnerIterator it(sparse_p, j); it; ++it)
        it.valueRef() *= scale * column_scale[it.row()];
    }
    for (SparseMatrix::InnerIterator it(a, j); it; ++it)
      it.valueRef() *= scale * row_scale[it.row()];
  }
}

void ConicData::scale_vectors(bool wanted) {
  c = c.cwiseProduct(column_scale);
  b = b.cwiseProduct(row_scale);
  scale_x = scale_y = 1.0;
  if (!wanted) return;
  double p_size = 0.0;
  if (dense_p_) {
    p_size = full_p.size() > 0 ? full_p.cwiseAbs().maxCoeff() : 0.0;
  } else {
    for (int k = 0; k < sparse_p.nonZeros(); ++k)
      p_size = std::max(p_size, std::abs(sparse_p.valuePtr()[k]));
  }
  const double b_size = max_abs(b), c_size = max_abs(c);
  scale_x = clamped_power_of_two(b_size > 0   ? b_size
                                 : p_size > 0 ? c_size / p_size
                                              : 1.0,
                                 kMostScale);
  scale_y = clamped_power_of_two(std::max(c_size, scale_x * p_size), kMostScale);
  const double p_scale = scale_x / scale_y;
  if (dense_p_) {
    full_p *= p_scale;
  } else {
    sparse_p *= p_scale;
  }
  c /= scale_y;
  b /= scale_x;
}

void ConicData::multiply_p(const Vector& x, Vector& r) const {
  r.setZero(variables());
  if (dense_p_) {
    r.noalias() += full_p * x;
  } else {
    r.noalias() += sparse_p * x;
  }
}

void ConicData::multiply_a(const Vector& x, Vector& r) const {
  r.setZero(rows());
  r.noalias() += a * x;
}

void ConicData::multiply_at(const Vector& y, Vector& r) const {
  r.resize(variables());
  for (int j = 0; j < variables(); ++j) {
    double sum = 0.0;
    for (SparseMatrix::InnerIterator it(a, j); it; ++it) sum += it.value() * y[it.row()];
    r[j] = sum;
  }
}

void ConicData::evaluate(const Vector& x, const Vector& y, Vector& px, Vector& stationarity,
                         Vector& s) const {
  multiply_p(x, px);
  multiply_at(y, stationarity);
  stationarity += px + c;
  multiply_a(x, s);
  s = b - s;
}

void ConicData::evaluate_extended(const Vector& x, const Vector& y, double tau, Vector& px,
                                  Vector& stationarity, Vector& s) const {
  const int n = variables(), m = rows();
  px.resize(n);
  stationarity.resize(n);
  s.resize(m);
  for (int j = 0; j < n; ++j) {
    long double sum = 0;  // P is symmetric: row j is column j
    if (dense_p_) {
      for (int i = 0; i < n; ++i) sum += static_cast<long double>(full_p(i, j)) * x[i];
    } else {
      for (SparseMatrix::InnerIterator it(sparse_p, j); it; ++it)
        sum += static_cast<long double>(it.value()) * x[it.row()];
    }
    px[j] = static_cast<double>(sum);
    sum += static_cast<long double>(tau) * c[j];
    for (SparseMatrix::InnerIterator it(a, j); it; ++it)
      sum += static_cast<long double>(it.value()) * y[it.row()];
    stationarity[j] = static_cast<double>(sum);
  }
  work_.sums.assign(static_cast<std::size_t>(m), 0.0L);
  for (int j = 0; j < n; ++j) {
    for (SparseMatrix::InnerIterator it(a, j); it; ++it)
      work_.sums[it.row()] += static_cast<long double>(it.value()) * x[j];
  }
  for (int i = 0; i < m; ++i) {
    work_.sums[i] = static_cast<long double>(tau) * b[i] - work_.sums[i];
    s[i] = static_cast<double>(work_.sums[i]);
  }
}

// min(||s - Pi(s - y)||, Pi(s)'Pi(y)), as posed: units are the same within a cone.
template <class Scalar>
double ConicData::complementarity_of_cone(const ConeProduct::Block& block, const Vector& y,
                                          const Scalar* s) const {
  const auto head_of_projection = [](Scalar head, Scalar tail) -> Scalar {
    return tail <= head ? head : tail <= -head ? 0 : (head + tail) / 2;
  };
  const Scalar unit_s = posed_s(block.offset), unit_y = posed_y(block.offset);
  const Scalar* const s_part = s + block.offset;
  const double* const y_part = y.data() + block.offset;
  const Scalar w_head = unit_s * s_part[0] - unit_y * y_part[0];
  Scalar s_squares = 0, y_squares = 0, w_squares = 0, across = 0;
  for (int k = 1; k < block.size; ++k) {
    const Scalar s_k = s_part[k], y_k = y_part[k], w = unit_s * s_k - unit_y * y_k;
    s_squares += s_k * s_k;
    y_squares += y_k * y_k;
    w_squares += w * w;
    across += s_k * y_k;
  }
  const Scalar s_tail = std::sqrt(s_squares), y_tail = std::sqrt(y_squares);
  const Scalar w_tail = std::sqrt(w_squares);
  const Scalar s_head = head_of_projection(s_part[0], s_tail);
  const Scalar y_head = head_of_projection(y_part[0], y_tail);
  const Scalar s_share = s_tail > s_head ? s_head / s_tail : 1;
  const Scalar y_share = y_tail > y_head ? y_head / y_tail : 1;
  const Scalar product =
      std::max<Scalar>(0, unit_s * unit_y * (s_head * y_head + s_share * y_share * across));
  const Scalar head = head_of_projection(w_head, w_tail);
  const Scalar share = w_tail > head ? head / w_tail : 1;
  Scalar natural = std::abs(unit_s * s_part[0] - head);
  for (int k = 1; k < block.size; ++k) {
    const Scalar w = unit_s * s_part[k] - unit_y * y_part[k];
    natural = std::max(natural, std::abs(unit_s * s_part[k] - share * w));
  }
  return static_cast<double>(std::min(product, natural));
}

template <class Scalar>
double ConicData::complementarity(const Vector& y, const Scalar* s) const {
  double value = 0.0;
  for (int i : cones.linear()) {
    const Scalar s_i = s[i] * posed_s(i), y_i = Scalar(y[i]) * posed_y(i);
    const Scalar both = natural_gap ? std::min(std::abs(s_i), std::abs(y_i))
                                    : std::min(std::abs(std::min(s_i, y_i)),
                                               std::max<Scalar>(0, s_i) * std::max<Scalar>(0, y_i));
    raise(value, static_cast<double>(both));
  }
  if (natural_gap) return value;
  for (const ConeProduct::Block& block : cones.second_order())
    raise(value, complementarity_of_cone(block, y, s));
  return value;
}

double ConicData::largest_stationarity(const Vector& stationarity) const {
  double value = 0.0;
  for (int j = 0; j < variables(); ++j)
    raise(value, std::abs(stationarity[j]) * posed_stationarity(j));
  return value;
}

ConicData::Residual ConicData::feasibility(const Vector& y, const Vector& stationarity,
                                           const Vector& s, Vector& scratch) const {
  Residual r{0.0, largest_stationarity(stationarity), 0.0};
  scratch = y;
  cones.project(scratch, false);
  for (int i = 0; i < rows(); ++i) raise(r.dual, std::abs(y[i] - scratch[i]) * posed_y(i));
  scratch = s;
  cones.project(scratch, true);
  for (int i = 0; i < rows(); ++i) raise(r.primal, std::abs(s[i] - scratch[i]) * posed_s(i));
  return r;
}

ConicData::Residual ConicData::measure(const Vector& y, const Vector& stationarity, const Vector& s,
                                       Vector& scratch) const {
  Residual r = feasibility(y, stationarity, s, scratch);
  r.complementarity = complementarity(y, s.data());
  return r;
}

// s is in work_.sums.
ConicData::Residual ConicData::feasibility_extended(const Vector& y,
                                                    const Vector& stationarity) const {
  Residual r{0.0, largest_stationarity(stationarity), 0.0};
  const long double* const s = work_.sums.data();
  for (int i = 0; i < rows(); ++i) {
    if (cones.kind(i) == ConeProduct::Row::kZero)
      raise(r.primal, static_cast<double>(std::abs(s[i])) * posed_s(i));
  }
  for (int i : cones.linear()) {
    raise(r.primal, static_cast<double>(std::max(0.0L, -s[i])) * posed_s(i));
    raise(r.dual, std::max(0.0, -y[i]) * posed_y(i));
  }
  for (const ConeProduct::Block& block : cones.second_order()) {
    const int o = block.offset;
    raise(r.primal, distance_from_cone(s + o, block.size) * posed_s(o));
    raise(r.dual, distance_from_cone(y.data() + o, block.size) * posed_y(o));
  }
  return r;
}

double ConicData::measure_extended(const Vector& x, const Vector& y, Vector& px,
                                   Vector& stationarity, Vector& s) const {
  evaluate_extended(x, y, 1.0, px, stationarity, s);
  Residual r = feasibility_extended(y, stationarity);
  r.complementarity = complementarity(y, work_.sums.data());
  return r.measure();
}

}  // namespace perp
