// Random convex solids, and their distances by Minkowski hulls.
#pragma once

#include "support.hpp"

#include <Eigen/Geometry>
#include <perp/formulations/ratio_metric/ratio.hpp>

#include <algorithm>
#include <numbers>

namespace perp::test {

/// A polygon (z = 0) or polyhedron with its mean vertex at the origin.
struct RandomSolid {
  Shape shape;
  std::vector<Vector3d> vertices;

  FacedSolid faced(const Vector3d& centre = Vector3d::Zero(),
                   const Matrix3d& axes = Matrix3d::Identity()) const {
    return faced_solid(shape, centre, axes);
  }
};

/// Vertices on an ellipse or ellipsoid with axes between .5 and 1.5; 4 to 64 faces.
inline RandomSolid random_solid(Random& random, int dimension, int faces = 0) {
  for (;;) {
    const int wanted = faces > 0 ? faces : 4 + random.index(61);
    const int count = dimension == 2 ? wanted : wanted / 2 + 2;
    const Vector3d half(random.uniform(0.5, 1.5), random.uniform(0.5, 1.5),
                        random.uniform(0.5, 1.5));
    std::vector<double> angles(count);
    for (double& angle : angles) angle = random.uniform(0, 2 * std::numbers::pi);
    std::sort(angles.begin(), angles.end());
    RandomSolid solid;
    for (int k = 0; k < count; ++k) {
      Vector3d x(std::cos(angles[k]), std::sin(angles[k]), 0.0);
      if (dimension == 3)
        x = Vector3d(random.normal(), random.normal(), random.normal()).normalized();
      solid.vertices.emplace_back(x.cwiseProduct(half));
    }
    Vector3d mean = Vector3d::Zero();
    for (const Vector3d& x : solid.vertices) mean += x / count;
    for (Vector3d& x : solid.vertices) x -= mean;
    if (dimension == 2) {
      solid.shape = Polygon{solid.vertices};
    } else {
      Polyhedron hull = convex_hull(solid.vertices);
      solid.vertices = hull.vertices;
      solid.shape = std::move(hull);
    }
    // Centres that all but lie on a face, and faces that all but fall together, are no solids.
    const FacedSolid f = solid.faced();
    if (static_cast<int>(f.offsets.size()) >= 4 && f.inner() > 0.02 * f.reach) return solid;
  }
}

inline Matrix3d random_axes(Random& random, int dimension) {
  if (dimension == 2)
    return Eigen::AngleAxisd(random.uniform(0, 2 * std::numbers::pi), Vector3d::UnitZ()).matrix();
  return Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal())
      .normalized()
      .toRotationMatrix();
}

/// The Minkowski sum of one solid and another one's mirror image, both about their centres: what
/// the centre of the second, seen from the first, is in where they overlap.
class MinkowskiSum {
 public:
  MinkowskiSum(const RandomSolid& a, const Matrix3d& axes, const RandomSolid& b, int dimension)
      : dimension_(dimension) {
    std::vector<Vector3d> points;
    for (const Vector3d& x : a.vertices) {
      for (const Vector3d& y : b.vertices) points.emplace_back(axes * x - y);
    }
    // In 2D a prism between z = -1 and z = 1, whose sides are the polygon's.
    if (dimension == 2) {
      const std::size_t count = points.size();
      for (std::size_t k = 0; k < count; ++k) {
        points.push_back(points[k] + Vector3d::UnitZ());
        points[k] -= Vector3d::UnitZ();
      }
    }
    hull_ = convex_hull(points);
  }

  /// The least distance of a face from the origin, h_a(u) + h_b(-u).
  double least_width() const {
    double least = kInf;
    for (std::size_t f = 0; f < hull_.normals.size(); ++f) {
      if (is_side(f)) least = std::min(least, hull_.offsets[f]);
    }
    return least;
  }

  /// Distance of a point from the sum; of one within, less its depth.
  double signed_distance(const Vector3d& p) const {
    double outermost = -kInf;
    for (std::size_t f = 0; f < hull_.normals.size(); ++f) {
      if (is_side(f)) outermost = std::max(outermost, hull_.normals[f].dot(p) - hull_.offsets[f]);
    }
    if (outermost <= 0) return outermost;
    double nearest = kInf;
    for (const Vector3d& v : hull_.vertices) {
      const Vector3d at = dimension_ == 2 ? Vector3d(v.x(), v.y(), 0.0) : v;
      nearest = std::min(nearest, (p - at).norm());
    }
    for (const Polyhedron::Edge& e : hull_.edges) {
      Vector3d from = hull_.vertices[e.from], to = hull_.vertices[e.to];
      if (dimension_ == 2) from.z() = to.z() = 0.0;
      const Vector3d along = to - from;
      const double length = along.squaredNorm();
      if (!(length > 0)) continue;
      const double t = std::clamp((p - from).dot(along) / length, 0.0, 1.0);
      nearest = std::min(nearest, (p - from - t * along).norm());
    }
    if (dimension_ == 2) return nearest;
    for (std::size_t f = 0; f < hull_.faces.size(); ++f) {
      const double height = hull_.normals[f].dot(p) - hull_.offsets[f];
      if (height <= 0 || height >= nearest) continue;
      const Vector3d foot = p - height * hull_.normals[f];
      bool within = true;
      const auto& corners = hull_.faces[f];
      for (std::size_t k = 0; k < corners.size() && within; ++k) {
        const Vector3d& from = hull_.vertices[corners[k]];
        const Vector3d& to = hull_.vertices[corners[(k + 1) % corners.size()]];
        within = (to - from).cross(foot - from).dot(hull_.normals[f]) >= 0;
      }
      if (within) nearest = height;
    }
    return nearest;
  }

 private:
  bool is_side(std::size_t face) const {
    return dimension_ == 3 || std::abs(hull_.normals[face].z()) < 0.5;
  }

  int dimension_;
  Polyhedron hull_;
};

struct RatioBounds {
  int pairs = 0, apart = 0, overlapping = 0, violations = 0;
  double lower = kInf, upper = 0.0;  ///< extremes of |rho| Delta / |s| and of |rho| r w / |s|
  double furthest_event = 0.0;       ///< of the least t of all events from r
};

/// |s| / Delta <= |rho| <= |s| / (r w), signs equal, of random pairs, ten places for each pair of
/// solids. What rounding may do: 1e-9 of the distance of the centres.
inline RatioBounds ratio_bounds(int dimension, std::uint64_t seed, int solids) {
  Random random(seed);
  RatioMetric metric(dimension);
  RatioBounds r;
  for (int k = 0; k < solids; ++k) {
    const RandomSolid a = random_solid(random, dimension), b = random_solid(random, dimension);
    const Matrix3d axes = random_axes(random, dimension);
    const MinkowskiSum sum(a, axes, b, dimension);
    const double width = sum.least_width();
    for (int place = 0; place < 10; ++place) {
      Vector3d direction(random.normal(), random.normal(), dimension == 3 ? random.normal() : 0.0);
      // a is at `apart`, so b's centre seen from a is its negative.
      const Vector3d apart = direction.normalized() * random.uniform(0.2, 4.0);
      const FacedSolid fa = a.faced(apart, axes), fb = b.faced();
      const RatioEvent e = metric.measure(fa, fb);
      const double s = sum.signed_distance(-apart), distance = apart.norm();
      const double rounding = 1e-9 * distance;
      ++r.pairs;
      ++(s > 0 ? r.apart : r.overlapping);
      const bool same_sign = e.rho * s > 0 || std::abs(s) <= rounding;
      const bool bounded = std::abs(s) <= (std::abs(e.rho) + 1e-9) * distance &&
                           std::abs(e.rho) * e.t * width <= std::abs(s) + rounding;
      r.violations += !same_sign || !bounded;
      if (std::abs(s) > 1e-3) {
        r.lower = std::min(r.lower, std::abs(e.rho) * distance / std::abs(s));
        r.upper = std::max(r.upper, std::abs(e.rho) * e.t * width / std::abs(s));
      }
      double least = kInf;
      for (const RatioEvent& event : metric.events(fa, fb, e.t * 1.05))
        least = std::min(least, event.t);
      r.furthest_event = std::max(r.furthest_event, std::abs(least - e.t));
    }
  }
  return r;
}

}  // namespace perp::test
