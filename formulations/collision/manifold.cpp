#include <perp/formulations/collision/manifold.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr double kReference =
    1e-5;  // rad: largest angle between a face normal and the contact normal
constexpr double kIncident = 1.0;  // rad: the face of a box that faces it is within this angle
constexpr double kParallelTouch = 0.02;  // rad: edges that touch along their length
constexpr double kNearlyFlat = 0.5;      // rad: a face that may lie on another within a step
constexpr double kCoincident = 1e-3;     // of the smaller radius: nearer points count as one
constexpr double kCrossingShare = 0.1;   // of the half width: nearer corners and crossings are one
constexpr double kOnPlane = 1e-7;        // of the size: corners nearer to a side plane are on it

// The kind that a feature number contains, together with two numbers of corners or edges.
enum FeatureKind { kWitness, kCornerOfA, kCornerOfB, kCutOfA, kCutOfB, kCrossing };

int feature_id(FeatureKind kind, int first, int second = 0) {
  return (static_cast<int>(kind) << 28) | ((first & 0x3fff) << 14) | (second & 0x3fff);
}

// Tells the edges of a reference from those of what it clips, whose numbers are the same.
constexpr int kOfReference = 1 << 14;

Feature placed_feature(const PlacedShape& p, const Vector3d& direction, double tolerance) {
  Feature f = support_feature(*p.shape, p.axes.transpose() * direction, tolerance);
  for (Vector3d& x : f.points) x = p.position + p.axes * x;
  f.normal = p.axes * f.normal;
  return f;
}

double size_of(const PlacedShape& p) { return bounding_radius(*p.shape); }

// A corner of the clipped polygon, with the line that leads from it to the next corner.
struct Corner {
  Vector3d point;
  int feature, line;
};

// A plane that cuts: points with n.x <= offset stay. `line` is the number of the new side, with
// kOfReference.
struct Side {
  Vector3d n;
  double offset;
  int line;
};

struct Clipper {
  FeatureKind cut;     // kind of the new corners
  FeatureKind corner;  // kind of those at which two sides meet: corners of the reference
  double tolerance;

  int new_corner(int line, int side) const {
    return feature_id((line & kOfReference) != 0 ? corner : cut, line, side);
  }

  // Corners within the tolerance of a side count as lying on it: a corner and a cut next to it
  // would be the same contact twice.
  std::vector<Corner> polygon(const std::vector<Corner>& corners, const Side& side) const {
    std::vector<Corner> result;
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const Corner &p = corners[k], &q = corners[(k + 1) % corners.size()];
      const double dp = side.n.dot(p.point) - side.offset, dq = side.n.dot(q.point) - side.offset;
      if (dp <= tolerance) result.push_back(p);
      const bool out = dp < -tolerance && dq > tolerance, in = dp > tolerance && dq < -tolerance;
      if (dp <= tolerance && dp >= -tolerance && dq > tolerance) result.back().line = side.line;
      if (!out && !in) continue;
      const Vector3d x = p.point + dp / (dp - dq) * (q.point - p.point);
      result.push_back({x, new_corner(p.line, side.line), out ? side.line : p.line});
    }
    return result;
  }

  std::vector<Corner> segment(std::vector<Corner> ends, const Side& side) const {
    const double dp = side.n.dot(ends[0].point) - side.offset,
                 dq = side.n.dot(ends[1].point) - side.offset;
    if (dp > tolerance && dq > tolerance) return {};
    if ((dp > tolerance && dq < -tolerance) || (dp < -tolerance && dq > tolerance)) {
      const Vector3d x = ends[0].point + dp / (dp - dq) * (ends[1].point - ends[0].point);
      ends[dp > 0 ? 0 : 1] = {x, new_corner(ends[0].line, side.line), ends[0].line};
    } else if (dp > tolerance || dq > tolerance) {  // one end is on the plane, the other outside
      ends[dp > tolerance ? 0 : 1] = ends[dp > tolerance ? 1 : 0];
      ends.resize(1);
    }
    return ends;
  }

  std::vector<Corner> run(std::vector<Corner> corners, const std::vector<Side>& sides) const {
    for (const Side& side : sides) {
      if (corners.size() > 2) {
        corners = polygon(corners, side);
      } else if (corners.size() == 2) {
        corners = segment(corners, side);
      } else if (!corners.empty() && side.n.dot(corners[0].point) > side.offset + tolerance) {
        corners.clear();
      }
    }
    return corners;
  }
};

std::vector<Side> sides_of(const Feature& face) {
  std::vector<Side> sides;
  for (std::size_t k = 0; k < face.points.size(); ++k) {
    const Vector3d& p = face.points[k];
    const Vector3d e = face.points[(k + 1) % face.points.size()] - p;
    const Vector3d n = e.cross(face.normal).normalized();
    sides.push_back({n, n.dot(p), face.edges[k] | kOfReference});
  }
  return sides;
}

// The planes through the ends of a segment.
std::vector<Side> ends_of(const Feature& segment) {
  const Vector3d e = (segment.points[1] - segment.points[0]).normalized();
  return {{-e, -e.dot(segment.points[0]), (0x2000 + segment.ids[0]) | kOfReference},
          {e, e.dot(segment.points[1]), (0x2000 + segment.ids[1]) | kOfReference}};
}

// The feature `incident` of one shape is clipped by the sides of a reference with outward normal n;
// its corners become contacts, all in the plane across n that is midway at the nearest corner.
std::vector<PairContact> clipped(const Feature& incident, const std::vector<Side>& sides,
                                 const Vector3d& n, double level, bool reference_is_b, double size,
                                 double margin) {
  const Clipper clipper{reference_is_b ? kCutOfA : kCutOfB,
                        reference_is_b ? kCornerOfB : kCornerOfA, kOnPlane * size};
  std::vector<Corner> corners;
  for (std::size_t k = 0; k < incident.points.size(); ++k) {
    const int id = feature_id(reference_is_b ? kCornerOfA : kCornerOfB, incident.ids[k]);
    const int line = incident.edges.empty() ? 0 : incident.edges[k % incident.edges.size()];
    corners.push_back({incident.points[k], id, line});
  }
  corners = clipper.run(corners, sides);
  double least = std::numeric_limits<double>::infinity();
  for (const Corner& c : corners) least = std::min(least, n.dot(c.point) - level);
  std::vector<PairContact> contacts;
  for (const Corner& c : corners) {
    const double gap = n.dot(c.point) - level;
    if (gap > margin) continue;
    contacts.push_back(
        {c.feature, c.point - (gap - 0.5 * least) * n, reference_is_b ? n : Vector3d(-n), gap});
  }
  return contacts;
}

std::vector<PairContact> clip_features(const PlacedShape& a, const PlacedShape& b,
                                       const Vector3d& normal, double margin) {
  const double size = std::max(size_of(a), size_of(b));
  for (const bool b_first : {true, false}) {
    const PlacedShape &reference = b_first ? b : a, &other = b_first ? a : b;
    const Vector3d look = b_first ? normal : Vector3d(-normal);
    const Feature face = placed_feature(reference, look, kReference);
    if (!face.is_face()) continue;
    const Feature incident = placed_feature(other, -look, kIncident);
    return clipped(incident, sides_of(face), face.normal, face.normal.dot(face.points[0]), b_first,
                   size, margin);
  }
  const Feature of_b = placed_feature(b, normal, kParallelTouch),
                of_a = placed_feature(a, -normal, kParallelTouch);
  if (of_a.points.size() != 2 || of_b.points.size() != 2) return {};
  const Vector3d ea = (of_a.points[1] - of_a.points[0]).normalized(),
                 eb = (of_b.points[1] - of_b.points[0]).normalized();
  if (ea.cross(eb).norm() > kParallelTouch) return {};
  const double level = std::max(normal.dot(of_b.points[0]), normal.dot(of_b.points[1]));
  return clipped(of_a, ends_of(of_b), normal, level, true, size, margin);
}

bool smooth(const Shape& shape) {
  return std::holds_alternative<Sphere>(shape) || std::holds_alternative<Ellipsoid>(shape) ||
         std::holds_alternative<Superquadric>(shape);
}

PairContact witness(const Separation& s) {
  return {feature_id(kWitness, 0), 0.5 * (s.point_a + s.point_b), s.normal, s.gap};
}

// The place on the surface nearest to a point of the body frame: outward normal, signed distance.
struct Surface {
  Vector3d normal;
  double distance;
};

Surface cylinder_surface(const Cylinder& c, const Vector3d& x) {
  const double across = x.head<2>().norm(), out = across - c.radius;
  const double up = std::abs(x.z()) - c.half_length;
  const Vector3d rim =
      across > 0 ? Vector3d(x.x() / across, x.y() / across, 0.0) : Vector3d(Vector3d::UnitX());
  const Vector3d axis(0, 0, x.z() < 0 ? -1.0 : 1.0);
  if (out > 0 && up > 0) {
    const double distance = std::hypot(out, up);
    return {(out * rim + up * axis) / distance, distance};
  }
  return out > up ? Surface{rim, out} : Surface{axis, up};
}

// If the point is inside, or nearest to the interior of a face: the half-space of largest value.
Surface outermost_face(const Shape& shape, const Vector3d& x) {
  Surface best{Vector3d::UnitX(), -std::numeric_limits<double>::infinity()};
  for (const HalfSpace& s : half_spaces_of(shape)) {
    if (s.normal.dot(x) - s.offset > best.distance) best = {s.normal, s.normal.dot(x) - s.offset};
  }
  return best;
}

Surface nearest_surface(const Shape& shape, const Vector3d& x) {
  if (const auto* cylinder = std::get_if<Cylinder>(&shape)) return cylinder_surface(*cylinder, x);
  if (const auto* box = std::get_if<Box>(&shape)) {
    const Vector3d out = x - x.cwiseMax(-box->half).cwiseMin(box->half);
    if (out.norm() > 0) return {out.normalized(), out.norm()};
    return outermost_face(shape, x);
  }
  const Surface face = outermost_face(shape, x);
  if (face.distance <= 0) return face;
  const Shape point = Sphere{0.0};
  const PlacedShape p{&point, x, Matrix3d::Identity()},
      solid{&shape, Vector3d::Zero(), Matrix3d::Identity()};
  const Separation s = separation(p, solid);
  return {s.normal, s.gap};
}

// A ball against a box, polyhedron, cylinder or polygon; the ball is body a if `first`.
std::vector<PairContact> ball_contacts(const PlacedShape& ball, double radius,
                                       const PlacedShape& other, bool first, double margin) {
  const Vector3d local = other.axes.transpose() * (ball.position - other.position);
  const Surface s = nearest_surface(*other.shape, local);
  const double gap = s.distance - radius;
  if (gap > margin) return {};
  const Vector3d n = other.axes * s.normal;
  return {{feature_id(kWitness, 0), ball.position - (radius + 0.5 * gap) * n,
           first ? n : Vector3d(-n), gap}};
}

double least_gap(const std::vector<PairContact>& contacts) {
  double least = std::numeric_limits<double>::infinity();
  for (const PairContact& c : contacts) least = std::min(least, c.gap);
  return least;
}

// The round part of a cylinder's cap lies outside the polygon that stands for the cap in clipping.
// If the nearest point is there, it comes to the contacts as one more.
void add_if_nearer(const Separation& s, double slack, std::vector<PairContact>& contacts) {
  if (least_gap(contacts) - s.gap <= slack) return;
  PairContact nearest = witness(s);
  nearest.normal = contacts[0].normal;
  for (PairContact& c : contacts) c.point += c.normal.dot(nearest.point - c.point) * c.normal;
  contacts.push_back(nearest);
}

std::vector<PairContact> general_contacts(const PlacedShape& a, const PlacedShape& b,
                                          double margin) {
  const Vector3d line = a.position - b.position;
  if (line.norm() > 0 && separation_along(a, b, line.normalized()) > margin) return {};
  const Separation s = separation(a, b);
  if (s.gap > margin) return {};
  if (!smooth(*a.shape) && !smooth(*b.shape)) {
    std::vector<PairContact> contacts = clip_features(a, b, s.normal, margin);
    if (!contacts.empty()) {
      add_if_nearer(s, kCoincident * std::min(size_of(a), size_of(b)), contacts);
      return contacts;
    }
  }
  return {witness(s)};
}

// ---- polytopes ----

constexpr double kEdgePreference = 1e-3;  // of the half width: advantage that an edge axis needs
constexpr double kParallelEdges =
    1e-6;  // sine of their angle: below this, no cross product is taken
constexpr double kMaxEdgePairs = 40000;  // more pairs of edges take general_contacts()

struct Polytope {
  const PlacedShape& placed;
  const Polyhedron& mesh;
  const Box* box;

  explicit Polytope(const PlacedShape& p)
      : placed(p), mesh(*mesh_of(*p.shape)), box(std::get_if<Box>(p.shape)) {}

  // max n.x over the body, minus n.position
  double reach(const Vector3d& n) const {
    const Vector3d d = placed.axes.transpose() * n;
    if (box) return d.cwiseAbs().dot(box->half);
    double most = -std::numeric_limits<double>::infinity();
    for (const Vector3d& v : mesh.vertices) most = std::max(most, d.dot(v));
    return most;
  }
  double half_width() const { return box ? box->half.minCoeff() : mesh.half_width; }
  Vector3d vertex(int k) const {
    const Vector3d local =
        box ? Vector3d(mesh.vertices[k].cwiseProduct(box->half)) : mesh.vertices[k];
    return placed.position + placed.axes * local;
  }
  // Of the edges with this direction, the one that lies farthest along n.
  int edge_along(int direction, const Vector3d& n) const {
    int best = -1;
    double farthest = -std::numeric_limits<double>::infinity();
    for (std::size_t e = 0; e < mesh.edges.size(); ++e) {
      if (mesh.edges[e].direction != direction) continue;
      const double height = n.dot(vertex(mesh.edges[e].from) + vertex(mesh.edges[e].to));
      if (height <= farthest) continue;
      farthest = height;
      best = static_cast<int>(e);
    }
    return best;
  }
};

double gap_along(const Polytope& a, const Polytope& b, const Vector3d& n) {
  return n.dot(a.placed.position - b.placed.position) - a.reach(-n) - b.reach(n);
}

struct Axis {
  double gap = -std::numeric_limits<double>::infinity();
  Vector3d normal = Vector3d::Zero();  // from b to a
  int edge_a = -1, edge_b = -1;
};

// The face normal with the largest gap. A normal of a is taken only if its gap is larger than those
// of b.
Axis best_face(const Polytope& a, const Polytope& b, double margin) {
  Axis best;
  const double more = 1e-9 * size_of(a.placed);
  const bool symmetric =
      a.box && b.box;  // then the normals that point to the other body are enough
  const Vector3d line = a.placed.position - b.placed.position;
  for (const bool of_b : {true, false}) {
    const Polytope& p = of_b ? b : a;
    for (const Vector3d& local : p.mesh.normals) {
      const Vector3d n = (of_b ? 1.0 : -1.0) * (p.placed.axes * local);
      if (symmetric && n.dot(line) < 0) continue;
      const double gap = gap_along(a, b, n);
      if (gap > best.gap + more) best = {gap, n, -1, -1};
      if (gap > margin) return best;
    }
  }
  return best;
}

// Two boxes: all nine cross products of axes.
Axis best_edges_of_boxes(const Polytope& a, const Polytope& b, double margin) {
  Axis best;
  int along_a = -1, along_b = -1;
  const Vector3d line = a.placed.position - b.placed.position;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      Vector3d n = (a.placed.axes * a.mesh.edge_directions[i])
                       .cross(b.placed.axes * b.mesh.edge_directions[j]);
      const double length = n.norm();
      if (length < kParallelEdges) continue;
      n /= n.dot(line) < 0 ? -length : length;
      const double gap = gap_along(a, b, n);
      if (gap <= best.gap) continue;
      best = {gap, n, -1, -1};
      along_a = i;
      along_b = j;
      if (gap > margin) return best;
    }
  }
  if (along_a >= 0) {
    best.edge_a = a.edge_along(along_a, -best.normal);
    best.edge_b = b.edge_along(along_b, best.normal);
  }
  return best;
}

// An edge on the sphere of normals: the arc between the normals of its faces.
struct Arc {
  Vector3d from, to, pole, point;
  int edge;
};

std::vector<Arc> arcs(const Polytope& p, double sign) {
  std::vector<Arc> result;
  for (std::size_t e = 0; e < p.mesh.edges.size(); ++e) {
    const Polyhedron::Edge& edge = p.mesh.edges[e];
    const Vector3d from = sign * (p.placed.axes * p.mesh.normals[edge.left]),
                   to = sign * (p.placed.axes * p.mesh.normals[edge.right]);
    result.push_back({from, to, to.cross(from), p.vertex(edge.from), static_cast<int>(e)});
  }
  return result;
}

// Two edges make a face of the Minkowski difference of the bodies if the arc of a's edge crosses
// the reversed arc of b's edge. Only then is their cross product an axis.
Axis best_edges(const Polytope& a, const Polytope& b, double margin) {
  if (a.box && b.box) return best_edges_of_boxes(a, b, margin);
  Axis best;
  const std::vector<Arc> of_a = arcs(a, 1.0), of_b = arcs(b, -1.0);
  for (const Arc& x : of_a) {
    for (const Arc& y : of_b) {
      const double from = y.from.dot(x.pole), to = y.to.dot(x.pole);
      if (from * to >= 0) continue;
      const double start = x.from.dot(y.pole), end = x.to.dot(y.pole);
      if (start * end >= 0 || from * end <= 0) continue;
      Vector3d n = x.pole.cross(y.pole);
      const double length = n.norm();
      if (length < kParallelEdges * x.pole.norm() * y.pole.norm()) continue;
      n /= n.dot(x.from + x.to) > 0 ? -length : length;
      const double gap = n.dot(x.point - y.point);
      if (gap > best.gap) best = {gap, n, x.edge, y.edge};
      if (gap > margin) return best;
    }
  }
  return best;
}

// The nearest points of the edges of a and b whose cross product is the axis; none if the lines
// through the edges are nearest to each other beyond the ends of one, by more than `slack`. Then
// the bodies are apart, and farther than along this axis.
std::optional<PairContact> edge_contact(const Polytope& a, const Polytope& b, const Axis& axis,
                                        double slack) {
  const Polyhedron::Edge &ia = a.mesh.edges[axis.edge_a], &ib = b.mesh.edges[axis.edge_b];
  const Vector3d p = a.vertex(ia.from), q = b.vertex(ib.from);
  const Vector3d along_a = a.vertex(ia.to) - p, along_b = b.vertex(ib.to) - q;
  const Vector3d u = along_a.normalized(), v = along_b.normalized();
  const double uv = u.dot(v), up = u.dot(q - p), vp = v.dot(q - p);
  const double s = (up - uv * vp) / (1 - uv * uv), t = (uv * up - vp) / (1 - uv * uv);
  if (std::min(s, t) < -slack || s > along_a.norm() + slack || t > along_b.norm() + slack)
    return {};
  return PairContact{feature_id(kCrossing, axis.edge_a, axis.edge_b),
                     p + s * u - 0.5 * axis.gap * axis.normal, axis.normal, axis.gap};
}

// If edges cross between faces that lie almost on each other, other points may touch within the
// step too: the corners of the area in which the faces overlap along the axis.
void add_corners_about(const PlacedShape& a, const PlacedShape& b, const Vector3d& n, double margin,
                       std::vector<PairContact>& contacts) {
  const Feature face = placed_feature(b, n, kNearlyFlat),
                incident = placed_feature(a, -n, kNearlyFlat);
  if (!face.is_face() || !incident.is_face()) return;
  const double size = std::max(size_of(a), size_of(b)), level = face.normal.dot(face.points[0]);
  for (PairContact c : clipped(incident, sides_of(face), face.normal, level, true, size,
                               std::numeric_limits<double>::infinity())) {
    const double gap = c.gap / face.normal.dot(n);  // along the axis
    if (gap > margin) continue;
    const double along = n.dot(contacts[0].point - c.point);
    contacts.push_back({c.feature, c.point + along * n, n, std::max(gap, contacts[0].gap)});
  }
}

// Of points that almost coincide, only the one with the smallest gap is kept. The others would add
// rows that are almost equal to its row, which no solver can distinguish.
std::vector<PairContact> thinned(std::vector<PairContact> contacts, double distance) {
  std::stable_sort(contacts.begin(), contacts.end(),
                   [](const PairContact& x, const PairContact& y) { return x.gap < y.gap; });
  std::vector<PairContact> kept;
  for (const PairContact& c : contacts) {
    const bool apart = std::all_of(kept.begin(), kept.end(), [&](const PairContact& k) {
      return (k.point - c.point).norm() > distance;
    });
    if (apart) kept.push_back(c);
  }
  return kept;
}

}  // namespace

std::vector<PairContact> clipped_contacts(const PlacedShape& a, const PlacedShape& b,
                                          const Vector3d& normal, double margin) {
  return clip_features(a, b, normal, margin);
}

std::vector<PairContact> polytope_contacts(const PlacedShape& a, const PlacedShape& b,
                                           double margin) {
  const Polytope pa(a), pb(b);
  const double pairs =
      static_cast<double>(pa.mesh.edges.size()) * static_cast<double>(pb.mesh.edges.size());
  if (pairs > kMaxEdgePairs) return general_contacts(a, b, margin);
  const Axis face = best_face(pa, pb, margin);
  if (face.gap > margin) return {};
  const Axis edges = best_edges(pa, pb, margin);
  if (edges.gap > margin) return {};
  const double width = std::min(pa.half_width(), pb.half_width());
  const double preference = kEdgePreference * width;
  if (edges.gap <= face.gap + preference) {
    std::vector<PairContact> contacts = clip_features(a, b, face.normal, margin);
    if (least_gap(contacts) <= face.gap + preference) return contacts;
    // The corner nearest to the plane of the face is not above the face.
  }
  std::optional<PairContact> nearest;
  if (edges.gap > face.gap) nearest = edge_contact(pa, pb, edges, preference);
  if (!nearest) {
    const Separation s = separation(a, b);
    if (s.gap > margin) return {};
    return {witness(s)};
  }
  std::vector<PairContact> contacts = {*nearest};
  add_corners_about(a, b, nearest->normal, margin, contacts);
  return thinned(contacts, kCrossingShare * width);
}

std::vector<PairContact> pair_contacts(const PlacedShape& a, const PlacedShape& b, double margin) {
  const auto *ball_a = std::get_if<Sphere>(a.shape), *ball_b = std::get_if<Sphere>(b.shape);
  if (ball_a && ball_b) {
    const Vector3d d = a.position - b.position;
    const double distance = d.norm(), gap = distance - ball_a->radius - ball_b->radius;
    if (gap > margin) return {};
    // If the centres coincide, any direction separates the balls.
    const Vector3d n = distance > 0 ? Vector3d(d / distance) : Vector3d(Vector3d::UnitY());
    return {{feature_id(kWitness, 0), b.position + (ball_b->radius + gap / 2) * n, n, gap}};
  }
  if (ball_a && !smooth(*b.shape)) return ball_contacts(a, ball_a->radius, b, true, margin);
  if (ball_b && !smooth(*a.shape)) return ball_contacts(b, ball_b->radius, a, false, margin);
  const double apart = kCoincident * std::min(size_of(a), size_of(b));
  if (mesh_of(*a.shape) && mesh_of(*b.shape))
    return thinned(polytope_contacts(a, b, margin), apart);
  return thinned(general_contacts(a, b, margin), apart);
}

}  // namespace perp
