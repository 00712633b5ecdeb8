#include <perp/formulations/mechanics/contacts.hpp>

#include <perp/formulations/mechanics/box_box.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>

namespace perp {

namespace {

constexpr int kPolygonVertices = 15;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Radius of a ball about the mass centre that holds the body; infinite for half-spaces.
double reach(const Shape& shape) {
  if (const auto* disc = std::get_if<Disc>(&shape)) return disc->radius;
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return sphere->radius;
  if (const auto* box = std::get_if<Box>(&shape)) return box->half.norm();
  if (const auto* polygon = std::get_if<Polygon>(&shape)) {
    double r = 0.0;
    for (const Vector3d& v : polygon->vertices) r = std::max(r, v.norm());
    return r;
  }
  return kInfinity;
}

std::string pair_text(const Scene& scene, int a, int b) {
  return fmt::format("bodies: contact of a {} (\"{}\") with a {} (\"{}\") is not supported",
                     shape_name(scene.bodies[a].shape), scene.bodies[a].name,
                     shape_name(scene.bodies[b].shape), scene.bodies[b].name);
}

class Finder {
 public:
  Finder(const Scene& scene, const State& state, double h) : scene_(scene), state_(state), h_(h) {
    for (const Body& body : scene.bodies) reach_.push_back(reach(body.shape));
  }

  std::vector<ContactPoint3> run() {
    std::vector<int> spaces, solids;
    for (int b = 0; b < static_cast<int>(scene_.bodies.size()); ++b) {
      const Shape& shape = scene_.bodies[b].shape;
      if (std::holds_alternative<std::monostate>(shape)) continue;
      (std::holds_alternative<HalfSpace>(shape) ? spaces : solids).push_back(b);
    }
    for (const int a : solids) {
      for (const int b : spaces) {
        if (collide(a, b)) against_half_space(a, b);
      }
    }
    sweep(solids);
    std::sort(found_.begin(), found_.end(), [](const ContactPoint3& x, const ContactPoint3& y) {
      return std::tie(x.a, x.b, x.feature) < std::tie(y.a, y.b, y.feature);
    });
    return std::move(found_);
  }

 private:
  bool collide(int a, int b) const {
    return !(scene_.bodies[a].fixed && scene_.bodies[b].fixed) && !scene_.joined(a, b);
  }

  double speed(int b) const {
    const BodyState& s = state_.bodies[b];
    return s.velocity.norm() +
           (std::isinf(reach_[b]) ? 0.0 : s.angular_velocity.norm() * reach_[b]);
  }

  double margin(int a, int b) const {
    const double size = std::min(reach_[a], reach_[b]);
    return 2 * h_ * (speed(a) + speed(b)) + 2 * h_ * h_ * scene_.gravity.norm() + 1e-3 * size;
  }

  // Broad phase: solids sorted by the lower end of their extent in x.
  void sweep(std::vector<int> solids) {
    const auto low = [&](int b) { return state_.bodies[b].position.x() - reach_[b]; };
    std::sort(solids.begin(), solids.end(),
              [&](int x, int y) { return std::pair(low(x), x) < std::pair(low(y), y); });
    double fastest = 0.0;
    for (const int b : solids) fastest = std::max(fastest, speed(b));
    for (std::size_t i = 0; i < solids.size(); ++i) {
      for (std::size_t j = i + 1; j < solids.size(); ++j) {
        const int a = std::max(solids[i], solids[j]), b = std::min(solids[i], solids[j]);
        const double slack = margin(a, b);
        const double widest =
            4 * h_ * fastest + 2 * h_ * h_ * scene_.gravity.norm() + 1e-3 * reach_[solids[i]];
        if (low(solids[j]) > state_.bodies[solids[i]].position.x() + reach_[solids[i]] + widest)
          break;
        const double distance = (state_.bodies[a].position - state_.bodies[b].position).norm();
        if (distance > reach_[a] + reach_[b] + slack || !collide(a, b)) continue;
        solid_against_solid(a, b, slack);
      }
    }
  }

  void add(int a, int b, int feature, const Vector3d& point, const Vector3d& normal, double gap) {
    found_.push_back({a, b, feature, point, normal, gap, scene_.properties(a, b)});
  }

  void against_half_space(int a, int b) {
    const auto& space = std::get<HalfSpace>(scene_.bodies[b].shape);
    const BodyState &sa = state_.bodies[a], &sb = state_.bodies[b];
    const Vector3d n = sb.orientation * space.normal;
    const double level = n.dot(sb.position) + space.offset, slack = margin(a, b);
    const auto vertex = [&](int feature, const Vector3d& local) {
      const Vector3d x = sa.position + sa.orientation * local;
      const double gap = n.dot(x) - level;
      if (gap <= slack) add(a, b, feature, x, n, gap);
    };
    if (n.dot(sa.position) - level > reach_[a] + slack) return;
    const Shape& shape = scene_.bodies[a].shape;
    if (const auto* box = std::get_if<Box>(&shape)) {
      for (int k = 0; k < 8; ++k) {
        vertex(k, box->half.cwiseProduct(Vector3d(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
      }
    } else if (const auto* polygon = std::get_if<Polygon>(&shape)) {
      nearest_vertices(*polygon, sa, n, vertex);
    } else {
      const double radius = reach_[a];  // a disc or sphere
      const double gap = n.dot(sa.position) - level - radius;
      if (gap <= slack) add(a, b, 0, sa.position - radius * n, n, gap);
    }
  }

  template <class F>
  void nearest_vertices(const Polygon& polygon, const BodyState& s, const Vector3d& n,
                        F&& vertex) const {
    const Vector3d local = s.orientation.conjugate() * n;
    std::vector<std::pair<double, int>> heights;
    for (std::size_t k = 0; k < polygon.vertices.size(); ++k) {
      heights.emplace_back(local.dot(polygon.vertices[k]), static_cast<int>(k));
    }
    const std::size_t count = std::min<std::size_t>(kPolygonVertices, heights.size());
    std::partial_sort(heights.begin(), heights.begin() + static_cast<long>(count), heights.end());
    for (std::size_t k = 0; k < count; ++k)
      vertex(heights[k].second, polygon.vertices[heights[k].second]);
  }

  void solid_against_solid(int a, int b, double slack) {
    const Shape &sa = scene_.bodies[a].shape, &sb = scene_.bodies[b].shape;
    const bool round = (std::holds_alternative<Disc>(sa) && std::holds_alternative<Disc>(sb)) ||
                       (std::holds_alternative<Sphere>(sa) && std::holds_alternative<Sphere>(sb));
    if (round) {
      const Vector3d d = state_.bodies[a].position - state_.bodies[b].position;
      const double distance = d.norm(), gap = distance - reach_[a] - reach_[b];
      // Centres on each other leave no direction; any will part them.
      const Vector3d n = distance > 0 ? Vector3d(d / distance) : Vector3d(Vector3d::UnitY());
      add(a, b, 0, state_.bodies[b].position + (reach_[b] + gap / 2) * n, n, gap);
      return;
    }
    if (std::holds_alternative<Box>(sa) && std::holds_alternative<Box>(sb)) {
      const auto oriented = [&](int k) {
        return OrientedBox{state_.bodies[k].position,
                           state_.bodies[k].orientation.toRotationMatrix(),
                           std::get<Box>(scene_.bodies[k].shape).half};
      };
      for (const BoxContact& c : box_box_contacts(oriented(a), oriented(b), slack)) {
        add(a, b, c.feature, c.point, c.normal, c.gap);
      }
      return;
    }
    throw std::invalid_argument(pair_text(scene_, a, b));
  }

  const Scene& scene_;
  const State& state_;
  double h_;
  std::vector<double> reach_;
  std::vector<ContactPoint3> found_;
};

}  // namespace

ContactFrame contact_frame(const Vector3d& normal, int dimension) {
  if (dimension == 2) return {normal, Vector3d::UnitZ().cross(normal), Vector3d::UnitZ()};
  const Vector3d helper = std::abs(normal.x()) < 0.7 ? Vector3d::UnitX() : Vector3d::UnitY();
  const Vector3d t = (helper - helper.dot(normal) * normal).normalized();
  return {normal, t, normal.cross(t)};
}

std::optional<std::string> unsupported_pair(const Scene& scene) {
  const auto solid = [](const Shape& s) {
    return !std::holds_alternative<std::monostate>(s) && !std::holds_alternative<HalfSpace>(s);
  };
  const int count = static_cast<int>(scene.bodies.size());
  for (int a = 0; a < count; ++a) {
    const Shape& sa = scene.bodies[a].shape;
    const bool alike_suffices =
        !std::holds_alternative<Polygon>(sa);  // polygons meet half-spaces only
    for (int b = 0; b < a && solid(sa); ++b) {
      const Shape& sb = scene.bodies[b].shape;
      if (!solid(sb) || (scene.bodies[a].fixed && scene.bodies[b].fixed) || scene.joined(a, b))
        continue;
      if (sa.index() != sb.index() || !alike_suffices) return pair_text(scene, a, b);
    }
  }
  return {};
}

std::vector<ContactPoint3> find_contacts(const Scene& scene, const State& state, double h) {
  return Finder(scene, state, h).run();
}

}  // namespace perp
