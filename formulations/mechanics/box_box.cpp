#include <perp/formulations/mechanics/box_box.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr double kEdgePreference = 1e-3;  // of the boxes' size: what an edge axis must win by

double projected_half(const OrientedBox& box, const Vector3d& n) {
  return (box.axes.transpose() * n).cwiseAbs().dot(box.half);
}

// A corner of a clipped face with an identity that lasts from step to step.
struct Corner {
  Vector3d point;
  int feature;
};

// Keeps the part with n.x <= offset; `plane` marks the corners that the cut makes.
// Corners within `tolerance` of the plane are on it: a corner and a cut beside it would be one
// contact twice.
std::vector<Corner> clip(const std::vector<Corner>& polygon, const Vector3d& n, double offset,
                         int plane, double tolerance) {
  std::vector<Corner> result;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Corner &p = polygon[k], &q = polygon[(k + 1) % polygon.size()];
    const double dp = n.dot(p.point) - offset, dq = n.dot(q.point) - offset;
    if (dp <= tolerance) result.push_back(p);
    if ((dp < -tolerance && dq > tolerance) || (dp > tolerance && dq < -tolerance)) {
      result.push_back(
          {p.point + dp / (dp - dq) * (q.point - p.point), 8 + 8 * plane + (p.feature & 7)});
    }
  }
  return result;
}

// Contacts on a face of `reference` with outward normal n; `sign` turns n into the push on the
// first box.
std::vector<BoxContact> face_contacts(const OrientedBox& reference, const OrientedBox& incident,
                                      int axis, const Vector3d& n, double sign, double margin) {
  const Vector3d local = incident.axes.transpose() * n;
  int face = 0;
  local.cwiseAbs().maxCoeff(&face);
  const double side = local[face] > 0 ? -1.0 : 1.0;  // the face that looks against n
  const int u = (face + 1) % 3, v = (face + 2) % 3;
  std::vector<Corner> polygon;
  const int order[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  for (int k = 0; k < 4; ++k) {
    Vector3d corner;
    corner[face] = side * incident.half[face];
    corner[u] = order[k][0] * incident.half[u];
    corner[v] = order[k][1] * incident.half[v];
    polygon.push_back({incident.centre + incident.axes * corner, k});
  }
  const double tolerance = 1e-7 * reference.half.norm();
  int plane = 0;
  for (const int k : {(axis + 1) % 3, (axis + 2) % 3}) {
    for (const double s : {-1.0, 1.0}) {
      const Vector3d m = s * reference.axes.col(k);
      polygon = clip(polygon, m, m.dot(reference.centre) + reference.half[k], plane++, tolerance);
    }
  }
  const double level = n.dot(reference.centre) + reference.half[axis];
  std::vector<BoxContact> contacts;
  for (const Corner& c : polygon) {
    const double gap = n.dot(c.point) - level;
    if (gap <= margin) contacts.push_back({c.feature, c.point - 0.5 * gap * n, sign * n, gap});
  }
  return contacts;
}

// Nearest points of the supporting edges of both boxes in direction n (from b to a).
BoxContact edge_contact(const OrientedBox& a, const OrientedBox& b, int i, int j, const Vector3d& n,
                        double gap) {
  const auto edge_centre = [](const OrientedBox& box, int axis, const Vector3d& direction) {
    Vector3d local = box.axes.transpose() * direction;
    for (int k = 0; k < 3; ++k)
      local[k] = k == axis ? 0.0 : (local[k] > 0 ? box.half[k] : -box.half[k]);
    return Vector3d(box.centre + box.axes * local);
  };
  const Vector3d p = edge_centre(a, i, -n), q = edge_centre(b, j, n);
  const Vector3d u = a.axes.col(i), v = b.axes.col(j), d = q - p;
  const double uv = u.dot(v), denominator = 1 - uv * uv;
  const double s = (u.dot(d) - uv * v.dot(d)) / denominator;
  return {64 + 3 * i + j, p + s * u - 0.5 * gap * n, n, gap};
}

}  // namespace

std::vector<BoxContact> box_box_contacts(const OrientedBox& a, const OrientedBox& b,
                                         double margin) {
  const Vector3d d = a.centre - b.centre;
  double best = -std::numeric_limits<double>::infinity();
  int axis = -1;
  bool of_a = false;
  Vector3d normal;
  for (int k = 0; k < 6; ++k) {  // face normals; n leads from b to a
    const OrientedBox& box = k < 3 ? a : b;
    Vector3d n = box.axes.col(k % 3);
    if (n.dot(d) < 0) n = -n;
    const double separation = n.dot(d) - projected_half(a, n) - projected_half(b, n);
    if (separation > margin) return {};
    if (separation > best + 1e-9 * a.half.norm()) {
      best = separation;
      axis = k % 3;
      of_a = k < 3;
      normal = n;
    }
  }
  double best_edge = -std::numeric_limits<double>::infinity();
  int edge_a = -1, edge_b = -1;
  Vector3d edge_normal;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      Vector3d n = a.axes.col(i).cross(b.axes.col(j));
      if (n.norm() < 1e-6) continue;
      n.normalize();
      if (n.dot(d) < 0) n = -n;
      const double separation = n.dot(d) - projected_half(a, n) - projected_half(b, n);
      if (separation > margin) return {};
      if (separation > best_edge) {
        best_edge = separation;
        edge_a = i;
        edge_b = j;
        edge_normal = n;
      }
    }
  }
  if (best_edge > best + kEdgePreference * std::min(a.half.minCoeff(), b.half.minCoeff())) {
    return {edge_contact(a, b, edge_a, edge_b, edge_normal, best_edge)};
  }
  // The reference face belongs to the box whose normal won; its outward normal points at the other
  // box.
  return of_a ? face_contacts(a, b, axis, -normal, -1.0, margin)
              : face_contacts(b, a, axis, normal, 1.0, margin);
}

}  // namespace perp
