// A quadratic function on a box, in scaled unknowns.
#pragma once

#include <perp/problems/standard/problem.hpp>
#include <perp/solvers/gradient_projection/symmetric_operator.hpp>

namespace perp {

/// q(x) = 1/2 x'Hx + c'x on l <= x <= u, from a box_qp, a symmetric lcp or mlcp, or from products
/// with H only. All vectors have n = size() values.
///
/// The unknowns of the problem as posed are s = unit() times those here. All s are powers of two,
/// so nothing is rounded; with products only, s = 1. D = diag(weight()) is positive: 1 / H_ii, or
/// 1 / scale() if H_ii is not positive.
class BoxQuadratic {
 public:
  /// Copies a problem; allocates only if it is larger than those before.
  void load(const Problem& problem);
  /// Takes H by its products. @param h must stay alive
  /// @param diagonal of H, or positive estimates; may be empty
  void attach(SymmetricOperator& h, const Vector& c, const Vector& lower, const Vector& upper,
              const Vector& diagonal);

  int size() const { return rows_.size(); }
  /// c, the bounds and, if has_matrix(), H by rows.
  const RowProblem& rows() const { return rows_; }
  bool has_matrix() const { return h_ == &matrix_; }
  const Vector& unit() const { return unit_; }
  const Vector& weight() const { return weight_; }
  /// Largest entry of H; with products only, of its diagonal.
  double scale() const { return scale_; }
  /// Whether H_ii < 0 for an unknown that may move.
  bool negative_diagonal() const { return negative_diagonal_; }
  SymmetricOperator& h() { return *h_; }

  /// y := H x
  void multiply(const Vector& x, Vector& y) {
    h_->multiply(x, y);
    ++products;
  }
  bool inside(int i, double x) const { return x > rows_.lower[i] && x < rows_.upper[i]; }
  /// |row i| of the natural map of the problem as posed, for scaled x_i and f = (Hx + c)_i.
  double natural_row(int i, double x, double f) const;
  /// The problem as posed.
  Mlcp posed() const;

  int products = 0;  ///< products with H since this was set to zero

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

/// A point of the box with its gradient and residual.
struct BoxPoint {
  Vector x, g;            ///< g = Hx + c, up to rounding
  double natural = 0.0;   ///< natural residual as posed
  bool released = false;  ///< the objective falls if some unknown leaves its bound
};

}  // namespace perp
