#include <perp/problems/standard/friction_measure.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <perp/problems/standard/friction_cone.hpp>

namespace perp {

namespace {

constexpr Extended kVanishingNorm = 1e-14L;  // a norm of q below this is no more than rounding
constexpr Extended kCoupled = 0x1p-52L;  // size of a block of W over that of its diagonal blocks

}  // namespace

// Members 0 .. nc - 1 are the contacts; the columns of J follow.
void FrictionMeasure::join_by_columns(const FrictionContact& p, Joining& sets) {
  const int nc = p.contacts(), m = p.J.cols();
  sets.reset(nc + m);
  for (int col = 0; col < m; ++col) {
    p.J.for_column(col, [&](int row, double) { sets.join(row / p.dimension, nc + col); });
    p.M.for_column(col, [&](int row, double) { sets.join(nc + row, nc + col); });
  }
}

// For a dimension that the compiler knows: rows are divided by it.
// @param column column(j, f) calls f(count, rows, values) once with the entries of column j of W
template <int D, class Column>
void FrictionMeasure::join_blocks(int contacts, Joining& sets, const Column& column) {
  auto& touched = sets.touched;
  auto& squares = sets.squares;
  auto& norms = sets.norms;  // of the diagonal blocks
  auto& met = sets.met;      // of a row of blocks: the last column whose set it is known to be in
  squares.assign(static_cast<std::size_t>(contacts), 0);
  norms.assign(static_cast<std::size_t>(contacts), 0);
  met.assign(static_cast<std::size_t>(contacts), -1);
  for (int j = 0; j < D * contacts; ++j) {
    const int first = j / D * D;
    column(j, [&](int count, const int* rows, const double* values) {
      for (int k = static_cast<int>(std::lower_bound(rows, rows + count, first) - rows);
           k < count && rows[k] < first + D; ++k)
        norms[j / D] += static_cast<Extended>(values[k]) * values[k];
    });
  }
  for (Extended& norm : norms) norm = std::sqrt(norm);
  sets.reset(contacts);
  int apart = contacts;  // sets that are left
  for (int b = 0; b < contacts && apart > 1; ++b) {
    const auto is_large = [&](int a, Extended square) {
      return square > kCoupled * kCoupled * norms[a] * norms[b];
    };
    // Mostly one entry is large enough. Blocks without such an entry are summed up.
    touched.clear();
    met[b] = b;
    const auto take = [&](int a, double v) {
      if (sets.root(a) == sets.root(b)) {
        met[a] = b;
        return;
      }
      const Extended square = static_cast<Extended>(v) * v;
      if (is_large(a, square)) {
        met[a] = b;
        --apart;
        return sets.join(a, b);
      }
      if (square == 0) return;
      if (squares[a] == 0) touched.push_back(a);
      squares[a] += square;
    };
    for (int j = D * b; j < D * (b + 1); ++j) {
      column(j, [&](int count, const int* rows, const double* values) {
        for (int k = 0; k < count; ++k) {
          const int a = rows[k] / D;
          if (met[a] != b) take(a, values[k]);
        }
      });
    }
    for (const int a : touched) {
      if (is_large(a, squares[a]) && sets.root(a) != sets.root(b)) {
        sets.join(a, b);
        --apart;
      }
      squares[a] = 0;
    }
  }
}

void FrictionMeasure::join_by_blocks(const FrictionContact& p, Joining& sets) {
  const auto join = [&](const auto& column) {
    p.dimension == 3 ? join_blocks<3>(p.contacts(), sets, column)
                     : join_blocks<2>(p.contacts(), sets, column);
  };
  if (p.W.is_sparse()) {
    const SparseColumns w = p.W.columns();
    return join([&](int j, const auto& f) {
      f(w.start[j + 1] - w.start[j], w.row + w.start[j], w.value + w.start[j]);
    });
  }
  const DenseMatrix& w = p.W.dense();
  sets.all.resize(static_cast<std::size_t>(w.rows()));
  std::iota(sets.all.begin(), sets.all.end(), 0);
  join([&](int j, const auto& f) {
    f(static_cast<int>(w.rows()), sets.all.data(),
      w.data() + static_cast<std::ptrdiff_t>(j) * w.rows());
  });
}

template <class Scalar>
void friction_natural_map(int d, const Scalar* r, const Scalar* u, Scalar mu, Scalar* f) {
  const auto length = [d](Scalar a, Scalar b) { return d == 3 ? plane_norm(a, b) : std::abs(a); };
  const Scalar r2 = d == 3 ? r[2] : Scalar(0), u2 = d == 3 ? u[2] : Scalar(0);
  const Scalar hat = u[0] + mu * length(u[1], u2);  // u_hat_n
  const Scalar w_n = r[0] - hat, w_1 = r[1] - u[1], w_2 = r2 - u2, w_t = length(w_1, w_2);
  if (w_t <= mu * w_n && w_n >= 0) {  // for mu = 0, w_t <= mu w_n can hold below the tip too
    f[0] = hat;
    for (int k = 1; k < d; ++k) f[k] = u[k];
    return;
  }
  if (mu * w_t <= -w_n) {
    for (int k = 0; k < d; ++k) f[k] = r[k];
    return;
  }
  const Scalar tau_1 = w_1 / w_t, tau_2 = w_2 / w_t, squares = 1 + mu * mu;
  const Scalar along_e = (hat + mu * (tau_1 * u[1] + tau_2 * u2)) / squares;
  const Scalar along_g = (mu * r[0] - (tau_1 * r[1] + tau_2 * r2)) / squares;
  const Scalar across = (u2 * r[1] - u[1] * r2) / w_t;  // along (-tau_2, tau_1)
  f[0] = along_e + mu * along_g;
  f[1] = (mu * along_e - along_g) * tau_1 - across * tau_2;
  if (d == 3) f[2] = (mu * along_e - along_g) * tau_2 + across * tau_1;
}

template void friction_natural_map(int, const double*, const double*, double, double*);
template void friction_natural_map(int, const Extended*, const Extended*, Extended, Extended*);

namespace {

// Both squares of a contact: of its natural map, and of its error.
template <class Scalar>
std::array<Extended, 2> squares_of(int d, const Scalar* r, const Scalar* u, Scalar mu) {
  Scalar f[3] = {};
  friction_natural_map<Scalar>(d, r, u, mu, f);
  Extended map = 0;
  for (int k = 0; k < d; ++k) map += static_cast<Extended>(f[k]) * f[k];
  const Extended normal = std::min(r[0], u[0]);
  const Extended square = normal * normal;
  return {map, square > map ? square : map};  // a NaN of map stays
}

}  // namespace

template <class Scalar>
Extended friction_error(int dimension, const Scalar* r, const Scalar* u, Scalar mu) {
  return std::sqrt(squares_of(dimension, r, u, mu)[1]);
}

template Extended friction_error(int, const double*, const double*, double);
template Extended friction_error(int, const Extended*, const Extended*, Extended);

bool FrictionMeasure::has_parts_of(const FrictionContact& problem) const {
  if (problem.dimension != dimension_ || problem.contacts() != std::ssize(part_)) return false;
  return problem.is_operator() ? problem.J.shares(J_) && problem.M.shares(M_)
                               : problem.W.shares(W_);
}

void FrictionMeasure::find_parts(const FrictionContact& problem) {
  dimension_ = problem.dimension;
  const int nc = problem.contacts();
  problem.is_operator() ? join_by_columns(problem, joining_) : join_by_blocks(problem, joining_);
  std::vector<int>& number = joining_.number;
  number.clear();
  part_.resize(static_cast<std::size_t>(nc));
  int parts = 0;
  for (int c = 0; c < nc; ++c) {
    const auto root = static_cast<std::size_t>(joining_.root(c));
    if (root >= number.size()) number.resize(root + 1, -1);
    if (number[root] < 0) number[root] = parts++;
    part_[c] = number[root];
  }
  scales_.resize(static_cast<std::size_t>(parts));
  const auto keep = [](const Matrix& from, Matrix& to) { to = from.is_shared() ? from : Matrix(); };
  keep(problem.W, W_);
  keep(problem.J, J_);
  keep(problem.M, M_);
}

void FrictionMeasure::prepare(const FrictionContact& problem) {
  mu_ = problem.mu;
  if (!has_parts_of(problem)) find_parts(problem);
  std::fill(scales_.begin(), scales_.end(), 0);
  Extended total = 0;
  for (int c = 0; c < problem.contacts(); ++c) {
    for (int k = dimension_ * c; k < dimension_ * (c + 1); ++k) {
      const Extended square = static_cast<Extended>(problem.q[k]) * problem.q[k];
      scales_[part_[c]] += square;
      total += square;
    }
  }
  q_norm_ = std::sqrt(total);
  for (Extended& scale : scales_) {
    scale = q_norm_ <= kVanishingNorm ? 1.0L : std::max(std::sqrt(scale), std::min(1.0L, q_norm_));
  }
  squares_.assign(scales_.size(), 0);
}

template <class V>
FrictionMeasure::Value FrictionMeasure::evaluate_as(const V& r, const V& u) {
  using Scalar = typename V::Scalar;
  std::fill(squares_.begin(), squares_.end(), 0);
  Extended total = 0, worst = -1, by_part = 0;
  Value value{0, 0, 0, 0, -1};
  for (int c = 0; c < static_cast<int>(part_.size()); ++c) {
    const auto [map, square] =
        squares_of<Scalar>(dimension_, r.data() + dimension_ * c, u.data() + dimension_ * c,
                           static_cast<Scalar>(mu_[c]));
    squares_[part_[c]] += square;
    total += map;
    if (!(square <= worst * worst) || worst < 0) {
      worst = std::sqrt(square);
      value.worst_contact = c;
    }
  }
  for (std::size_t p = 0; p < scales_.size(); ++p) {
    const Extended ratio = std::sqrt(squares_[p]) / scales_[p];
    if (!(ratio <= by_part)) by_part = ratio;
  }
  const Extended infinity = HUGE_VALL, norm = std::isnan(total) ? infinity : std::sqrt(total);
  value.natural = round_up(norm);
  value.relative = round_up(q_norm_ > 0 ? norm / q_norm_ : infinity);
  value.by_part = round_up(std::isnan(by_part) ? infinity : by_part);
  value.measure =
      std::max(q_norm_ <= kVanishingNorm ? value.natural : value.relative, value.by_part);
  return value;
}

FrictionMeasure::Value FrictionMeasure::evaluate(const Vector& r, const Vector& u) {
  return evaluate_as(r, u);
}
FrictionMeasure::Value FrictionMeasure::evaluate(const ExtendedVector& r, const ExtendedVector& u) {
  return evaluate_as(r, u);
}

}  // namespace perp
