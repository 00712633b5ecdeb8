// Projections on the friction cone. The second-order cone is the friction cone with mu = 1.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace perp {

/// ||(x, y)||, to rounding even if the squares leave the range of numbers. Several times as fast as
/// std::hypot if they do not.
inline double plane_norm(double x, double y) {
  const double squares = x * x + y * y;
  return squares > 1e-280 && squares < 1e300 ? std::sqrt(squares) : std::hypot(x, y);
}
/// The same in extended precision.
inline long double plane_norm(long double x, long double y) {
  const long double squares = x * x + y * y;
  return squares > 1e-4900L && squares < 1e4900L ? std::sqrt(squares) : std::hypot(x, y);
}

/// ||(x_2, ..., x_size)||.
template <class Scalar>
Scalar tangential_norm(int size, const Scalar* x) {
  if (size <= 1) return 0;
  if (size == 2) return std::abs(x[1]);
  if (size == 3) return plane_norm(x[1], x[2]);
  return Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>(x + 1, size - 1).norm();
}

/// Replaces x by its projection on K_mu = { x : ||(x_2, ..., x_size)|| <= mu x_1 }, mu >= 0, in the
/// norm of diag(R_n, R_t, ..., R_t), with mu_hat = mu R_t / R_n [CastroPermenterHan2022, Sec. IV].
/// With size 1, K_mu is the half line x_1 >= 0.
template <class Scalar>
void project_on_cone(Scalar mu, Scalar mu_hat, int size, Scalar* x) {
  const Scalar t = tangential_norm(size, x);
  if (t <= mu * x[0] && x[0] >= 0) return;  // for mu = 0, t <= mu x_1 can hold below the tip too
  if (mu_hat * t <= -x[0]) {
    std::fill(x, x + size, Scalar(0));
    return;
  }
  const Scalar normal = (x[0] + mu_hat * t) / (1 + mu * mu_hat), share = mu * normal / t;
  x[0] = normal;
  for (int i = 1; i < size; ++i) x[i] *= share;
}

/// The same in the Euclidean norm.
template <class Scalar>
void project_on_cone(Scalar mu, int size, Scalar* x) {
  project_on_cone(mu, mu, size, x);
}

/// An element of the generalised Jacobian at x of the projection in the norm of diag(R_n, R_t, ...,
/// R_t), mu_hat = mu R_t / R_n. Only the upper left size x size part is used, size <= 3. The
/// Jacobian times R^-1 (from the right) is symmetric.
inline Eigen::Matrix3d cone_projection_derivative(double mu, double mu_hat, int size,
                                                  const double* x) {
  Eigen::Matrix3d d = Eigen::Matrix3d::Zero();
  const double t = tangential_norm(size, x);
  if (mu_hat * t <= -x[0]) return d;
  if (size == 1 || t <= mu * x[0]) {
    for (int i = 0; i < size; ++i) d(i, i) = 1.0;
    return d;
  }
  const double s[2] = {x[1] / t, size == 3 ? x[2] / t : 0.0}, share = 1.0 / (1.0 + mu * mu_hat);
  const double normal = share * (x[0] + mu_hat * t), shrink = mu * normal / t;
  d(0, 0) = share;
  for (int i = 1; i < size; ++i) {
    d(i, 0) = mu * share * s[i - 1];
    d(0, i) = mu_hat * share * s[i - 1];
    for (int j = 1; j < size; ++j) {
      const double along = s[i - 1] * s[j - 1];
      d(i, j) = mu * mu_hat * share * along + shrink * ((i == j ? 1.0 : 0.0) - along);
    }
  }
  return d;
}

/// The same for the Euclidean projection; symmetric.
inline Eigen::Matrix3d cone_projection_derivative(double mu, int size, const double* x) {
  return cone_projection_derivative(mu, mu, size, x);
}

}  // namespace perp
