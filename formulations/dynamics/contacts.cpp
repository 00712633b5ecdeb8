#include <perp/formulations/dynamics/contacts.hpp>

#include <fmt/format.h>

#include <perp/formulations/collision/manifold.hpp>
#include <perp/formulations/dynamics/bearings.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace perp {

namespace {

constexpr int kPolygonVertices = 15;
constexpr double kFarthest = 1e9;  // m: beyond, doubles are too coarse for gaps
constexpr std::size_t kMaxContacts = 300'000;
constexpr double kMaxPairs = 1e7;  // pairs that are examined in one step

bool is_polygon(const Shape& shape) { return std::holds_alternative<Polygon>(shape); }

class Finder {
 public:
  Finder(const Scene& scene, const State& state, double h, double share, const Gap& gap)
      : scene_(scene), state_(state), h_(h), share_(share), gap_(gap) {
    for (const Body& body : scene.bodies) reach_.push_back(bounding_radius(body.shape));
    for (const Joint& j : scene.joints) {
      joined_.emplace_back(std::min(j.body_a, j.body_b), std::max(j.body_a, j.body_b));
    }
    for (const Bearing& b : scene.bearings)
      joined_.emplace_back(std::min(b.pin, b.hole), std::max(b.pin, b.hole));
    std::sort(joined_.begin(), joined_.end());
    group_ = scene.rigid_groups();
    longest_damping_ = damping_time(scene.contact);
    for (const PairRule& rule : scene.pairs)
      longest_damping_ = std::max(longest_damping_, damping_time(rule.properties));
  }

  std::vector<ContactPoint3> run() {
    check_places(scene_, state_);
    std::vector<int> spaces, solids;
    for (int b = 0; b < static_cast<int>(scene_.bodies.size()); ++b) {
      const Shape& shape = scene_.bodies[b].shape;
      if (std::holds_alternative<std::monostate>(shape)) continue;
      (std::holds_alternative<HalfSpace>(shape) ? spaces : solids).push_back(b);
    }
    for (const int a : solids) {
      for (const int b : spaces) {
        if (!collide(a, b)) continue;
        count_pair();
        against_half_space(a, b);
      }
    }
    sweep(solids);
    in_bearings();
    std::sort(found_.begin(), found_.end(), [](const ContactPoint3& x, const ContactPoint3& y) {
      return std::tie(x.a, x.b, x.feature) < std::tie(y.a, y.b, y.feature);
    });
    return std::move(found_);
  }

 private:
  bool collide(int a, int b) const {
    return !(scene_.bodies[a].fixed && scene_.bodies[b].fixed) && group_[a] != group_[b] &&
           !std::binary_search(joined_.begin(), joined_.end(),
                               std::pair(std::min(a, b), std::max(a, b)));
  }

  double spin(int b) const {
    return std::isinf(reach_[b]) ? 0.0 : state_.bodies[b].angular_velocity.norm() * reach_[b];
  }
  double speed(int b) const { return state_.bodies[b].velocity.norm() + spin(b); }

  // The part of the largest gap that does not depend on velocities.
  double base_margin(int a, int b) const {
    return 2 * h_ * h_ * scene_.gravity.norm() + 1e-3 * std::min(reach_[a], reach_[b]);
  }

  // The damper of a compliant point pushes if gap + tau v_n < 0, that is, before bodies touch.
  static double damping_time(const ContactProperties& k) { return k.rigid() ? 0.0 : k.dissipation; }

  // The largest gap that a candidate of the pair can have.
  double margin(int a, int b) const {
    const double damped = longest_damping_ * (speed(a) + speed(b));
    if (by_speed(a, b)) return 2 * h_ * (speed(a) + speed(b)) + base_margin(a, b) + damped;
    const double approach =
        (state_.bodies[a].velocity - state_.bodies[b].velocity).norm() + spin(a) + spin(b);
    const double closing = std::max({2 * approach, speed(a), speed(b)});
    return h_ * (closing + share_ * (speed(a) + speed(b))) + base_margin(a, b) + damped;
  }

  // Limits for pairs with a polygon use the whole speeds, other limits the approach at the point.
  bool by_speed(int a, int b) const {
    return is_polygon(scene_.bodies[a].shape) || is_polygon(scene_.bodies[b].shape);
  }

  Vector3d velocity_at(int b, const Vector3d& point) const {
    const BodyState& s = state_.bodies[b];
    return s.velocity + s.angular_velocity.cross(point - s.position);
  }

  // Keeps a point that can close within the step.
  void add(int a, int b, int feature, const Vector3d& point, const Vector3d& normal, double gap,
           double unit = 1.0) {
    if (!by_speed(a, b)) {
      const double va = normal.dot(velocity_at(a, point)), vb = normal.dot(velocity_at(b, point));
      // Bodies that fall together approach as fast as they fall after the first of them is stopped.
      const double closing = std::max({0.0, 2 * (vb - va), -va, vb});
      const double damped = damping_time(properties_of(a, b)) * std::max(0.0, vb - va);
      if (gap > h_ * (closing + share_ * (speed(a) + speed(b))) + base_margin(a, b) + damped)
        return;
    }
    keep({a, b, feature, point, normal, gap, properties_of(a, b), unit});
  }

  void keep(const ContactPoint3& c) {
    check_contact(scene_, c.a, c.b, c.normal, c.gap);
    if (found_.size() == kMaxContacts)
      throw CollisionError(fmt::format("there are more than {} contacts", kMaxContacts));
    found_.push_back(c);
  }

  void count_pair() {
    if (++pairs_ > kMaxPairs)
      throw CollisionError(
          fmt::format("more than {:g} pairs of bodies are near each other", kMaxPairs));
  }

  // Remembers the last pair: points of a pair follow each other, and there may be many rules.
  const ContactProperties& properties_of(int a, int b) {
    if (std::pair(a, b) != last_pair_) {
      last_pair_ = {a, b};
      last_properties_ = scene_.properties(a, b);
    }
    return last_properties_;
  }

  PlacedShape placed(int b) const {
    return {&scene_.bodies[b].shape, state_.bodies[b].position,
            state_.bodies[b].orientation.toRotationMatrix()};
  }

  // The extent of a body along an axis of the world, as an interval.
  std::pair<double, double> extent(const PlacedShape& p, int axis) const {
    Vector3d d = Vector3d::Unit(axis);
    const double high = p.support(d)[axis];
    d = -d;
    return {p.support(d)[axis], high};
  }

  // Broad phase: intervals along the axis in which the bodies are spread most, then boxes.
  void sweep(const std::vector<int>& solids) {
    const int axes = scene_.dimension;
    std::vector<Extents> boxes;
    Vector3d mean = Vector3d::Zero(), square = Vector3d::Zero();
    for (const int b : solids) {
      const PlacedShape p = placed(b);
      Extents box{b, Vector3d::Zero(), Vector3d::Zero()};
      // The part that this body contributes to the margin of any pair.
      const double slack = ((2 + share_) * h_ + longest_damping_) * speed(b) +
                           h_ * h_ * scene_.gravity.norm() + 1e-3 * reach_[b];
      for (int k = 0; k < axes; ++k) {
        const auto [low, high] = extent(p, k);
        box.low[k] = low - slack;
        box.high[k] = high + slack;
      }
      boxes.push_back(box);
      mean += p.position / static_cast<double>(solids.size());
      square += p.position.cwiseAbs2() / static_cast<double>(solids.size());
    }
    int axis = 0;
    (square - mean.cwiseAbs2()).maxCoeff(&axis);
    std::sort(boxes.begin(), boxes.end(), [&](const Extents& x, const Extents& y) {
      return std::pair(x.low[axis], x.body) < std::pair(y.low[axis], y.body);
    });
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      for (std::size_t j = i + 1; j < boxes.size(); ++j) {
        if (boxes[j].low[axis] > boxes[i].high[axis]) break;
        if ((boxes[j].low.array() > boxes[i].high.array()).any() ||
            (boxes[i].low.array() > boxes[j].high.array()).any())
          continue;
        const int a = std::max(boxes[i].body, boxes[j].body),
                  b = std::min(boxes[i].body, boxes[j].body);
        const double slack = margin(a, b);
        count_pair();
        const double distance = (state_.bodies[a].position - state_.bodies[b].position).norm();
        if (distance > reach_[a] + reach_[b] + slack || !collide(a, b)) continue;
        solid_against_solid(a, b, slack);
      }
    }
  }

  void against_half_space(int a, int b) {
    const auto& space = std::get<HalfSpace>(scene_.bodies[b].shape);
    const BodyState &sa = state_.bodies[a], &sb = state_.bodies[b];
    const Vector3d n = sb.orientation * space.normal;
    const double level = n.dot(sb.position) + space.offset, slack = margin(a, b);
    if (n.dot(sa.position) - level > reach_[a] + slack) return;
    const Vector3d look = sa.orientation.conjugate() * -n;  // in the body
    corners_.clear();
    double least = std::numeric_limits<double>::infinity();
    const auto point = [&](int feature, const Vector3d& local) {
      const Vector3d x = sa.position + sa.orientation * local;
      const double gap = n.dot(x) - level;
      if (gap > slack) return;
      corners_.push_back({feature, x, gap});
      least = std::min(least, gap);
    };
    const Shape& shape = scene_.bodies[a].shape;
    if (const auto* polygon = std::get_if<Polygon>(&shape)) {
      nearest_vertices(*polygon, look, point);
    } else if (const Polyhedron* mesh = mesh_of(shape)) {
      const Vector3d scale = mesh_scale(shape);
      for (std::size_t k = 0; k < mesh->vertices.size(); ++k)
        point(static_cast<int>(k), mesh->vertices[k].cwiseProduct(scale));
    } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
      cylinder_points(*cylinder, look, point);
    } else {
      point(0, support_point(shape, look));
    }
    for (const auto& [feature, x, gap] : corners_)  // in the plane across n of the lowest one
      add(a, b, feature, x - (gap - least) * n, n, gap);
  }

  // The lowest points of both rims, and the points of the lower cap if the cylinder stands rather
  // than lies.
  template <class F>
  void cylinder_points(const Cylinder& cylinder, const Vector3d& look, F&& point) const {
    const Feature cap = support_feature(cylinder, look, 0.8);
    for (std::size_t k = 0; k < cap.points.size(); ++k) point(cap.ids[k], cap.points[k]);
    const Vector3d rim(look.x(), look.y(), 0.0);
    if (!cap.is_face() || rim.norm() < 1e-6) return;
    const Vector3d other = cylinder.radius * rim.normalized();
    point(2 * kRimPoints + (look.z() < 0),
          other - Vector3d(0, 0, std::copysign(cylinder.half_length, look.z())));
  }

  template <class F>
  void nearest_vertices(const Polygon& polygon, const Vector3d& look, F&& vertex) const {
    std::vector<std::pair<double, int>> heights;
    for (std::size_t k = 0; k < polygon.vertices.size(); ++k) {
      heights.emplace_back(-look.dot(polygon.vertices[k]), static_cast<int>(k));
    }
    const std::size_t count = std::min<std::size_t>(kPolygonVertices, heights.size());
    std::partial_sort(heights.begin(), heights.begin() + static_cast<long>(count), heights.end());
    for (std::size_t k = 0; k < count; ++k)
      vertex(heights[k].second, polygon.vertices[heights[k].second]);
  }

  void solid_against_solid(int a, int b, double slack) {
    const PlacedShape pa = placed(a), pb = placed(b);
    for (const PairContact& c : gap_.contacts(pa, pb, scene_.dimension, slack))
      add(a, b, c.feature, c.point, c.normal, c.gap, c.unit);
  }

  // The bodies of a bearing move together, so only their relative velocity counts.
  void in_bearings() {
    int first_feature = 0;
    for (const Bearing& b : scene_.bearings) {
      const double base = 2 * h_ * h_ * scene_.gravity.norm() + 1e-3 * b.radius;
      const Vector3d center = carried_point(scene_, state_, b.pin, b.pin_center);
      const double reach = std::hypot(b.radius, std::max(-b.sections.front(), b.sections.back()));
      const double fastest =
          relative_velocity(state_, b, center).norm() +
          reach * (state_.bodies[b.pin].angular_velocity - state_.bodies[b.hole].angular_velocity)
                      .norm();
      const double slack = h_ * (2 + share_) * fastest + base;
      for (const BearingPoint& p : bearing_points(scene_, state_, b, first_feature, slack)) {
        const Vector3d v = relative_velocity(state_, b, p.point);
        if (p.gap > h_ * (2 * std::max(0.0, -p.normal.dot(v)) + share_ * v.norm()) + base) continue;
        keep({b.pin, b.hole, p.feature, p.point, p.normal, p.gap, properties_of(b.pin, b.hole),
              1.0});
      }
      first_feature += feature_count(b);
    }
  }

  struct Extents {
    int body;
    Vector3d low, high;
  };

  struct Corner {
    int feature;
    Vector3d point;
    double gap;
  };

  const Scene& scene_;
  const State& state_;
  double h_, share_;
  const Gap& gap_;
  std::vector<double> reach_;
  std::vector<Corner> corners_;  // of a body near a half-space
  std::vector<std::pair<int, int>> joined_;
  double longest_damping_ = 0.0;  // s, of compliant contacts
  std::vector<int> group_;        // of bodies that fixed joints hold together
  std::vector<ContactPoint3> found_;
  double pairs_ = 0.0;
  std::pair<int, int> last_pair_ = {-1, -1};
  ContactProperties last_properties_;
};

}  // namespace

void check_places(const Scene& scene, const State& state) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].fixed) continue;
    const BodyState& s = state.bodies[b];
    const double distance = s.position.stableNorm();
    const bool turns = s.orientation.coeffs().allFinite() && s.angular_velocity.allFinite();
    if (distance <= kFarthest && turns && s.velocity.allFinite()) continue;
    const std::string& name = scene.bodies[b].name;
    if (!(distance > kFarthest))
      throw CollisionError(fmt::format("body \"{}\": its state is not finite", name));
    throw CollisionError(
        fmt::format("body \"{}\" is {:.3g} m from the origin; contacts are found within {:g} m",
                    name, distance, kFarthest));
  }
}

void check_contact(const Scene& scene, int a, int b, const Vector3d& normal, double gap) {
  if (std::isfinite(gap) && std::abs(normal.squaredNorm() - 1) < 1e-6) return;
  const auto name = [&](int body) { return scene.bodies[static_cast<std::size_t>(body)].name; };
  throw CollisionError(
      fmt::format("no distance can be found of \"{}\" and \"{}\"", name(a), name(b)));
}

double normal_velocity(const ContactPoint3& c, const State& state) {
  const auto velocity = [&](int body) {
    const BodyState& s = state.bodies[body];
    return Vector3d(s.velocity + s.angular_velocity.cross(c.point - s.position));
  };
  return c.normal.dot(velocity(c.a) - velocity(c.b));
}

ContactFrame contact_frame(const Vector3d& normal, int dimension, const Vector3d& reference) {
  if (dimension == 2) return {normal, Vector3d::UnitZ().cross(normal), Vector3d::UnitZ()};
  Vector3d along = reference - reference.dot(normal) * normal;
  if (!(along.norm() > 1e-6 * reference.norm())) {
    const Vector3d helper = std::abs(normal.x()) < 0.7 ? Vector3d::UnitX() : Vector3d::UnitY();
    along = helper - helper.dot(normal) * normal;
  }
  const Vector3d t = along.normalized();
  return {normal, t, normal.cross(t)};
}

const Gap& linearised_gap() {
  static const Gap gap{
      "linearised", "signed distance, linearised", "StewartTrinkle1996",
      [](const PlacedShape& a, const PlacedShape& b, int dimension, double margin) {
        return dimension == 2 ? planar_contacts(a, b, margin) : pair_contacts(a, b, margin);
      },
      [](const Scene&) { return std::optional<std::string>(); }};
  return gap;
}

std::vector<ContactPoint3> find_contacts(const Scene& scene, const State& state, double h,
                                         double share, const Gap& gap) {
  return Finder(scene, state, h, share, gap).run();
}

std::optional<std::string> find_contact_properties(
    const Scene& scene, const std::function<bool(const ContactProperties&)>& is_meant) {
  if (is_meant(scene.contact)) return "contact";
  for (std::size_t k = 0; k < scene.pairs.size(); ++k) {
    if (is_meant(scene.pairs[k].properties)) return fmt::format("pairs[{}]", k);
  }
  return {};
}

}  // namespace perp
