#include <perp/formulations/stepping/theta_method/theta_rule.hpp>

#include <perp/formulations/dynamics/unknown_layout.hpp>
#include <perp/formulations/stepping/theta_method/free_motion.hpp>

#include <fmt/format.h>

namespace perp {

namespace {

constexpr double kNamed = -1.0;  // value of theta_q, theta_v, theta_vq: as the setting theta says

class ThetaRule final : public MotionRule {
 public:
  void visit_settings(SettingVisitor& visitor) override {
    visitor.visit("theta", name_, "explicit and symplectic Euler, implicit Euler, midpoint rule",
                  {"explicit", "symplectic", "implicit", "midpoint"});
    visitor.visit("theta_q", given_.q,
                  "time in the step (0 to 1) of the positions for M and forces; -1: by theta",
                  {kNamed, 1.0});
    visitor.visit("theta_v", given_.v,
                  "time in the step (0 to 1) of the velocities for forces; -1: by theta",
                  {kNamed, 1.0});
    visitor.visit("theta_vq", given_.vq,
                  "time in the step (0 to 1) of the velocities that move positions; -1: by theta",
                  {kNamed, 1.0});
    visitor.visit(
        "end_gap", end_gap_,
        "gap at the end of a step: gap + h v_n, or that of its positions, as the paper prints",
        {"linear", "printed"});
    visitor.visit("A", a_, "theta_vq once, as derived, or twice, as the paper prints",
                  {"derived", "printed"});
  }

  std::optional<std::string> refusal(const Scene& scene) const override {
    for (const auto& [name, value] :
         {std::pair("theta_q", given_.q), std::pair("theta_v", given_.v),
          std::pair("theta_vq", given_.vq)}) {
      if (value < 0 && value != kNamed)
        return fmt::format("option \"{}\": {} is neither -1 nor between 0 and 1", name, value);
    }
    if (theta().vq > 0) return {};
    for (std::size_t a = 0; a < scene.bodies.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (!may_touch(scene, static_cast<int>(a), static_cast<int>(b))) continue;
        return fmt::format(
            "field \"bodies[{}].shape\": it may touch \"{}\", but with theta_vq = 0 positions at "
            "the end of a step do not depend on contact impulses",
            a, scene.bodies[b].name);
      }
    }
    return {};
  }

  double joint_share() const override { return theta().vq; }
  double gap_share() const override { return end_gap_ == "printed" ? theta().vq : 1.0; }

  std::variant<Stage, Motion> begin(const Scene& scene, const State& state, double h) override {
    if (!scene_ || !(*scene_ == scene)) {
      scene_ = scene;
      free_ = std::make_unique<FreeMotion>(scene);
    }
    free_->begin(state, h, theta());
    if (free_->is_explicit()) return motion(free_->explicit_velocity());
    Stage s{"free-motion", free_->problem(), {}};
    UnknownLayout layout;
    for (int i = 0; i < s.problem.size(); ++i) layout.add(fmt::format("change{}", i), kNoKey);
    layout.name(s);
    return s;
  }

  Motion advance(const Answer& answer) override { return motion(free_->velocity(answer.z)); }

 private:
  static bool may_touch(const Scene& scene, int a, int b) {
    const Body &first = scene.bodies[static_cast<std::size_t>(a)],
               &second = scene.bodies[static_cast<std::size_t>(b)];
    const auto shapeless = [](const Body& body) {
      return std::holds_alternative<std::monostate>(body.shape);
    };
    return !shapeless(first) && !shapeless(second) && !(first.fixed && second.fixed) &&
           !scene.joined(a, b);
  }

  Theta theta() const {
    Theta t{0.5, 0.5, 0.5};
    if (name_ == "explicit") t = {0.0, 0.0, 0.0};
    if (name_ == "symplectic") t = {0.0, 0.0, 1.0};
    if (name_ == "implicit") t = {1.0, 1.0, 1.0};
    for (const auto& [given, value] :
         {std::pair(given_.q, &t.q), std::pair(given_.v, &t.v), std::pair(given_.vq, &t.vq)}) {
      if (given >= 0) *value = given;
    }
    return t;
  }

  Motion motion(const Vector& free_velocity) const {
    return free_->motion(free_velocity, a_ == "printed");
  }

  std::string name_ = "midpoint", end_gap_ = "linear", a_ = "derived";
  Theta given_{kNamed, kNamed, kNamed};
  std::optional<Scene> scene_;
  std::unique_ptr<FreeMotion> free_;
};

}  // namespace

std::unique_ptr<MotionRule> make_theta_rule() { return std::make_unique<ThetaRule>(); }

}  // namespace perp
