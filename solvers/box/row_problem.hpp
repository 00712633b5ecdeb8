// A mixed LCP by rows.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/linear_algebra/csr.hpp>

namespace perp {

/// M by rows (dense, or compressed where the problem's M is sparse), q and bounds of an Lcp or
/// Mlcp; of a BoxQp H and c.
class RowProblem {
 public:
  /// Copies the problem; allocates only where it is larger than the ones before.
  /// @throws std::bad_variant_access for other kinds.
  void build(const Problem& problem);

  int size() const { return static_cast<int>(q.size()); }
  bool is_dense() const { return dense_; }
  /// Stored entries of a sparse M.
  std::size_t entries() const { return sparse_.value.size(); }
  bool is_fixed(int i) const { return lower[i] == upper[i]; }
  bool is_free(int i) const { return std::isinf(lower[i]) && std::isinf(upper[i]); }

  /// (M z)_i.
  double row_dot(int i, const double* z) const {
    if (dense_) {
      return Eigen::Map<const Vector>(rows_.data() + rows_.cols() * i, rows_.cols())
          .dot(Eigen::Map<const Vector>(z, rows_.cols()));
    }
    return sparse_.row_dot(i, z);
  }
  /// Calls f(column, value) for the entries of a row.
  template <class F>
  void for_row(int i, F&& f) const {
    if (dense_) {
      const double* const row = rows_.data() + rows_.cols() * i;
      for (int j = 0; j < size(); ++j) f(j, row[j]);
    } else {
      for (int k = sparse_.start[i]; k < sparse_.start[i + 1]; ++k)
        f(sparse_.column[k], sparse_.value[k]);
    }
  }

  /// Row i of a dense M.
  const double* dense_row(int i) const { return rows_.data() + rows_.cols() * i; }
  double entry(int i, int j) const;

  /// |m_ij - m_ji| <= tolerance for all entries of the M this was built from, compared in the order
  /// of memory where it is dense.
  bool is_symmetric(const Matrix& m, double tolerance) const;
  /// max_i sum_j |M_ij|.
  double row_sum_norm() const;

  /// Other unknowns, z = S y: M := S M S, q := S q, bounds over s. @param s positive
  void scale(const Vector& s);

  /// z into its bounds.
  void clamp(Vector& z) const { z = z.cwiseMax(lower).cwiseMin(upper); }
  /// w := M z + q.
  void evaluate(const Vector& z, Vector& w) const;
  /// (Mz + q)_i summed in extended precision.
  long double extended_row(int i, const double* z) const;
  /// ||mid(z - l, z - u, Mz + q)||_inf summed in extended precision, as the verifier does;
  /// infinite where z is not finite.
  double natural_residual(const Vector& z) const;

  /// max |M_ij|.
  double max_abs() const { return max_abs_; }

  Vector q, lower, upper, diagonal;

 private:
  double row_in_order(int i, const double* z) const;

  double max_abs_ = 0.0;
  bool dense_ = false;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows_;  // dense M
  Csr sparse_;
};

}  // namespace perp
