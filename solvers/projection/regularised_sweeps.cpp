#include <perp/solvers/projection/regularised_sweeps.hpp>

#include <algorithm>
#include <cmath>
#include <perp/problems/matrix/infinity.hpp>

namespace perp {

namespace {

constexpr double kSmallWeight = 1e-3;  // of rows whose sweeps need no regularisation
constexpr double kGrow = 4.0, kShrink = 0.8;
constexpr double kLeastTheta = 1e-6, kLargestTheta = 1e6;
constexpr double kGrowth = 2.0;  // a change over that of the first sweep that is too large

}  // namespace

void RegularisedSweeps::prepare(const RowProblem& problem) {
  problem_ = &problem;
  const int n = problem.size();
  const Vector& d = problem.diagonal;
  for (Vector* v : {&weights_, &step_, &proximal_.weight, &proximal_.centre}) v->setZero(n);
  const double mean = n > 0 && d.cwiseAbs().sum() > 0 ? d.cwiseAbs().mean() : 1.0;
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    problem.for_row(i, [&](int j, double value) {
      const double product = i == j || value == 0.0 ? 0.0 : value * problem.entry(j, i);
      if (product < 0) sum += d[j] > 0 ? -product / d[j] : std::sqrt(-product);
    });
    const bool needy = sum == 0.0 && d[i] <= 0;
    weights_[i] = needy ? mean - d[i] : std::max(sum - d[i], kSmallWeight * mean);
  }
}

void RegularisedSweeps::start(const SweepRules& rules) {
  rules_ = rules;
  sweeps = 0;
  hopeless = false;
  set_theta(rules.regularisation);
}

void RegularisedSweeps::set_theta(double wanted) {
  theta = std::clamp(wanted, kLeastTheta, kLargestTheta);
  for (int i = 0; i < problem_->size(); ++i) {
    const double d = problem_->diagonal[i];
    const double shift = std::max(0.0, -d);  // keeps the diagonal positive
    proximal_.weight[i] = theta * weights_[i] + shift;
    step_[i] = problem_->is_fixed(i) ? 0.0 : rules_.relaxation / (d + proximal_.weight[i]);
  }
}

double RegularisedSweeps::step(Vector& z, int budget) {
  const double share = inner_sweeps(z, budget);
  const bool grew = std::isinf(share);
  if (grew) z = proximal_.centre;
  hopeless = grew && (theta >= kLargestTheta || !rules_.adaptive);
  if (rules_.adaptive) {
    set_theta(theta * (grew ? kGrow : share <= rules_.inner_accuracy ? kShrink : 1.0 / kShrink));
  }
  return share;
}

double RegularisedSweeps::inner_sweeps(Vector& z, int budget) {
  proximal_.centre = z;
  double share = 1.0, first = 0.0;
  for (int k = 0; k < std::min(budget, std::max(1, rules_.inner_sweeps)); ++k) {
    const bool backward = rules_.symmetric && sweeps % 2 == 1;
    const double change = projected_sweep(*problem_, step_, &proximal_, backward, z);
    ++sweeps;
    if (k == 0) first = change;
    if (!std::isfinite(change) || change > kGrowth * first) return kInfinity;
    const double moved = (z - proximal_.centre).norm();
    if (moved == 0.0) return 0.0;
    share = change / moved;
    if (k > 0 && share <= rules_.inner_accuracy) break;
  }
  return share;
}

}  // namespace perp
