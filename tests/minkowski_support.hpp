// Random convex solids, and their distances by Minkowski hulls.
#pragma once

#include "support.hpp"

#include <Eigen/Geometry>
#include <perp/formulations/gap/ratio_metric/ratio.hpp>

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
/// the centre of the second, seen from the first, is in the region of overlap.
class MinkowskiSum {
 public:
  MinkowskiSum(const RandomSolid& a, const Matrix3d& axes, const RandomSolid& b, int dimension) {
    std::vector<Vector3d> first, second;
    for (const Vector3d& x : a.vertices) first.emplace_back(axes * x);
    for (const Vector3d& y : b.vertices) second.emplace_back(-y);
    dimension == 2 ? add_polygons(first, second) : add_polyhedra(first, second);
  }

  /// The least distance of a face from the origin, h_a(u) + h_b(-u).
  double least_width() const {
    double least = kInf;
    for (const auto& [normal, offset] : faces_) least = std::min(least, offset);
    return least;
  }

  /// Distance of a point from the sum; of one within, less its depth.
  double signed_distance(const Vector3d& p) const {
    double outermost = -kInf;
    for (const auto& [normal, offset] : faces_)
      outermost = std::max(outermost, normal.dot(p) - offset);
    if (outermost <= 0) return outermost;
    double nearest = kInf;
    for (const auto& [from, to] : edges_) {
      const Vector3d along = to - from;
      const double t = std::clamp((p - from).dot(along) / along.squaredNorm(), 0.0, 1.0);
      nearest = std::min(nearest, (p - from - t * along).norm());
    }
    for (std::size_t f = 0; f < corners_.size(); ++f) {
      const auto& [normal, offset] = faces_[f];
      const double height = normal.dot(p) - offset;
      if (height <= 0 || height >= nearest) continue;
      const Vector3d foot = p - height * normal;
      bool within = true;
      for (std::size_t k = 0; k < corners_[f].size() && within; ++k) {
        const Vector3d& from = corners_[f][k];
        const Vector3d& to = corners_[f][(k + 1) % corners_[f].size()];
        within = (to - from).cross(foot - from).dot(normal) >= 0;
      }
      if (within) nearest = height;
    }
    return nearest;
  }

 private:
  // Counterclockwise both: the sides of the sum are those of both, in the order of their angles.
  void add_polygons(const std::vector<Vector3d>& a, const std::vector<Vector3d>& b) {
    std::vector<Vector3d> sides;
    Vector3d corner = Vector3d::Zero();
    for (const auto* polygon : {&a, &b}) {
      for (std::size_t k = 0; k < polygon->size(); ++k)
        sides.push_back((*polygon)[(k + 1) % polygon->size()] - (*polygon)[k]);
      // The place where the first side of all, the one of the least angle, begins: lowest, then
      // rightmost.
      corner +=
          *std::min_element(polygon->begin(), polygon->end(), [](const auto& x, const auto& y) {
            return std::pair(x.y(), -x.x()) < std::pair(y.y(), -y.x());
          });
    }
    const auto angle = [](const Vector3d& side) {
      const double at = std::atan2(side.y(), side.x());
      return at < 0 ? at + 2 * std::numbers::pi : at;
    };
    std::sort(sides.begin(), sides.end(),
              [&](const Vector3d& x, const Vector3d& y) { return angle(x) < angle(y); });
    for (const Vector3d& side : sides) {
      const Vector3d normal = Vector3d(side.y(), -side.x(), 0.0).normalized();
      faces_.emplace_back(normal, normal.dot(corner));
      edges_.emplace_back(corner, corner + side);
      corner += side;
    }
  }

  void add_polyhedra(const std::vector<Vector3d>& a, const std::vector<Vector3d>& b) {
    std::vector<Vector3d> points;
    for (const Vector3d& x : a) {
      for (const Vector3d& y : b) points.emplace_back(x + y);
    }
    const Polyhedron hull = convex_hull(points);
    for (std::size_t f = 0; f < hull.faces.size(); ++f) {
      faces_.emplace_back(hull.normals[f], hull.offsets[f]);
      corners_.emplace_back();
      for (const int k : hull.faces[f]) corners_.back().push_back(hull.vertices[k]);
    }
    for (const Polyhedron::Edge& e : hull.edges)
      edges_.emplace_back(hull.vertices[e.from], hull.vertices[e.to]);
  }

  std::vector<std::pair<Vector3d, double>> faces_;  // normal.x = offset
  std::vector<std::pair<Vector3d, Vector3d>> edges_;
  std::vector<std::vector<Vector3d>> corners_;  // of the faces, in 3D
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
