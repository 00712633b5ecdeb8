// The matrix of a quadratic function, known only by its products.
#pragma once

#include <perp/solvers/box/row_problem.hpp>
#include <vector>

namespace perp {

/// A symmetric H, n x n. Only products with it are needed.
class SymmetricOperator {
 public:
  virtual ~SymmetricOperator() = default;
  virtual int size() const = 0;
  /// y := H x; y has the size of x.
  virtual void multiply(const Vector& x, Vector& y) = 0;
  /// Sets the face F, indices in ascending order, for multiply_face().
  virtual void set_face(const std::vector<int>& face) = 0;
  /// y := H_FF x; x and y have n entries; only the first |F| are used.
  virtual void multiply_face(const Vector& x, Vector& y) = 0;
};

/// A dense or sparse matrix as operator. Products with a dense one read one triangle; if x has many
/// zeros, only the columns of its nonzero entries. H_FF of a dense one is copied, so that its
/// products read |F|^2 / 2 entries. Allocates only if a dense face is larger than all before.
class MatrixOperator final : public SymmetricOperator {
 public:
  /// Keeps a reference to the problem.
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
