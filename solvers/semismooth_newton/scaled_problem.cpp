#include <perp/solvers/semismooth_newton/scaled_problem.hpp>

#include <perp/problems/standard/residuals.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr int kSweeps = 6;
constexpr double kBadScale = 100.0;
// A Jacobian that asks for more than this tells about the point where it was taken, not about the
// problem: then nothing is scaled.
constexpr double kLargestScale = 0x1p20;
constexpr double kSparseProducts = 0.25;  // share of entries up to which products are sparse
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// With every diagonal entry stored, if only as zero.
SparseMatrix with_diagonal(const SparseMatrix& m) {
  SparseMatrix diagonal(m.rows(), m.cols());
  diagonal.setIdentity();
  SparseMatrix result = m + 0.0 * diagonal;
  result.makeCompressed();
  return result;
}

double power_of_two(double x) { return x > 0 ? std::exp2(std::round(std::log2(x))) : 1.0; }

}  // namespace

void ScaledProblem::build(const Mlcp& problem, Scaling scaling, bool sparse_systems) {
  const int n = problem.size();
  function_ = nullptr;
  const auto for_entries = [&](const auto& visit) {
    for (int j = 0; j < n; ++j) {
      problem.M.for_column(j, [&](int i, double value) { visit(i, j, value); });
    }
  };
  row_scale_.setOnes(n);
  unknown_unit_.setOnes(n);
  const bool scaled = scaling == Scaling::kAlways ||
                      (scaling == Scaling::kWhereBad && is_scaled_badly(for_entries));
  if (scaled) equilibrate(for_entries);
  q = row_scale_.cwiseProduct(problem.q);
  const double s = scaled && n > 0 ? power_of_two(q.cwiseAbs().maxCoeff()) : 1.0;
  q /= s;
  sparse_systems_ = sparse_systems;
  sparse_ = sparse_systems || problem.M.nonzeros() < kSparseProducts * n * n;
  dense_matrix_.resize(0, 0);
  sparse_matrix_.resize(0, 0);
  if (sparse_) {
    sparse_matrix_ = with_diagonal(problem.M.to_sparse());
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

void ScaledProblem::build(McpFunction& function, const Mcp& problem, Scaling scaling,
                          bool sparse_systems) {
  const double n = problem.size();
  function_ = &function;
  scaling_ = scaling;
  posed_lower_ = problem.lower;
  posed_upper_ = problem.upper;
  lower = problem.lower;
  upper = problem.upper;
  jacobian_ = function.pattern();
  sparse_systems_ = sparse_systems;
  sparse_ = sparse_systems || jacobian_.nonZeros() < kSparseProducts * n * n;
  dense_matrix_.resize(0, 0);
  sparse_matrix_.resize(0, 0);
  positions_.clear();
  if (!sparse_systems) dense_matrix_.setZero(problem.size(), problem.size());
  if (!sparse_) return;
  sparse_matrix_ = with_diagonal(jacobian_);
  for (int j = 0; j < jacobian_.cols(); ++j) {
    int k = sparse_matrix_.outerIndexPtr()[j];
    for (SparseMatrix::InnerIterator it(jacobian_, j); it; ++it) {
      while (sparse_matrix_.innerIndexPtr()[k] < it.row()) ++k;
      positions_.push_back(k);
    }
  }
}

void ScaledProblem::begin(const Vector* start, Vector& z) {
  if (!is_linear()) {
    unscaled_.setZero(posed_lower_.size());
    if (start) unscaled_ = *start;
    unscaled_ = unscaled_.cwiseMax(posed_lower_).cwiseMin(posed_upper_);
    scale_here();
    from_original(unscaled_, z);
  } else if (start) {
    from_original(*start, z);
  } else {
    z = lower.cwiseMax(0.0).cwiseMin(upper);
  }
}

void ScaledProblem::scale_here() {
  has_value_ = has_jacobian_ = filled_ = false;
  row_scale_.setOnes(unscaled_.size());
  unknown_unit_.setOnes(unscaled_.size());
  if (scaling_ != Scaling::kNever) {
    evaluate_jacobian();
    const auto for_entries = [&](const auto& visit) {
      for (int j = 0; j < jacobian_.cols(); ++j) {
        for (SparseMatrix::InnerIterator it(jacobian_, j); it; ++it) {
          if (std::isfinite(it.value())) visit(static_cast<int>(it.row()), j, it.value());
        }
      }
    };
    if (scaling_ == Scaling::kAlways || is_scaled_badly(for_entries)) equilibrate(for_entries);
    const auto extreme = [](double x) { return x > kLargestScale || x < 1.0 / kLargestScale; };
    if (std::ranges::any_of(row_scale_, extreme) || std::ranges::any_of(unknown_unit_, extreme)) {
      row_scale_.setOnes();
      unknown_unit_.setOnes();
    }
  }
  map_unit_ = row_scale_.cwiseInverse();
  lower = posed_lower_.cwiseQuotient(unknown_unit_);
  upper = posed_upper_.cwiseQuotient(unknown_unit_);
}

template <class ForEntries>
bool ScaledProblem::is_scaled_badly(const ForEntries& for_entries) {
  row_max_.setZero(row_scale_.size());
  column_max_.setZero(row_scale_.size());
  for_entries([&](int i, int j, double value) {
    row_max_[i] = std::max(row_max_[i], std::abs(value));
    column_max_[j] = std::max(column_max_[j], std::abs(value));
  });
  const auto bad = [](double x) { return x > 0 && (x > kBadScale || x < 1.0 / kBadScale); };
  return std::any_of(row_max_.begin(), row_max_.end(), bad) ||
         std::any_of(column_max_.begin(), column_max_.end(), bad);
}

// R := R / sqrt(row maxima), C := C / sqrt(column maxima) of R |M| C, a few times [Ruiz2001].
template <class ForEntries>
void ScaledProblem::equilibrate(const ForEntries& for_entries) {
  Vector& r = row_scale_;
  Vector& c = unknown_unit_;
  const auto n = r.size();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    row_max_.setZero(n);
    column_max_.setZero(n);
    for_entries([&](int i, int j, double value) {
      const double size = r[i] * std::abs(value) * c[j];
      row_max_[i] = std::max(row_max_[i], size);
      column_max_[j] = std::max(column_max_[j], size);
    });
    for (int i = 0; i < n; ++i) {
      if (row_max_[i] > 0) r[i] /= std::sqrt(row_max_[i]);
      if (column_max_[i] > 0) c[i] /= std::sqrt(column_max_[i]);
    }
  }
  for (double& x : r) x = power_of_two(x);
  for (double& x : c) x = power_of_two(x);
}

void ScaledProblem::map(const Vector& z, Vector& f) {
  if (is_linear()) {
    multiply(z, f);
    f += q;
    return;
  }
  unscaled_ = z.cwiseProduct(unknown_unit_);
  if (!has_value_ || unscaled_ != value_point_) {
    function_->evaluate(unscaled_, value_);
    value_point_ = unscaled_;
    has_value_ = true;
    ++function_evaluations;
  }
  f = value_.cwiseProduct(row_scale_);
}

void ScaledProblem::evaluate_jacobian() {
  if (has_jacobian_ && unscaled_ == jacobian_point_) return;
  function_->evaluate_jacobian(unscaled_, jacobian_.valuePtr());
  jacobian_point_ = unscaled_;
  has_jacobian_ = true;
  filled_ = false;
  ++jacobian_evaluations;
}

bool ScaledProblem::linearise(const Vector& z) {
  if (is_linear()) return true;
  unscaled_ = z.cwiseProduct(unknown_unit_);
  evaluate_jacobian();
  if (filled_) return undefined_row_ < 0;
  filled_ = true;
  undefined_row_ = -1;
  const double* const values = jacobian_.valuePtr();
  for (int j = 0; j < jacobian_.cols(); ++j) {
    for (int k = jacobian_.outerIndexPtr()[j]; k < jacobian_.outerIndexPtr()[j + 1]; ++k) {
      const int i = jacobian_.innerIndexPtr()[k];
      const double value = row_scale_[i] * values[k] * unknown_unit_[j];
      if (!std::isfinite(value)) undefined_row_ = i;
      if (sparse_) sparse_matrix_.valuePtr()[positions_[k]] = value;
      if (!sparse_systems_) dense_matrix_(i, j) = value;
    }
  }
  return undefined_row_ < 0;
}

void ScaledProblem::map_extended(const Vector& z, Vector& f) {
  if (!is_linear()) return map(z, f);
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

bool ScaledProblem::signs_hold(const Vector& z, const Vector& f, double tolerance) {
  if (is_linear()) return true;
  to_original(z, posed_z_);
  posed_f_ = f.cwiseProduct(map_unit_);
  return signs_.hold(posed_z_, posed_f_, posed_lower_, posed_upper_, tolerance,
                     [this](const Vector& p, Vector& at) {
                       function_->evaluate(p, at);
                       ++function_evaluations;
                       return at.allFinite();
                     });
}

void ScaledProblem::to_original(const Vector& scaled, Vector& z) const {
  z = scaled.cwiseProduct(unknown_unit_);
}

void ScaledProblem::from_original(const Vector& z, Vector& scaled) const {
  scaled = z.cwiseQuotient(unknown_unit_);
}

}  // namespace perp
