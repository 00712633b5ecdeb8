#include <perp/formulations/stepping/impulse_step.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <utility>

namespace perp {

namespace {

class ImpulseStep final : public Formulation {
 public:
  ImpulseStep(ImpulseStepChoices choices, std::unique_ptr<MotionRule> motion,
              std::unique_ptr<ContactLaw> law)
      : choices_(std::move(choices)), motion_(std::move(motion)), law_(std::move(law)) {}

  std::string_view name() const override { return choices_.name; }

  Capabilities capabilities() const override {
    Capabilities all = law_->capabilities();
    const bool velocity_level = choices_.level == StepLevel::kVelocity;
    all.bearings = choices_.gap.gap == &linearised_gap();
    all.compliant_contacts = all.compliant_contacts && !velocity_level;
    all.held_contacts = velocity_level;
    return all;
  }

  std::optional<std::string> refusal(const Scene& scene) const override {
    if (auto reason = motion_->refusal(scene)) return reason;
    if (auto reason = choices_.gap.gap->refusal(scene)) return reason;
    return law_->refusal(scene);
  }

  std::vector<std::string> columns() const override {
    std::vector<std::string> names = law_->columns();
    if (choices_.gap.gap->has_unit) {
      names.emplace_back("generalised_speed");
      names.emplace_back("infeasibility_in_units");
    }
    return names;
  }

  StageOrResult begin(const Scene& scene, const State& state, double h,
                      const HeldContacts& held) override {
    if (!(scene_ == scene)) {
      system_.reset();
      scene_ = scene;
    }
    moving_ = false;
    begun_ = {&scene, state, h};
    std::variant<Stage, Motion> motion = motion_->begin(scene, state, h);
    if (auto* stage = std::get_if<Stage>(&motion)) return describe(std::move(*stage));
    return with(std::get<Motion>(std::move(motion)), held);
  }

  StageOrResult advance(const Answer& answer) override {
    if (!moving_) return with(motion_->advance(answer), {});
    return next(law_->advance(answer));
  }

  std::optional<Stage> relax() override {
    if (!moving_) return {};
    std::optional<Stage> stage = law_->relax();
    if (!stage) return {};
    stage->offer = Offer::kRelaxed;
    system_->describe(name(), *stage);
    return stage;
  }

  std::optional<StageOrResult> settle(const Answer& answer) override {
    if (!moving_) return {};
    std::optional<StageOrEnd> settled = law_->settle(answer);
    if (!settled) return {};
    return next(std::move(*settled));
  }

 private:
  // The contacts of a step whose motion is known.
  StageOrResult with(Motion motion, const HeldContacts& held) {
    if (held.choose || !system_ || !system_->follow(*begun_.scene, begun_.state, begun_.h, motion))
      pose(std::move(motion), held);
    moving_ = true;
    return next(law_->begin(*system_));
  }

  void pose(Motion motion, const HeldContacts& held) {
    system_.reset();
    ContactSystemChoices choices;
    choices.gap = choices_.gap;
    choices.velocity_level = choices_.level == StepLevel::kVelocity;
    choices.rest_speed = choices_.rest_speed;
    choices.candidate_share = law_->candidate_share(*begun_.scene, begun_.h);
    choices.gap_share = motion_->gap_share();
    choices.joint_share = motion_->joint_share();
    choices.joint_friction = law_->capabilities().joint_friction;
    const auto friction = [&](const ContactPoint3& contact, const ContactFrame& frame) {
      return law_->friction_directions(contact, frame, begun_.scene->dimension);
    };
    system_.emplace(*begun_.scene, begun_.state, begun_.h, std::move(motion), choices, friction,
                    held);
  }

  // Of motion without contact.
  Stage describe(Stage stage) const {
    stage.problem.name =
        fmt::format("{}-{}-{:.6f}", begun_.scene->name, stage.name, begun_.state.time);
    stage.problem.source = json::Object{{"scene", begun_.scene->name},
                                        {"formulation", std::string(name())},
                                        {"stage", stage.name},
                                        {"time", begun_.state.time},
                                        {"h", begun_.h}};
    return stage;
  }

  StageOrResult next(StageOrEnd given) {
    if (auto* stage = std::get_if<Stage>(&given)) {
      system_->describe(name(), *stage);
      return std::move(*stage);
    }
    const auto& end = std::get<StepEnd>(given);
    StepResult r = system_->result(end.velocity, end.impulses, law_->mode_tolerance(), end.modes);
    r.columns = end.columns;
    if (choices_.gap.gap->has_unit) {
      r.columns.push_back(Coordinates(system_->scene()).velocity(system_->state()).norm());
      r.columns.push_back(infeasibility(r));
    }
    return r;
  }

  static double infeasibility(const StepResult& r) {
    double most = r.joint_values.size() > 0 ? r.joint_values.cwiseAbs().maxCoeff() : 0.0;
    for (const ContactResult& c : r.contacts)
      most = std::max(most, -c.contact.gap / c.contact.unit);
    return most;
  }

  ImpulseStepChoices choices_;
  /// The arguments of begin().
  struct Begun {
    const Scene* scene = nullptr;
    State state;
    double h = 0.0;
  };

  std::unique_ptr<MotionRule> motion_;
  std::unique_ptr<ContactLaw> law_;
  Begun begun_;
  std::optional<Scene> scene_;           // a copy of that of system_
  bool moving_ = false;                  // the motion of the present step is known
  std::optional<ContactSystem> system_;  // of the present step if moving_, else of one before
};

}  // namespace

void ImpulseStepChoices::visit_settings(SettingVisitor& visitor) {
  gap.visit_settings(visitor);
  visitor.visit("rest_speed", rest_speed,
                "m/s; contacts that close slower than this or than h|g| do not bounce",
                {0.0, 1e9, false, true});
}

std::unique_ptr<Formulation> make_impulse_step(ImpulseStepChoices choices,
                                               std::unique_ptr<MotionRule> motion,
                                               std::unique_ptr<ContactLaw> law) {
  return std::make_unique<ImpulseStep>(std::move(choices), std::move(motion), std::move(law));
}

}  // namespace perp
