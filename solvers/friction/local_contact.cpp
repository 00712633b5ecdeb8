#include <perp/solvers/friction/local_contact.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <perp/problems/standard/friction_cone.hpp>

namespace perp {

namespace {

constexpr int kNewtonSteps = 300;  // and steps of the bracket
// Of |mu r_n / ||r_t|| - 1|: at which Newton's method ends, below which it ends if it does not
// halve the value, and what is accepted once the bracket has closed.
constexpr double kRounding = 0x1p-50, kAlmost = 1e-12, kAccepted = 1e-9;
constexpr double kLargestGuess = 1e6;  // of lambda, over the trace of T; far from 0 / 0

// Sliding: (T + lambda I) r_t = -q_hat, u_n = 0.
struct Sliding {
  double t00, t01, t10, t11;  // T = W_tt - W_tn W_nt / W_nn
  double q0, q1;              // q_hat = q_t - W_tn q_n / W_nn
  double base, n0, n1;        // r_n = base - n_0 r_t0 - n_1 r_t1
  double mu;
  double r0 = 0, r1 = 0, rn = 0;

  // mu r_n / ||r_t|| - 1 and its derivative.
  double value(double lambda, double& slope) {
    const double a = t00 + lambda, d = t11 + lambda, share = 1.0 / (a * d - t01 * t10);
    r0 = (t01 * q1 - d * q0) * share;
    r1 = (t10 * q0 - a * q1) * share;
    rn = base - n0 * r0 - n1 * r1;
    const double dr0 = (t01 * r1 - d * r0) * share, dr1 = (t10 * r0 - a * r1) * share;
    const double over = 1.0 / plane_norm(r0, r1), drn = -n0 * dr0 - n1 * dr1;
    slope = mu * (drn - rn * (r0 * dr0 + r1 * dr1) * over * over) * over;
    return mu * rn * over - 1.0;
  }
};

// Starts from lambda, or from the trace of T if that is not positive or very large.
bool slide(const double* w, const double* q, double mu, double lambda, double* r) {
  if (!(w[0] > 0)) return false;
  const double over = 1.0 / w[0], n0 = w[3] * over, n1 = w[6] * over, base = -q[0] * over;
  Sliding s{w[4] - w[1] * n0,
            w[7] - w[1] * n1,
            w[5] - w[2] * n0,
            w[8] - w[2] * n1,
            q[1] + w[1] * base,
            q[2] + w[2] * base,
            base,
            n0,
            n1,
            mu};
  const double trace = std::abs(s.t00) + std::abs(s.t11), usual = trace > 0 ? trace : 1.0;
  if (!(lambda > 0 && lambda < kLargestGuess * usual)) lambda = usual;
  double low = 0.0, high = std::numeric_limits<double>::infinity(), slope = 0.0, value = -1.0;
  bool at_zero = false;  // has been: Newton steps from below do not pass the solution
  for (int k = 0; k < kNewtonSteps; ++k) {
    const double before = std::abs(value);
    value = s.value(lambda, slope);
    const double now = std::abs(value);
    if (now < kRounding || (before < kAlmost && !(now < 0.5 * before) && now < kAccepted)) break;
    (value > 0 ? high : low) = lambda;
    const double next = lambda - value / slope;
    if (next == lambda || !(high - low > 1e-15 * low)) break;
    if (next > low && next < high) {
      lambda = next;
    } else if (next <= 0.0 && value > 0 && low == 0.0 && !at_zero) {
      lambda = 0.0;
      at_zero = true;
    } else {  // the value tends to infinity
      lambda = std::isfinite(high) ? 0.5 * (low + high) : std::max(usual, 4.0 * lambda);
    }
  }
  if (!(std::abs(value) < kAccepted) || !(s.rn > 0)) return false;
  r[0] = s.rn;
  r[1] = s.r0;
  r[2] = s.r1;
  return true;
}

bool stick(const double* w, const double* q, double mu, double* r) {
  const double c0 = w[4] * w[8] - w[5] * w[7], c1 = w[5] * w[6] - w[3] * w[8],
               c2 = w[3] * w[7] - w[4] * w[6];
  const double det = w[0] * c0 + w[1] * c1 + w[2] * c2;
  if (det == 0.0) return false;
  const double over = -1.0 / det;
  const double x = over * (c0 * q[0] + c1 * q[1] + c2 * q[2]);
  const double y = over * ((w[2] * w[7] - w[1] * w[8]) * q[0] + (w[0] * w[8] - w[2] * w[6]) * q[1] +
                           (w[1] * w[6] - w[0] * w[7]) * q[2]);
  const double z = over * ((w[1] * w[5] - w[2] * w[4]) * q[0] + (w[2] * w[3] - w[0] * w[5]) * q[1] +
                           (w[0] * w[4] - w[1] * w[3]) * q[2]);
  if (!std::isfinite(x) || !(plane_norm(y, z) <= mu * x)) return false;  // w is nearly singular
  r[0] = x;
  r[1] = y;
  r[2] = z;
  return true;
}

LocalContactCase solve_in_plane(const double* w, const double* q, double mu, double* r) {
  const double det = w[0] * w[4] - w[1] * w[3];
  const double x = -(w[4] * q[0] - w[3] * q[1]) / det, y = -(w[0] * q[1] - w[1] * q[0]) / det;
  if (std::isfinite(x) && std::abs(y) <= mu * x) {  // else w is singular: one direction of motion
    r[0] = x;
    r[1] = y;
    r[2] = 0.0;
    return LocalContactCase::kStick;
  }
  for (const double side : {-1.0, 1.0}) {  // r_t = side mu r_n, against u_t
    const double normal = -q[0] / (w[0] + side * mu * w[3]);
    const double slip = q[1] + (w[1] + side * mu * w[4]) * normal;
    if (!(normal > 0) || !(side * slip <= 0)) continue;
    r[0] = normal;
    r[1] = side * mu * normal;
    r[2] = 0.0;
    return LocalContactCase::kSlide;
  }
  return LocalContactCase::kNone;
}

}  // namespace

LocalContactCase solve_contact(const double* W, const double* q, double mu, int dimension,
                               double* r, double slip_ratio) {
  if (q[0] >= 0) {
    r[0] = r[1] = r[2] = 0.0;
    return LocalContactCase::kOpen;
  }
  if (mu == 0.0) {
    if (!(W[0] > 0)) return LocalContactCase::kNone;
    r[0] = -q[0] / W[0];
    r[1] = r[2] = 0.0;
    return LocalContactCase::kSlide;
  }
  if (dimension == 2) return solve_in_plane(W, q, mu, r);
  if (stick(W, q, mu, r)) return LocalContactCase::kStick;
  return slide(W, q, mu, slip_ratio, r) ? LocalContactCase::kSlide : LocalContactCase::kNone;
}

}  // namespace perp
