// A scaled conic_qp, on which the interior-point method works.
#pragma once

#include <algorithm>
#include <perp/problems/matrix/sparse_copies.hpp>
#include <perp/problems/standard/conic_qp.hpp>
#include <perp/solvers/interior_point/cone_product.hpp>

namespace perp {

/// min 1/2 x'Px + c'x, Ax + s = b, s in K, in scaled variables: with diagonal D, E and numbers
/// alpha, beta
///   x_posed = alpha D x, y_posed = beta E y, s_posed = alpha E^-1 s.
/// All factors are powers of two, so scaling rounds nothing. E is constant over a second-order
/// cone. D and E bring the largest entries of rows and columns of [P A'; A 0] near 1 [Ruiz2001],
/// alpha and beta those of b and c. x and c have n = variables() values, y, s and b m = rows().
class ConicData {
 public:
  /// Residuals of the problem as posed, as in the verifier (Residuals). For a box_qp
  /// `complementarity` is the natural residual.
  struct Residual {
    double primal, dual, complementarity;
    double measure() const { return std::max({primal, dual, complementarity}); }
  };

  /// Allocates only for other sizes, or for more entries than in all problems before.
  void build(const ConicQp& problem, bool equilibrate);

  /// Whether cones, sizes and the places of entries are those of another problem.
  bool has_pattern_of(const ConicData& other) const;

  int variables() const { return static_cast<int>(c.size()); }
  int rows() const { return static_cast<int>(b.size()); }
  bool dense_p() const { return dense_p_; }
  /// r := P x, r := A x, r := A'y in double.
  void multiply_p(const Vector& x, Vector& r) const;
  void multiply_a(const Vector& x, Vector& r) const;
  void multiply_at(const Vector& y, Vector& r) const;

  /// px := Px, stationarity := Px + c + A'y, s := b - Ax in double.
  void evaluate(const Vector& x, const Vector& y, Vector& px, Vector& stationarity,
                Vector& s) const;
  /// px := Px, stationarity := Px + tau c + A'y, s := tau b - Ax, every row summed in extended
  /// precision.
  void evaluate_extended(const Vector& x, const Vector& y, double tau, Vector& px,
                         Vector& stationarity, Vector& s) const;

  /// The verifier's residuals of the problem as posed, from scaled vectors: y,
  /// stationarity = Px + c + A'y and s = b - Ax.
  Residual measure(const Vector& y, const Vector& stationarity, const Vector& s,
                   Vector& scratch) const;
  /// The largest of these residuals at (x, y), with s = b - Ax and all that cones ask for in
  /// extended precision: in double Pi(s)'Pi(y) is known only to eps |s| |y|, and the distance from
  /// a cone only to eps |y|; both may look like 0 if they are not. Computes px, stationarity and s
  /// as evaluate_extended().
  double measure_extended(const Vector& x, const Vector& y, Vector& px, Vector& stationarity,
                          Vector& s) const;

  double posed_x(int j) const { return scale_x * column_scale[j]; }
  double posed_y(int i) const { return scale_y * row_scale[i]; }
  double posed_s(int i) const { return scale_x / row_scale[i]; }
  double posed_stationarity(int j) const { return scale_y / column_scale[j]; }
  double posed_objective() const { return scale_x * scale_y; }

  ConeProduct cones;
  SparseMatrix sparse_p, a;  ///< P with both triangles
  DenseMatrix full_p;        ///< instead of sparse_p if P is dense
  RowSparseMatrix a_by_rows;
  Vector c, b;
  Vector column_scale, row_scale;  ///< D, E
  double scale_x = 1.0, scale_y = 1.0;
  /// Whether complementarity is replaced by the largest min(s_i, y_i), the natural residual of a
  /// box_qp.
  bool natural_gap = false;

 private:
  template <class Scalar>
  double complementarity_of_cone(const ConeProduct::Block& block, const Vector& y,
                                 const Scalar* s) const;
  template <class Scalar>
  double complementarity(const Vector& y, const Scalar* s) const;
  double largest_stationarity(const Vector& stationarity) const;
  Residual feasibility(const Vector& y, const Vector& stationarity, const Vector& s,
                       Vector& scratch) const;
  Residual feasibility_extended(const Vector& y, const Vector& stationarity) const;
  void copy_p(const Matrix& p);
  void equilibrate();
  void scale_vectors(bool wanted);

  struct Scaling {
    Vector d, e, by_column, by_row;
  };
  // Not copied with the data.
  struct Work {
    Work() = default;
    Work(const Work&) {}
    Work& operator=(const Work&) { return *this; }

    Scaling scaling;
    SparseMatrix a, transposed;
    std::vector<long double> sums;
  };

  bool dense_p_ = false;
  mutable Work work_;
};

}  // namespace perp
