#include <perp/bench/analysis/solution_set.hpp>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/residuals.hpp>
#include <perp/solvers/enumeration/recession_cone.hpp>
#include <perp/solvers/router.hpp>

namespace perp {

namespace {

// the end of a range was not found
constexpr double kNoEnd = std::numeric_limits<double>::quiet_NaN();
constexpr double kRank = 1e-10;  // singular values below this share of the largest count as 0
constexpr double kProgramTolerance = 1e-9;  // tolerance of the programs
constexpr double kProgramSeconds = 10.0;    // time limit of one program

Vector unit(int size, int index) {
  Vector e = Vector::Zero(size);
  e[index] = 1.0;
  return e;
}

}  // namespace

// An orthonormal basis of the vectors that satisfy all equations; each equation is scaled to
// norm 1.
void SolutionSet::set_basis(const std::vector<Vector>& equations, int size) {
  DenseMatrix rows(static_cast<Eigen::Index>(equations.size()), size);
  int count = 0;
  for (const Vector& e : equations) {
    const double length = e.norm();
    if (length > 0) rows.row(count++) = e.transpose() / length;
  }
  if (count == 0) {
    basis_ = DenseMatrix::Identity(size, size);
    return;
  }
  const Eigen::BDCSVD<DenseMatrix> svd(rows.topRows(count), Eigen::ComputeFullV);
  const Vector& values = svd.singularValues();
  const auto rank = (values.array() > kRank * values[0]).count();
  basis_ = svd.matrixV().rightCols(size - rank);
  basis_ = basis_.unaryExpr([](double x) { return std::abs(x) < 1e-14 ? 0.0 : x; });
}

// Adds inequalities rows t + slack >= 0; rows that do not depend on t are left out.
void SolutionSet::bound(const DenseMatrix& rows, const Vector& slack) {
  const auto before = rows_.rows();
  rows_.conservativeResize(before + rows.rows(), basis_.cols());
  slack_.conservativeResize(before + rows.rows());
  Eigen::Index at = before;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    if (rows.row(i).cwiseAbs().maxCoeff() <= kRank) continue;
    rows_.row(at) = rows.row(i);
    slack_[at++] = std::max(slack[i], 0.0);
  }
  rows_.conservativeResize(at, basis_.cols());
  slack_.conservativeResize(at);
}

Interval SolutionSet::extent(const Vector& functional, int& programs,
                             std::vector<Vector>& ends) const {
  const double here = functional.dot(point_);
  const Vector slope = basis_.transpose() * functional;
  if (slope.size() == 0 || slope.cwiseAbs().maxCoeff() <= kRank * functional.norm())
    return {here, here};
  Interval interval{-kInfinity, kInfinity};
  if (rows_.rows() == 0) return interval;
  const int k = dimension();
  for (const double sign : {1.0, -1.0}) {
    ConicQp program;
    program.P = Matrix(SparseMatrix(k, k));
    program.c = sign * slope;
    program.A = DenseMatrix(-rows_);
    program.b = slack_;
    const int linear =
        static_cast<int>(rows_.rows()) - std::accumulate(cones_.begin(), cones_.end(), 0);
    if (linear > 0) program.cones.push_back({ConeType::kNonnegative, linear});
    for (const int size : cones_) program.cones.push_back({ConeType::kSecondOrder, size});
    Problem problem;
    problem.data = std::move(program);
    SolveRequest request;
    request.solver = "interior-point";
    request.limits.tolerance = kProgramTolerance;
    request.limits.time_limit = kProgramSeconds;
    request.look_for_vacuous = false;
    const VerifiedResult result = solve_verified(problem, request);
    ++programs;
    double& end = sign > 0 ? interval.low : interval.high;
    if (result.status == Status::kSolved) {
      const double found = here + slope.dot(result.answer.z);
      end = sign > 0 ? std::min(found, here) : std::max(found, here);
      ends.emplace_back(point_ + basis_ * result.answer.z);
    } else if (!(result.certificate && result.certificate->type == "unbounded" &&
                 result.certificate->checked) &&
               result.status != Status::kRay) {
      end = kNoEnd;
    }
  }
  return interval;
}

std::optional<bool> SolutionSet::is_point() const {
  constexpr int kMostChoices = 20000;
  if (dimension() == 0) return true;
  if (!cones_.empty()) return std::nullopt;
  std::vector<int> met;
  for (int i = 0; i < rows_.rows(); ++i)
    if (slack_[i] <= tolerance_) met.push_back(i);
  int choices = 0;
  const DenseMatrix limits = rows_(met, Eigen::all);
  const ConeRays cone = rays_of_cone(limits, [&] { return ++choices > kMostChoices; });
  if (!cone.rays.empty()) return false;
  return choices > kMostChoices ? std::nullopt : std::optional(true);
}

SolutionSet solutions_beside(const Mlcp& p, const Vector& z, bool monotone, double tolerance) {
  const int n = p.size();
  const Vector f = evaluate_map(p, z);
  const DenseMatrix m = p.M.to_dense();
  SolutionSet set;
  set.part_ = monotone ? SolutionSet::Part::kAll : SolutionSet::Part::kSameMap;
  set.point_ = z;
  set.tolerance_ = tolerance;
  std::vector<Vector> equations;
  // Rows at a bound, whose F keeps its sign; -1 - i: at the upper one.
  std::vector<int> signed_rows;
  for (int i = 0; i < n; ++i) {
    const bool at_lower = z[i] - p.lower[i] <= tolerance, at_upper = p.upper[i] - z[i] <= tolerance;
    equations.push_back(monotone ? Vector(m.row(i).transpose() + m.col(i)) : m.row(i).transpose());
    const bool fixed = at_lower && at_upper;
    if (std::abs(f[i]) > tolerance || fixed) {
      equations.push_back(unit(n, i));
    } else if (!at_lower && !at_upper) {
      equations.push_back(m.row(i).transpose());
    }
    if (at_lower != at_upper) signed_rows.push_back(at_lower ? i : -1 - i);
  }
  set.set_basis(equations, n);
  const int k = set.dimension();
  set.rows_.resize(0, k);
  if (k == 0) return set;
  DenseMatrix rows(2 * n + static_cast<int>(signed_rows.size()), k);
  Vector slack(rows.rows());
  int count = 0;
  for (int i = 0; i < n; ++i) {
    if (p.lower[i] > -kInfinity) {
      rows.row(count) = set.basis_.row(i);
      slack[count++] = z[i] - p.lower[i];
    }
    if (p.upper[i] < kInfinity) {
      rows.row(count) = -set.basis_.row(i);
      slack[count++] = p.upper[i] - z[i];
    }
  }
  for (const int row : monotone ? signed_rows : std::vector<int>()) {
    const int i = row >= 0 ? row : -1 - row;
    rows.row(count) = (row >= 0 ? 1.0 : -1.0) * (m.row(i) * set.basis_);
    slack[count++] = std::abs(f[i]) > tolerance ? std::abs(f[i]) : 0.0;
  }
  set.bound(rows.topRows(count), slack.head(count));
  return set;
}

SolutionSet solutions_beside(const FrictionContact& p, const Vector& r, double tolerance) {
  const int n = p.size(), d = p.dimension;
  const Vector u = p.relative_velocity(r);
  SolutionSet set;
  set.part_ = SolutionSet::Part::kSameVelocities;
  set.point_ = r;
  set.tolerance_ = tolerance;
  std::vector<Vector> equations;
  // Columns of W, with compliance: the change of the velocities by a unit impulse.
  const Vector still = p.relative_velocity(Vector::Zero(n));
  DenseMatrix w(n, n);
  for (int j = 0; j < n; ++j) w.col(j) = p.relative_velocity(unit(n, j)) - still;
  for (int i = 0; i < n; ++i) equations.emplace_back(w.row(i).transpose());
  std::vector<int> pushing, sticking;
  for (int c = 0; c < p.contacts(); ++c) {
    const int at = d * c;
    const double slip = u.segment(at + 1, d - 1).norm();
    const bool open = u[at] > tolerance;
    if (open) {
      for (int i = 0; i < d; ++i) equations.push_back(unit(n, at + i));
    } else if (p.mu[c] == 0.0 || slip > tolerance) {
      for (int i = 1; i < d; ++i) {  // r_i = - mu u_i / |u_t| r_n
        Vector e = unit(n, at + i);
        if (p.mu[c] > 0) e[at] = p.mu[c] * u[at + i] / slip;
        equations.push_back(std::move(e));
      }
      pushing.push_back(at);
    } else {
      sticking.push_back(c);
    }
  }
  set.set_basis(equations, n);
  const int k = set.dimension();
  set.rows_.resize(0, k);
  if (k == 0) return set;
  DenseMatrix rows(static_cast<int>(pushing.size() + 2 * sticking.size()), k);
  Vector slack(rows.rows());
  int count = 0;
  for (const int at : pushing) {
    rows.row(count) = set.basis_.row(at);
    slack[count++] = r[at];
  }
  if (d == 2) {
    for (const int c : sticking) {
      for (const double side : {1.0, -1.0}) {
        rows.row(count) = p.mu[c] * set.basis_.row(2 * c) + side * set.basis_.row(2 * c + 1);
        slack[count++] = p.mu[c] * r[2 * c] + side * r[2 * c + 1];
      }
    }
  }
  set.bound(rows.topRows(count), slack.head(count));
  if (d == 2) return set;
  for (const int c : sticking) {
    const auto at = set.rows_.rows();
    set.rows_.conservativeResize(at + 3, k);
    set.slack_.conservativeResize(at + 3);
    set.rows_.row(at) = p.mu[c] * set.basis_.row(3 * c);
    set.slack_[at] = p.mu[c] * r[3 * c];
    set.rows_.middleRows(at + 1, 2) = set.basis_.middleRows(3 * c + 1, 2);
    set.slack_.segment(at + 1, 2) = r.segment(3 * c + 1, 2);
    set.cones_.push_back(3);
  }
  return set;
}

}  // namespace perp
