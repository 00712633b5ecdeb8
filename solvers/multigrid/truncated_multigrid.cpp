#include <perp/solvers/multigrid/truncated_multigrid.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr int kCoarsest = 200;
constexpr int kVisits = 2;  // of a level within one visit of the next finer one
constexpr int kLargestDepth = 30;
constexpr int kCoarsestSweeps = 10;       // if the coarsest matrix is not positive definite
constexpr double kStrength = 0.08;        // halved from level to level [VanekMandelBrezina1996]
constexpr double kLeastCoarsening = 0.8;  // largest size of a level over the next finer one

void prepare_workspaces(MultigridLevel& level) {
  const int n = level.size();
  for (Vector* v :
       {&level.z, &level.w, &level.right, &level.correction, &level.force, &level.best}) {
    v->setZero(n);
  }
  level.mask.assign(n, 1);
  level.scratch.assign(n, 0.0);
}

// Bounds of coarse unknowns y for which z + P y stays within the bounds, if P >= 0 has row sums of
// at most one.
void coarse_bounds(const MultigridLevel& fine, const Vector& z, MultigridLevel& coarse) {
  coarse.lower.setConstant(coarse.size(), -kInfinity);
  coarse.upper.setConstant(coarse.size(), kInfinity);
  for (int i = 0; i < fine.size(); ++i) {
    for (int k = fine.prolongation.start[i]; k < fine.prolongation.start[i + 1]; ++k) {
      const int j = fine.prolongation.column[k];
      coarse.lower[j] = std::max(coarse.lower[j], std::min(0.0, fine.lower[i] - z[i]));
      coarse.upper[j] = std::min(coarse.upper[j], std::max(0.0, fine.upper[i] - z[i]));
    }
  }
}

}  // namespace

void TruncatedMultigrid::build(const SparseMatrix& a, const Vector& q, const Vector& lower,
                               const Vector& upper) {
  levels_.resize(kLargestDepth);
  depth_ = 1;
  to_csr(a, levels_[0].a);
  levels_[0].q = q;
  levels_[0].lower = lower;
  levels_[0].upper = upper;
  prepare_workspaces(levels_[0]);
  double strength = kStrength;
  while (levels_[depth_ - 1].size() > kCoarsest && depth_ < kLargestDepth) {
    MultigridLevel& fine = levels_[depth_ - 1];
    aggregates_.build(fine.a, strength);
    if (aggregates_.count > kLeastCoarsening * fine.size()) break;
    coarsen(fine, levels_[depth_]);
    ++depth_;
    strength *= 0.5;
  }
  coarsest_.reserve(std::min(levels_[depth_ - 1].size(), 4 * kCoarsest));
}

// The Galerkin problem of the groups, around the point of the fine box that is nearest to 0.
void TruncatedMultigrid::coarsen(MultigridLevel& fine, MultigridLevel& coarse) {
  aggregates_.smoothed_prolongation(fine.a, fine.prolongation);
  transpose(fine.prolongation, fine.restriction);
  multiply(fine.a, fine.prolongation, work_, product_);
  multiply(fine.restriction, product_, work_, coarse.a);
  coarse.truncated = coarse.a;
  prepare_workspaces(coarse);
  fine.z = Vector::Zero(fine.size()).cwiseMax(fine.lower).cwiseMin(fine.upper);
  fine.a.multiply(fine.z.data(), fine.w.data());
  fine.w += fine.q;
  coarse.q.setZero(aggregates_.count);
  fine.restriction.multiply(fine.w.data(), coarse.q.data());
  coarse_bounds(fine, fine.z, coarse);
}

double TruncatedMultigrid::operator_complexity() const {
  double entries = 0.0;
  for (int k = 0; k < depth_; ++k) entries += static_cast<double>(levels_[k].a.value.size());
  return entries / std::max<double>(1.0, static_cast<double>(levels_[0].a.value.size()));
}

void TruncatedMultigrid::truncate(int top) {
  static const std::vector<char> kAll;
  for (int k = top; k + 1 < depth(); ++k) {
    MultigridLevel &fine = levels_[k], &coarse = levels_[k + 1];
    galerkin(fine.restriction, matrix(top, k), fine.prolongation, k == top ? fine.mask : kAll,
             coarse.truncated, coarse.scratch);
  }
  factor_coarsest(top);
}

// Factorises the coarsest matrix. Rows without entries get a one on the diagonal.
void TruncatedMultigrid::factor_coarsest(int top) {
  const int last = depth() - 1;
  const Csr& a = matrix(top, last);
  coarsest_factorised_ = false;
  if (a.rows > 4 * kCoarsest) return;
  const auto n = static_cast<std::size_t>(a.rows);
  double* const dense = coarsest_.matrix(a.rows);
  std::fill(dense, dense + n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const bool out = last == top && !levels_[last].mask[i];
    for (int k = a.start[i]; k < a.start[i + 1] && !out; ++k) {
      const bool column_out = last == top && !levels_[last].mask[a.column[k]];
      if (!column_out) dense[a.column[k] * n + i] = a.value[k];
    }
    if (!(dense[i * n + i] > 0)) dense[i * n + i] = 1.0;
  }
  coarsest_factorised_ = coarsest_.factor(0.0);
}

void TruncatedMultigrid::cycle(int top) { descend(top, top); }

void TruncatedMultigrid::descend(int top, int k) {
  MultigridLevel& level = levels_[k];
  level.correction.setZero();
  if (k + 1 == depth()) return solve_coarsest(top);
  for (int visit = 0; visit < (k == top ? 1 : kVisits); ++visit) {
    smooth(top, k, false);
    correct_from_below(top, k);
    smooth(top, k, true);
  }
}

// correction += P A_coarse^-1 P'(right - A correction). Visits of the coarser level approximate the
// inverse.
void TruncatedMultigrid::correct_from_below(int top, int k) {
  MultigridLevel &level = levels_[k], &coarse = levels_[k + 1];
  const Csr& a = matrix(top, k);
  for (int i = 0; i < a.rows; ++i) {
    const bool out = k == top && !level.mask[i];
    level.w[i] = out ? 0.0 : level.right[i] - a.row_dot(i, level.correction.data());
  }
  level.restriction.multiply(level.w.data(), coarse.right.data());
  descend(top, k + 1);
  for (int i = 0; i < a.rows; ++i) {
    if (k == top && !level.mask[i]) continue;
    level.correction[i] += level.prolongation.row_dot(i, coarse.correction.data());
  }
}

// One Gauss-Seidel sweep for A_FF x = right_F; rows without a diagonal are skipped.
void TruncatedMultigrid::smooth(int top, int level_index, bool backward) {
  MultigridLevel& level = levels_[level_index];
  const Csr& a = matrix(top, level_index);
  const bool masked = level_index == top;
  double* const x = level.correction.data();
  for (int m = 0; m < a.rows; ++m) {
    const int i = backward ? a.rows - 1 - m : m;
    if (masked && !level.mask[i]) continue;
    double sum = level.right[i], diagonal = 0.0;
    for (int k = a.start[i]; k < a.start[i + 1]; ++k) {
      const int j = a.column[k];
      if (j == i) {
        diagonal = a.value[k];
      } else {
        sum -= a.value[k] * x[j];
      }
    }
    if (diagonal > 0) x[i] = sum / diagonal;
  }
}

void TruncatedMultigrid::solve_coarsest(int top) {
  const int last = depth() - 1;
  MultigridLevel& level = levels_[last];
  if (!coarsest_factorised_) {
    for (int k = 0; k < kCoarsestSweeps; ++k) smooth(top, last, k % 2 == 1);
    return;
  }
  level.correction = level.right;
  for (int i = 0; i < level.size() && last == top; ++i) {
    if (!level.mask[i]) level.correction[i] = 0.0;
  }
  coarsest_.solve(level.correction.data());
}

}  // namespace perp
