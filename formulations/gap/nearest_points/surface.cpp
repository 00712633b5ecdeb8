#include <perp/formulations/gap/nearest_points/surface.hpp>

#include <cmath>
#include <stdexcept>

namespace perp {

namespace {

ExprVector3 constant(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }

RecordedSurface quadric(const Vector3d& half, double factor, const ExprVector3& y) {
  RecordedSurface f{-factor, {}};
  for (int k = 0; k < 3; ++k) {
    const Expr ratio = y[k] / half[k];
    f.value += factor * ratio * ratio;
    f.gradient[k] = 2 * factor / half[k] * ratio;
  }
  return f;
}

// v |v|^(p - 2), p >= 2: half a derivative, free of signs.
Expr odd_power(Expr v, double p) { return v * pow(abs(v), p - 2); }

// F(y) = ((y_1/a)^p + (y_2/b)^p)^(q/p) + (y_3/c)^q with p = 2/e_2, q = 2/e_1. With the p-norm
// r = ((y_1/a)^p + (y_2/b)^p)^(1/p), dF/dy_1 = q/a r^(q-2) (y_1/a) |y_1/(a r)|^(p-2). A tiny
// number keeps r > 0 on the third axis; it moves the surface by less than 1e-24 of its size.
RecordedSurface superquadric(const Vector3d& half, double e1, double e2, double factor,
                             const ExprVector3& y) {
  constexpr double kLeast = 1e-12;
  const double p = 2 / e2, q = 2 / e1;
  const ExprVector3 u(y[0] / half[0], y[1] / half[1], y[2] / half[2]);
  const Expr r = pow(pow(abs(u[0]), p) + pow(abs(u[1]), p) + std::pow(kLeast, p), 1 / p);
  RecordedSurface f;
  f.value = factor * (pow(r, q) + pow(abs(u[2]), q) - 1);
  for (int k = 0; k < 2; ++k)
    f.gradient[k] = factor * q / half[k] * pow(r, q - 1) * odd_power(u[k] / r, p);
  f.gradient[2] = factor * q / half[2] * odd_power(u[2], q);
  return f;
}

}  // namespace

std::optional<std::string> surface_refusal(const Shape& shape) {
  if (std::holds_alternative<HalfSpace>(shape) || std::holds_alternative<Disc>(shape) ||
      std::holds_alternative<Sphere>(shape) || std::holds_alternative<Ellipsoid>(shape))
    return {};
  if (const auto* s = std::get_if<Superquadric>(&shape)) {
    if (s->e1 <= 1 && s->e2 <= 1 && s->e2 >= 0.1) return {};
    return "superquadrics need 0 < e1 <= 1 and 0.1 <= e2 <= 1 here: only these are smooth";
  }
  return "a " + std::string(shape_name(shape)) +
         " is not one smooth surface; there are half_space, disc, sphere, ellipsoid and "
         "superquadric";
}

double surface_factor(const Shape& shape) {
  if (const auto* disc = std::get_if<Disc>(&shape)) return disc->radius / 2;
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return sphere->radius / 2;
  if (const auto* e = std::get_if<Ellipsoid>(&shape)) return e->half.minCoeff() / 2;
  if (const auto* s = std::get_if<Superquadric>(&shape)) return s->half.minCoeff() * s->e1 / 2;
  return 1.0;
}

RecordedSurface record_surface(const Shape& shape, double unit, const RecordedPose& pose,
                               const ExprVector3& x) {
  const ExprVector3 apart = x - pose.centre;
  const double factor = surface_factor(shape) / unit;
  const auto ball = [&](double radius) {  // does not depend on orientation
    return quadric(Vector3d::Constant(radius), factor, apart);
  };
  if (const auto* disc = std::get_if<Disc>(&shape)) return ball(disc->radius / unit);
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return ball(sphere->radius / unit);
  if (const auto* space = std::get_if<HalfSpace>(&shape)) {
    const ExprVector3 n = pose.axes * constant(space->normal);
    return {dot(n, apart) - space->offset / unit, n};
  }
  const ExprVector3 y = pose.axes.transpose() * apart;
  RecordedSurface f;
  if (const auto* e = std::get_if<Ellipsoid>(&shape)) {
    f = quadric(e->half / unit, factor, y);
  } else if (const auto* s = std::get_if<Superquadric>(&shape)) {
    f = superquadric(s->half / unit, s->e1, s->e2, factor, y);
  } else {
    throw std::invalid_argument(*surface_refusal(shape));
  }
  f.gradient = (pose.axes * f.gradient).eval();
  return f;
}

}  // namespace perp
