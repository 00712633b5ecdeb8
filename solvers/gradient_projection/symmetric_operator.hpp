// The matrix of a quadratic function, known by its products.
#pragma once

#include <perp/solvers/box/row_problem.hpp>
#include <vector>

namespace perp {

/// A symmetric H, n x n, of which products are all that is asked.
class SymmetricOperator {
 public:
  virtual ~SymmetricOperator() = default;
  virtual int size() const = 0;
  /// y := H x; y has the size of x.
  virtual void multiply(const Vector& x, Vector& y) = 0;
  /// Sets the face F, in ascending order, that products with H_FF are for.
  virtual void set_face(const std::vector<int>& face) = 0;
  /// y := H_FF x; x and y have n entries of which the first |F| count.
  virtual void multiply_face(const Vector& x, Vector& y) = 0;
};

/// A dense or sparse matrix as operator. Products with a dense one read one triangle, or, where x
/// has many zeros, the columns of the others; H_FF is copied, so that its products read |F|^2 / 2
/// entries. Allocates only where a dense face is larger than all before.
class MatrixOperator final : public SymmetricOperator {
 public:
  /// The problem must stay alive.
  void attach(const RowProblem& problem);
  int size() const override { return problem_->size(); }
  void multiply(const Vector& x, Vector& y) override;
  void set_face(const std::vector<int>& face) override;
  void multiply_face(const Vector& x, Vector& y) override;

 private:
  void multiply_columns(const Vector& x, Vector& y) const;

  const RowProblem* problem_ = nullptr;
  std::vector<int> face_, place_, support_;
  std::vector<double> block_;  // lower triangle of H_FF by columns, dense H only
};

}  // namespace perp
