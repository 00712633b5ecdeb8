#include <perp/solvers/josephy_newton/linearised_problem.hpp>

#include <cmath>

namespace perp {

void LinearisedProblem::attach(const BoxProblem& problem) {
  problem_ = &problem;
  const NewtonMatrix& j = problem.matrix();
  linear_.M = j.has_sparse_systems() ? Matrix(j.sparse()) : Matrix(j.dense());
  linear_.lower = problem.lower;
  linear_.upper = problem.upper;
  linear_.q.setZero(problem.size());
  zero_.setZero(problem.size());
  point_.setZero(problem.size());
  z_.setZero(problem.size());
  canonical_.build_pairs(linear_);
  x_.setZero(canonical_.size());
  w_.setZero(canonical_.size());
  start_.reserve(canonical_.size());
  canonical_.set_values(linear_, false);
  path_.attach(canonical_);
  path_.reset_counts();
}

bool LinearisedProblem::fits(const BoxProblem& problem) const {
  if (problem.size() != linear_.size()) return false;
  for (int i = 0; i < problem.size(); ++i) {
    const double low = problem.lower[i], high = problem.upper[i];
    if (std::isinf(low) != std::isinf(linear_.lower[i])) return false;
    if (std::isinf(high) != std::isinf(linear_.upper[i])) return false;
    if ((low == high) != (linear_.lower[i] == linear_.upper[i])) return false;
  }
  return true;
}

void LinearisedProblem::set_point(const Vector& z, const Vector& f, double rho) {
  const NewtonMatrix& j = problem_->matrix();
  if (j.has_sparse_systems()) {
    SparseMatrix& m = linear_.M.sparse();
    std::copy_n(j.sparse().valuePtr(), j.sparse().nonZeros(), m.valuePtr());
    if (rho > 0) {
      for (int i = 0; i < problem_->size(); ++i) m.coeffRef(i, i) += rho;
    }
  } else {
    linear_.M.dense() = j.dense();
    linear_.M.dense().diagonal().array() += rho;
  }
  z_ = z;
  linear_.q = f;
  linear_.lower = problem_->lower - z;
  linear_.upper = problem_->upper - z;
  canonical_.set_values(linear_, true);
}

PathEnd LinearisedProblem::solve(Origin origin, const std::vector<PairStatus>& start,
                                 long max_pivots, double time_limit) {
  canonical_.from_original(start, start_);
  const Deadline deadline(time_limit);
  PathEnd end = PathEnd::kNumerical;
  if (origin == Origin::kPoint) {
    canonical_.from_point(zero_, linear_.q, x_, w_);
    end = path_.follow_from(x_, w_, start_, {}, max_pivots, deadline);
  } else {
    end = path_.follow(start_, nullptr, {}, max_pivots, deadline, nullptr);
  }
  canonical_.to_original(path_.end().x, point_);
  point_ = (point_ + z_).cwiseMax(problem_->lower).cwiseMin(problem_->upper);
  return end;
}

double LinearisedProblem::share_left() const {
  return path_.first_t() > 0 ? path_.end().t / path_.first_t() : 1.0;
}

}  // namespace perp
