// Parts of BoxMinimiser for a quadratic function that falls without bound on its box.
#include <perp/solvers/gradient_projection/box_minimiser.hpp>
#include <perp/solvers/gradient_projection/tolerances.hpp>

namespace perp {

namespace {

constexpr int kInverseIterations = 3;
constexpr double kImage = 1e-4;  // a smaller ||Hp|| / |H| may be 0 but for rounding

}  // namespace

BoxMinimiser::Step BoxMinimiser::outcome(End end) {
  if (end == End::kNoBound) return end_unbounded();
  return end == End::kMoved ? Step::kDone : Step::kNone;
}

// If x is very large, x itself is the direction.
BoxMinimiser::Step BoxMinimiser::far_away() {
  far_ *= kUnboundedGrowth;
  for (int i = 0; i < problem.size(); ++i) {
    search_.p[i] = std::isinf(point_.x[i] > 0 ? problem.rows().upper[i] : problem.rows().lower[i])
                       ? point_.x[i]
                       : 0.0;
  }
  return end_unbounded() == Step::kUnbounded ? Step::kUnbounded : Step::kDone;
}

// There is no bound along p, and the objective falls along it. If Hp = 0, this proves that there is
// no stationary point: p is a Farkas certificate against the required signs of Hx + c.
BoxMinimiser::Step BoxMinimiser::end_unbounded() {
  const double size = search_.p.lpNorm<Eigen::Infinity>();
  if (!(size > 0)) return Step::kNone;
  search_.p /= size;
  problem.multiply(search_.p, search_.hs);
  const bool bends = search_.p.dot(search_.hs) <
                     kNegativeCurvature * search_.p.cwiseQuotient(problem.weight()).dot(search_.p);
  const double least = kFaceTolerance * rules_->limits.tolerance;
  if (!bends && !(point_.g.dot(search_.p) < -least)) return Step::kNone;
  // For a PSD H, |Hp|^2 <= lambda_max p'Hp, and lambda_max is at most its trace.
  const double trace = problem.size() * problem.scale();
  const bool negative =
      bends || (search_.hs.lpNorm<Eigen::Infinity>() > kImage * problem.scale() &&
                search_.hs.squaredNorm() > 2.0 * trace * search_.p.dot(search_.hs));
  search_.negative |= negative;
  if (negative) {
    certificate_ =
        Certificate{"ray", {}, search_.p.cwiseProduct(problem.unit()), 0.0, false, 0.0, ""};
    return Step::kUnbounded;
  }
  return problem.has_matrix() && prove_unbounded() ? Step::kUnbounded : Step::kNone;
}

bool BoxMinimiser::prove_unbounded() {
  const int n = problem.size();
  const Mlcp original = problem.posed();
  const auto check_direction = [&] {
    search_.s = search_.p.cwiseProduct(problem.unit());
    search_.s /= search_.s.lpNorm<Eigen::Infinity>();
    return check_farkas(original, search_.s);
  };
  for (int i = 0; i < n; ++i) face_.free[i] = search_.p[i] != 0.0;
  FarkasCheck check = check_direction();
  if (!check.holds && block_.regularisation() == 0.0)
    block_.set_regularisation(rules_->settings.regularisation * problem.scale());
  if (check.excludes) certificate_ = certificate_of(check, search_.s);
  if (!check.holds && factor()) {
    purge();
    check = check_direction();
  }
  if (check.holds || (check.excludes && !certificate_))
    certificate_ = certificate_of(check, search_.s);
  return certificate_.has_value();
}

// Reduces p to its part in the null space of H_FF, by a few inverse iterations.
void BoxMinimiser::purge() {
  for (int k = 0; k < kInverseIterations; ++k) {
    block_.solve(search_.p);
    const double size = search_.p.lpNorm<Eigen::Infinity>();
    if (size > 0) search_.p /= size;
  }
}

}  // namespace perp
