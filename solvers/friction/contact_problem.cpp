#include <perp/solvers/friction/contact_problem.hpp>

#include <perp/problems/limits/current_deadline.hpp>
#include <perp/problems/standard/delassus.hpp>
#include <perp/solvers/linear_algebra/dense_kernels.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace perp {

namespace {

// Bound on the relative rounding of the terms of W r + q and of the natural map.
constexpr double kSlackRounding = 4 * std::numeric_limits<double>::epsilon();
// The verifier's constant: if ||q|| is smaller, a residual relative to q means nothing.
constexpr double kVanishingNorm = 1e-14;

double finite_power_of_two(double x) {
  return std::isfinite(x) && x > 0 ? std::exp2(std::round(std::log2(x))) : 1.0;
}

}  // namespace

ContactScaling contact_scaling(std::string_view name) {
  if (name == "none") return ContactScaling::kNone;
  return name == "global" ? ContactScaling::kGlobal : ContactScaling::kContact;
}

// Sums are extended, since the squares of a large q overflow in double.
void PosedMeasure::prepare(const FrictionContact& problem) {
  measure_.prepare(problem);
  slack_.setZero(measure_.parts());
  Extended total = 0;
  for (int i = 0; i < problem.size(); ++i) {
    const Extended square = static_cast<Extended>(problem.q[i]) * problem.q[i];
    slack_[measure_.part_of(i / problem.dimension)] += square;
    total += square;
  }
  norm_ = std::sqrt(total);
  part_scales_.resize(measure_.parts());
  for (Eigen::Index p = 0; p < slack_.size(); ++p)
    part_scales_[p] = std::max(std::sqrt(slack_[p]), std::min<Extended>(1, norm_));
  for (Vector* v : {&r, &u}) v->setZero(problem.size());
  for (ExtendedVector* v : {&exact_r, &exact_u}) v->setZero(problem.size());
}

double PosedMeasure::evaluate() {
  const double measure = measure_.evaluate(r, u).measure;
  return std::isfinite(measure) ? measure : std::numeric_limits<double>::infinity();
}

double PosedMeasure::evaluate_with_slack() {
  const double found = measure_.evaluate(exact_r, exact_u).measure;
  const double measure = std::isfinite(found) ? found : std::numeric_limits<double>::infinity();
  Extended total = 0, by_part = 0;
  for (Eigen::Index p = 0; p < slack_.size(); ++p) {
    total += slack_[p];
    by_part = std::max(by_part, std::sqrt(slack_[p]) / part_scales_[p]);
  }
  const Extended whole = std::sqrt(total);
  if (norm_ <= kVanishingNorm) return measure + static_cast<double>(whole);
  return measure + static_cast<double>(std::max(whole / norm_, by_part));
}

bool ContactProblem::keep_blocks(const Source& source, int dimension, const Vector& mu,
                                 const Vector& q) {
  const auto same = [](const Matrix& a, const Matrix& b) {
    return a.shares(b) || (a.stored() == 0 && b.stored() == 0);
  };
  const bool kept = source.matrix.shares(source_.matrix) && same(source.other, source_.other) &&
                    source.scaling == source_.scaling && dimension == dimension_ &&
                    mu.size() == mu_.size() &&
                    source.compliance.size() == source_.compliance.size() &&
                    source.compliance == source_.compliance;
  if (!kept) return false;
  mu_ = mu;
  take_q(q);
  scale_q();
  return true;
}

void ContactProblem::build(const FrictionContact& problem, ContactScaling scaling) {
  measure_.prepare(problem);
  const bool forms = problem.is_operator();
  const Matrix &first = forms ? problem.J : problem.W, &second = problem.M;
  const bool shared = first.is_shared() && (!forms || second.is_shared());
  const Source source = shared ? Source{first, second, problem.compliance, scaling} : Source{};
  if (keep_blocks(source, problem.dimension, problem.mu, problem.q)) return;
  const Matrix formed =
      forms ? Matrix(delassus(problem.J, problem.M, &CurrentDeadline::passed)) : Matrix();
  const Matrix& w = forms ? formed : problem.W;
  build_blocks(problem.dimension, problem.mu, problem.q, scaling, [&](int j, auto&& entry) {
    if (problem.compliance.size() > 0) entry(j, problem.compliance[j]);
    w.for_column(j, entry);
  });
  set_source(source);
}

void ContactProblem::begin(int dimension, const Vector& mu, const Vector& q) {
  if (dimension_ != dimension) ++pattern_;
  dimension_ = dimension;
  mu_ = mu;
  take_q(q);
  Gathering& g = gathering_;
  g.rows.clear();
  g.columns.clear();
  g.values.clear();
  g.seen.assign(contacts(), -1);
  g.slot.assign(contacts(), 0);
}

void ContactProblem::take_q(const Vector& q) {
  q_.setZero(size());
  for (int c = 0; c < contacts(); ++c) {
    for (int k = 0; k < dimension_; ++k) q_[3 * c + k] = q[dimension_ * c + k];
  }
}

void ContactProblem::end(ContactScaling scaling) {
  if (dimension_ == 2) fill_third_direction();
  sort_by_rows();
  find_sizes(scaling);
  scale_q();
  scale_blocks();
  find_asymmetry();
}

// In 2D: as stiff as the others are on average, or 1.
void ContactProblem::fill_third_direction() {
  Gathering& g = gathering_;
  for (std::size_t k = 0; k < g.rows.size(); ++k) {
    if (g.rows[k] != g.columns[k]) continue;
    double* w = &g.values[9 * k];
    const double trace = std::abs(w[0]) + std::abs(w[4]);
    w[8] = trace > 0 ? trace / 2 : 1.0;
  }
}

void ContactProblem::sort_by_rows() {
  const Gathering& g = gathering_;
  const int nc = contacts(), count = static_cast<int>(g.rows.size());
  std::vector<int>& next = gathering_.next;
  next.assign(nc + 1, 0);
  for (int row : g.rows) ++next[row + 1];
  for (int c = 0; c < nc; ++c) next[c + 1] += next[c];
  const long before = pattern_++;  // another one, also if memory ends below
  bool kept = next == W_.starts && static_cast<int>(W_.columns.size()) == count;
  W_.starts = next;
  W_.columns.resize(count);
  W_.diagonals.assign(nc, 0);
  W_.values.resize(9 * static_cast<std::size_t>(count) + 1);  // DenseKernels::add_block_row
  for (int k = 0; k < count; ++k) {
    const int to = next[g.rows[k]]++;
    kept = kept && W_.columns[to] == g.columns[k];
    W_.columns[to] = g.columns[k];
    if (g.rows[k] == g.columns[k]) W_.diagonals[g.rows[k]] = to;
    std::copy_n(&g.values[9 * static_cast<std::size_t>(k)], 9,
                &W_.values[9 * static_cast<std::size_t>(to)]);
  }
  if (kept) pattern_ = before;
}

void ContactProblem::find_sizes(ContactScaling scaling) {
  const int nc = contacts();
  sizes_.resize(scaling == ContactScaling::kNone ? 0 : nc);
  if (sizes_.size() == 0) return;
  for (int c = 0; c < nc; ++c) {
    const double* w = diagonal(c);
    sizes_[c] = (std::abs(w[0]) + std::abs(w[4]) + std::abs(w[8])) / 3.0;
  }
  if (scaling == ContactScaling::kGlobal) sizes_.setConstant(sizes_.mean());
  for (double& size : sizes_) size = finite_power_of_two(1.0 / std::sqrt(size));
}

// The scales of contacts: their product does not depend on q, so neither do the scaled blocks.
void ContactProblem::scale_q() {
  const int nc = contacts();
  impulse_scale_.setOnes(nc);
  velocity_scale_.setOnes(nc);
  if (sizes_.size() == 0) return;
  double sum = 0.0;
  for (int c = 0; c < nc; ++c) sum += (q_.segment<3>(3 * c) * sizes_[c]).squaredNorm();
  const double level = finite_power_of_two(std::sqrt(sum / nc));
  for (int c = 0; c < nc; ++c) {
    velocity_scale_[c] = level / sizes_[c];
    impulse_scale_[c] = sizes_[c] * level;
    q_.segment<3>(3 * c) /= velocity_scale_[c];
  }
}

void ContactProblem::scale_blocks() {
  if (sizes_.size() == 0) return;
  for (int c = 0; c < contacts(); ++c) {
    for (int k = W_.starts[c]; k < W_.starts[c + 1]; ++k) {
      const double factor = impulse_scale_[W_.columns[k]] / velocity_scale_[c];
      for (int i = 0; i < 9; ++i) W_.values[9 * static_cast<std::size_t>(k) + i] *= factor;
    }
  }
}

void ContactProblem::find_asymmetry() {
  double largest = 0.0, difference = 0.0;
  for (int c = 0; c < contacts(); ++c) {
    for (int k = W_.starts[c]; k < W_.starts[c + 1]; ++k) {
      const int e = W_.columns[k];
      const auto first = W_.columns.begin() + W_.starts[e],
                 last = W_.columns.begin() + W_.starts[e + 1];
      const auto found = std::lower_bound(first, last, c);
      const bool stored = found != last && *found == c;
      const double* here = block(k);
      const double* there = stored ? block(static_cast<int>(found - W_.columns.begin())) : nullptr;
      for (int i = 0; i < 9; ++i) {
        const double mirrored = there ? there[3 * (i % 3) + i / 3] : 0.0;
        largest = std::max(largest, std::abs(here[i]));
        difference = std::max(difference, std::abs(here[i] - mirrored));
      }
    }
  }
  asymmetry_ = largest > 0 ? difference / largest : 0.0;
}

void ContactProblem::velocity(int c, const Vector& r, double* u) const {
  static const DenseKernels& kernels = dense_kernels();
  for (int i = 0; i < 3; ++i) u[i] = q_[3 * c + i];
  const int first = W_.starts[c];
  kernels.add_block_row(W_.starts[c + 1] - first, &W_.columns[first], block(first), r.data(), u);
}

void ContactProblem::velocity(const Vector& r, Vector& u) const {
  for (int c = 0; c < contacts(); ++c) velocity(c, r, &u[3 * c]);
}

void ContactProblem::multiply(const Vector& x, Vector& y) const {
  velocity(x, y);
  y -= q_;
}

void ContactProblem::to_posed_pair(int c, const double* r, const double* u) const {
  for (int k = 0; k < dimension_; ++k) {
    measure_.r[dimension_ * c + k] = impulse_scale_[c] * r[k];
    measure_.u[dimension_ * c + k] = velocity_scale_[c] * u[k];
  }
}

double ContactProblem::measure(const Vector& r, const Vector& u) const {
  for (int c = 0; c < contacts(); ++c) to_posed_pair(c, &r[3 * c], &u[3 * c]);
  return measure_.evaluate();
}

double ContactProblem::measure(const Vector& r) const {
  measure_.clear_slack();
  for (int c = 0; c < contacts(); ++c) {
    std::array<long double, 3> u = {q_[3 * c], q_[3 * c + 1], q_[3 * c + 2]};
    std::array<double, 3> size = {std::abs(q_[3 * c]), std::abs(q_[3 * c + 1]),
                                  std::abs(q_[3 * c + 2])};
    for (int k = W_.starts[c]; k < W_.starts[c + 1]; ++k) {
      const double* w = block(k);
      for (int j = 0; j < 3; ++j) {
        const long double x = r[3 * W_.columns[k] + j];
        for (int i = 0; i < 3; ++i) {
          u[i] += w[3 * j + i] * x;
          size[i] += std::abs(w[3 * j + i] * static_cast<double>(x));
        }
      }
    }
    for (int k = 0; k < dimension_; ++k) {  // exact: the scales are powers of two
      measure_.exact_r[dimension_ * c + k] =
          static_cast<Extended>(impulse_scale_[c]) * r[3 * c + k];
      measure_.exact_u[dimension_ * c + k] = velocity_scale_[c] * u[k];
    }
    measure_.add_slack(c, kSlackRounding * velocity_scale_[c] *
                              (size[0] + (1 + mu_[c]) * std::hypot(size[1], size[2])));
  }
  return measure_.evaluate_with_slack();
}

void ContactProblem::to_scaled(const Vector& posed, Vector& r) const {
  r.setZero(size());
  for (int c = 0; c < contacts(); ++c) {
    for (int k = 0; k < dimension_; ++k)
      r[3 * c + k] = posed[dimension_ * c + k] / impulse_scale_[c];
  }
}

void ContactProblem::to_posed(const Vector& r, Vector& posed) const {
  posed.resize(posed_size());
  for (int c = 0; c < contacts(); ++c) {
    for (int k = 0; k < dimension_; ++k)
      posed[dimension_ * c + k] = r[3 * c + k] * impulse_scale_[c];
  }
}

}  // namespace perp
