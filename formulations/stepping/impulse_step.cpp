#include <perp/formulations/stepping/impulse_step.hpp>

#include <algorithm>
#include <utility>

namespace perp {

namespace {

class ImpulseStep final : public Formulation {
 public:
  ImpulseStep(ImpulseStepChoices choices, std::unique_ptr<ContactLaw> law)
      : choices_(std::move(choices)), law_(std::move(law)) {}

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
    ContactSystemChoices choices;
    choices.gap = choices_.gap;
    choices.velocity_level = choices_.level == StepLevel::kVelocity;
    choices.rest_speed = choices_.rest_speed;
    choices.candidate_share = law_->candidate_share(scene);
    const auto friction = [&](const ContactPoint3& contact, const ContactFrame& frame) {
      return law_->friction_directions(contact, frame, scene.dimension);
    };
    system_.emplace(scene, state, h, choices, friction, held);
    return next(law_->begin(*system_));
  }

  StageOrResult advance(const Answer& answer) override { return next(law_->advance(answer)); }

  std::optional<Stage> relax() override {
    std::optional<Stage> stage = law_->relax();
    if (stage) system_->describe(name(), *stage);
    return stage;
  }

  std::optional<StageOrResult> settle(const Answer& answer) override {
    std::optional<StageOrEnd> settled = law_->settle(answer);
    if (!settled) return {};
    return next(std::move(*settled));
  }

 private:
  StageOrResult next(StageOrEnd given) const {
    if (auto* stage = std::get_if<Stage>(&given)) {
      system_->describe(name(), *stage);
      return std::move(*stage);
    }
    const auto& end = std::get<StepEnd>(given);
    StepResult r = system_->result(end.velocity, end.impulses, law_->mode_tolerance());
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
  std::unique_ptr<ContactLaw> law_;
  std::optional<ContactSystem> system_;  // of the step that runs
};

}  // namespace

void ImpulseStepChoices::visit_settings(SettingVisitor& visitor) {
  gap.visit_settings(visitor);
  visitor.visit("rest_speed", rest_speed,
                "m/s: a contact that closes slower, or slower than h|g|, does not bounce",
                {0.0, 1e9, false, true});
}

std::unique_ptr<Formulation> make_impulse_step(ImpulseStepChoices choices,
                                               std::unique_ptr<ContactLaw> law) {
  return std::make_unique<ImpulseStep>(std::move(choices), std::move(law));
}

}  // namespace perp
