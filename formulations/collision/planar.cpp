// Contacts of discs and polygons in the plane.
#include <perp/formulations/collision/manifold.hpp>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr double kOnEnd = 1e-7;  // of the size: a point nearer to an end of an edge is at the end

struct Ring {
  std::vector<Vector3d> points;
  int size() const { return static_cast<int>(points.size()); }
  const Vector3d& at(int k) const { return points[static_cast<std::size_t>(k % size())]; }
  Vector3d normal(int k) const {
    const Vector3d e = at(k + 1) - at(k);
    return Vector3d(e.y(), -e.x(), 0.0).normalized();
  }
};

Ring ring_of(const PlacedShape& p) {
  Ring ring;
  for (const Vector3d& v : std::get<Polygon>(*p.shape).vertices)
    ring.points.push_back(p.position + p.axes * v);
  return ring;
}

struct Edge {
  double gap = -std::numeric_limits<double>::infinity();
  int reference = 0, deepest = 0;  // edge of one, vertex of the other
};

// The edge of `r` that separates most. If edges are taken counterclockwise, the deepest vertex of
// the other polygon moves counterclockwise too, so one turn around both polygons is enough.
Edge best_edge(const Ring& r, const Ring& other) {
  Edge best;
  int deepest = 0;
  const Vector3d first = r.normal(0);
  for (int k = 1; k < other.size(); ++k) {
    if (first.dot(other.at(k)) < first.dot(other.at(deepest))) deepest = k;
  }
  for (int k = 0; k < r.size(); ++k) {
    const Vector3d n = r.normal(k);
    for (int turns = 0;
         turns < other.size() && n.dot(other.at(deepest + 1)) < n.dot(other.at(deepest)); ++turns)
      deepest = (deepest + 1) % other.size();
    const double gap = n.dot(other.at(deepest) - r.at(k));
    if (gap > best.gap) best = {gap, k, deepest};
  }
  return best;
}

PairContact witness(const PlacedShape& a, const PlacedShape& b) {
  const Separation s = separation(a, b);
  return {0, 0.5 * (s.point_a + s.point_b), s.normal, s.gap};
}

std::vector<PairContact> polygon_contacts(const PlacedShape& a, const PlacedShape& b,
                                          double margin) {
  const Ring ra = ring_of(a), rb = ring_of(b);
  const Edge below = best_edge(rb, ra), above = best_edge(ra, rb);
  const double size = std::max(bounding_radius(*a.shape), bounding_radius(*b.shape));
  if (std::max(below.gap, above.gap) > margin) return {};
  const bool reference_is_b = below.gap >= above.gap - 1e-9 * size;
  const Edge& edge = reference_is_b ? below : above;
  const Ring &reference = reference_is_b ? rb : ra, &incident = reference_is_b ? ra : rb;
  const Vector3d n = reference.normal(edge.reference), p = reference.at(edge.reference);
  const Vector3d along(-n.y(), n.x(), 0.0);
  const double length = along.dot(reference.at(edge.reference + 1) - p), close = kOnEnd * size;
  // Of the two edges at the deepest vertex, the one that faces the reference more, cut at its ends.
  const int before = (edge.deepest + incident.size() - 1) % incident.size();
  const int side =
      incident.normal(before).dot(n) < incident.normal(edge.deepest).dot(n) ? before : edge.deepest;
  std::vector<PairContact> contacts;
  bool overlap = false;
  double least = std::numeric_limits<double>::infinity();
  const Vector3d x = incident.at(side), y = incident.at(side + 1);
  const double tx = along.dot(x - p), ty = along.dot(y - p);
  const auto add = [&](const Vector3d& point, int feature) {
    overlap = true;
    const double gap = n.dot(point - p);
    if (gap > margin) return;
    contacts.push_back({feature + (reference_is_b ? 0 : 1), point - gap * n,
                        reference_is_b ? n : Vector3d(-n), gap});
    least = std::min(least, gap);
  };
  const auto inside = [&](double t) { return t >= -close && t <= length + close; };
  if (inside(tx)) add(x, 4 * side + 4);
  if (inside(ty)) add(y, 4 * ((side + 1) % incident.size()) + 4);
  for (const bool end : {false, true}) {
    const double t = end ? length : 0.0;
    if (std::min(tx, ty) > t - close || std::max(tx, ty) < t + close) continue;
    add(x + (t - tx) / (ty - tx) * (y - x), 4 * ((edge.reference + end) % reference.size()) + 6);
  }
  // All on one line along the edge, midway at the nearest point.
  for (PairContact& c : contacts) c.point += 0.5 * least * n;
  // If the deepest vertex is beyond the ends of the edge, what is cut off may be nearer.
  const bool cut = edge.gap > 0 && least > edge.gap + close;
  if (overlap && !cut) return contacts;
  const PairContact nearest = witness(a, b);
  if (overlap) {
    if (nearest.gap < least - close) contacts.push_back(nearest);
    return contacts;
  }
  if (nearest.gap > margin) return {};
  return {nearest};
}

std::vector<PairContact> disc_contacts(const PlacedShape& disc, const PlacedShape& polygon,
                                       bool disc_is_a, double margin) {
  const double radius = std::get<Disc>(*disc.shape).radius;
  const Ring r = ring_of(polygon);
  const Vector3d c = disc.position;
  int edge = 0;
  double best = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < r.size(); ++k) {
    const double height = r.normal(k).dot(c - r.at(k));
    if (height > best) {
      best = height;
      edge = k;
    }
  }
  Vector3d n = r.normal(edge);
  if (best > 0) {  // outside: the nearest point of the boundary
    double nearest = std::numeric_limits<double>::infinity();
    for (int k = 0; k < r.size(); ++k) {
      const Vector3d e = r.at(k + 1) - r.at(k);
      const double t = std::clamp(e.dot(c - r.at(k)) / e.squaredNorm(), 0.0, 1.0);
      const Vector3d d = c - r.at(k) - t * e;
      if (d.norm() >= nearest) continue;
      nearest = d.norm();
      n = d / nearest;
    }
    best = nearest;
  }
  const double gap = best - radius;
  if (gap > margin) return {};
  return {{0, c - (radius + 0.5 * gap) * n, disc_is_a ? n : Vector3d(-n), gap}};
}

}  // namespace

std::vector<PairContact> planar_contacts(const PlacedShape& a, const PlacedShape& b,
                                         double margin) {
  const auto *disc_a = std::get_if<Disc>(a.shape), *disc_b = std::get_if<Disc>(b.shape);
  if (disc_a && disc_b) {
    const Vector3d d = a.position - b.position;
    const double distance = d.norm(), gap = distance - disc_a->radius - disc_b->radius;
    if (gap > margin) return {};
    const Vector3d n = distance > 0 ? Vector3d(d / distance) : Vector3d(Vector3d::UnitY());
    return {{0, b.position + (disc_b->radius + gap / 2) * n, n, gap}};
  }
  if (disc_a) return disc_contacts(a, b, true, margin);
  if (disc_b) return disc_contacts(b, a, false, margin);
  return polygon_contacts(a, b, margin);
}

}  // namespace perp
