#include <perp/formulations/gap/closed_form/closed_form_gap.hpp>

#include <fmt/format.h>

namespace perp {

namespace {

// Radius of a disc or sphere, else 0.
double ball_radius(const Shape& shape) {
  if (const auto* disc = std::get_if<Disc>(&shape)) return disc->radius;
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return sphere->radius;
  return 0.0;
}

class ClosedFormGap final : public ImplicitGap {
 public:
  void visit_settings(SettingVisitor& visitor) override {
    visitor.visit("geometry", geometry_,
                  "of the end of a step; of its beginning, with linear gaps; or velocity-level, "
                  "which keeps gaps as they are",
                  {"end", "beginning", "velocity-level"});
  }

  std::optional<std::string> refusal(const Scene& scene) const override {
    for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
      const Shape& shape = scene.bodies[k].shape;
      if (std::holds_alternative<std::monostate>(shape) || ball_radius(shape) > 0 ||
          std::holds_alternative<HalfSpace>(shape))
        continue;
      return fmt::format(
          "field \"bodies[{}].shape\": closed-form has no distance for \"{}\"; it takes "
          "half_space, "
          "disc "
          "and sphere",
          k, shape_name(shape));
    }
    return {};
  }

  bool with_stiffness() const override { return true; }
  // A linear gap of 0 leaves convex bodies (h v_t)^2 / 2r apart.
  double parted() const override { return geometry_ == "beginning" ? 0.01 : ImplicitGap::parted(); }

  RecordedContact record(StepRecorder& step, const RecordedPair& p) const override {
    const int a = p.pair.a, b = p.pair.b;
    const Scene& scene = step.scene();
    const double unit = length_scale(scene);
    const Shape& shape_b = scene.bodies[static_cast<std::size_t>(b)].shape;
    const Expr radius_a = ball_radius(scene.bodies[static_cast<std::size_t>(a)].shape) / unit;
    const ExprVector3 offset = step.free_offset(a, b);
    const ExprVector3 apart =
        step.body(a).shift - step.body(b).shift - offset;  // vector between the centres
    RecordedContact contact;
    contact.a = a;
    contact.b = b;
    if (const auto* space = std::get_if<HalfSpace>(&shape_b)) {
      const ExprVector3 normal = space->normal.cast<Expr>();
      contact.n = step.body(b).axes * normal;
      contact.gap = dot(contact.n, apart) - space->offset / unit - radius_a;
    } else {
      const double radius_b = ball_radius(shape_b) / unit;
      contact.n = at_end() ? ::perp::unit(apart) : step.parameters([a, b](const StepInput& s) {
        return centres(s.state, a, b).normalized();
      });
      contact.gap = (at_end() ? norm(apart) : dot(contact.n, apart)) - radius_a - radius_b;
    }
    if (geometry_ == "velocity-level") {
      contact.gap -= step.parameter(
          [a, b, unit](const StepInput& s) { return distance(*s.scene, s.state, a, b) / unit; });
    }
    contact.arm_a = -radius_a * contact.n;
    contact.arm_b = apart + contact.arm_a;
    set_tangents(step.reference(p.number), scene.dimension, contact);
    return contact;
  }

  EndContact end(const StepInput& input, const RecordedPair& p, const Vector&,
                 const State& state) const override {
    const int a = p.pair.a, b = p.pair.b;
    const Shape& shape_b = input.scene->bodies[static_cast<std::size_t>(b)].shape;
    const auto* space = std::get_if<HalfSpace>(&shape_b);
    const Vector3d n =
        space ? Vector3d(state.bodies[static_cast<std::size_t>(b)].orientation * space->normal)
              : centres(at_end() ? state : input.state, a, b).normalized();
    EndContact e;
    e.gap = distance(*input.scene, state, a, b);
    e.point_a = state.bodies[static_cast<std::size_t>(a)].position -
                ball_radius(input.scene->bodies[static_cast<std::size_t>(a)].shape) * n;
    e.point_b = e.point_a;  // where the model puts the contact, for both bodies
    e.frame = contact_frame(n, input.scene->dimension,
                            input.contacts[static_cast<std::size_t>(p.number)].tangent);
    return e;
  }

 private:
  bool at_end() const { return geometry_ == "end"; }
  static Vector3d centres(const State& state, int a, int b) {
    return state.bodies[static_cast<std::size_t>(a)].position -
           state.bodies[static_cast<std::size_t>(b)].position;
  }
  // Of two balls, or a ball a and a half-space b.
  static double distance(const Scene& scene, const State& state, int a, int b) {
    const double radius = ball_radius(scene.bodies[static_cast<std::size_t>(a)].shape);
    const Shape& shape_b = scene.bodies[static_cast<std::size_t>(b)].shape;
    const Vector3d apart = centres(state, a, b);
    if (const auto* space = std::get_if<HalfSpace>(&shape_b)) {
      const Vector3d n = state.bodies[static_cast<std::size_t>(b)].orientation * space->normal;
      return n.dot(apart) - space->offset - radius;
    }
    return apart.norm() - radius - ball_radius(shape_b);
  }

  std::string geometry_ = "end";
};

}  // namespace

std::unique_ptr<ImplicitGap> make_closed_form_gap() { return std::make_unique<ClosedFormGap>(); }

}  // namespace perp
