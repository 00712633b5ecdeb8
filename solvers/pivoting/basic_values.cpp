#include <perp/solvers/pivoting/basic_values.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

using Kind = CanonicalProblem::PairKind;

}  // namespace

void BasicValues::attach(const CanonicalProblem& problem, const Basis& basis, const BasicSet& set) {
  problem_ = &problem;
  basis_ = &basis;
  set_ = &set;
  for (Vector* v : {&value, &lower, &upper, &range, &work_}) v->setZero(problem.size());
}

void BasicValues::set_scale() {
  const double largest = problem_->size() > 0 ? problem_->q.cwiseAbs().maxCoeff() : 0.0;
  scale = largest > 0 ? std::exp2(-std::ceil(std::log2(largest))) : 1.0;
  range = problem_->range * scale;
}

void BasicValues::right_hand_side(Vector& b) const {
  b = -scale * problem_->q;
  for (int j = 0; j < problem_->size(); ++j) {
    if (set_->at_upper(j) && !set_->is_basic(j)) problem_->M.add_column(j, -range[j], b.data());
  }
}

bool BasicValues::compute() {
  const int m = problem_->size();
  right_hand_side(value);
  basis_->solve(value);
  right_hand_side(work_);
  basis_->subtract_product(value, work_);
  basis_->solve(work_);
  value += work_;
  if (!value.allFinite()) return false;
  size = m > 0 ? std::max(1.0, value.cwiseAbs().maxCoeff()) : 1.0;
  for (int p = 0; p < m; ++p) set_bounds(p);
  return true;
}

void BasicValues::move(double length, const Vector& direction) {
  value -= length * direction;
  size = std::max(1.0, value.cwiseAbs().maxCoeff());
}

void BasicValues::enter(int position, double entering) {
  value[position] = entering;
  set_bounds(position);
}

void BasicValues::set_bounds(int position) {
  const int id = basis_->head(position), pair = basis_->pair_of(id);
  lower[position] = 0.0;
  upper[position] = kInfinity;
  if (id == basis_->t_id()) return;
  if (basis_->is_slack(id)) {
    if (set_->at_upper(pair)) {
      lower[position] = -kInfinity;
      upper[position] = 0.0;
    }
  } else if (problem_->kind[pair] == Kind::kBoxed) {
    upper[position] = range[pair];
  } else if (problem_->kind[pair] == Kind::kFree) {
    lower[position] = -kInfinity;
  }
}

}  // namespace perp
