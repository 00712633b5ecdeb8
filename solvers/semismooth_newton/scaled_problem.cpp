#include <perp/solvers/semismooth_newton/scaled_problem.hpp>

#include <perp/problems/standard/residuals.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr int kSweeps = 6;
constexpr double kBadScale = 100.0;
constexpr double kSparseProducts = 0.25;  // share of entries up to which products are sparse
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double power_of_two(double x) { return x > 0 ? std::exp2(std::round(std::log2(x))) : 1.0; }

}  // namespace

void ScaledProblem::build(const Mlcp& problem, Scaling scaling, bool sparse_systems) {
  const int n = problem.size();
  row_scale_.setOnes(n);
  unknown_unit_.setOnes(n);
  const bool scaled =
      scaling == Scaling::kAlways || (scaling == Scaling::kWhereBad && is_scaled_badly(problem));
  if (scaled) equilibrate(problem);
  q = row_scale_.cwiseProduct(problem.q);
  const double s = scaled && n > 0 ? power_of_two(q.cwiseAbs().maxCoeff()) : 1.0;
  q /= s;
  sparse_systems_ = sparse_systems;
  sparse_ = sparse_systems || problem.M.nonzeros() < kSparseProducts * n * n;
  dense_matrix_.resize(0, 0);
  sparse_matrix_.resize(0, 0);
  if (sparse_) {
    SparseMatrix diagonal(n, n);
    diagonal.setIdentity();
    sparse_matrix_ = problem.M.to_sparse() + 0.0 * diagonal;  // every diagonal entry is stored
    sparse_matrix_ = row_scale_.asDiagonal() * sparse_matrix_ * unknown_unit_.asDiagonal();
    sparse_matrix_.makeCompressed();
  }
  if (!sparse_systems) {
    dense_matrix_ = row_scale_.asDiagonal() * problem.M.to_dense() * unknown_unit_.asDiagonal();
  }
  unknown_unit_ *= s;
  map_unit_ = s * row_scale_.cwiseInverse();
  lower = problem.lower.cwiseQuotient(unknown_unit_);
  upper = problem.upper.cwiseQuotient(unknown_unit_);
  sums_.assign(n, 0.0L);
}

bool ScaledProblem::is_scaled_badly(const Mlcp& problem) const {
  const int n = problem.size();
  Vector row_max = Vector::Zero(n), column_max = Vector::Zero(n);
  for (int j = 0; j < n; ++j) {
    problem.M.for_column(j, [&](int i, double value) {
      row_max[i] = std::max(row_max[i], std::abs(value));
      column_max[j] = std::max(column_max[j], std::abs(value));
    });
  }
  const auto bad = [](double x) { return x > 0 && (x > kBadScale || x < 1.0 / kBadScale); };
  return std::any_of(row_max.begin(), row_max.end(), bad) ||
         std::any_of(column_max.begin(), column_max.end(), bad);
}

// R := R / sqrt(row maxima), C := C / sqrt(column maxima) of R |M| C, a few times [Ruiz2001].
void ScaledProblem::equilibrate(const Mlcp& problem) {
  const int n = problem.size();
  Vector& r = row_scale_;
  Vector& c = unknown_unit_;
  Vector row_max(n), column_max(n);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    row_max.setZero();
    column_max.setZero();
    for (int j = 0; j < n; ++j) {
      problem.M.for_column(j, [&](int i, double value) {
        const double size = r[i] * std::abs(value) * c[j];
        row_max[i] = std::max(row_max[i], size);
        column_max[j] = std::max(column_max[j], size);
      });
    }
    for (int i = 0; i < n; ++i) {
      if (row_max[i] > 0) r[i] /= std::sqrt(row_max[i]);
      if (column_max[i] > 0) c[i] /= std::sqrt(column_max[i]);
    }
  }
  r = r.unaryExpr(&power_of_two);
  c = c.unaryExpr(&power_of_two);
}

void ScaledProblem::map(const Vector& z, Vector& f) const {
  multiply(z, f);
  f += q;
}

void ScaledProblem::map_extended(const Vector& z, Vector& f) {
  const int n = size();
  for (int i = 0; i < n; ++i) sums_[i] = q[i];
  for (int j = 0; j < n; ++j) {
    if (z[j] == 0.0) continue;
    const long double x = z[j];
    if (sparse_) {
      for (SparseMatrix::InnerIterator it(sparse_matrix_, j); it; ++it) {
        sums_[it.row()] += it.value() * x;
      }
    } else {
      const double* const column = dense_matrix_.data() + static_cast<std::size_t>(j) * n;
      for (int i = 0; i < n; ++i) sums_[i] += column[i] * x;
    }
  }
  for (int i = 0; i < n; ++i) f[i] = static_cast<double>(sums_[i]);
}

double ScaledProblem::natural_residual(const Vector& z, const Vector& f, int* row) const {
  double largest = 0.0;
  if (row) *row = size() > 0 ? 0 : -1;
  for (int i = 0; i < size(); ++i) {
    const double unit = unknown_unit_[i];
    const double r =
        std::abs(mid(unit * (z[i] - lower[i]), unit * (z[i] - upper[i]), map_unit_[i] * f[i]));
    if (std::isnan(r)) return kInfinity;
    if (r > largest) {
      largest = r;
      if (row) *row = i;
    }
  }
  return largest;
}

void ScaledProblem::to_original(const Vector& scaled, Vector& z) const {
  z = scaled.cwiseProduct(unknown_unit_);
}

void ScaledProblem::from_original(const Vector& z, Vector& scaled) const {
  scaled = z.cwiseQuotient(unknown_unit_);
}

}  // namespace perp
