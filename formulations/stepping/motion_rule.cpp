#include <perp/formulations/stepping/motion_rule.hpp>

#include <stdexcept>

namespace perp {

namespace {

class MaximalRule final : public MotionRule {
 public:
  std::variant<Stage, Motion> begin(const Scene& scene, const State& state, double h) override {
    return maximal_motion(scene, state, h);
  }
  Motion advance(const Answer&) override { throw std::logic_error("no problem was posed"); }
};

class ReducedRule final : public MotionRule {
 public:
  std::optional<std::string> refusal(const Scene& scene) const override {
    return articulation_refusal(scene, true);
  }
  std::variant<Stage, Motion> begin(const Scene& scene, const State& state, double h) override {
    if (!scene_ || !(*scene_ == scene)) {
      arm_.reset();
      scene_ = scene;
      arm_.emplace(*scene_);
    }
    return reduced_motion(*scene_, *arm_, state, h);
  }
  Motion advance(const Answer&) override { throw std::logic_error("no problem was posed"); }

 private:
  std::optional<Scene> scene_;  // a copy; arm_ belongs to it
  std::optional<Articulation> arm_;
};

}  // namespace

std::unique_ptr<MotionRule> make_maximal_motion_rule() { return std::make_unique<MaximalRule>(); }
std::unique_ptr<MotionRule> make_reduced_motion_rule() { return std::make_unique<ReducedRule>(); }

}  // namespace perp
