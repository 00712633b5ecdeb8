#include <perp/solvers/box/box_problem.hpp>

#include <perp/problems/standard/residuals.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

const Matrix& matrix_of(const Problem& problem) {
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  return lcp ? lcp->M : std::get<Mlcp>(problem.data).M;
}
const Vector& constants_of(const Problem& problem) {
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  return lcp ? lcp->q : std::get<Mlcp>(problem.data).q;
}

// A hash of the places where M is not zero.
std::uint64_t hash_of_places(const Matrix& m) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (int j = 0; j < m.cols(); ++j) {
    hash = (hash ^ static_cast<std::uint64_t>(m.rows())) * 0x100000001b3u;
    m.for_column(
        j, [&](int i, double) { hash = (hash ^ static_cast<std::uint64_t>(i)) * 0x100000001b3u; });
  }
  return hash;
}

}  // namespace

SystemStorage storage_named(std::string_view name) {
  return name == "dense"    ? SystemStorage::kDense
         : name == "sparse" ? SystemStorage::kSparse
                            : SystemStorage::kAuto;
}

void BoxProblem::build(const Problem& problem, const Options& options, const Deadline& deadline) {
  options_ = options;
  const auto* mcp = std::get_if<Mcp>(&problem.data);
  linear_ = !mcp;
  if (!mcp) {
    const Matrix& m = matrix_of(problem);
    matrix_.store(m, wants_sparse(m));
    zeros_ = hash_of_places(m);
    take_linear(problem);
    return;
  }
  function_.prepare(*mcp, deadline);
  posed_lower_ = lower = mcp->lower;
  posed_upper_ = upper = mcp->upper;
  SparseMatrix pattern = function_.jacobian();
  pattern.coeffs().setOnes();
  matrix_.store(pattern, wants_sparse(Matrix(pattern)));
}

bool BoxProblem::wants_sparse(const Matrix& pattern) const {
  return options_.storage == SystemStorage::kAuto ? options_.prefers_sparse(pattern)
                                                  : options_.storage == SystemStorage::kSparse;
}

// Whether build() would store M as it is stored now. Matrices of one structure may have zeros at
// different places, and the storage depends on these, and the last bits of products on the storage.
bool BoxProblem::is_stored_for(const Matrix& m) {
  const std::uint64_t zeros = hash_of_places(m);
  if (zeros == zeros_) return true;
  zeros_ = zeros;
  return matrix_.stores_alike(m, wants_sparse(m));
}

bool BoxProblem::update(const Problem& problem, const Deadline& deadline) {
  const auto* mcp = std::get_if<Mcp>(&problem.data);
  if (!mcp) return linear_ && is_stored_for(matrix_of(problem)) && take_linear(problem);
  if (linear_ || !function_.update(*mcp, deadline)) return false;
  posed_lower_ = lower = mcp->lower;
  posed_upper_ = upper = mcp->upper;
  return true;
}

// Values, scaling and bounds of a linear problem. @return false if M does not fit the storage
bool BoxProblem::take_linear(const Problem& problem) {
  const Matrix& m = matrix_of(problem);
  const Vector& q = constants_of(problem);
  const auto n = q.size();
  const auto for_entries = [&](const auto& visit) {
    for (int j = 0; j < n; ++j) m.for_column(j, [&](int i, double value) { visit(i, j, value); });
  };
  scaling_.reset(n);
  const bool scaled = options_.scaling == Scaling::kAlways ||
                      (options_.scaling == Scaling::kWhereBad && scaling_.is_needed(for_entries));
  if (scaled) scaling_.equilibrate(for_entries);
  if (!matrix_.set(m, scaling_)) return false;
  q_ = scaling_.row.cwiseProduct(q);
  const double s = scaled && n > 0 ? BoxScaling::power_of_two(q_.cwiseAbs().maxCoeff()) : 1.0;
  q_ /= s;
  scaling_.set_units(s);
  if (const auto* mlcp = std::get_if<Mlcp>(&problem.data)) {
    lower = mlcp->lower.cwiseQuotient(scaling_.unknown);
    upper = mlcp->upper.cwiseQuotient(scaling_.unknown);
  } else {
    lower.setZero(n);
    upper.setConstant(n, kInfinity);
  }
  sums_.assign(static_cast<std::size_t>(n), 0.0L);
  return true;
}

void BoxProblem::begin(const Vector* start, Vector& z) {
  linear_evaluations_ = 0;
  if (!linear_) {
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

// If the factors are extreme, the Jacobian at this point is not typical of the problem: then
// nothing is scaled.
void BoxProblem::scale_here() {
  function_.forget();
  filled_ = false;
  scaling_.reset(unscaled_.size());
  if (options_.scaling != Scaling::kNever) {
    function_.evaluate_jacobian(unscaled_);
    const SparseMatrix& jacobian = function_.jacobian();
    const auto for_entries = [&](const auto& visit) {
      for (int j = 0; j < jacobian.cols(); ++j) {
        for (SparseMatrix::InnerIterator it(jacobian, j); it; ++it) {
          if (std::isfinite(it.value())) visit(static_cast<int>(it.row()), j, it.value());
        }
      }
    };
    if (options_.scaling == Scaling::kAlways || scaling_.is_needed(for_entries))
      scaling_.equilibrate(for_entries);
    if (scaling_.is_extreme()) scaling_.reset(unscaled_.size());
  }
  scaling_.set_units(1.0);
  lower = posed_lower_.cwiseQuotient(scaling_.unknown);
  upper = posed_upper_.cwiseQuotient(scaling_.unknown);
}

void BoxProblem::map(const Vector& z, Vector& f) {
  if (linear_) {
    ++linear_evaluations_;
    matrix_.multiply(z, f);
    f += q_;
    return;
  }
  unscaled_ = z.cwiseProduct(scaling_.unknown);
  f = function_.value(unscaled_).cwiseProduct(scaling_.row);
}

bool BoxProblem::linearise(const Vector& z) {
  if (linear_) return true;
  unscaled_ = z.cwiseProduct(scaling_.unknown);
  const bool anew = function_.evaluate_jacobian(unscaled_);
  if (anew || !filled_) undefined_row_ = matrix_.set(function_.jacobian(), scaling_);
  filled_ = true;
  return undefined_row_ < 0;
}

// The sums begin with q: if products were rounded before q is added, small results would be lost.
void BoxProblem::map_extended(const Vector& z, Vector& f) {
  if (!linear_) return map(z, f);
  ++linear_evaluations_;
  const int n = size();
  for (int i = 0; i < n; ++i) sums_[i] = q_[i];
  for (int j = 0; j < n; ++j) {
    if (z[j] == 0.0) continue;
    const long double x = z[j];
    if (matrix_.has_sparse()) {
      for (SparseMatrix::InnerIterator it(matrix_.sparse(), j); it; ++it) {
        sums_[it.row()] += it.value() * x;
      }
    } else {
      const double* const column = matrix_.dense().data() + static_cast<std::size_t>(j) * n;
      for (int i = 0; i < n; ++i) sums_[i] += column[i] * x;
    }
  }
  f.resize(n);
  for (int i = 0; i < n; ++i) f[i] = static_cast<double>(sums_[i]);
}

double BoxProblem::natural_residual(const Vector& z, const Vector& f) const {
  double largest = 0.0;
  for (int i = 0; i < size(); ++i) {
    const double unit = scaling_.unknown[i];
    const double r = std::abs(
        mid(unit * (z[i] - lower[i]), unit * (z[i] - upper[i]), scaling_.map_unit[i] * f[i]));
    if (std::isnan(r) || !std::isfinite(f[i])) return kInfinity;  // mid() can hide a NaN
    largest = std::max(largest, r);
  }
  return largest;
}

bool BoxProblem::signs_hold(const Vector& z, const Vector& f, double tolerance) {
  if (linear_) return true;
  to_original(z, posed_z_);
  posed_f_ = f.cwiseProduct(scaling_.map_unit);
  return signs_.hold(posed_z_, posed_f_, posed_lower_, posed_upper_, tolerance,
                     [this](const Vector& p, Vector& at) {
                       function_.evaluate_once(p, at);
                       return at.allFinite();
                     });
}

void BoxProblem::to_original(const Vector& scaled, Vector& z) const {
  z = scaled.cwiseProduct(scaling_.unknown);
}

void BoxProblem::from_original(const Vector& z, Vector& scaled) const {
  scaled = z.cwiseQuotient(scaling_.unknown);
}

}  // namespace perp
