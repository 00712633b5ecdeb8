#include <perp/problems/scenes/shapes.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <perp/problems/matrix/infinity.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kTilted =
    1e-6;  // rad: a cap tilted by more than this has its support point as an extra point
constexpr double kNearRim = 0.1;  // rad: rim points nearer to the support point are left out
constexpr int kDeepest = 2 * kRimPoints;  // ids of the rims' support points begin here

template <class... F>
struct Cases : F... {
  using F::operator()...;
};
template <class... F>
Cases(F...) -> Cases<F...>;

double sign(double x) { return x < 0 ? -1.0 : 1.0; }

// |x|^p with the sign of x.
double signed_power(double x, double p) { return sign(x) * std::pow(std::abs(x), p); }

// Weights w_k = (|u_k| / |u|_q)^(q-1) of the support point of the p-ball, q the dual exponent of p.
// Scaled by the larger entry, because powers of tiny numbers underflow.
struct Dual {
  double norm, first, second;
};
Dual dual_norm(double u, double v, double q) {
  const double top = std::max(u, v);
  if (!(top > 0)) return {0.0, 0.0, 0.0};
  const double sum = std::pow(u / top, q) + std::pow(v / top, q);
  const double norm = std::pow(sum, 1.0 / q);
  return {top * norm, std::pow(u / top / norm, q - 1), std::pow(v / top / norm, q - 1)};
}

Vector3d superquadric_support(const Superquadric& s, const Vector3d& d) {
  const Vector3d u = s.half.cwiseProduct(d.cwiseAbs());
  // With p = 2/e the dual exponent p/(p-1) is 2/(2-e).
  const Dual inner = dual_norm(u.x(), u.y(), 2 / (2 - s.e2));
  const Dual outer = dual_norm(inner.norm, u.z(), 2 / (2 - s.e1));
  return {sign(d.x()) * s.half.x() * inner.first * outer.first,
          sign(d.y()) * s.half.y() * inner.second * outer.first,
          sign(d.z()) * s.half.z() * outer.second};
}

Vector3d rim_direction(const Vector3d& d) {
  const double across = std::hypot(d.x(), d.y());
  return across > 0 ? Vector3d(d.x() / across, d.y() / across, 0.0) : Vector3d::Zero();
}

template <class Range>
const Vector3d& farthest(const Range& points, const Vector3d& d) {
  return *std::max_element(points.begin(), points.end(), [&](const Vector3d& x, const Vector3d& y) {
    return d.dot(x) < d.dot(y);
  });
}

[[noreturn]] void no_support() {
  throw std::invalid_argument("a half-space or empty shape has no support point");
}

Feature mesh_feature(const Polyhedron& mesh, const Vector3d& scale, const Vector3d& d,
                     double tolerance) {
  const auto point = [&](int k) { return Vector3d(mesh.vertices[k].cwiseProduct(scale)); };
  int vertex = 0;
  for (int k = 1; k < static_cast<int>(mesh.vertices.size()); ++k) {
    if (d.dot(point(k)) > d.dot(point(vertex))) vertex = k;
  }
  Feature feature;
  int face = -1;
  double best = std::cos(tolerance);
  for (const int f : mesh.faces_at[vertex]) {
    if (mesh.normals[f].dot(d) < best) continue;
    best = mesh.normals[f].dot(d);
    face = f;
  }
  if (face >= 0) {
    feature.normal = mesh.normals[face];
    feature.ids = mesh.faces[face];
    feature.edges = mesh.face_edges[face];
    for (const int k : feature.ids) feature.points.push_back(point(k));
    return feature;
  }
  double steepest = std::sin(std::min(tolerance, std::numbers::pi / 2));
  for (const int f : mesh.faces_at[vertex]) {
    for (const int e : mesh.face_edges[f]) {
      const Polyhedron::Edge& edge = mesh.edges[e];
      if (edge.from != vertex && edge.to != vertex) continue;
      const double slope = std::abs(d.dot((point(edge.to) - point(edge.from)).normalized()));
      if (slope > steepest) continue;
      steepest = slope;
      feature = {{point(edge.from), point(edge.to)}, {edge.from, edge.to}, {e}, Vector3d::Zero()};
    }
  }
  if (feature.points.empty()) feature = {{point(vertex)}, {vertex}, {}, Vector3d::Zero()};
  return feature;
}

Feature cap(const Cylinder& c, const Vector3d& d) {
  const bool top = d.z() > 0;
  const double z = top ? c.half_length : -c.half_length;
  std::vector<std::pair<double, int>> around;  // azimuth and id
  const bool tilted = std::hypot(d.x(), d.y()) > kTilted;
  const double deepest = std::atan2(d.y(), d.x());
  for (int k = 0; k < kRimPoints; ++k) {
    const double azimuth = 2 * std::numbers::pi * k / kRimPoints;
    const double away = std::remainder(azimuth - deepest, 2 * std::numbers::pi);
    if (!tilted || std::abs(away) > kNearRim) around.emplace_back(azimuth, top * kRimPoints + k);
  }
  if (tilted) {
    around.emplace_back(deepest < 0 ? deepest + 2 * std::numbers::pi : deepest, kDeepest + top);
  }
  std::sort(around.begin(), around.end());
  if (!top) std::reverse(around.begin(), around.end());
  Feature feature;
  for (const auto& [azimuth, id] : around) {
    feature.points.emplace_back(c.radius * std::cos(azimuth), c.radius * std::sin(azimuth), z);
    feature.ids.push_back(id);
    feature.edges.push_back(id);
  }
  feature.normal = Vector3d(0, 0, sign(d.z()));
  return feature;
}

Feature cylinder_feature(const Cylinder& c, const Vector3d& d, double tolerance) {
  const double across = std::hypot(d.x(), d.y());
  const double to_cap = std::atan2(across, std::abs(d.z()));
  const double to_side = std::atan2(std::abs(d.z()), across);
  if (to_cap <= tolerance && (to_cap <= to_side || to_side > tolerance)) return cap(c, d);
  const Vector3d rim = c.radius * rim_direction(d), up(0, 0, c.half_length);
  if (to_side <= tolerance) {
    return {{Vector3d(rim - up), Vector3d(rim + up)},
            {kDeepest, kDeepest + 1},
            {kDeepest},
            Vector3d::Zero()};
  }
  const bool top = d.z() > 0;
  const Vector3d corner = rim + (top ? 1.0 : -1.0) * up;
  return {{corner}, {kDeepest + top}, {}, Vector3d::Zero()};
}

Feature polygon_feature(const Polygon& p, const Vector3d& d, double tolerance) {
  const int n = static_cast<int>(p.vertices.size());
  int vertex = 0;
  for (int k = 1; k < n; ++k) {
    if (d.dot(p.vertices[k]) > d.dot(p.vertices[vertex])) vertex = k;
  }
  int best = -1;
  double steepest = std::sin(std::min(tolerance, std::numbers::pi / 2));
  for (const int from : {(vertex + n - 1) % n, vertex}) {
    const Vector3d e = (p.vertices[(from + 1) % n] - p.vertices[from]).normalized();
    if (std::abs(d.dot(e)) > steepest) continue;
    steepest = std::abs(d.dot(e));
    best = from;
  }
  if (best < 0) return {{p.vertices[vertex]}, {vertex}, {}, Vector3d::Zero()};
  const int next = (best + 1) % n;
  return {{p.vertices[best], p.vertices[next]}, {best, next}, {best}, Vector3d::Zero()};
}

// The half-space of the largest n.x - offset.
HalfSpace outermost(const Shape& shape, const Vector3d& x) {
  HalfSpace best{Vector3d::UnitX(), kInfinity};
  for (const HalfSpace& s : half_spaces_of(shape)) {
    if (std::isinf(best.offset) || s.normal.dot(x) - s.offset > best.normal.dot(x) - best.offset)
      best = s;
  }
  return best;
}

// s = (|x/a|^(2/e2) + |y/b|^(2/e2)) of a superquadric.
double flat_part(const Superquadric& s, const Vector3d& x) {
  return std::pow(std::abs(x.x() / s.half.x()), 2 / s.e2) +
         std::pow(std::abs(x.y() / s.half.y()), 2 / s.e2);
}

Vector3d superquadric_gradient(const Superquadric& s, const Vector3d& x) {
  const double flat = flat_part(s, x);
  const double outer = flat > 0 ? 2 / s.e1 * std::pow(flat, s.e2 / s.e1 - 1) : 0.0;
  const auto power = [](double v, double h, double e) {
    return signed_power(v / h, 2 / e - 1) / h;
  };
  return {outer * power(x.x(), s.half.x(), s.e2), outer * power(x.y(), s.half.y(), s.e2),
          2 / s.e1 * power(x.z(), s.half.z(), s.e1)};
}

}  // namespace

std::string_view shape_name(const Shape& shape) {
  static constexpr std::string_view kNames[] = {
      "none", "half_space", "disc",         "polygon",  "sphere",
      "box",  "ellipsoid",  "superquadric", "cylinder", "polyhedron"};
  return kNames[shape.index()];
}

const Polyhedron* mesh_of(const Shape& shape) {
  if (std::holds_alternative<Box>(shape)) return &unit_cube();
  return std::get_if<Polyhedron>(&shape);
}

Vector3d mesh_scale(const Shape& shape) {
  const auto* box = std::get_if<Box>(&shape);
  return box ? box->half : Vector3d::Ones();
}

double bounding_radius(const Shape& shape) {
  const auto largest = [](const std::vector<Vector3d>& points) {
    double r = 0.0;
    for (const Vector3d& v : points) r = std::max(r, v.norm());
    return r;
  };
  return std::visit(
      Cases{[](const std::monostate&) { return 0.0; }, [](const HalfSpace&) { return kInfinity; },
            [](const Disc& s) { return s.radius; },
            [&](const Polygon& s) { return largest(s.vertices); },
            [](const Sphere& s) { return s.radius; }, [](const Box& s) { return s.half.norm(); },
            [](const Ellipsoid& s) { return s.half.maxCoeff(); },
            [](const Superquadric& s) { return s.half.norm(); },
            [](const Cylinder& s) { return std::hypot(s.radius, s.half_length); },
            [&](const Polyhedron& s) { return largest(s.vertices); }},
      shape);
}

Vector3d support_point(const Shape& shape, const Vector3d& d) {
  return std::visit(Cases{[](const std::monostate&) -> Vector3d { no_support(); },
                          [](const HalfSpace&) -> Vector3d { no_support(); },
                          [&](const Disc& s) { return Vector3d(s.radius * d.normalized()); },
                          [&](const Polygon& s) { return farthest(s.vertices, d); },
                          [&](const Sphere& s) { return Vector3d(s.radius * d.normalized()); },
                          [&](const Box& s) {
                            return Vector3d(sign(d.x()) * s.half.x(), sign(d.y()) * s.half.y(),
                                            sign(d.z()) * s.half.z());
                          },
                          [&](const Ellipsoid& s) {
                            const Vector3d u = s.half.cwiseProduct(d);
                            return Vector3d(s.half.cwiseProduct(u.normalized()));
                          },
                          [&](const Superquadric& s) { return superquadric_support(s, d); },
                          [&](const Cylinder& s) {
                            return Vector3d(s.radius * rim_direction(d) +
                                            Vector3d(0, 0, sign(d.z()) * s.half_length));
                          },
                          [&](const Polyhedron& s) { return farthest(s.vertices, d); }},
                    shape);
}

Feature support_feature(const Shape& shape, const Vector3d& direction, double tolerance) {
  if (const Polyhedron* mesh = mesh_of(shape)) {
    return mesh_feature(*mesh, mesh_scale(shape), direction, tolerance);
  }
  if (const auto* cylinder = std::get_if<Cylinder>(&shape))
    return cylinder_feature(*cylinder, direction, tolerance);
  if (const auto* polygon = std::get_if<Polygon>(&shape))
    return polygon_feature(*polygon, direction, tolerance);
  return {{support_point(shape, direction)}, {0}, {}, Vector3d::Zero()};
}

double implicit_value(const Shape& shape, const Vector3d& x) {
  const auto planes = [&] {
    const HalfSpace s = outermost(shape, x);
    return s.normal.dot(x) - s.offset;
  };
  return std::visit(
      Cases{[](const std::monostate&) { return kInfinity; },
            [&](const Disc& s) { return x.squaredNorm() / (s.radius * s.radius) - 1; },
            [&](const Sphere& s) { return x.squaredNorm() / (s.radius * s.radius) - 1; },
            [&](const Ellipsoid& s) { return x.cwiseQuotient(s.half).squaredNorm() - 1; },
            [&](const Superquadric& s) {
              return std::pow(flat_part(s, x), s.e2 / s.e1) +
                     std::pow(std::abs(x.z() / s.half.z()), 2 / s.e1) - 1;
            },
            [&](const Cylinder& s) {
              const double across = x.head<2>().squaredNorm() - s.radius * s.radius;
              return std::max(across / (2 * s.radius), std::abs(x.z()) - s.half_length);
            },
            [&](const auto&) { return planes(); }},
      shape);
}

Vector3d implicit_gradient(const Shape& shape, const Vector3d& x) {
  return std::visit(Cases{[](const std::monostate&) { return Vector3d(Vector3d::Zero()); },
                          [&](const Disc& s) { return Vector3d(2 / (s.radius * s.radius) * x); },
                          [&](const Sphere& s) { return Vector3d(2 / (s.radius * s.radius) * x); },
                          [&](const Ellipsoid& s) {
                            return Vector3d(2 * x.cwiseQuotient(s.half.cwiseProduct(s.half)));
                          },
                          [&](const Superquadric& s) { return superquadric_gradient(s, x); },
                          [&](const Cylinder& s) {
                            const double across = x.head<2>().squaredNorm() - s.radius * s.radius;
                            return across / (2 * s.radius) > std::abs(x.z()) - s.half_length
                                       ? Vector3d(x.x() / s.radius, x.y() / s.radius, 0.0)
                                       : Vector3d(0, 0, sign(x.z()));
                          },
                          [&](const auto&) { return outermost(shape, x).normal; }},
                    shape);
}

std::vector<HalfSpace> half_spaces_of(const Shape& shape) {
  std::vector<HalfSpace> result;
  if (const auto* space = std::get_if<HalfSpace>(&shape)) result.push_back(*space);
  if (const auto* polygon = std::get_if<Polygon>(&shape)) {
    for (std::size_t k = 0; k < polygon->vertices.size(); ++k) {
      const Vector3d &a = polygon->vertices[k],
                     &b = polygon->vertices[(k + 1) % polygon->vertices.size()];
      const Vector3d n = Vector3d(b.y() - a.y(), a.x() - b.x(), 0.0).normalized();
      result.push_back({n, n.dot(a)});
    }
  }
  if (const Polyhedron* mesh = mesh_of(shape)) {
    const auto* box = std::get_if<Box>(&shape);
    for (std::size_t f = 0; f < mesh->faces.size(); ++f) {
      const Vector3d& n = mesh->normals[f];
      result.push_back({n, box ? n.cwiseAbs().dot(box->half) : mesh->offsets[f]});
    }
  }
  return result;
}

}  // namespace perp
