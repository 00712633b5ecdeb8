#include <perp/problems/standard/compliant_point.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace perp {

CompliantRegularisation regularise(const CompliantPoint& point, const CompliantStep& step) {
  const bool rigid = std::isinf(point.stiffness);
  const double period = step.beta / std::numbers::pi;  // tau_d / h of a near-rigid point
  const double closing = step.share * step.h + (rigid ? period * step.h : point.dissipation);
  const double stiffest = 0.25 * period * period * point.inverse_mass;
  const double own = rigid ? 0.0 : 1.0 / (step.h * point.stiffness * closing);
  return {std::max(stiffest, own), step.sigma * point.inverse_mass, -point.gap / closing};
}

double effective_inverse_mass(const Eigen::Matrix3d& block) { return block.norm() / 3.0; }

}  // namespace perp
