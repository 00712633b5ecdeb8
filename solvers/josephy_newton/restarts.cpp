// Attempts of JosephyNewton: where they start and with which options.
#include <perp/solvers/josephy_newton/josephy_newton.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFirstDamping = 1e-6;   // mu / ||Phi||
constexpr double kFirmProximal = 1e-2;   // rho / max|J| of the attempt that has it always
constexpr double kPenalisedShare = 0.8;  // lambda of attempts with the penalised function
constexpr double kSpreads[] = {0.1, 1.0, 10.0, 3.0};  // of perturbed starts, over max(1, |z_i|)
constexpr double kInside[] = {1e-2, 1.0, 1e-6};       // lengths by which a start leaves its bounds
constexpr int kDomainTries = 40;

}  // namespace

// 0: as set, from the start. 1: paths from far away with a proximal term, no crash. 2:
// least-squares steps from the lowest merit so far. Then perturbed starts and points near the
// lowest merit, with those options and functions by turns [FerrisKanzowMunson1999].
// @return false where no point is found at which F and J exist.
bool JosephyNewton::begin_attempt(int attempt, const Vector* start) {
  if (attempt == 0) {
    start_.setZero(map_.size());
    if (start) start_ = *start;
    start_ = start_.cwiseMax(map_.lower).cwiseMin(map_.upper);
  }
  function_ = {};
  const bool from_point = (settings.path == "point") != (attempt % 4 == 1);
  origin_ = from_point ? LinearisedProblem::Origin::kPoint : LinearisedProblem::Origin::kFarAway;
  crashing_ = settings.crash_iterations > 0 && attempt % 2 == 0;
  least_squares_first_ = attempt % 4 == 2 && settings.least_squares != "never";
  least_proximal_ = attempt % 4 == 1 ? kFirmProximal : 0.0;
  if (attempt % 4 == 3) function_ = {NcpFunction::kPenalised, kPenalisedShare, KinkRule::kEven};
  z_ = start_;
  if (attempt == 2 && std::isfinite(lowest_of_all_)) z_ = lowest_z_;
  if (attempt > 2) {
    Random random(static_cast<std::uint64_t>(attempt));
    const bool local = attempt % 5 == 0 && std::isfinite(lowest_of_all_);
    perturb(local ? lowest_z_ : start_, kSpreads[attempt % 4], random);
  }
  attempt_steps_ = since_lower_ = merits_kept_ = relaxed_ = false_answers_here_ = 0;
  step_counts_[static_cast<int>(StepType::kCrash)] = 0;
  returned_ = false;
  lowest_merit_ = kInfinity;
  damping_ = kFirstDamping;
  step_ = 0.0;
  last_step_ = StepType::kStart;
  return evaluate() || move_into_domain();
}

void JosephyNewton::perturb(const Vector& around, double spread, Random& random) {
  for (int i = 0; i < map_.size(); ++i) {
    const double length = spread * std::max(1.0, std::abs(around[i]));
    z_[i] =
        std::clamp(around[i] + length * random.uniform(-1.0, 1.0), map_.lower[i], map_.upper[i]);
  }
}

// F does not exist at z: points off the bounds, then random ones further and further away.
bool JosephyNewton::move_into_domain() {
  if (bad_row_ < 0) note_bad_row();
  const Vector outside = z_;
  for (const double length : kInside) {
    for (int i = 0; i < map_.size(); ++i) {
      const double low = map_.lower[i], high = map_.upper[i];
      const double inside =
          std::min(length * std::max(1.0, std::abs(outside[i])), 0.5 * (high - low));
      z_[i] = std::min(std::max(outside[i], low + inside), high - inside);
    }
    if (evaluate() && linearise()) return true;
  }
  Random random(static_cast<std::uint64_t>(attempt_) + 1000);
  for (int k = 0; k < kDomainTries; ++k) {
    perturb(outside, std::exp2(k / 4 - 3), random);
    if (evaluate() && linearise()) return true;
  }
  z_ = outside;
  return false;
}

void JosephyNewton::note_bad_row() {
  bad_jacobian_ = f_.allFinite();
  if (bad_jacobian_) {
    bad_row_ = map_.bad_row();
    return;
  }
  for (int i = map_.size() - 1; i >= 0; --i) {
    if (!std::isfinite(f_[i])) bad_row_ = i;
  }
}

}  // namespace perp
