#include <perp/formulations/geometric_implicit/surface.hpp>

#include <cmath>
#include <stdexcept>

namespace perp {

namespace {

// A quaternion of any length turns v by rotate_homogeneous(q, v) / |q|^2.
ExprVector3 turn(const ExprQuaternion& q, const ExprVector3& v) {
  const Expr square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  return rotate_homogeneous(q, v) / square;
}

ExprVector3 constant(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }

RecordedSurface quadric(const Vector3d& half, const ExprVector3& y) {
  const double s = half.minCoeff();
  RecordedSurface f{-s / 2, {}};
  for (int k = 0; k < 3; ++k) {
    const Expr ratio = y[k] / half[k];
    f.value += s / 2 * ratio * ratio;
    f.gradient[k] = s / half[k] * ratio;
  }
  return f;
}

// v |v|^(p - 2), p >= 2: half a derivative, free of signs.
Expr odd_power(Expr v, double p) { return v * pow(abs(v), p - 2); }

// F(y) = ((y_1/a)^p + (y_2/b)^p)^(q/p) + (y_3/c)^q with p = 2/e_2, q = 2/e_1. With the p-norm
// r = ((y_1/a)^p + (y_2/b)^p)^(1/p), dF/dy_1 = q/a r^(q-2) (y_1/a) |y_1/(a r)|^(p-2). The tiny
// number keeps r from 0 on the third axis; it moves the surface by less than 1e-24 of its size.
RecordedSurface superquadric(const Vector3d& half, double e1, double e2, const ExprVector3& y) {
  constexpr double kLeast = 1e-12;
  const double p = 2 / e2, q = 2 / e1, scale = half.minCoeff() / q;
  const ExprVector3 u(y[0] / half[0], y[1] / half[1], y[2] / half[2]);
  const Expr r = pow(pow(abs(u[0]), p) + pow(abs(u[1]), p) + std::pow(kLeast, p), 1 / p);
  RecordedSurface f;
  f.value = scale * (pow(r, q) + pow(abs(u[2]), q) - 1);
  for (int k = 0; k < 2; ++k)
    f.gradient[k] = scale * q / half[k] * pow(r, q - 1) * odd_power(u[k] / r, p);
  f.gradient[2] = scale * q / half[2] * odd_power(u[2], q);
  return f;
}

}  // namespace

std::optional<std::string> surface_refusal(const Shape& shape) {
  if (std::holds_alternative<HalfSpace>(shape) || std::holds_alternative<Disc>(shape) ||
      std::holds_alternative<Sphere>(shape) || std::holds_alternative<Ellipsoid>(shape))
    return {};
  if (const auto* s = std::get_if<Superquadric>(&shape)) {
    if (s->e1 <= 1 && s->e2 <= 1 && s->e2 >= 0.1) return {};
    return "superquadrics need 0 < e1 <= 1 and 0.1 <= e2 <= 1 here, where they are smooth";
  }
  return "a " + std::string(shape_name(shape)) +
         " is not one smooth surface; there are half_space, disc, sphere, ellipsoid and "
         "superquadric";
}

RecordedSurface record_surface(const Shape& shape, double unit, const RecordedPose& pose,
                               const ExprVector3& x) {
  const ExprVector3 apart = x - pose.centre;
  const auto ball = [&](double radius) {  // no orientation
    RecordedSurface f{-radius / 2, apart / radius};
    for (int k = 0; k < 3; ++k) f.value += apart[k] * apart[k] / (2 * radius);
    return f;
  };
  if (const auto* disc = std::get_if<Disc>(&shape)) return ball(disc->radius / unit);
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return ball(sphere->radius / unit);
  if (const auto* space = std::get_if<HalfSpace>(&shape)) {
    const ExprVector3 n = turn(pose.orientation, constant(space->normal));
    return {dot(n, apart) - space->offset / unit, n};
  }
  const ExprVector3 y = turn(conjugate(pose.orientation), apart);
  RecordedSurface f;
  if (const auto* e = std::get_if<Ellipsoid>(&shape)) {
    f = quadric(e->half / unit, y);
  } else if (const auto* s = std::get_if<Superquadric>(&shape)) {
    f = superquadric(s->half / unit, s->e1, s->e2, y);
  } else {
    throw std::invalid_argument(*surface_refusal(shape));
  }
  f.gradient = turn(pose.orientation, f.gradient);
  return f;
}

}  // namespace perp
