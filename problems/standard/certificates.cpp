#include <perp/problems/standard/certificates.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/exact_conditions.hpp>
#include <perp/problems/standard/mass_inverse.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kBeyondRounding = 1e-12;  // over the sum of absolute values: more than rounding
constexpr double kFarAway = 1e10;          // relative radius from which on an exclusion is reported

// a'b and the sum of |a_i b_i|.
std::pair<double, double> dot_and_size(const Vector& a, const Vector& b) {
  long double sum = 0, size = 0;
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    const long double term = static_cast<long double>(a[i]) * b[i];
    sum += term;
    size += std::abs(term);
  }
  return {static_cast<double>(sum), static_cast<double>(size)};
}

// At least the absolute value of an exact sum: what rounding may hide is added. Sums are exact to
// about 2^-60 of them, but for what is hidden.
Extended at_least(const AffineSum& sum, Eigen::Index i) {
  return std::abs(sum.values[i]) * (1 + 0x1p-40L) + hidden_in(sum, i);
}

// The sums, rounded, with 0 for those that may be 0.
Vector plainly(const AffineSum& sum) {
  Vector plain = sum.values.cast<double>();
  for (Eigen::Index i = 0; i < plain.size(); ++i) {
    if (std::abs(sum.values[i]) <= hidden_in(sum, i)) plain[i] = 0.0;
  }
  return plain;
}

double largest_of(const AffineSum& sum) {
  Extended largest = 0;
  for (Eigen::Index i = 0; i < sum.values.size(); ++i)
    largest = std::max(largest, at_least(sum, i));
  return round_up(largest);
}

// At least the distance of exact sums from the product of cones, as distance_from_cones().
double distance_of(const AffineSum& sum, const std::vector<Cone>& cones) {
  Extended distance = 0;
  int offset = 0;
  for (const Cone& cone : cones) {
    if (cone.type == ConeType::kSecondOrder) {
      Extended squares = 0, hidden = 0;
      for (int i = offset; i < offset + cone.size; ++i) {
        if (i > offset) squares += sum.values[i] * sum.values[i];
        hidden += 0x1p-58L * std::abs(sum.values[i]) + hidden_in(sum, i);
      }
      distance = std::max(distance, std::sqrt(squares) - sum.values[offset] + hidden);
    } else {
      for (int i = offset; i < offset + cone.size; ++i) {
        if (cone.type == ConeType::kZero || sum.values[i] <= hidden_in(sum, i))
          distance = std::max(distance, at_least(sum, i));
      }
    }
    offset += cone.size;
  }
  return round_up(distance);
}

// How far v may be from the cones because of the rounding of a norm.
double hidden_in_norms(const Vector& v, const std::vector<Cone>& cones) {
  double hidden = 0.0;
  int offset = 0;
  for (const Cone& cone : cones) {
    if (cone.type == ConeType::kSecondOrder && cone.size > 1)
      hidden =
          std::max(hidden, round_up(0x1p-60L * cone.size * max_abs(v.segment(offset, cone.size))));
    offset += cone.size;
  }
  return hidden;
}

// How far v is from the product of cones, in its largest entry; for a second-order cone (t, x) it
// is ||x|| - t.
double distance_from_cones(const Vector& v, const std::vector<Cone>& cones, bool dual) {
  long double distance = 0;
  int offset = 0;
  for (const Cone& cone : cones) {
    if (cone.type == ConeType::kSecondOrder) {
      long double squares = 0;
      for (int i = 1; i < cone.size; ++i)
        squares += static_cast<long double>(v[offset + i]) * v[offset + i];
      distance = std::max(distance, std::sqrt(squares) - v[offset]);
    } else if (cone.type == ConeType::kNonnegative || !dual) {
      const bool zero = cone.type == ConeType::kZero;
      for (int i = offset; i < offset + cone.size; ++i)
        distance = std::max<long double>(distance, zero ? std::abs(v[i]) : -v[i]);
    }
    offset += cone.size;
  }
  return static_cast<double>(distance);
}

// Collects conditions one by one: rows such as y_i or (M'y)_j, and the cones that they lie in.
class Conditions {
 public:
  explicit Conditions(int unknowns) { conditions_.objective = Vector::Zero(unknowns); }

  // sign * y_i lies in a cone of one row.
  void add_entry(int i, int sign, ConeType type) {
    entries_.emplace_back(rows_, i, sign);
    add_row(type);
  }
  // sign * (column j of m)'y lies in a cone of one row.
  void add_column(const Matrix& m, int j, int sign, ConeType type) {
    m.for_column(j, [&](int i, double value) { entries_.emplace_back(rows_, i, sign * value); });
    add_row(type);
  }
  // (y_offset, ...) lies in a cone of several rows.
  void add_identity(int offset, const Cone& cone) {
    for (int i = 0; i < cone.size; ++i) entries_.emplace_back(rows_++, offset + i, 1.0);
    conditions_.cones.push_back(cone);
  }
  // The rows of sign * A or A'.
  void add_matrix(const Matrix& a, bool transposed, int sign) {
    for (int j = 0; j < a.cols(); ++j) {
      a.for_column(j, [&](int i, double value) {
        entries_.emplace_back(rows_ + (transposed ? j : i), transposed ? i : j, sign * value);
      });
    }
    rows_ += transposed ? a.cols() : a.rows();
  }
  void add_cone(Cone cone) { conditions_.cones.push_back(cone); }
  void end_of_cones() { conditions_.conic_rows = rows_; }
  // Adds (column j of m)'y times `low` or `high` to the sum.
  void add_support(const Matrix& m, int j, double low, double high) {
    m.for_column(j, [&](int i, double value) { entries_.emplace_back(rows_, i, value); });
    ++rows_;
    low_.push_back(low);
    high_.push_back(high);
  }

  bool hold_for(const Vector& v, const Vector& objective) {
    conditions_.rows.resize(rows_, v.size());
    conditions_.rows.setFromTriplets(entries_.begin(), entries_.end());
    conditions_.objective = objective;
    conditions_.low = Eigen::Map<const Vector>(low_.data(), static_cast<long>(low_.size()));
    conditions_.high = Eigen::Map<const Vector>(high_.data(), static_cast<long>(high_.size()));
    return hold_exactly(conditions_, v);
  }

 private:
  void add_row(ConeType type) {
    ++rows_;
    conditions_.cones.push_back({type, 1});
  }

  ConeConditions conditions_;
  std::vector<Triplet> entries_;
  std::vector<double> low_, high_;
  int rows_ = 0;
};

bool is_proof(const Mlcp& p, const Vector& y) {
  const int n = p.size();
  Conditions conditions(n);
  const auto bounded = [&](const Vector& bound, int i) { return std::isfinite(bound[i]); };
  for (int i = 0; i < n; ++i) {
    const bool below = bounded(p.lower, i), above = bounded(p.upper, i);
    if (below && above) conditions.add_entry(i, 1, ConeType::kZero);
    if (below != above) conditions.add_entry(i, below ? 1 : -1, ConeType::kNonnegative);
  }
  for (int j = 0; j < n; ++j) {
    const bool below = bounded(p.lower, j), above = bounded(p.upper, j);
    if (!below && !above) conditions.add_column(p.M, j, 1, ConeType::kZero);
    if (below != above) conditions.add_column(p.M, j, below ? -1 : 1, ConeType::kNonnegative);
  }
  conditions.end_of_cones();
  for (int j = 0; j < n; ++j) {
    const bool below = bounded(p.lower, j), above = bounded(p.upper, j);
    const double low = below ? p.lower[j] : p.upper[j], high = above ? p.upper[j] : p.lower[j];
    if ((below || above) && (low != 0 || high != 0)) conditions.add_support(p.M, j, low, high);
  }
  return conditions.hold_for(y, p.q);
}

bool is_proof(const ConicQp& p, const Vector& y) {
  const auto m = static_cast<int>(p.b.size());
  Conditions conditions(m);
  int offset = 0;
  for (const Cone& cone : p.cones) {
    for (int i = offset; i < offset + cone.size && cone.type == ConeType::kNonnegative; ++i)
      conditions.add_entry(i, 1, ConeType::kNonnegative);
    if (cone.type == ConeType::kSecondOrder) conditions.add_identity(offset, cone);
    offset += cone.size;
  }
  conditions.add_matrix(p.A, true, 1);
  if (p.size() > 0) conditions.add_cone({ConeType::kZero, p.size()});
  conditions.end_of_cones();
  return conditions.hold_for(y, p.b);
}

// Whether y may count row i: normals without compliance, whose u_n >= 0 does not depend on r_i.
bool counts(const FrictionContact& p, int i) {
  return i % p.dimension == 0 && !(p.compliance.size() > 0 && p.compliance[i] > 0);
}

bool is_proof(const FrictionContact& p, const Vector& y) {
  Conditions conditions(p.size());
  for (int i = 0; i < p.size(); ++i)
    conditions.add_entry(i, 1, counts(p, i) ? ConeType::kNonnegative : ConeType::kZero);
  const Matrix& responses = p.is_operator() ? p.J : p.W;
  conditions.add_matrix(responses, true, 1);
  if (responses.cols() > 0) conditions.add_cone({ConeType::kZero, responses.cols()});
  conditions.end_of_cones();
  return conditions.hold_for(y, p.q);
}

// At least the largest |W'y|_j. `may_vanish`: W'y or J'y may be 0, up to rounding.
double largest_response(const FrictionContact& p, const Vector& y, bool& may_vanish) {
  const bool forms = p.is_operator();
  const AffineSum pull =
      sum_of({AffineTerm::transposed_product(forms ? p.J : p.W, y)}, forms ? p.J.cols() : p.size());
  may_vanish = plainly(pull).isZero(0.0);
  if (!forms || pull.sizes.isZero(0)) return largest_of(pull);
  const MassInverse mass(p.M);
  if (!mass.positive_definite()) return kInfinity;
  const ExtendedVector velocity = mass.solve(pull.values);
  if (!velocity.allFinite()) return kInfinity;
  ExtendedVector hidden(pull.values.size());
  for (Eigen::Index k = 0; k < hidden.size(); ++k)
    hidden[k] = at_least(pull, k) - std::abs(pull.values[k]);
  const ExtendedVector error = mass.error_of(velocity, hidden);
  const AffineSum response = sum_of({AffineTerm::product(p.J, velocity)}, p.size());
  ExtendedVector carried = ExtendedVector::Zero(p.size());
  for (int k = 0; k < p.J.cols(); ++k)
    p.J.for_column(k, [&](int i, double value) { carried[i] += std::abs(value) * error[k]; });
  Extended largest = 0;
  for (int i = 0; i < p.size(); ++i)
    largest = std::max(largest, at_least(response, i) + 2 * carried[i]);
  return round_up(largest);
}

bool is_proof_of_unbounded(const ConicQp& p, const Vector& x) {
  Conditions conditions(p.size());
  conditions.add_matrix(p.P, true, 1);  // P may be symmetric to rounding alone
  if (p.size() > 0) conditions.add_cone({ConeType::kZero, p.size()});
  conditions.add_matrix(p.A, false, -1);
  for (const Cone& cone : p.cones) conditions.add_cone(cone);
  conditions.end_of_cones();
  return conditions.hold_for(x, p.c);
}

// The certificate is a proof, or excludes feasible points up to the radius if that is large enough.
// The exact proof is tried if the certificate may be one.
template <class Check, class Proof>
void settle(Check& check, bool may_hold, double worth_telling, const Proof& proof) {
  const bool far = check.radius >= worth_telling;
  if (!far && !may_hold) return;
  check.holds = proof();
  check.excludes = far && !check.holds;
  if (check.holds) check.radius = kInfinity;
}

}  // namespace

FarkasCheck check_farkas(const Mlcp& p, const Vector& y) {
  const int n = p.size();
  if (y.size() != n) throw std::invalid_argument("y: wrong length");
  FarkasCheck check;
  if (!y.allFinite()) return check;
  for (int i = 0; i < n; ++i) {
    const bool has_lower = p.lower[i] > -kInfinity, has_upper = p.upper[i] < kInfinity;
    const bool allowed =
        has_lower ? (has_upper ? y[i] == 0 : y[i] >= 0) : (!has_upper || y[i] <= 0);
    if (!allowed) return check;
  }
  const AffineSum g = sum_of({AffineTerm::transposed_product(p.M, y)}, n);
  long double supremum = 0, size = 0;
  check.violation = 0.0;
  bool may_hold = true;  // up to rounding
  const auto add = [&](Extended a, double b) {
    supremum += a * b;
    size += std::abs(a * b);
  };
  for (int j = 0; j < n; ++j) {
    add(p.q[j], y[j]);
    if (g.sizes[j] == 0) continue;
    // At least the absolute value of the exact sum; if its sign is in doubt, the worse bound
    // counts.
    const Extended value = g.values[j], most = at_least(g, j);
    const bool is_clear = std::abs(value) > hidden_in(g, j);
    for (const bool positive : {true, false}) {
      if (is_clear && positive != (value > 0)) continue;
      const double bound = positive ? p.upper[j] : p.lower[j];
      if (std::isinf(bound)) {
        check.violation = std::max(check.violation, round_up(most));
        may_hold = may_hold && !is_clear;
      } else if (is_clear) {
        add(value, bound);
      } else {
        supremum += most * std::abs(bound);
      }
    }
  }
  check.supremum = round_up(supremum);
  const double margin = -check.supremum;
  const double length = std::max(1.0, max_abs(p.q) / std::max(p.M.max_abs(), 1e-300));
  if (!(margin > kBeyondRounding * static_cast<double>(size) && margin > 0)) return check;
  check.radius = check.violation > 0 ? margin / check.violation : kInfinity;
  settle(check, may_hold, kFarAway * length, [&] { return is_proof(p, y); });
  return check;
}

FarkasCheck check_farkas(const Lcp& p, const Vector& y) {
  return check_farkas(Mlcp{p.M, p.q, Vector::Zero(p.size()), Vector::Constant(p.size(), kInfinity)},
                      y);
}

FarkasCheck check_farkas(const ConicQp& p, const Vector& y) {
  if (y.size() != p.b.size()) throw std::invalid_argument("y: wrong length");
  FarkasCheck check;
  if (!y.allFinite() || distance_from_cones(y, p.cones, true) > 0) return check;
  const auto [sum, size] = dot_and_size(p.b, y);
  // With y outside of its cone by `hidden`, y's for s = b - Ax in K is above -hidden |s|_1.
  const double hidden = hidden_in_norms(y, p.cones);
  const AffineSum g = sum_of({AffineTerm::transposed_product(p.A, y)}, p.size());
  check.supremum = sum + hidden * p.b.lpNorm<1>();
  check.violation = largest_of(g);
  const bool may_hold = plainly(g).isZero(0.0);
  if (hidden > 0) {
    Vector columns = Vector::Zero(p.size());  // 1-norms
    for (int j = 0; j < p.size(); ++j)
      p.A.for_column(j, [&](int, double value) { columns[j] += std::abs(value); });
    check.violation += hidden * max_abs(columns);
  }
  const double length = std::max(1.0, max_abs(p.b) / std::max(p.A.max_abs(), 1e-300));
  if (!(-sum > kBeyondRounding * size)) return check;
  check.radius = check.violation > 0 ? -check.supremum / check.violation : kInfinity;
  settle(check, may_hold, kFarAway * length, [&] { return is_proof(p, y); });
  return check;
}

FarkasCheck check_farkas(const FrictionContact& p, const Vector& y) {
  if (y.size() != p.size()) throw std::invalid_argument("y: wrong length");
  FarkasCheck check;
  if (!y.allFinite()) return check;
  for (int i = 0; i < p.size(); ++i) {
    if (counts(p, i) ? y[i] < 0 : y[i] != 0) return check;
  }
  const auto [sum, size] = dot_and_size(p.q, y);
  bool may_hold = false;
  check.supremum = sum;
  check.violation = largest_response(p, y, may_hold);
  const double largest =
      p.is_operator() ? p.J.max_abs() * p.J.max_abs() / p.M.max_abs() : p.W.max_abs();
  const double length = std::max(1.0, max_abs(p.q) / std::max(largest, 1e-300));
  if (!(-sum > kBeyondRounding * size)) return check;
  check.radius = check.violation > 0 ? -sum / check.violation : kInfinity;
  settle(check, may_hold, kFarAway * length, [&] { return is_proof(p, y); });
  return check;
}

UnboundedCheck check_unbounded(const ConicQp& p, const Vector& x) {
  if (x.size() != p.size()) throw std::invalid_argument("x: wrong length");
  UnboundedCheck check;
  if (!x.allFinite()) return check;
  const auto [sum, size] = dot_and_size(p.c, x);
  check.slope = sum;
  const AffineSum s = sum_of({AffineTerm::product(p.A, x, -1)}, static_cast<int>(p.b.size()));
  const AffineSum curvature = sum_of({AffineTerm::transposed_product(p.P, x)}, p.size());
  check.violation = std::max(largest_of(curvature), distance_of(s, p.cones));
  const bool may_hold =
      plainly(curvature).isZero(0.0) && distance_from_cones(plainly(s), p.cones, false) <= 0.0;
  if (!(-sum > kBeyondRounding * size)) return check;
  check.radius = check.violation > 0 ? -sum / check.violation : kInfinity;
  const double data = std::max({p.P.max_abs(), p.A.max_abs(), 1e-300});
  settle(check, may_hold, kFarAway * std::max(1.0, max_abs(p.c) / data),
         [&] { return is_proof_of_unbounded(p, x); });
  return check;
}

bool check_ray(const Mlcp& p, const Vector& z) {
  const int n = p.size();
  if (z.size() != n) throw std::invalid_argument("z: wrong length");
  const double size = n > 0 ? z.cwiseAbs().maxCoeff() : 0.0;
  if (!(size > 0) || !std::isfinite(size)) return false;
  const Vector w = p.M.multiply(z);
  const double small = 1e-9, largest = std::max(p.M.max_abs(), 1e-300) * size;
  long double work = 0, work_size = 0;
  for (int i = 0; i < n; ++i) {
    if (p.upper[i] < kInfinity || (p.lower[i] != 0.0 && p.lower[i] > -kInfinity)) return false;
    const bool bounded = p.lower[i] == 0.0;
    if (bounded && z[i] < -small * size) return false;
    if (w[i] < -small * largest || (!bounded && w[i] > small * largest)) return false;
    if (std::abs(z[i] * w[i]) > small * size * largest) return false;
    work += static_cast<long double>(p.q[i]) * z[i];
    work_size += std::abs(static_cast<long double>(p.q[i]) * z[i]);
  }
  return work < -small * work_size && work_size > 0;
}

}  // namespace perp
