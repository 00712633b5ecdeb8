#include <perp/solvers/friction/contact_problem.hpp>

#include <fmt/format.h>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace perp {

namespace {

// Of W r + q and of the natural map, wherever it is evaluated.
constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
// As the verifier has it: below this, a residual relative to q means nothing.
constexpr double kVanishingNorm = 1e-14;

double power_of_two(double x) {
  return std::isfinite(x) && x > 0 ? std::exp2(std::round(std::log2(x))) : 1.0;
}

// J M^-1 J', which is sparse where M couples few of its unknowns.
Matrix delassus(const FrictionContact& problem) {
  Eigen::SimplicialLDLT<SparseMatrix> mass(problem.M.to_sparse());
  if (mass.info() != Eigen::Success) throw std::invalid_argument("M: cannot be factorised");
  const SparseMatrix j = problem.J.to_sparse();
  const SparseMatrix transposed = j.transpose();
  const SparseMatrix response = mass.solve(transposed);
  return Matrix(SparseMatrix(j * response));
}

}  // namespace

ContactScaling contact_scaling(std::string_view name) {
  if (name == "none") return ContactScaling::kNone;
  if (name == "global") return ContactScaling::kGlobal;
  if (name == "contact") return ContactScaling::kContact;
  throw std::invalid_argument(
      fmt::format("setting \"scaling\": \"{}\" is not none, global or contact", name));
}

void ContactProblem::build(const FrictionContact& problem, ContactScaling scaling) {
  dimension_ = problem.dimension;
  mu_ = problem.mu;
  set_scales(problem);
  q_.setZero(size());
  for (int c = 0; c < contacts(); ++c) {
    for (int k = 0; k < dimension_; ++k) q_[3 * c + k] = problem.q[dimension_ * c + k];
  }
  gather(problem);
  sort_by_rows();
  scale(scaling);
  find_asymmetry();
}

// What the measure of the problem as posed needs. Squares of a q that is large enough overflow in
// double.
void ContactProblem::set_scales(const FrictionContact& problem) {
  measure_.prepare(problem);
  slack_.setZero(measure_.parts());
  Extended total = 0;
  for (int i = 0; i < posed_size(); ++i) {
    const Extended square = static_cast<Extended>(problem.q[i]) * problem.q[i];
    slack_[measure_.part_of(i / dimension_)] += square;
    total += square;
  }
  posed_norm_ = std::sqrt(total);
  part_scales_.resize(measure_.parts());
  for (Eigen::Index p = 0; p < slack_.size(); ++p)
    part_scales_[p] = std::max(std::sqrt(slack_[p]), std::min<Extended>(1, posed_norm_));
  posed_r_.setZero(posed_size());
  exact_r_.setZero(posed_size());
  exact_u_.setZero(posed_size());
  posed_u_.setZero(posed_size());
}

// All blocks, column of contacts after column of contacts.
void ContactProblem::gather(const FrictionContact& problem) {
  const Matrix formed = problem.is_operator() ? delassus(problem) : Matrix();
  const Matrix& w = problem.is_operator() ? formed : problem.W;
  const int nc = contacts(), d = dimension_;
  rows_.clear();
  columns_.clear();
  blocks_.clear();
  std::vector<int> seen(nc, -1), slot(nc, 0);
  const auto entry = [&](int row, int column, double value) {
    const int c = row / d, e = column / d;
    if (seen[c] != e) {
      seen[c] = e;
      slot[c] = static_cast<int>(rows_.size());
      rows_.push_back(c);
      columns_.push_back(e);
      blocks_.resize(blocks_.size() + 9, 0.0);
    }
    blocks_[9 * static_cast<std::size_t>(slot[c]) + 3 * (column % d) + row % d] += value;
  };
  for (int e = 0; e < nc; ++e) {
    double trace = 0.0;
    for (int k = 0; k < d; ++k) {
      const int column = d * e + k;
      entry(column, column, problem.compliance.size() > 0 ? problem.compliance[column] : 0.0);
      w.for_column(column, [&](int row, double value) {
        entry(row, column, value);
        if (row == column) trace += std::abs(value);
      });
    }
    if (d == 2) blocks_[9 * static_cast<std::size_t>(slot[e]) + 8] = trace > 0 ? trace / 2 : 1.0;
  }
}

void ContactProblem::sort_by_rows() {
  const int nc = contacts(), count = static_cast<int>(rows_.size());
  starts_.assign(nc + 1, 0);
  diagonals_.assign(nc, 0);
  for (int row : rows_) ++starts_[row + 1];
  for (int c = 0; c < nc; ++c) starts_[c + 1] += starts_[c];
  std::vector<int> next(starts_.begin(), starts_.end() - 1), columns(count);
  std::vector<double> blocks(9 * static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) {
    const int to = next[rows_[k]]++;
    columns[to] = columns_[k];
    if (rows_[k] == columns_[k]) diagonals_[rows_[k]] = to;
    std::copy_n(&blocks_[9 * static_cast<std::size_t>(k)], 9,
                &blocks[9 * static_cast<std::size_t>(to)]);
  }
  rows_.clear();
  columns_ = std::move(columns);
  blocks_ = std::move(blocks);
}

void ContactProblem::scale(ContactScaling scaling) {
  const int nc = contacts();
  impulse_scale_.setOnes(nc);
  velocity_scale_.setOnes(nc);
  if (scaling == ContactScaling::kNone || nc == 0) return;
  Vector size(nc);  // of the diagonal blocks
  for (int c = 0; c < nc; ++c) {
    const double* w = diagonal(c);
    size[c] = (std::abs(w[0]) + std::abs(w[4]) + std::abs(w[8])) / 3.0;
  }
  if (scaling == ContactScaling::kGlobal) size.setConstant(size.mean());
  double sum = 0.0;
  for (int c = 0; c < nc; ++c) {
    impulse_scale_[c] = power_of_two(1.0 / std::sqrt(size[c]));
    sum += (q_.segment<3>(3 * c) * impulse_scale_[c]).squaredNorm();
  }
  const double level = power_of_two(std::sqrt(sum / nc));
  for (int c = 0; c < nc; ++c) {
    velocity_scale_[c] = level / impulse_scale_[c];
    impulse_scale_[c] *= level;
    q_.segment<3>(3 * c) /= velocity_scale_[c];
  }
  for (int c = 0; c < nc; ++c) {
    for (int k = starts_[c]; k < starts_[c + 1]; ++k) {
      const double factor = impulse_scale_[columns_[k]] / velocity_scale_[c];
      for (int i = 0; i < 9; ++i) blocks_[9 * static_cast<std::size_t>(k) + i] *= factor;
    }
  }
}

void ContactProblem::find_asymmetry() {
  double largest = 0.0, difference = 0.0;
  for (int c = 0; c < contacts(); ++c) {
    for (int k = starts_[c]; k < starts_[c + 1]; ++k) {
      const int e = columns_[k];
      const auto first = columns_.begin() + starts_[e], last = columns_.begin() + starts_[e + 1];
      const auto found = std::lower_bound(first, last, c);
      const bool stored = found != last && *found == c;
      const double* here = block(k);
      const double* there = stored ? block(static_cast<int>(found - columns_.begin())) : nullptr;
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
  double u0 = q_[3 * c], u1 = q_[3 * c + 1], u2 = q_[3 * c + 2];
  for (int k = starts_[c]; k < starts_[c + 1]; ++k) {
    const double* w = block(k);
    const double* x = &r[3 * columns_[k]];
    u0 += w[0] * x[0] + w[3] * x[1] + w[6] * x[2];
    u1 += w[1] * x[0] + w[4] * x[1] + w[7] * x[2];
    u2 += w[2] * x[0] + w[5] * x[1] + w[8] * x[2];
  }
  u[0] = u0;
  u[1] = u1;
  u[2] = u2;
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
    posed_r_[dimension_ * c + k] = impulse_scale_[c] * r[k];
    posed_u_[dimension_ * c + k] = velocity_scale_[c] * u[k];
  }
}

double ContactProblem::posed_measure() const {
  const double measure = measure_.evaluate(posed_r_, posed_u_).measure;
  return std::isfinite(measure) ? measure : std::numeric_limits<double>::infinity();
}

double ContactProblem::measure(const Vector& r, const Vector& u) const {
  for (int c = 0; c < contacts(); ++c) to_posed_pair(c, &r[3 * c], &u[3 * c]);
  return posed_measure();
}

double ContactProblem::measure(const Vector& r) const {
  slack_.setZero();
  for (int c = 0; c < contacts(); ++c) {
    std::array<long double, 3> u = {q_[3 * c], q_[3 * c + 1], q_[3 * c + 2]};
    std::array<double, 3> size = {std::abs(q_[3 * c]), std::abs(q_[3 * c + 1]),
                                  std::abs(q_[3 * c + 2])};
    for (int k = starts_[c]; k < starts_[c + 1]; ++k) {
      const double* w = block(k);
      for (int j = 0; j < 3; ++j) {
        const long double x = r[3 * columns_[k] + j];
        for (int i = 0; i < 3; ++i) {
          u[i] += w[3 * j + i] * x;
          size[i] += std::abs(w[3 * j + i] * static_cast<double>(x));
        }
      }
    }
    for (int k = 0; k < dimension_; ++k) {  // exact: the scales are powers of two
      exact_r_[dimension_ * c + k] = static_cast<Extended>(impulse_scale_[c]) * r[3 * c + k];
      exact_u_[dimension_ * c + k] = velocity_scale_[c] * u[k];
    }
    const double slack =
        kRounding * velocity_scale_[c] * (size[0] + (1 + mu_[c]) * std::hypot(size[1], size[2]));
    slack_[measure_.part_of(c)] += static_cast<Extended>(slack) * slack;
  }
  const double found = measure_.evaluate(exact_r_, exact_u_).measure;
  const double measure = std::isfinite(found) ? found : std::numeric_limits<double>::infinity();
  Extended total = 0, by_part = 0;
  for (Eigen::Index p = 0; p < slack_.size(); ++p) {
    total += slack_[p];
    by_part = std::max(by_part, std::sqrt(slack_[p]) / part_scales_[p]);
  }
  const Extended whole = std::sqrt(total);
  if (posed_norm_ <= kVanishingNorm) return measure + static_cast<double>(whole);
  return measure + static_cast<double>(std::max(whole / posed_norm_, by_part));
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
