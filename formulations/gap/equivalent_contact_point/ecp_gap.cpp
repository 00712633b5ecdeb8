#include <perp/formulations/gap/equivalent_contact_point/ecp_gap.hpp>

#include <perp/formulations/gap/equivalent_contact_point/contact_equations.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace perp {

namespace {

constexpr double kActive = 1e-2;   // over the length scale: faces within this of the nearest point
constexpr double kInside = -1e-6;  // over the length scale: a face below this is not touched
constexpr double kFacing = 0.05;   // rad: faces and edges that are nearly along the contact
constexpr double kTouches = 1e-8;  // multipliers of faces that touch are larger

bool is_plane(int form) { return form == static_cast<int>(EcpForm::kPlane); }
bool is_distance(int form) { return form == static_cast<int>(EcpForm::kDistance); }
bool first_is_a(int form) { return form != static_cast<int>(EcpForm::kFirstIsB); }

class EcpGap final : public ImplicitGap {
 public:
  void visit_settings(SettingVisitor& visitor) override {
    visitor.visit("form", form_,
                  "plane: smaller equations with half-spaces, distance elsewhere; distance: an "
                  "unknown everywhere; faces: one active face",
                  {"plane", "distance", "faces"});
    visitor.visit("prediction", prediction_,
                  "start from the end of a step of coulomb-implicit: if a moving body has several "
                  "contacts, never, or always",
                  {"several", "never", "always"});
  }
  Prediction prediction() const override {
    if (prediction_ == "never") return Prediction::kNever;
    return prediction_ == "always" ? Prediction::kAlways : Prediction::kSeveral;
  }
  bool with_joints() const override { return false; }

  std::optional<std::string> refusal(const Scene& scene) const override {
    if (scene.dimension != 3) return "field \"dimension\": equivalent-contact-point is for 3D";
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      const Shape& shape = scene.bodies[b].shape;
      if (std::holds_alternative<std::monostate>(shape) || !convex_inequalities(shape).empty())
        continue;
      return fmt::format(
          "field \"bodies[{}].shape\": equivalent-contact-point takes half-spaces, boxes, "
          "polyhedra, cylinders, spheres and ellipsoids, not a {}",
          b, shape_name(shape));
    }
    return {};
  }

  std::vector<std::string> columns() const override { return {"faces"}; }

 private:
  static const Body& body(const StepInput& s, int b) {
    return s.scene->bodies[static_cast<std::size_t>(b)];
  }
  static const BodyState& state(const StepInput& s, int b) {
    return s.guess.bodies[static_cast<std::size_t>(b)];
  }

  // A choice of F, with a face of it as k.
  struct Choice {
    EcpForm form;
    int face;
    double alignment;  // cosine of the angle between the normal of the face and the contact normal
  };

  // Faces that face the other body, the best aligned first; if two are equal, that of b.
  std::vector<Choice> choices(const StepInput& s, const StartContact& c) const {
    std::vector<Choice> found;
    const auto look = [&](int b, EcpForm form, const Vector3d& point, const Vector3d& outward) {
      const BodyState& at = state(s, b);
      const Vector3d y = at.orientation.conjugate() * (point - at.position);
      const std::vector<ConvexInequality> f = convex_inequalities(body(s, b).shape);
      for (std::size_t i = 0; i < f.size(); ++i) {
        const Vector3d gradient = f[i].gradient(y);
        if (gradient.isZero(0.0)) continue;
        const double alignment = (at.orientation * gradient.normalized()).dot(outward);
        if (alignment > 0) found.push_back({form, static_cast<int>(i), alignment});
      }
    };
    look(c.b, EcpForm::kFirstIsB, c.point_b, c.normal);
    look(c.a, EcpForm::kFirstIsA, c.point_a, -c.normal);
    // Rounding must not decide between two faces that lie on each other.
    std::stable_sort(found.begin(), found.end(), [](const Choice& x, const Choice& y) {
      return std::round(x.alignment * 1e6) > std::round(y.alignment * 1e6);
    });
    return found;
  }

  int form_of(const StepInput& s, StartContact& c) const override {
    if (form_ == "plane" && std::holds_alternative<HalfSpace>(body(s, c.b).shape))
      return static_cast<int>(EcpForm::kPlane);
    if (form_ != "faces") return static_cast<int>(EcpForm::kDistance);
    const std::vector<Choice> all = choices(s, c);
    if (all.empty()) return static_cast<int>(EcpForm::kFirstIsA);
    c.face = all.front().face;
    return static_cast<int>(all.front().form);
  }

  bool rewrite(const StepInput& s, int tries, ContactPair& pair, StartContact& c) const override {
    if (is_plane(pair.form) || is_distance(pair.form)) return false;
    const std::vector<Choice> all = choices(s, c);
    if (tries >= static_cast<int>(all.size())) return false;
    const Choice& next = all[static_cast<std::size_t>(tries)];
    c.face = next.face;
    pair.form = static_cast<int>(next.form);
    return true;
  }

  // Wrong if the face k is not touched: then it contributes to the normal, which it must not do.
  bool wrong(const StepInput& s, const RecordedPair& p, const Vector& z,
             const State& end) const override {
    if (is_plane(p.pair.form) || is_distance(p.pair.form)) return false;
    const int one = first_is_a(p.pair.form) ? p.pair.a : p.pair.b;
    const std::vector<ConvexInequality> f = scaled_inequalities(*s.scene, one);
    const int k = s.contacts[static_cast<std::size_t>(p.number)].face;
    return f[static_cast<std::size_t>(k)].value(general_points(s, p, z, end).y1) < kInside;
  }

  // The closest points of F and G, and that of F in its frame in units of the length scale.
  struct GeneralPoints {
    Vector3d a1, a2, y1;
  };
  static GeneralPoints general_points(const StepInput& s, const RecordedPair& p, const Vector& z,
                                      const State& end) {
    const bool a_first = first_is_a(p.pair.form);
    const auto at = [&](int b) -> const BodyState& {
      return end.bodies[static_cast<std::size_t>(b)];
    };
    const BodyState &one = at(a_first ? p.pair.a : p.pair.b),
                    &two = at(a_first ? p.pair.b : p.pair.a);
    const GeneralUnknowns u = general_unknowns(*s.scene, p);
    const double length = s.scales.length;
    GeneralPoints g;
    g.a2 = two.position + two.orientation * (length * z.segment<3>(u.y2));
    g.a1 = g.a2 - length * z.segment<3>(u.apart);
    g.y1 = one.orientation.conjugate() * (g.a1 - one.position) / length;
    return g;
  }

  // The number of faces of a body that touch; the larger one of the two bodies.
  void raise_columns(const StepInput& s, const RecordedPair& p, const Vector& z,
                     double* columns) const override {
    const auto touching = [&](int first, int count) {
      return static_cast<double>((z.segment(first, count).array() > kTouches).count());
    };
    double faces = 0.0;
    if (is_plane(p.pair.form)) {
      faces = touching(p.first + 3, p.unknowns.p_n - p.first - 3);
    } else {
      // In the forms with a face k its multiplier is the distance, and k itself is counted.
      const GeneralUnknowns u = general_unknowns(*s.scene, p);
      const double k = is_distance(p.pair.form) ? 0.0 : 1.0;
      faces = std::max(k + touching(u.l1, u.l2 - u.l1), touching(u.l2, u.distance - u.l2));
    }
    columns[0] = std::max(columns[0], faces);
  }

  RecordedContact record(StepRecorder& recorder, const RecordedPair& p) const override {
    return record_ecp_contact(recorder, p);
  }

  // Multipliers with sum l_i grad f_i = direction (body frame) if the gradients at y of the touched
  // faces are orthogonal; else an approximation.
  static void start_multipliers(const std::vector<ConvexInequality>& f, const Vector3d& y,
                                const Vector3d& direction, int first, Vector& z) {
    for (std::size_t i = 0; i < f.size(); ++i) {
      const Vector3d g = f[i].gradient(y);
      const bool touched = f[i].value(y) > -kActive && !g.isZero(0.0);
      z[first + static_cast<int>(i)] =
          touched ? std::max(0.0, direction.dot(g) / g.squaredNorm()) : 0.0;
    }
  }

  Vector3d in_body(const StepInput& s, int b, const Vector3d& point) const {
    const BodyState& at = state(s, b);
    return at.orientation.conjugate() * (point - at.position);
  }

  // The middle of the part of a body's surface that faces in a direction, world.
  Vector3d middle(const StepInput& s, int b, const Vector3d& direction) const {
    const BodyState& at = state(s, b);
    const Feature feature =
        support_feature(body(s, b).shape, at.orientation.conjugate() * direction, kFacing);
    Vector3d y = Vector3d::Zero();
    for (const Vector3d& point : feature.points) y += point;
    return at.position + at.orientation * (y / static_cast<double>(feature.points.size()));
  }

  bool holds(const StepInput& s, int b, const Vector3d& point) const {
    for (const ConvexInequality& f : convex_inequalities(body(s, b).shape)) {
      if (f.value(in_body(s, b, point)) > kActive * s.scales.length) return false;
    }
    return true;
  }

  // The points, on both bodies, where they face each other: the predicted centre of pressure, the
  // middle of the face or edge of one body that lies on the other, else the nearest points.
  std::pair<Vector3d, Vector3d> facing_points(const StepInput& s, const StartContact& c) const {
    const Vector3d apart = c.normal * c.normal.dot(c.point_a - c.point_b);
    if (c.predicted) {
      const BodyState& at = state(s, c.a);
      const Vector3d centre = at.position + at.orientation * c.predicted->centre;
      return {centre, centre - apart};
    }
    const Vector3d on_a = middle(s, c.a, -c.normal);
    if (std::holds_alternative<HalfSpace>(body(s, c.b).shape) || holds(s, c.b, on_a - apart))
      return {on_a, on_a - apart};
    const Vector3d on_b = middle(s, c.b, c.normal);
    if (holds(s, c.a, on_b + apart)) return {on_b + apart, on_b};
    return {c.point_a, c.point_b};
  }

  void start(const StepInput& s, const RecordedPair& p, Vector& z) const override {
    const StartContact& c = s.contacts[static_cast<std::size_t>(p.number)];
    const auto [on_a, on_b] = facing_points(s, c);
    const auto local = [&](int b, const Vector3d& point) {
      return Vector3d(in_body(s, b, point) / s.scales.length);
    };
    const auto press = [&](int b, const Vector3d& point, const Vector3d& outward, int l) {
      start_multipliers(scaled_inequalities(*s.scene, b), local(b, point),
                        state(s, b).orientation.conjugate() * outward, l, z);
    };
    if (is_plane(p.pair.form)) {
      z.segment<3>(p.first) = local(c.a, on_a);
      press(c.a, on_a, -c.normal, p.first + 3);
      return;
    }
    const bool a_first = first_is_a(p.pair.form);
    const GeneralUnknowns u = general_unknowns(*s.scene, p);
    const int one = a_first ? c.a : c.b, two = a_first ? c.b : c.a;
    const Vector3d a1 = a_first ? on_a : on_b, a2 = a_first ? on_b : on_a;
    const Vector3d outward = a_first ? Vector3d(-c.normal) : c.normal;
    z.segment<3>(u.apart) = (a2 - a1) / s.scales.length;
    z.segment<3>(u.y2) = local(two, a2);
    press(one, a1, outward, u.l1);
    press(two, a2, -outward, u.l2);
    if (is_distance(p.pair.form)) return;
    // The face k has the weight 1, and its own multiplier is the distance.
    const double weight = z[u.l1 + c.face];
    if (weight > kActive) z.segment(u.l1, u.distance - u.l1) /= weight;
    z[u.l1 + c.face] = 0.0;
  }

  EndContact end(const StepInput& s, const RecordedPair& p, const Vector& z,
                 const State& end) const override {
    const StartContact& c = s.contacts[static_cast<std::size_t>(p.number)];
    EndContact e;
    if (is_plane(p.pair.form)) {
      const Body& ground = body(s, c.b);
      const auto& space = std::get<HalfSpace>(ground.shape);
      e.frame = contact_frame(ground.orientation * space.normal, 3,
                              s.scene->properties(c.a, c.b).direction);
      const BodyState& at = end.bodies[static_cast<std::size_t>(c.a)];
      e.point_a = at.position + at.orientation * (s.scales.length * z.segment<3>(p.first));
      e.gap = e.frame.n.dot(e.point_a - ground.position) - space.offset;
      e.point_b = e.point_a - e.gap * e.frame.n;
      return e;
    }
    const bool a_first = first_is_a(p.pair.form);
    const int one = a_first ? c.a : c.b;
    const GeneralUnknowns u = general_unknowns(*s.scene, p);
    const auto [a1, a2, y1] = general_points(s, p, z, end);
    e.point_a = a_first ? a1 : a2;
    e.point_b = a_first ? a2 : a1;
    const std::vector<ConvexInequality> f = convex_inequalities(body(s, one).shape);
    const BodyState& at = end.bodies[static_cast<std::size_t>(one)];
    const Vector3d inside = at.orientation.conjugate() * (a2 - at.position);
    Vector3d outward = Vector3d::Zero();
    double deepest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < f.size(); ++i) {
      const int k = static_cast<int>(i);
      const bool has_weight = !is_distance(p.pair.form) && k == c.face;
      outward += (has_weight ? 1.0 : z[u.l1 + k]) * f[i].gradient(Vector3d(s.scales.length * y1));
      deepest = std::max(deepest, f[i].value(inside));
    }
    const Vector3d n = (at.orientation * outward).normalized() * (a_first ? -1.0 : 1.0);
    e.frame = contact_frame(n, 3, c.tangent);
    e.gap = is_distance(p.pair.form) ? n.dot(e.point_a - e.point_b) : deepest;
    return e;
  }

  std::string form_ = "plane", prediction_ = "several";
};

}  // namespace

std::unique_ptr<ImplicitGap> make_ecp_gap() { return std::make_unique<EcpGap>(); }

}  // namespace perp
