#include <perp/solvers/josephy_newton/linearised_problem.hpp>

namespace perp {

void LinearisedProblem::attach(const BoxMap& map) {
  map_ = &map;
  const NewtonMatrix& j = map.jacobian();
  linear_.M = j.has_sparse_systems() ? Matrix(j.sparse()) : Matrix(j.dense());
  linear_.lower = map.lower;
  linear_.upper = map.upper;
  linear_.q.setZero(map.size());
  zero_.setZero(map.size());
  point_.setZero(map.size());
  z_.setZero(map.size());
  canonical_.build_pairs(linear_);
  x_.setZero(canonical_.size());
  w_.setZero(canonical_.size());
  start_.reserve(canonical_.size());
  canonical_.set_values(linear_, false);
  path_.attach(canonical_);
  path_.reset_counts();
}

void LinearisedProblem::set_point(const Vector& z, const Vector& f, double rho) {
  const NewtonMatrix& j = map_->jacobian();
  if (j.has_sparse_systems()) {
    SparseMatrix& m = linear_.M.sparse();
    std::copy_n(j.sparse().valuePtr(), j.sparse().nonZeros(), m.valuePtr());
    if (rho > 0) {
      for (int i = 0; i < map_->size(); ++i) m.coeffRef(i, i) += rho;
    }
  } else {
    linear_.M.dense() = j.dense();
    linear_.M.dense().diagonal().array() += rho;
  }
  z_ = z;
  linear_.q = f;
  linear_.lower = map_->lower - z;
  linear_.upper = map_->upper - z;
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
  point_ = (point_ + z_).cwiseMax(map_->lower).cwiseMin(map_->upper);
  return end;
}

double LinearisedProblem::share_left() const {
  return path_.first_t() > 0 ? path_.end().t / path_.first_t() : 1.0;
}

}  // namespace perp
