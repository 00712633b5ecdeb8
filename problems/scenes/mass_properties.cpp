#include <perp/problems/scenes/mass_properties.hpp>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kPi = std::numbers::pi;

double beta(double x, double y) {
  return std::exp(std::lgamma(x) + std::lgamma(y) - std::lgamma(x + y));
}

// From the volume and the integrals of x^2, y^2 and z^2 about the centre.
MassProperties symmetric(double volume, const Vector3d& second) {
  const Vector3d moments = Vector3d::Constant(second.sum()) - second;
  return {volume, Vector3d::Zero(), moments.asDiagonal()};
}

MassProperties polygon_properties(const std::vector<Vector3d>& v) {
  double area = 0.0, moment = 0.0;
  Vector3d first = Vector3d::Zero();
  for (std::size_t k = 0; k < v.size(); ++k) {
    const Vector3d &a = v[k], &b = v[(k + 1) % v.size()];
    const double cross = a.x() * b.y() - a.y() * b.x();
    area += cross / 2;
    first += cross / 6 * (a + b);
    moment += cross * (a.dot(a) + a.dot(b) + b.dot(b)) / 12;
  }
  const Vector3d centre = first / area;
  Matrix3d inertia = Matrix3d::Zero();
  inertia(2, 2) = moment - area * centre.squaredNorm();
  return {area, centre, inertia};
}

// Sums tetrahedra from an inner point: of one with corners 0, a, b, c and s = a + b + c,
// volume = det(a, b, c) / 6, integral of x = volume s / 4,
// integral of x x' = volume (s s' + a a' + b b' + c c') / 20.
MassProperties polyhedron_properties(const Polyhedron& p) {
  Vector3d origin = Vector3d::Zero();
  for (const Vector3d& v : p.vertices) origin += v / static_cast<double>(p.vertices.size());
  double volume = 0.0;
  Vector3d first = Vector3d::Zero();
  Matrix3d second = Matrix3d::Zero();
  for (const std::vector<int>& face : p.faces) {
    const Vector3d a = p.vertices[face[0]] - origin;
    for (std::size_t k = 1; k + 1 < face.size(); ++k) {
      const Vector3d b = p.vertices[face[k]] - origin, c = p.vertices[face[k + 1]] - origin;
      const Vector3d s = a + b + c;
      const double part = a.dot(b.cross(c)) / 6;
      volume += part;
      first += part / 4 * s;
      second += part / 20 *
                (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
    }
  }
  const Vector3d centre = first / volume;
  second -= volume * centre * centre.transpose();
  return {volume, origin + centre, second.trace() * Matrix3d::Identity() - second};
}

}  // namespace

MassProperties mass_properties(const Shape& shape) {
  if (const auto* disc = std::get_if<Disc>(&shape)) {
    const double square = disc->radius * disc->radius;
    Matrix3d inertia = Matrix3d::Zero();
    inertia(2, 2) = kPi * square * square / 2;
    return {kPi * square, Vector3d::Zero(), inertia};
  }
  if (const auto* polygon = std::get_if<Polygon>(&shape))
    return polygon_properties(polygon->vertices);
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    const double volume = 4.0 / 3.0 * kPi * std::pow(sphere->radius, 3);
    return symmetric(volume, Vector3d::Constant(volume / 5 * sphere->radius * sphere->radius));
  }
  if (const auto* box = std::get_if<Box>(&shape)) {
    const double volume = 8.0 * box->half.prod();
    return symmetric(volume, volume / 3 * box->half.cwiseAbs2());
  }
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape)) {
    const double volume = 4.0 / 3.0 * kPi * ellipsoid->half.prod();
    return symmetric(volume, volume / 5 * ellipsoid->half.cwiseAbs2());
  }
  if (const auto* s = std::get_if<Superquadric>(&shape)) {
    // [JaklicLeonardisSolina2000, ch. 2]
    const double product = s->half.prod() * s->e1 * s->e2;
    const double across = beta(1.5 * s->e2, 0.5 * s->e2) * beta(0.5 * s->e1, 2 * s->e1 + 1);
    const double along = 4 * beta(0.5 * s->e2, 0.5 * s->e2 + 1) * beta(1.5 * s->e1, s->e1 + 1);
    const double volume =
        2 * product * beta(0.5 * s->e1 + 1, s->e1) * beta(0.5 * s->e2, 0.5 * s->e2);
    return symmetric(
        volume, 0.5 * product * Vector3d(across, across, along).cwiseProduct(s->half.cwiseAbs2()));
  }
  if (const auto* c = std::get_if<Cylinder>(&shape)) {
    const double volume = 2 * kPi * c->radius * c->radius * c->half_length;
    const double across = volume * c->radius * c->radius / 4;
    return symmetric(volume,
                     Vector3d(across, across, volume * c->half_length * c->half_length / 3));
  }
  if (const auto* polyhedron = std::get_if<Polyhedron>(&shape))
    return polyhedron_properties(*polyhedron);
  throw std::invalid_argument("a moving body of this shape needs mass and inertia");
}

Matrix3d principal_axes(const Matrix3d& inertia) {
  const Matrix3d off = inertia - Matrix3d(inertia.diagonal().asDiagonal());
  if (off.cwiseAbs().maxCoeff() <= 1e-9 * inertia.trace()) return Matrix3d::Identity();
  const Matrix3d found = Eigen::SelfAdjointEigenSolver<Matrix3d>(inertia).eigenvectors();
  Matrix3d best = found;
  double most = -1.0;
  std::array<int, 3> order = {0, 1, 2};
  do {  // the rotation with the largest trace is the smallest
    Matrix3d axes;
    for (int k = 0; k < 3; ++k) {
      axes.col(k) = found.col(order[k]);
      if (axes(k, k) < 0) axes.col(k) *= -1;
    }
    if (axes.determinant() < 0) {
      int weakest = 0;
      axes.diagonal().minCoeff(&weakest);
      axes.col(weakest) *= -1;
    }
    if (axes.trace() > most) {
      most = axes.trace();
      best = axes;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

}  // namespace perp
