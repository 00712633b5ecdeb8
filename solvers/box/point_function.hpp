// F and its Jacobian, each evaluated once per point.
#pragma once

#include <algorithm>
#include <perp/problems/standard/mcp_function.hpp>

namespace perp {

/// A nonlinear F that remembers its last value and its last Jacobian, with their points. Asking
/// again at the same point costs only a comparison. All vectors have n values.
class PointFunction {
 public:
  /// @throws DeadlinePassed
  void prepare(const Mcp& problem, const Deadline& deadline) {
    function_.prepare(problem, deadline);
    jacobian_ = function_.pattern();
    forget();
  }
  /// Takes new parameters. @return false if the pattern differs. @throws DeadlinePassed
  bool update(const Mcp& problem, const Deadline& deadline) {
    function_.prepare(problem, deadline);
    forget();
    const SparseMatrix& now = function_.pattern();
    const auto starts = jacobian_.outerIndexPtr(), rows = jacobian_.innerIndexPtr();
    return now.cols() == jacobian_.cols() && now.nonZeros() == jacobian_.nonZeros() &&
           std::equal(starts, starts + now.cols() + 1, now.outerIndexPtr()) &&
           std::equal(rows, rows + now.nonZeros(), now.innerIndexPtr());
  }
  void forget() {
    has_value_ = has_jacobian_ = false;
    evaluations = jacobian_evaluations = 0;
  }

  const Vector& value(const Vector& z) {
    if (has_value_ && z == value_point_) return value_;
    function_.evaluate(z, value_);
    value_point_ = z;
    has_value_ = true;
    ++evaluations;
    return value_;
  }
  /// @return whether it was evaluated; false if the last Jacobian belongs to this z
  bool evaluate_jacobian(const Vector& z) {
    if (has_jacobian_ && z == jacobian_point_) return false;
    function_.evaluate_jacobian(z, jacobian_.valuePtr());
    jacobian_point_ = z;
    has_jacobian_ = true;
    ++jacobian_evaluations;
    return true;
  }
  const SparseMatrix& jacobian() const { return jacobian_; }
  /// f := F(z) without remembering it, for a point that is no iterate.
  void evaluate_once(const Vector& z, Vector& f) {
    function_.evaluate(z, f);
    ++evaluations;
  }

  int evaluations = 0, jacobian_evaluations = 0;  ///< since prepare, update or forget

 private:
  McpFunction function_;
  Vector value_, value_point_, jacobian_point_;
  bool has_value_ = false, has_jacobian_ = false;
  SparseMatrix jacobian_;  // compressed
};

}  // namespace perp
