#include <perp/formulations/gap/nearest_points/nearest_points_gap.hpp>

#include <perp/formulations/gap/nearest_points/closest_points.hpp>

#include <fmt/format.h>
#include <algorithm>

namespace perp {

namespace {

class NearestPointsGap final : public ImplicitGap {
 public:
  void visit_settings(SettingVisitor& visitor) override {
    visitor.visit("points", points_, "conditions of the nearest points, see README.md",
                  {"multiplier", "unit-normal", "tangential"});
    visitor.visit(
        "gap_of", gap_of_,
        "body whose function is the gap: of a at the point of b, or of b at the point of a",
        {"a", "b"});
  }

  std::optional<std::string> refusal(const Scene& scene) const override {
    for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
      if (std::holds_alternative<std::monostate>(scene.bodies[k].shape)) continue;
      if (const auto reason = surface_refusal(scene.bodies[k].shape))
        return fmt::format("field \"bodies[{}].shape\": {}", k, *reason);
    }
    return {};
  }

  // The forms without multipliers have other solutions too, for example the far sides of the bodies
  // (the condition N_f' N_g < 0 is not in the Mcp).
  bool wrong(const StepInput& input, const RecordedPair& p, const Vector& z,
             const State& end) const override {
    if (form() == ClosestPointForm::kMultiplier) return false;
    const Points x = points_of(input, p, z);
    const Vector3d outward = gradient(input, end, p.pair.a, x.a1);
    return outward.dot(gradient(input, end, p.pair.b, x.a2)) >= 0 ||
           outward.dot(x.a1 - x.a2) > 1e-9 * input.scales.length;
  }

  // Positions of a pair are relative to the place to which free motion leads body a, so that no
  // digits are lost far from the origin.
  RecordedContact record(StepRecorder& step, const RecordedPair& p) const override {
    const int a = p.pair.a, b = p.pair.b, number = p.number;
    const Scene& scene = step.scene();
    const double unit = length_scale(scene);
    const ExprVector3 reference = step.reference(number);
    const ExprVector3 reference_o = step.parameters([number](const StepInput& s) {
      const StartContact& c = s.contacts[static_cast<std::size_t>(number)];
      return Vector3d(c.normal.cross(c.tangent));
    });
    const ExprVector3 offset = step.free_offset(a, b);
    const auto solid = [&](int body, const ExprVector3& centre) {
      return RecordedSolid{&scene.bodies[static_cast<std::size_t>(body)].shape,
                           {centre, step.body(body).axes}};
    };
    const RecordedSolid solid_a = solid(a, step.body(a).shift),
                        solid_b = solid(b, ExprVector3(offset + step.body(b).shift));
    const RecordedPoints x =
        record_closest_points(step, form(), gap_of_ == "a" ? GapFunction::kOfA : GapFunction::kOfB,
                              p.name, p.key + 16, solid_a, solid_b, unit, reference, reference_o);
    RecordedContact contact;
    contact.a = a;
    contact.b = b;
    contact.n = x.n;
    set_tangents(reference, scene.dimension, contact);
    contact.arm_a = x.a1 - solid_a.pose.centre;
    contact.arm_b = x.a2 - solid_b.pose.centre;
    contact.gap = x.gap;
    return contact;
  }

  void start(const StepInput& input, const RecordedPair& p, Vector& z) const override {
    const StartContact& c = input.contacts[static_cast<std::size_t>(p.number)];
    const int d = input.scene->dimension;
    const Vector3d origin = input.guess.bodies[static_cast<std::size_t>(p.pair.a)].position;
    z.segment(p.first, d) = ((c.point_a - origin) / input.scales.length).head(d);
    z.segment(p.first + d, d) = ((c.point_b - origin) / input.scales.length).head(d);
    if (form() != ClosestPointForm::kMultiplier) return;
    const double slope_f = gradient(input, input.guess, p.pair.a, c.point_a).norm(),
                 slope_g = gradient(input, input.guess, p.pair.b, c.point_b).norm();
    const double gap = c.normal.dot(c.point_a - c.point_b);
    const double first = gap_of_ == "a" ? slope_f : slope_g,
                 second = gap_of_ == "a" ? slope_g : slope_f;
    z[p.first + 2 * d] = std::max(0.0, gap) / (input.scales.length * first);
    z[p.first + 2 * d + 1] = first / second;
  }

  EndContact end(const StepInput& input, const RecordedPair& p, const Vector& z,
                 const State& state) const override {
    EndContact e;
    const Points x = points_of(input, p, z);
    e.point_a = x.a1;
    e.point_b = x.a2;
    e.frame =
        contact_frame(-gradient(input, state, p.pair.a, x.a1).normalized(), input.scene->dimension,
                      input.contacts[static_cast<std::size_t>(p.number)].tangent);
    e.gap = e.frame.n.dot(x.a1 - x.a2);
    return e;
  }

 private:
  ClosestPointForm form() const {
    return points_ == "multiplier"    ? ClosestPointForm::kMultiplier
           : points_ == "unit-normal" ? ClosestPointForm::kUnitNormal
                                      : ClosestPointForm::kTangential;
  }

  static Vector3d gradient(const StepInput& input, const State& state, int body,
                           const Vector3d& x) {
    const auto i = static_cast<std::size_t>(body);
    const Shape& shape = input.scene->bodies[i].shape;
    const Quaterniond& q = state.bodies[i].orientation;
    return surface_factor(shape) *
           (q * implicit_gradient(shape, q.conjugate() * (x - state.bodies[i].position)));
  }

  struct Points {
    Vector3d a1, a2;  // world
  };
  static Points points_of(const StepInput& input, const RecordedPair& p, const Vector& z) {
    const int d = input.scene->dimension;
    const auto point = [&](int first) {
      Vector3d x = input.free_position[static_cast<std::size_t>(p.pair.a)];
      x.head(d) += input.scales.length * z.segment(first, d);
      return x;
    };
    return {point(p.first), point(p.first + d)};
  }

  std::string points_ = "multiplier", gap_of_ = "a";
};

}  // namespace

std::unique_ptr<ImplicitGap> make_nearest_points_gap() {
  return std::make_unique<NearestPointsGap>();
}

}  // namespace perp
