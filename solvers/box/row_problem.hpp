// A mixed LCP stored by rows.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/linear_algebra/csr.hpp>

namespace perp {

/// M by rows (dense; compressed if the problem's M is sparse), q and bounds of an Lcp or Mlcp. For
/// a BoxQp M is H and q is c. All vectors have n = size() values.
class RowProblem {
 public:
  /// Copies the problem; allocates only if it is larger than those before. Of a problem that shares
  /// M with the one before (Matrix::share()), only q and bounds are copied.
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

  /// Whether |m_ij - m_ji| <= tolerance for all entries. @param m the M this was built from; if it
  /// is dense, it is compared with the rows stored here, in the order of memory
  bool is_symmetric(const Matrix& m, double tolerance) const;
  /// max_i sum_j |M_ij|.
  double row_sum_norm() const;

  /// Changes the unknowns, z = S y: M := S M S, q := S q, bounds divided by s.
  /// @param s diagonal of S, n positive values
  void scale(const Vector& s);

  /// Projects z on its bounds.
  void clamp(Vector& z) const { z = z.cwiseMax(lower).cwiseMin(upper); }
  /// w := M z + q.
  void evaluate(const Vector& z, Vector& w) const;
  /// (Mz + q)_i summed in extended precision.
  long double extended_row(int i, const double* z) const;
  /// ||mid(z - l, z - u, Mz + q)||_inf, summed in extended precision as the verifier does; infinity
  /// if z or Mz + q is not finite.
  double natural_residual(const Vector& z) const;

  /// max |M_ij|.
  double max_abs() const { return max_abs_; }

  Vector q, lower, upper, diagonal;

 private:
  double exact_row(int i, const Vector& z) const;

  double max_abs_ = 0.0;
  bool dense_ = false;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows_;  // dense M
  Csr sparse_;
  Matrix M_;  // of which the rows are, if it is shared and they are not scaled
};

}  // namespace perp
