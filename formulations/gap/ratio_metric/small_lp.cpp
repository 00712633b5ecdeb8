#include <perp/formulations/gap/ratio_metric/small_lp.hpp>

#include <perp/problems/standard/random.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace perp {

namespace {

constexpr double kViolated = 1e-13;  // relative to the numbers that a row is computed from
constexpr double kParallelRow =
    1e-12;  // entries of a row below this, after its reduction, are zero
constexpr double kMultiplierRounding = 1e-11;  // rounding of multipliers
constexpr std::uint64_t kSeed = 1991;

using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, SmallLp::kMostUnknowns,
                                  SmallLp::kMostUnknowns>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, SmallLp::kMostUnknowns, 1>;

}  // namespace

const SmallLpSolution& SmallLpSolver::solve(const SmallLp& program) {
  const int d = program.unknowns, m = static_cast<int>(program.b.size());
  program_ = &program;
  solution_ = {};
  Level& top = levels_[d];
  top.c = program.c;
  top.rows.resize(m);
  for (int k = 0; k < d; ++k) top.unknowns[k] = k;
  for (int i = 0; i < m; ++i) {
    Row& row = top.rows[i];
    double length = 0.0;
    for (int k = 0; k < d; ++k) {
      row.a[k] = program.rows[static_cast<std::size_t>(i) * d + k];
      length = std::max(length, std::abs(row.a[k]));
    }
    if (length > 0) {
      for (int k = 0; k < d; ++k) row.a[k] /= length;
    }
    row.b = length > 0 ? program.b[i] / length : program.b[i];
    row.size = std::abs(row.b);
    row.index = i;
  }
  Random random(kSeed);
  for (int i = m - 1; i > 0; --i) std::swap(top.rows[i], top.rows[random.index(i + 1)]);
  solution_.feasible = solve_level(d);
  if (solution_.feasible) finish();
  return solution_;
}

double SmallLpSolver::excess(int unknowns, const Level& level, const Row& row) {
  double left = -row.b, size = row.size;
  for (int k = 0; k < unknowns; ++k) {
    left += row.a[k] * level.x[k];
    size += std::abs(row.a[k] * level.x[k]);
  }
  return left - kViolated * size;
}

bool SmallLpSolver::solve_level(int unknowns) {
  if (unknowns == 1) return solve_line();
  Level& level = levels_[unknowns];
  const int m = static_cast<int>(program_->b.size());
  for (int k = 0; k < unknowns; ++k) {
    const int original = level.unknowns[k];
    const bool low = level.c[k] >= 0;
    level.x[k] = low ? program_->lower[original] : program_->upper[original];
    level.basis[k] = m + original + (low ? 0 : program_->unknowns);
  }
  for (std::size_t i = 0; i < level.rows.size(); ++i) {
    const Row& plane = level.rows[i];
    if (!(excess(unknowns, level, plane) > 0)) continue;
    int pivot = 0;
    for (int k = 1; k < unknowns; ++k) {
      if (std::abs(plane.a[k]) > std::abs(plane.a[pivot])) pivot = k;
    }
    if (!(std::abs(plane.a[pivot]) > kParallelRow)) return false;
    reduce(unknowns, plane, static_cast<int>(i), pivot);
    if (!solve_level(unknowns - 1)) return false;
    lift(unknowns, plane, pivot);
  }
  return true;
}

// One unknown: an interval; the sign of c chooses its end.
bool SmallLpSolver::solve_line() {
  Level& level = levels_[1];
  const int m = static_cast<int>(program_->b.size()), original = level.unknowns[0];
  double low = program_->lower[original], high = program_->upper[original], slack = 0.0;
  int low_index = m + original, high_index = m + program_->unknowns + original;
  for (const Row& row : level.rows) {
    if (std::abs(row.a[0]) <= kParallelRow) {
      if (row.b < -kViolated * row.size) return false;
      continue;
    }
    const double at = row.b / row.a[0];
    slack = std::max(slack, kViolated * (row.size + std::abs(row.b)) / std::abs(row.a[0]));
    if (row.a[0] > 0 && at < high) {
      high = at;
      high_index = row.index;
    } else if (row.a[0] < 0 && at > low) {
      low = at;
      low_index = row.index;
    }
  }
  if (low > high + 2 * slack) return false;
  const bool at_low = level.c[0] >= 0;
  level.x[0] = at_low ? low : high;
  level.basis[0] = at_low ? low_index : high_index;
  return true;
}

// The program of the first `count` rows in the plane of a row: x_pivot = (b - sum a_k x_k) /
// a_pivot. The bounds of x_pivot become rows.
void SmallLpSolver::reduce(int unknowns, const Row& plane, int count, int pivot) {
  const Level& from = levels_[unknowns];
  Level& to = levels_[unknowns - 1];
  const int original = from.unknowns[pivot], m = static_cast<int>(program_->b.size());
  const double inverse = 1.0 / plane.a[pivot];
  for (int k = 0, j = 0; k < unknowns; ++k) {
    if (k == pivot) continue;
    to.unknowns[j] = from.unknowns[k];
    to.c[j++] = from.c[k] - from.c[pivot] * plane.a[k] * inverse;
  }
  to.rows.resize(count + 2);
  const auto project = [&](double a_pivot, double b, double size, auto&& entry, Row& row) {
    const double factor = a_pivot * inverse;
    for (int k = 0, j = 0; k < unknowns; ++k) {
      if (k != pivot) row.a[j++] = entry(k) - factor * plane.a[k];
    }
    row.b = b - factor * plane.b;
    row.size = size + std::abs(factor) * plane.size;
  };
  const auto none = [](int) { return 0.0; };
  project(-1.0, -program_->lower[original], std::abs(program_->lower[original]), none, to.rows[0]);
  to.rows[0].index = m + original;
  project(1.0, program_->upper[original], std::abs(program_->upper[original]), none, to.rows[1]);
  to.rows[1].index = m + program_->unknowns + original;
  for (int i = 0; i < count; ++i) {
    const Row& row = from.rows[i];
    project(
        row.a[pivot], row.b, row.size, [&](int k) { return row.a[k]; }, to.rows[i + 2]);
    to.rows[i + 2].index = row.index;
  }
}

void SmallLpSolver::lift(int unknowns, const Row& plane, int pivot) {
  const Level& from = levels_[unknowns - 1];
  Level& to = levels_[unknowns];
  double at = plane.b;
  for (int k = 0, j = 0; k < unknowns; ++k) {
    if (k == pivot) continue;
    to.x[k] = from.x[j];
    to.basis[k] = from.basis[j];
    at -= plane.a[k] * from.x[j++];
  }
  to.x[pivot] = at / plane.a[pivot];
  to.basis[pivot] = plane.index;
}

// Computes x again from the rows of the basis, which restores the digits that elimination lost.
void SmallLpSolver::finish() {
  const SmallLp& program = *program_;
  const int d = program.unknowns, m = static_cast<int>(program.b.size());
  const Level& top = levels_[d];
  SmallMatrix basis = SmallMatrix::Zero(d, d);
  SmallVector b(d), c(d);
  for (int k = 0; k < d; ++k) {
    const int index = solution_.basis[k] = top.basis[k];
    c[k] = program.c[k];
    if (index < m) {
      for (int j = 0; j < d; ++j)
        basis(k, j) = program.rows[static_cast<std::size_t>(index) * d + j];
      b[k] = program.b[index];
    } else {
      const int bound = index - m;
      const bool low = bound < d;
      basis(k, bound % d) = low ? -1.0 : 1.0;
      b[k] = low ? -program.lower[bound] : program.upper[bound - d];
    }
  }
  const Eigen::FullPivLU<SmallMatrix> lu(basis);
  const SmallVector x = lu.solve(b);
  const SmallVector y = Eigen::FullPivLU<SmallMatrix>(basis.transpose()).solve(-c);
  const double largest = y.cwiseAbs().maxCoeff();
  for (int k = 0; k < d; ++k) {
    solution_.x[k] = x[k];
    solution_.multipliers[k] = y[k] < 0 && y[k] > -kMultiplierRounding * largest ? 0.0 : y[k];
    solution_.value += program.c[k] * x[k];
  }
}

}  // namespace perp
