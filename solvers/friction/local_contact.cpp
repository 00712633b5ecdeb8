#include <perp/solvers/friction/local_contact.hpp>

#include <cmath>
#include <initializer_list>
#include <limits>

namespace perp {

namespace {

constexpr int kNewtonSteps = 100;
constexpr int kDoublings = 200;
constexpr double kAccepted =
    1e-9;  // |mu r_n / ||r_t|| - 1| that is accepted once the bracket has closed

// Sliding: (T + lambda I) r_t = -q_hat, u_n = 0.
struct Sliding {
  double t00, t01, t10, t11;  // T = W_tt - W_tn W_nt / W_nn
  double q0, q1;              // q_hat = q_t - W_tn q_n / W_nn
  double base, n0, n1;        // r_n = base - n_0 r_t0 - n_1 r_t1
  double mu;
  double r0 = 0, r1 = 0, rn = 0;

  // mu r_n / ||r_t|| - 1 and its derivative.
  double value(double lambda, double& slope) {
    const double a = t00 + lambda, d = t11 + lambda, det = a * d - t01 * t10;
    r0 = -(d * q0 - t01 * q1) / det;
    r1 = -(a * q1 - t10 * q0) / det;
    rn = base - n0 * r0 - n1 * r1;
    const double dr0 = -(d * r0 - t01 * r1) / det, dr1 = -(a * r1 - t10 * r0) / det;
    const double length = std::hypot(r0, r1), drn = -n0 * dr0 - n1 * dr1;
    slope = mu * (drn - rn * (r0 * dr0 + r1 * dr1) / (length * length)) / length;
    return mu * rn / length - 1.0;
  }
};

bool slide(const double* w, const double* q, double mu, double* r) {
  const double wn = w[0];
  if (!(wn > 0)) return false;
  Sliding s{w[4] - w[1] * w[3] / wn,
            w[7] - w[1] * w[6] / wn,
            w[5] - w[2] * w[3] / wn,
            w[8] - w[2] * w[6] / wn,
            q[1] - w[1] * q[0] / wn,
            q[2] - w[2] * q[0] / wn,
            -q[0] / wn,
            w[3] / wn,
            w[6] / wn,
            mu};
  double low = 0.0, high = std::abs(s.t00) + std::abs(s.t11), slope = 0.0;
  if (!(high > 0)) high = 1.0;
  int doublings = 0;
  while (!(s.value(high, slope) > 0)) {  // ends, since the value tends to infinity
    if (++doublings > kDoublings) return false;
    low = high;
    high *= 4.0;
  }
  double lambda = high, value = s.value(lambda, slope);
  for (int k = 0; k < kNewtonSteps && value != 0.0; ++k) {
    double next = lambda - value / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == lambda || !(high - low > 1e-15 * high)) break;
    lambda = next;
    value = s.value(lambda, slope);
    (value > 0 ? high : low) = lambda;
    if (std::abs(value) < 4 * std::numeric_limits<double>::epsilon()) break;
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
  const double x = -(c0 * q[0] + c1 * q[1] + c2 * q[2]) / det;
  const double y = -((w[2] * w[7] - w[1] * w[8]) * q[0] + (w[0] * w[8] - w[2] * w[6]) * q[1] +
                     (w[1] * w[6] - w[0] * w[7]) * q[2]) /
                   det;
  const double z = -((w[1] * w[5] - w[2] * w[4]) * q[0] + (w[2] * w[3] - w[0] * w[5]) * q[1] +
                     (w[0] * w[4] - w[1] * w[3]) * q[2]) /
                   det;
  if (!(std::hypot(y, z) <= mu * x)) return false;
  r[0] = x;
  r[1] = y;
  r[2] = z;
  return true;
}

LocalContactCase solve_in_plane(const double* w, const double* q, double mu, double* r) {
  const double det = w[0] * w[4] - w[1] * w[3];
  const double x = -(w[4] * q[0] - w[3] * q[1]) / det, y = -(w[0] * q[1] - w[1] * q[0]) / det;
  if (std::abs(y) <= mu * x) {
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
                               double* r) {
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
  return slide(W, q, mu, r) ? LocalContactCase::kSlide : LocalContactCase::kNone;
}

}  // namespace perp
