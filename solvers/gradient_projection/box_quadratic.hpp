// A quadratic function on a box, in units that suit it.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/gradient_projection/symmetric_operator.hpp>

namespace perp {

/// q(x) = 1/2 x'Hx + c'x on l <= x <= u, from a box_qp, a symmetric lcp or mlcp, or products alone.
///
/// The unknowns of the problem as posed are s = unit() times those here, all s powers of two, so
/// that nothing is rounded; with products alone s = 1. D = diag(weight()) is positive: 1 / H_ii, or
/// 1 / scale() where that is not a curvature.
class BoxQuadratic {
 public:
  /// Copies a problem; allocates only for a larger one than before.
  void load(const Problem& problem);
  /// H by its products, which must stay alive. @param diagonal of H, or positive estimates; may be
  /// empty
  void attach(SymmetricOperator& h, const Vector& c, const Vector& lower, const Vector& upper,
              const Vector& diagonal);

  int size() const { return rows_.size(); }
  /// c, the bounds, and with has_matrix() H by rows.
  const RowProblem& rows() const { return rows_; }
  bool has_matrix() const { return h_ == &matrix_; }
  const Vector& unit() const { return unit_; }
  const Vector& weight() const { return weight_; }
  /// Largest entry of H; with products alone of its diagonal.
  double scale() const { return scale_; }
  /// H_ii < 0 for an unknown that may move.
  bool negative_diagonal() const { return negative_diagonal_; }
  SymmetricOperator& h() { return *h_; }

  /// y := H x
  void multiply(const Vector& x, Vector& y) {
    h_->multiply(x, y);
    ++products;
  }
  bool inside(int i, double x) const { return x > rows_.lower[i] && x < rows_.upper[i]; }
  /// Row i of the natural map as posed, for x_i and (Hx + c)_i in the units here.
  double natural_row(int i, double x, double f) const;
  /// The problem as posed.
  Mlcp posed() const;

  int products = 0;  ///< since it was set to zero

 private:
  void choose_units();
  void choose_weights();

  RowProblem rows_;
  MatrixOperator matrix_;
  SymmetricOperator* h_ = nullptr;
  Vector unit_, weight_;
  double scale_ = 1.0;
  bool negative_diagonal_ = false;
};

/// A point of the box and what is known there.
struct BoxPoint {
  Vector x, g;            ///< g = Hx + c, up to rounding
  double natural = 0.0;   ///< natural residual as posed
  bool released = false;  ///< an unknown at a bound is pulled off it
};

}  // namespace perp
