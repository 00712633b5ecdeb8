#include <perp/problems/scenes/polyhedron.hpp>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kFlat =
    1e-7;  // over the size: distances that count as lying in one plane or on one line
// The comparison of faces and edges with each other takes time that grows with the square of their
// number.
constexpr std::size_t kMaxFacets = 10'000;

struct Facet {
  Vector3d normal;
  double offset;
  std::vector<int> points;
};

// Facets of the hull of points. Qhull merges facets if rounding makes that necessary.
std::vector<Facet> qhull_facets(const std::vector<Vector3d>& points) {
  std::vector<coordT> coordinates;
  for (const Vector3d& p : points) coordinates.insert(coordinates.end(), p.data(), p.data() + 3);
  // Qhull writes texts to a stream; here the exit code is enough.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> silent(std::fopen("/dev/null", "w"),
                                                               &std::fclose);
  qhT state{};
  qhT* qh = &state;
  qh_zero(qh, silent.get());
  char options[] = "qhull";
  const int code = qh_new_qhull(qh, 3, static_cast<int>(points.size()), coordinates.data(), False,
                                options, nullptr, silent.get());
  std::vector<Facet> facets;
  if (code == 0) {
    facetT* facet;
    vertexT *vertex, **vertexp;
    FORALLfacets {
      Facet f{Vector3d(facet->normal[0], facet->normal[1], facet->normal[2]), -facet->offset, {}};
      FOREACHvertex_(facet->vertices) f.points.push_back(qh_pointid(qh, vertex->point));
      facets.push_back(std::move(f));
    }
  }
  qh_freeqhull(qh, !qh_ALL);
  int unfreed = 0, total = 0;
  qh_memfreeshort(qh, &unfreed, &total);
  if (code != 0) throw std::invalid_argument(fmt::format("Qhull finds no hull (code {})", code));
  return facets;
}

double extent(const std::vector<Vector3d>& points) {
  Vector3d low = points[0], high = points[0];
  for (const Vector3d& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  return (high - low).norm();
}

// Corners of the hull of points in a plane with the given normal, counterclockwise.
std::vector<int> corners(const std::vector<Vector3d>& points, std::vector<int> ids,
                         const Vector3d& normal, double tolerance) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  Vector3d middle = Vector3d::Zero();
  for (const int id : ids) middle += points[id] / static_cast<double>(ids.size());
  const Vector3d u = normal.unitOrthogonal(), v = normal.cross(u);
  std::vector<std::pair<double, int>> around;
  for (const int id : ids) {
    const Vector3d d = points[id] - middle;
    around.emplace_back(std::atan2(v.dot(d), u.dot(d)), id);
  }
  std::sort(around.begin(), around.end());
  std::vector<int> ring;
  for (const auto& [angle, id] : around) ring.push_back(id);
  // Removes points that are no corners, until nothing changes.
  for (std::size_t k = 0, kept = 0; ring.size() >= 3 && kept < ring.size();) {
    const std::size_t n = ring.size();
    const Vector3d &a = points[ring[(k + n - 1) % n]], &b = points[ring[k % n]],
                   &c = points[ring[(k + 1) % n]];
    const double length = (c - a).norm();
    if (length <= tolerance || normal.dot((b - a).cross(c - b)) <= tolerance * length) {
      ring.erase(ring.begin() + static_cast<long>(k % n));
      kept = 0;
      k = ring.empty() ? 0 : k % ring.size();
    } else {
      k = (k + 1) % n;
      ++kept;
    }
  }
  return ring;
}

// Half the least distance between a face and the vertex farthest from it.
double half_width(const Polyhedron& p) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    double deepest = 0.0;
    for (const Vector3d& v : p.vertices)
      deepest = std::max(deepest, p.offsets[f] - p.normals[f].dot(v));
    least = std::min(least, deepest / 2);
  }
  return least;
}

// Makes the edges, their directions and the lists of faces at each vertex from vertices and faces.
void complete(Polyhedron& p) {
  p.half_width = half_width(p);
  std::map<std::pair<int, int>, int> known;
  p.faces_at.assign(p.vertices.size(), {});
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    const std::vector<int>& face = p.faces[f];
    p.face_edges.emplace_back();
    for (std::size_t k = 0; k < face.size(); ++k) {
      const auto ends = std::minmax(face[k], face[(k + 1) % face.size()]);
      p.faces_at[face[k]].push_back(static_cast<int>(f));
      const auto [at, fresh] = known.emplace(std::pair(ends), static_cast<int>(p.edges.size()));
      p.face_edges.back().push_back(at->second);
      if (!fresh) {
        p.edges[at->second].right = static_cast<int>(f);
        continue;
      }
      const Vector3d d = (p.vertices[ends.second] - p.vertices[ends.first]).normalized();
      std::size_t direction = 0;
      while (direction < p.edge_directions.size() &&
             p.edge_directions[direction].cross(d).norm() > kFlat)
        ++direction;
      if (direction == p.edge_directions.size()) p.edge_directions.push_back(d);
      p.edges.push_back({ends.first, ends.second, static_cast<int>(direction), static_cast<int>(f),
                         static_cast<int>(f)});
    }
  }
}

// A point well inside n_i.x <= d_i (unit n_i), by Newton's method on the logarithmic barrier of
// min t subject to n_i.x - d_i <= t and |x_k| <= bound.
Vector3d inner_point(std::vector<std::pair<Vector3d, double>> planes, double bound) {
  for (int k = 0; k < 3; ++k) {
    planes.emplace_back(Vector3d::Unit(k), bound);
    planes.emplace_back(-Vector3d::Unit(k), bound);
  }
  Vector3d x = Vector3d::Zero();
  double t = 0.0;
  for (const auto& [n, d] : planes) t = std::max(t, -d);
  t += bound;
  const auto barrier = [&](const Eigen::Vector4d& y, double weight) {
    double value = weight * y[3];
    for (const auto& [n, d] : planes) {
      const double slack = y[3] - n.dot(y.head<3>()) + d;
      if (!(slack > 0)) return std::numeric_limits<double>::infinity();
      value -= std::log(slack);
    }
    return value;
  };
  Eigen::Vector4d y;
  y << x, t;
  for (double weight = 1 / bound; weight < 1e12 / bound; weight *= 4) {
    for (int k = 0; k < 50; ++k) {
      Eigen::Vector4d gradient(0, 0, 0, weight);
      Eigen::Matrix4d hessian = Eigen::Matrix4d::Zero();
      for (const auto& [n, d] : planes) {
        Eigen::Vector4d a;
        a << -n, 1.0;
        a /= y[3] - n.dot(y.head<3>()) + d;
        gradient -= a;
        hessian += a * a.transpose();
      }
      const Eigen::Vector4d step = -hessian.ldlt().solve(gradient);
      const double decrease = -gradient.dot(step), now = barrier(y, weight);
      if (!(decrease > 1e-9)) break;
      double length = 1.0;
      while (length > 1e-12 && !(barrier(y + length * step, weight) < now)) length /= 2;
      y += length * step;
    }
  }
  return y.head<3>();
}

}  // namespace

Polyhedron convex_hull(const std::vector<Vector3d>& points) {
  if (points.size() < 4) throw std::invalid_argument("a polyhedron needs at least four points");
  const double size = extent(points), tolerance = kFlat * size;
  Matrix3d scatter = Matrix3d::Zero();
  for (const Vector3d& p : points) scatter += (p - points[0]) * (p - points[0]).transpose();
  const Eigen::SelfAdjointEigenSolver<Matrix3d> axes(scatter);
  double low = 0.0, high = 0.0;
  for (const Vector3d& p : points) {
    const double height = axes.eigenvectors().col(0).dot(p - points[0]);
    low = std::min(low, height);
    high = std::max(high, height);
  }
  if (!(high - low > 10 * tolerance)) throw std::invalid_argument("the points lie in a plane");

  const std::vector<Facet> facets = qhull_facets(points);
  if (facets.size() > kMaxFacets) {
    throw std::invalid_argument(
        fmt::format("the hull has {} faces, at most {}", facets.size(), kMaxFacets));
  }
  std::vector<bool> used(facets.size(), false);
  std::map<int, int> renumbered;
  Polyhedron result;
  for (std::size_t f = 0; f < facets.size(); ++f) {
    if (used[f]) continue;
    std::vector<int> ids;
    for (std::size_t g = f; g < facets.size(); ++g) {
      const bool same = !used[g] && facets[g].normal.dot(facets[f].normal) > 0.9 &&
                        std::all_of(facets[g].points.begin(), facets[g].points.end(), [&](int k) {
                          return facets[f].normal.dot(points[k]) > facets[f].offset - tolerance;
                        });
      if (!same) continue;
      used[g] = true;
      ids.insert(ids.end(), facets[g].points.begin(), facets[g].points.end());
    }
    const std::vector<int> ring = corners(points, ids, facets[f].normal, tolerance);
    if (ring.size() < 3) continue;
    Vector3d area = Vector3d::Zero();
    for (std::size_t k = 1; k + 1 < ring.size(); ++k) {
      area += (points[ring[k]] - points[ring[0]]).cross(points[ring[k + 1]] - points[ring[0]]);
    }
    const Vector3d normal = area.normalized();
    double offset = -std::numeric_limits<double>::infinity();
    std::vector<int> face;
    for (const int id : ring) {
      offset = std::max(offset, normal.dot(points[id]));
      const auto [at, fresh] = renumbered.emplace(id, static_cast<int>(result.vertices.size()));
      if (fresh) result.vertices.push_back(points[id]);
      face.push_back(at->second);
    }
    result.faces.push_back(face);
    result.normals.push_back(normal);
    result.offsets.push_back(offset);
  }
  if (result.faces.size() < 4) throw std::invalid_argument("the points lie nearly in a plane");
  complete(result);
  return result;
}

Polyhedron intersection(const std::vector<std::pair<Vector3d, double>>& half_spaces) {
  std::vector<std::pair<Vector3d, double>> planes;
  double reach = 0.0;
  for (const auto& [n, d] : half_spaces) {
    planes.emplace_back(n.normalized(), d / n.norm());
    reach = std::max(reach, std::abs(planes.back().second));
  }
  const double bound = 1e3 * (reach > 0 ? reach : 1.0);
  const Vector3d inside = inner_point(planes, bound);
  double depth = std::numeric_limits<double>::infinity();
  for (const auto& [n, d] : planes) depth = std::min(depth, d - n.dot(inside));
  if (!(depth > 1e-9 * bound)) throw std::invalid_argument("the half-spaces have no common inside");
  // Duality: each plane becomes the point n / (d - n.inside), and each facet of the hull of these
  // points becomes a vertex. The solid is bounded if the origin is well inside that hull.
  std::vector<Vector3d> dual;
  for (const auto& [n, d] : planes) dual.push_back(n / (d - n.dot(inside)));
  const char* unbounded = "the half-spaces leave an unbounded solid";
  if (dual.size() < 4) throw std::invalid_argument(unbounded);
  Polyhedron polar;
  try {
    polar = convex_hull(dual);
  } catch (const std::invalid_argument&) {
    throw std::invalid_argument(unbounded);
  }
  std::vector<Vector3d> vertices;
  for (std::size_t f = 0; f < polar.faces.size(); ++f) {
    if (!(polar.offsets[f] * bound > 1e-3)) throw std::invalid_argument(unbounded);
    vertices.push_back(inside + polar.normals[f] / polar.offsets[f]);
  }
  return convex_hull(vertices);
}

const Polyhedron& unit_cube() {
  static const Polyhedron cube = [] {
    Polyhedron p;
    for (int k = 0; k < 8; ++k)
      p.vertices.emplace_back(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1);
    for (int axis = 0; axis < 3; ++axis) {
      const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, w = 1 << axis;
      p.faces.push_back({0, v, u + v, u});
      p.faces.push_back({w, w + u, w + u + v, w + v});
      p.normals.insert(p.normals.end(), {-Vector3d::Unit(axis), Vector3d::Unit(axis)});
      p.offsets.insert(p.offsets.end(), {1.0, 1.0});
    }
    complete(p);
    return p;
  }();
  return cube;
}

Polyhedron transformed(const Polyhedron& p, const Vector3d& origin, const Matrix3d& r) {
  Polyhedron result = p;
  for (Vector3d& v : result.vertices) v = r * (v - origin);
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    result.normals[f] = r * p.normals[f];
    result.offsets[f] = p.offsets[f] - p.normals[f].dot(origin);
  }
  for (Vector3d& d : result.edge_directions) d = r * d;
  return result;
}

}  // namespace perp
