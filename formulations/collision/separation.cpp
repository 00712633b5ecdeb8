#include <perp/formulations/collision/separation.hpp>

#include <ccd/ccd.h>
#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr double kApart = 0.02;   // of the size: larger distances are computed directly
constexpr double kParted = 0.05;  // of the size: distance to which shapes are moved apart
constexpr int kMaxSimplices = 200;
constexpr int kMaxSteps = 60;
constexpr double kSeparationRounding = 1e-14;
constexpr int kMaxSupports =
    1500;  // calls of a support function by libccd, which has no limit itself
constexpr double kMostUneven =
    1e6;  // largest span over least width of a pair that libccd can resolve
constexpr double kCertain = 1e-11;  // of the size: a gap with a smaller error is accepted

// A sphere is its centre with a radius, so that the cores of spheres that touch are still apart.
struct Core {
  const PlacedShape& placed;
  double radius;
  explicit Core(const PlacedShape& p) : placed(p), radius(0.0) {
    if (const auto* sphere = std::get_if<Sphere>(p.shape)) radius = sphere->radius;
    if (const auto* disc = std::get_if<Disc>(p.shape)) radius = disc->radius;
  }
  Vector3d support(const Vector3d& d) const {
    return radius > 0 ? placed.position : placed.support(d);
  }
};

struct SimplexCorner {
  Vector3d a, b, w;  // w = a - b
};

struct Simplex {
  std::array<SimplexCorner, 4> corner;
  std::array<double, 4> weight;
  int count = 0;
};

// Weights of the point of least norm in the affine hull of the chosen corners; false if it is not
// inside their convex hull.
bool affine_weights(const Simplex& s, const std::array<int, 4>& chosen, int count,
                    std::array<double, 4>& weights) {
  const Vector3d& base = s.corner[chosen[0]].w;
  if (count == 1) {
    weights[0] = 1.0;
    return true;
  }
  const Vector3d e = s.corner[chosen[1]].w - base;
  if (count == 2) {
    const double square = e.squaredNorm();
    weights[1] = -base.dot(e) / square;
    weights[0] = 1 - weights[1];
    return square > 0 && weights[0] > 0 && weights[1] > 0;
  }
  const Vector3d f = s.corner[chosen[2]].w - base;
  if (count == 3) {
    const Vector3d n = e.cross(f);
    const double square = n.squaredNorm();
    weights[1] = f.cross(base).dot(n) / square;
    weights[2] = base.cross(e).dot(n) / square;
    weights[0] = 1 - weights[1] - weights[2];
    return square > 0 && weights[0] > 0 && weights[1] > 0 && weights[2] > 0;
  }
  const Vector3d g = s.corner[chosen[3]].w - base;
  const double det = e.dot(f.cross(g));
  weights[1] = -base.dot(f.cross(g)) / det;
  weights[2] = -e.dot(base.cross(g)) / det;
  weights[3] = -e.dot(f.cross(base)) / det;
  weights[0] = 1 - weights[1] - weights[2] - weights[3];
  return det != 0 && weights[0] > 0 && weights[1] > 0 && weights[2] > 0 && weights[3] > 0;
}

// Keeps the corners that carry the point of the simplex nearest to the origin; returns that point.
Vector3d reduce(Simplex& s) {
  double best = std::numeric_limits<double>::infinity();
  Vector3d nearest = Vector3d::Zero();
  Simplex kept;
  for (int mask = 1; mask < 1 << s.count; ++mask) {
    std::array<int, 4> chosen{};
    std::array<double, 4> weights{};
    int count = 0;
    for (int k = 0; k < s.count; ++k) {
      if (mask >> k & 1) chosen[count++] = k;
    }
    if (!affine_weights(s, chosen, count, weights)) continue;
    Vector3d v = Vector3d::Zero();
    for (int k = 0; k < count; ++k) v += weights[k] * s.corner[chosen[k]].w;
    if (count == 4) v.setZero();  // the origin is inside
    if (!(v.squaredNorm() < best)) continue;
    best = v.squaredNorm();
    nearest = v;
    kept.count = count;
    for (int k = 0; k < count; ++k) {
      kept.corner[k] = s.corner[chosen[k]];
      kept.weight[k] = weights[k];
    }
  }
  s = kept;
  return nearest;
}

struct Nearest {
  Vector3d v, a, b;  // v = a - b; zero if the shapes meet
};

// Nearest points of a, moved by `shift`, and b, from a first guess of the direction into a.
Nearest nearest_points(const Core& a, const Core& b, const Vector3d& shift, const Vector3d& guess,
                       double size) {
  Simplex s;
  const auto corner = [&](const Vector3d& u) {
    SimplexCorner c{a.support(-u) + shift, b.support(u), {}};
    c.w = c.a - c.b;
    return c;
  };
  s.corner[0] = corner(guess);
  s.weight[0] = 1.0;
  s.count = 1;
  Vector3d v = s.corner[0].w;
  for (int k = 0; k < kMaxSimplices && v.norm() > kSeparationRounding * size; ++k) {
    const SimplexCorner next = corner(v.normalized());
    if (v.norm() - v.normalized().dot(next.w) <= kSeparationRounding * size) break;
    Simplex tried = s;
    tried.corner[tried.count++] = next;
    const Vector3d closer = reduce(tried);
    if (tried.count < 4 && !(closer.norm() < v.norm())) break;
    s = tried;
    v = closer;
    if (s.count == 4) break;
  }
  Nearest result{v, Vector3d::Zero(), Vector3d::Zero()};
  for (int k = 0; k < s.count; ++k) {
    result.a += s.weight[k] * s.corner[k].a;
    result.b += s.weight[k] * s.corner[k].b;
  }
  return result;
}

double along(const Core& a, const Core& b, const Vector3d& u) {
  return u.dot(a.support(-u) - b.support(u)) - a.radius - b.radius;
}

// A shape in the form that libccd needs.
struct CcdObject {
  const PlacedShape& placed;
  int& left;  // calls of the support function that are left
};

// After the last allowed call, every support point is the same. Then no direction makes progress
// any more, which ends the loops of libccd regularly.
void ccd_support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* result) {
  const auto& o = *static_cast<const CcdObject*>(object);
  ccdVec3Set(result, 0, 0, 0);
  if (o.left-- <= 0) return;
  const Vector3d d(direction->v[0], direction->v[1], direction->v[2]);
  if (!d.allFinite()) return;
  const Vector3d x = o.placed.support(d);
  if (x.allFinite()) ccdVec3Set(result, x.x(), x.y(), x.z());
}

// The least width of a shape that has an inside; infinite for points.
double least_width(const Shape& shape) {
  double width = 0.0;
  if (const auto* sphere = std::get_if<Sphere>(&shape)) width = sphere->radius;
  if (const auto* box = std::get_if<Box>(&shape)) width = box->half.minCoeff();
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape)) width = ellipsoid->half.minCoeff();
  if (const auto* s = std::get_if<Superquadric>(&shape)) width = s->half.minCoeff();
  if (const auto* c = std::get_if<Cylinder>(&shape)) width = std::min(c->radius, c->half_length);
  if (const auto* polyhedron = std::get_if<Polyhedron>(&shape)) width = polyhedron->half_width;
  return width > 0 ? width : std::numeric_limits<double>::infinity();
}

// The direction of least penetration from libccd, or zero if it finds none. It is not called for
// pairs of very different sizes: it may crash if rounding hides the smaller body.
Vector3d expanding_polytope(const PlacedShape& a, const PlacedShape& b, double size) {
  const double span = std::max(
      {bounding_radius(*a.shape), bounding_radius(*b.shape), (a.position - b.position).norm()});
  if (!(span <= kMostUneven * std::min(least_width(*a.shape), least_width(*b.shape))))
    return Vector3d::Zero();
  ccd_t ccd;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = ccd_support;
  ccd.max_iterations = 100;
  ccd.epa_tolerance = 1e-3 * size;
  int left = kMaxSupports;
  const CcdObject first{a, left}, second{b, left};
  ccd_real_t depth = 0.0;
  ccd_vec3_t direction, position;
  if (ccdGJKPenetration(&first, &second, &ccd, &depth, &direction, &position) != 0)
    return Vector3d::Zero();
  const Vector3d d(direction.v[0], direction.v[1], direction.v[2]);
  return d.allFinite() && d.norm() > 0.5 ? Vector3d(-d.normalized()) : Vector3d(Vector3d::Zero());
}

Vector3d first_direction(const PlacedShape& a, const PlacedShape& b, double size) {
  const bool plane =
      std::holds_alternative<Polygon>(*a.shape) || std::holds_alternative<Polygon>(*b.shape);
  const Core ca(a), cb(b);
  Vector3d best = plane ? Vector3d::UnitY() : Vector3d::UnitZ();
  double largest = along(ca, cb, best);
  const auto consider = [&](const Vector3d& u) {
    const double s = along(ca, cb, u);
    if (s > largest) {
      largest = s;
      best = u;
    }
  };
  const Vector3d line = a.position - b.position;
  if (line.norm() > 1e-9 * size) consider(line.normalized());
  for (int k = 0; k < (plane ? 2 : 3); ++k) {
    for (const double sign : {-1.0, 1.0}) {
      consider(sign * a.axes.col(k));
      consider(sign * b.axes.col(k));
    }
  }
  if (plane) return best;
  const Vector3d found = expanding_polytope(a, b, size);
  if (found.norm() > 0.5) consider(found);
  return best;
}

// An ellipsoid or the centre of a ball: h(u) = |A u| with A^2 = `square`.
struct Quadric {
  Matrix3d square;
  bool valid = true;

  explicit Quadric(const PlacedShape& p) : square(Matrix3d::Zero()) {
    if (const auto* e = std::get_if<Ellipsoid>(p.shape)) {
      square = p.axes * e->half.cwiseAbs2().asDiagonal() * p.axes.transpose();
    } else {
      valid = std::holds_alternative<Sphere>(*p.shape);
    }
  }
  // Adds gradient and Hessian of -h at u.
  void subtract(const Vector3d& u, Vector3d& gradient, Matrix3d& hessian) const {
    const Vector3d w = square * u;
    const double h = std::sqrt(u.dot(w));
    if (!(h > 0)) return;
    gradient -= w / h;
    hessian -= square / h - w * w.transpose() / (h * h * h);
  }
};

// Newton's method on the unit sphere for the largest s(u) of two quadrics near u. The Hessian is
// made definite if it is not, and steps are halved until s does not fall.
Vector3d newton(const Core& a, const Core& b, const Quadric& qa, const Quadric& qb, Vector3d u,
                double size) {
  const Vector3d line = a.placed.position - b.placed.position;
  const double radii = a.radius + b.radius;
  double now = along(a, b, u);
  for (int k = 0; k < kMaxSteps; ++k) {
    Vector3d gradient = line;
    Matrix3d hessian = Matrix3d::Zero();
    qa.subtract(u, gradient, hessian);
    qb.subtract(u, gradient, hessian);
    const Vector3d t = u.unitOrthogonal(), o = u.cross(t);
    const double tt = now + radii - t.dot(hessian * t), oo = now + radii - o.dot(hessian * o),
                 to = -t.dot(hessian * o);
    const double middle = (tt + oo) / 2, spread = std::hypot((tt - oo) / 2, to);
    const double shift = std::max(0.0, 0.1 * spread + 1e-3 * size - (middle - spread));
    const double gt = t.dot(gradient), go = o.dot(gradient);
    const double det = (tt + shift) * (oo + shift) - to * to;
    Vector3d step =
        ((oo + shift) * gt - to * go) / det * t + ((tt + shift) * go - to * gt) / det * o;
    double there = along(a, b, (u + step).normalized());
    for (int halved = 0; halved < 40 && !(there >= now); ++halved) {
      step /= 2;
      there = along(a, b, (u + step).normalized());
    }
    if (!(there >= now)) break;  // rounding
    u = (u + step).normalized();
    now = there;
    if (step.norm() < 1e-11) break;
  }
  return u;
}

Separation of_quadrics(const PlacedShape& a, const PlacedShape& b, const Core& ca, const Core& cb,
                       const Quadric& qa, const Quadric& qb, double size) {
  const Vector3d line = a.position - b.position;
  Vector3d u = newton(ca, cb, qa, qb,
                      line.norm() > 0 ? line.normalized() : Vector3d(Vector3d::UnitZ()), size);
  if (along(ca, cb, u) < -kApart * size) {  // this may be a local maximum
    const Vector3d other = newton(ca, cb, qa, qb, first_direction(a, b, size), size);
    if (along(ca, cb, other) > along(ca, cb, u)) u = other;
  }
  return {u, along(ca, cb, u), a.support(-u), b.support(u)};
}

// Replaces u by a face normal very near to it: rounding must not tilt a face that lies on another.
void snap_to_faces(const PlacedShape& a, const PlacedShape& b, const Core& ca, const Core& cb,
                   double size, Vector3d& u, double& gap) {
  constexpr double kNearFace = 1e-5;
  for (const double side : {1.0, -1.0}) {
    const PlacedShape& p = side > 0 ? b : a;
    const Feature f = support_feature(*p.shape, side * (p.axes.transpose() * u), kNearFace);
    if (!f.is_face()) continue;
    const Vector3d normal = side * (p.axes * f.normal);
    const double there = along(ca, cb, normal);
    if (there < gap - 1e-9 * size) continue;
    u = normal;
    gap = there;
    return;
  }
}

}  // namespace

double separation_along(const PlacedShape& a, const PlacedShape& b, const Vector3d& normal) {
  return along(Core(a), Core(b), normal);
}

Separation separation(const PlacedShape& a, const PlacedShape& b) {
  const Core ca(a), cb(b);
  const double ra = bounding_radius(*a.shape), rb = bounding_radius(*b.shape);
  const double size = std::min(ra, rb) > 0 ? std::min(ra, rb) : std::max(ra, rb);  // one is a point
  const Quadric qa(a), qb(b);
  if (qa.valid && qb.valid) return of_quadrics(a, b, ca, cb, qa, qb, size);
  const Vector3d line = a.position - b.position;
  Nearest found = nearest_points(ca, cb, Vector3d::Zero(),
                                 line.norm() > 0 ? line.normalized() : Vector3d::UnitX(), size);
  Vector3d u, shift = Vector3d::Zero();
  const double radii = ca.radius + cb.radius;
  double gap;
  bool exact = false;
  if (found.v.norm() > kApart * size) {
    u = found.v.normalized();
    gap = along(ca, cb, u);
    exact = found.v.norm() - (gap + radii) <= kCertain * size;  // upper bound minus lower bound
  } else {
    u = first_direction(a, b, size);
    gap = along(ca, cb, u);
    if (found.v.norm() > 1e-9 * size && along(ca, cb, found.v.normalized()) > gap) {
      u = found.v.normalized();
      gap = along(ca, cb, u);
    }
  }
  for (int k = 0; k < kMaxSteps && !exact; ++k) {
    shift = std::max(0.0, kParted * size - (gap + radii)) * u;
    found = nearest_points(ca, cb, shift, u, size);
    if (!(found.v.norm() > 0)) break;  // not parted: rounding
    const Vector3d next = found.v.normalized();
    const double there = along(ca, cb, next), turned = (next - u).norm();
    if (!(there >= gap)) break;  // rounding
    exact = turned < 1e-9 || (k > 3 && there - gap < 1e-15 * size);
    u = next;
    gap = there;
  }
  snap_to_faces(a, b, ca, cb, size, u, gap);
  return {u, gap, found.a - shift - ca.radius * u, found.b + cb.radius * u};
}

}  // namespace perp
