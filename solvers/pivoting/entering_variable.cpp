#include <perp/solvers/pivoting/entering_variable.hpp>

#include <algorithm>

namespace perp {

void EnteringVariable::complement(int left, bool at_upper, const Basis& basis, BasicSet& set) {
  const int pair = basis.pair_of(left);
  if (basis.is_slack(left)) {  // x moves away from the bound to which w belonged
    id = basis.x_id(pair);
    sense = set.at_upper(pair) ? -1.0 : 1.0;
  } else {
    set.set_at_upper(pair, at_upper);
    id = basis.w_id(pair);
    sense = at_upper ? -1.0 : 1.0;
  }
}

double EnteringVariable::solve(const Basis& basis) {
  basis.column(id, direction);
  direction *= sense;
  basis.solve(direction);
  work_.setZero();
  basis.add_column(id, sense, work_);
  basis.subtract_product(direction, work_);
  return work_.cwiseAbs().maxCoeff() / std::max(1.0, direction.cwiseAbs().maxCoeff());
}

void EnteringVariable::refine(const Basis& basis) {
  basis.solve(work_);
  direction += work_;
}

}  // namespace perp
