#include <perp/formulations/stepping/implicit_step.hpp>

#include <perp/formulations/dynamics/joints.hpp>
#include <perp/formulations/dynamics/recorded_joints.hpp>
#include <perp/formulations/law/ellipsoid/ellipsoid.hpp>
#include <perp/formulations/stepping/colliding_pairs.hpp>
#include <perp/formulations/stepping/implicit_result.hpp>
#include <perp/formulations/stepping/predictor.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace perp {

namespace {

constexpr double kOverlap = 1e-9;        // over the length scale: no step may leave more
constexpr double kNearest = 1e-3;        // over the length scale: higher points do not touch
constexpr std::size_t kRecordings = 32;  // kept; heaps of many bodies have other sets in each step
constexpr int kHalvings = 4;             // of a step without an answer
constexpr int kEarlyStarts = 3;  // starts after those of the prediction and of the step before

// A step begins with the contacts of the pairs that would overlap after free motion; without such
// pairs the step is free motion. If other pairs overlap (by more than kOverlap) at the end of the
// step, they are added and the step is posed again. So contacts that stay open, whose geometry may
// not be unique, are mostly left out, and no pair is forgotten that overlaps at the end. A step in
// which bodies pass through each other is rejected. The step for a set of pairs is recorded once
// and kept for a while.
class ImplicitStep final : public Formulation {
 public:
  ImplicitStep(std::string name, std::unique_ptr<ImplicitGap> gap, FrictionForm friction,
               Predictor predictor)
      : name_(std::move(name)),
        gap_(std::move(gap)),
        friction_(friction),
        predictor_(std::move(predictor)) {}

  std::string_view name() const override { return name_; }
  Capabilities capabilities() const override {
    return {.joints = gap_->with_joints(),
            .restitution = false,
            .compliant_contacts = gap_->with_stiffness(),
            .torsional_friction = true,
            .halvings = kHalvings};
  }
  std::optional<std::string> refusal(const Scene& scene) const override;
  std::vector<std::string> columns() const override { return implicit_columns(*gap_); }
  StageOrResult begin(const Scene& scene, const State& state, double h,
                      const HeldContacts& held) override;
  StageOrResult advance(const Answer& answer) override;
  std::optional<Stage> relax() override;

 private:
  struct Recording {
    RecordedStep step;
    std::vector<RecordedPair> pairs;
    std::vector<JointRow> joints;
  };

  bool add_overlapping(const State& end, double depth);
  bool predicts() const;
  StageOrResult predict(StageOrResult next);
  void take_prediction(const StepResult& prediction);
  void forget_prediction();
  void look(const State& guess);
  static Stage once_more(Stage stage);
  bool rewrite_pair(std::size_t k);
  bool rewrite_any();
  double start_impulse(const StartContact& contact) const;
  void begin_run(const Scene& scene, const State& state);
  bool passes(int a, int b, const State& end, const Vector3d& normal_at_end) const;
  std::string passed_by(const State& end) const;
  static double parting_speed(const State& state, const StartContact& contact);
  static Vector3d world_point(const State& state, int body, const Vector3d& local);
  const Recording& recording();
  Stage stage(bool carried_over);
  void add_contact_infos(Problem& problem) const;
  void soften(StepRecorder& recorder, const RecordedContact& contact,
              const ContactUnknowns& unknowns) const;

  std::string name_;
  std::unique_ptr<ImplicitGap> gap_;
  FrictionForm friction_;
  Predictor predictor_;
  std::optional<Scene> scene_;                   // a copy; the data below belongs to it
  std::vector<std::pair<int, int>> candidates_;  // pairs of bodies that can collide
  StepInput input_;
  Vector start_velocity_;
  std::vector<std::pair<int, int>> touching_;  // pairs of bodies in contact in the step
  std::vector<ContactPair> pairs_;             // the same with their forms
  std::map<std::vector<ContactPair>, Recording> recordings_;
  std::map<std::pair<int, int>, std::uint64_t>
      spells_,         // counts periods of unbroken contact, by pair
      spells_before_;  // the step
  std::map<std::pair<int, int>, Vector3d>
      pressed_;                           // contact points of the last step, in the frame of a
  std::optional<StepResult> prediction_;  // until it is offered again
  int starts_ = 0;                        // tried for the contacts of the step
  bool prediction_again_ = false;         // whether it has been offered again
  bool ended_ = true;                     // whether the step has
  std::vector<int> rewrites_;             // tried for each pair
};

std::string told_of_passing(const std::string& pair) {
  if (pair.empty()) return {};
  return fmt::format("contact {}: the bodies pass through each other within the step", pair);
}

std::optional<std::string> ImplicitStep::refusal(const Scene& scene) const {
  if (auto reason = gap_->refusal(scene)) return reason;
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
    const Body& body = scene.bodies[k];
    if (std::holds_alternative<HalfSpace>(body.shape) && !body.fixed)
      return fmt::format("field \"bodies[{}].shape\": a half-space must be fixed", k);
  }
  return {};
}

StageOrResult ImplicitStep::begin(const Scene& scene, const State& state, double h,
                                  const HeldContacts&) {
  begin_run(scene, state);
  ended_ = false;
  input_ = step_input(*scene_, state, h);
  start_velocity_ = Coordinates(*scene_).velocity(state);
  touching_.clear();
  pairs_.clear();
  starts_ = 0;
  prediction_again_ = false;
  prediction_.reset();
  predictor_.reset();
  if (!add_overlapping(input_.guess, 0.0) && scene_->joints.empty()) {
    StepResult result = free_result(input_);
    result.rejected = told_of_passing(passed_by(result.state));
    if (!result.rejected.empty()) return result;
    pressed_.clear();
    ended_ = true;
    return result;
  }
  if (predicts()) {
    if (auto next = predictor_.begin(*scene_, state, h)) return predict(std::move(*next));
  }
  return stage(true);
}

bool ImplicitStep::predicts() const {
  const Prediction when = gap_->prediction();
  if (when != Prediction::kSeveral) return when == Prediction::kAlways;
  std::set<int> seen;
  const auto seen_before = [&](int body) {
    return !scene_->bodies[static_cast<std::size_t>(body)].fixed && !seen.insert(body).second;
  };
  return std::any_of(touching_.begin(), touching_.end(), [&](const std::pair<int, int>& pair) {
    const bool first = seen_before(pair.first), second = seen_before(pair.second);
    return first || second;
  });
}

// Passes on the stages of the prediction; after the last one the step itself begins.
StageOrResult ImplicitStep::predict(StageOrResult next) {
  if (auto* stage = std::get_if<Stage>(&next)) {
    stage->name = "prediction";
    return next;
  }
  prediction_ = std::get<StepResult>(std::move(next));
  take_prediction(*prediction_);
  return stage(true);
}

// The step has the pairs that the prediction presses together, and those that overlap at its end.
// Nothing is carried over from the step before, which the prediction knows already.
void ImplicitStep::take_prediction(const StepResult& prediction) {
  predictor_.take(prediction);
  touching_.clear();
  start_velocity_ = Coordinates(*scene_).velocity(prediction.state);
  bool touches = false;
  try {
    touches = add_overlapping(prediction.state, 0.0);
  } catch (const CollisionError&) {  // this is no end to start from
  }
  if (!touches) forget_prediction();
}

// Begins as if there were no prediction.
void ImplicitStep::forget_prediction() {
  predictor_.forget();
  input_ = step_input(*scene_, input_.state, input_.h);
  start_velocity_ = Coordinates(*scene_).velocity(input_.state);
  touching_.clear();
  add_overlapping(input_.guess, 0.0);
}

// Deletes the data of another scene or run.
void ImplicitStep::begin_run(const Scene& scene, const State& state) {
  const bool same = scene_ && *scene_ == scene;
  if (!same) {
    std::vector<std::pair<int, int>> candidates = colliding_pairs(scene);  // may throw
    scene_ = scene;
    candidates_ = std::move(candidates);
    recordings_.clear();
  }
  // A driver may begin a step again that has not ended, for instance with half of its length.
  const bool restarted = same && state.time == input_.state.time && !ended_;
  if (restarted) spells_ = spells_before_;
  if (!restarted && !(same && state.time > input_.state.time)) {
    spells_.clear();
    pressed_.clear();
  }
  spells_before_ = spells_;
}

// Velocity at which the nearest points move apart, m/s.
double ImplicitStep::parting_speed(const State& state, const StartContact& c) {
  const auto velocity = [&](int body, const Vector3d& point) {
    const BodyState& s = state.bodies[static_cast<std::size_t>(body)];
    return Vector3d(s.velocity + s.angular_velocity.cross(point - s.position));
  };
  return c.normal.dot(velocity(c.a, c.point_a) - velocity(c.b, c.point_b));
}

// Whether a pair that overlapped by no more than kNearest at the beginning has its sides exchanged
// at the end, so that its normal there would push the bodies out on the far side of each other.
bool ImplicitStep::passes(int a, int b, const State& end, const Vector3d& normal_at_end) const {
  StartContact before;
  before.a = a;
  before.b = b;
  double gap = 0.0;
  try {
    gap = nearest(*scene_, input_.state, before);
  } catch (const CollisionError&) {  // nothing is known of this pair
    return false;
  }
  const double touching = kNearest * input_.scales.length;
  if (!(gap >= -touching) || !(before.normal.dot(normal_at_end) < 0)) return false;
  const auto path = [&](int body, const Vector3d& point) {
    const BodyState &from = input_.state.bodies[static_cast<std::size_t>(body)],
                    &to = end.bodies[static_cast<std::size_t>(body)];
    const Vector3d local = from.orientation.conjugate() * (point - from.position);
    return Vector3d(to.position + to.orientation * local - point);
  };
  // Bodies that go around each other have exchanged their sides, too, but come no nearer.
  return before.normal.dot(path(a, before.point_a) - path(b, before.point_b)) <
         -std::max(gap, touching);
}

// The first pair that has passed through each other in the step; empty if there is none. Only
// bodies that move by as much as the smaller one of the pair is large are looked at.
std::string ImplicitStep::passed_by(const State& end) const {
  for (const auto& [a, b] : candidates_) {
    const auto path = [&](int body) {
      const auto at = static_cast<std::size_t>(body);
      return Vector3d(end.bodies[at].position - input_.state.bodies[at].position);
    };
    const double size =
        std::min(bounding_radius(scene_->bodies[static_cast<std::size_t>(a)].shape),
                 bounding_radius(scene_->bodies[static_cast<std::size_t>(b)].shape));
    if (!((path(a) - path(b)).norm() > size)) continue;
    StartContact after;
    after.a = a;
    after.b = b;
    try {
      nearest(*scene_, end, after);
    } catch (const CollisionError&) {
      continue;
    }
    if (passes(a, b, end, after.normal))
      return scene_->bodies[static_cast<std::size_t>(a)].name + "-" +
             scene_->bodies[static_cast<std::size_t>(b)].name;
  }
  return {};
}

// Adds pairs that overlap by more than `depth` in a state, or that were pressed before and still
// touch.
bool ImplicitStep::add_overlapping(const State& end, double depth) {
  check_places(*scene_, end);
  bool added = false;
  for (const std::pair<int, int>& pair : candidates_) {
    if (std::find(touching_.begin(), touching_.end(), pair) != touching_.end()) continue;
    const ContactProperties properties = scene_->properties(pair.first, pair.second);
    if (properties.rigid() && !can_overlap(*scene_, end, pair.first, pair.second)) continue;
    StartContact contact;
    contact.a = pair.first;
    contact.b = pair.second;
    double gap = nearest(*scene_, end, contact);
    if (!properties.rigid())  // a damper pushes before bodies touch
      gap += properties.dissipation * std::min(0.0, parting_speed(end, contact));
    const auto before = pressed_.find(pair);
    const bool resting = before != pressed_.end() && gap <= gap_->parted() * input_.scales.length;
    if (gap >= -depth && !resting && !predictor_.of(pair)) continue;
    touching_.push_back(pair);
    added = true;
    // The contact goes on if the point that touched before is still about the nearest point.
    const bool goes_on = before != pressed_.end() &&
                         contact.normal.dot(world_point(end, pair.first, before->second) -
                                            contact.point_a) <= kNearest * input_.scales.length;
    if (!goes_on) ++spells_[pair];
  }
  if (!added) return false;
  starts_ = 0;
  look(end);
  return true;
}

Stage ImplicitStep::once_more(Stage stage) {
  stage.offer = Offer::kAgain;
  return stage;
}

// Makes the contacts of the touching pairs from the positions and orientations of a state.
void ImplicitStep::look(const State& guess) {
  input_.guess = guess;
  input_.contacts.clear();
  pairs_.clear();
  rewrites_.assign(touching_.size(), 0);
  for (const auto& [a, b] : touching_) {
    StartContact& contact = input_.contacts.emplace_back();
    contact.a = a;
    contact.b = b;
    nearest(*scene_, guess, contact);
    if (const PredictedContact* predicted = predictor_.of({a, b})) contact.predicted = *predicted;
    const int form = gap_->form_of(input_, contact);
    pairs_.push_back({a, b, form});
  }
}

const ImplicitStep::Recording& ImplicitStep::recording() {
  const auto known = recordings_.find(pairs_);
  if (known != recordings_.end()) return known->second;
  if (recordings_.size() >= kRecordings) recordings_.clear();
  Recording r;
  StepRecorder recorder(*scene_);
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    RecordedPair p;
    p.pair = pairs_[k];
    p.number = static_cast<int>(k);
    p.name = scene_->bodies[static_cast<std::size_t>(p.pair.a)].name + "-" +
             scene_->bodies[static_cast<std::size_t>(p.pair.b)].name;
    ContactPoint3 identity{};
    identity.a = p.pair.a;
    identity.b = p.pair.b;
    identity.feature = p.pair.form;
    p.key = identity.key() << 12U;
    p.first = recorder.unknowns();
    const RecordedContact contact = gap_->record(recorder, p);
    p.unknowns = recorder.add_contact(p.name, p.key, contact);
    soften(recorder, contact, p.unknowns);
    record_friction(recorder, friction_, p.name, p.key, contact, p.unknowns);
    r.pairs.push_back(std::move(p));
  }
  r.joints = record_joints(recorder);
  r.step = recorder.finish();
  return recordings_.emplace(pairs_, std::move(r)).first->second;
}

Stage ImplicitStep::stage(bool carried_over) {
  const Recording& r = recording();
  Stage s;
  s.name = "contact";
  s.offer = Offer::kEarly;
  s.problem = r.step.problem(input_);
  r.step.layout.name(s);
  const Coordinates coordinates(*scene_);
  Vector z = Vector::Zero(r.step.size());
  const Vector change = start_velocity_ - input_.free;
  for (int i = 0; i < coordinates.size(); ++i) {
    const bool angular = i % coordinates.per_body() >= scene_->dimension;
    z[i] = change[i] * (angular ? input_.scales.length : 1.0) / input_.scales.change;
  }
  for (const RecordedPair& p : r.pairs) {
    const StartContact& contact = input_.contacts[static_cast<std::size_t>(p.number)];
    z[p.unknowns.p_n] = start_impulse(contact);
    if (contact.predicted)
      start_friction(input_.scales, scene_->properties(contact.a, contact.b), friction_, p.unknowns,
                     *contact.predicted, contact.normal, contact.tangent, z);
    gap_->start(input_, p, z);
    const std::uint64_t spell = spells_[{p.pair.a, p.pair.b}];
    for (std::uint64_t& key : s.keys) {
      if (key >> 12U == p.key >> 12U) key += spell << 48U;
    }
  }
  for (std::uint64_t& key : s.keys) key = predictor_.marked(key);
  if (!carried_over) std::fill(s.keys.begin(), s.keys.end(), kNoKey);
  s.problem.start = std::move(z);
  add_contact_infos(s.problem);
  s.problem.name = fmt::format("{}-{}-{:.6f}", scene_->name, s.name, input_.state.time);
  s.problem.source = json::Object{{"scene", scene_->name},
                                  {"formulation", std::string(name())},
                                  {"stage", s.name},
                                  {"time", input_.state.time},
                                  {"h", input_.h},
                                  {"length_scale", input_.scales.length},
                                  {"change_scale", input_.scales.change},
                                  {"velocity_scale", input_.scales.velocity},
                                  {"impulse_scale", input_.scales.impulse}};
  return s;
}

// The contacts as they are at the guess.
void ImplicitStep::add_contact_infos(Problem& problem) const {
  const auto list = [](const Vector3d& v) { return std::vector<double>{v[0], v[1], v[2]}; };
  for (const RecordedPair& p : recordings_.at(pairs_).pairs) {
    const StartContact& c = input_.contacts[static_cast<std::size_t>(p.number)];
    problem.contacts.push_back({p.name,
                                scene_->bodies[static_cast<std::size_t>(c.a)].name,
                                scene_->bodies[static_cast<std::size_t>(c.b)].name,
                                list(0.5 * (c.point_a + c.point_b)),
                                list(c.normal),
                                {list(c.tangent), list(c.normal.cross(c.tangent))},
                                c.normal.dot(c.point_a - c.point_b)});
  }
}

StageOrResult ImplicitStep::advance(const Answer& answer) {
  if (predictor_.at_work()) return predict(predictor_.advance(answer));
  const Recording& r = recording();
  const Vector velocity = r.step.velocity(input_, answer.z);
  const State end = moved(*scene_, input_.state, Coordinates(*scene_), velocity, input_.h);
  for (const RecordedPair& p : r.pairs) {
    if (!gap_->wrong(input_, p, answer.z, end)) continue;
    if (rewrite_pair(static_cast<std::size_t>(p.number))) return stage(false);
    StepResult result =
        implicit_result(input_, *gap_, friction_, r.pairs, r.joints, velocity, answer.z);
    result.rejected = fmt::format(
        "contact {}: the answer solves the equations, but is not the contact that they describe",
        p.name);
    return result;
  }
  if (add_overlapping(end, kOverlap * input_.scales.length)) {
    start_velocity_ = velocity;
    return stage(true);
  }
  StepResult result =
      implicit_result(input_, *gap_, friction_, r.pairs, r.joints, velocity, answer.z);
  std::string passed = passed_by(end);
  for (const RecordedPair& p : r.pairs) {
    const ContactResult& c = result.contacts[static_cast<std::size_t>(p.number)];
    if (c.mode != ContactMode::kOpen && passes(p.pair.a, p.pair.b, end, c.frame.n)) passed = p.name;
  }
  result.rejected = told_of_passing(passed);
  if (!passed.empty()) return result;
  ended_ = true;
  pressed_.clear();
  for (const RecordedPair& p : r.pairs) {
    const ContactResult& c = result.contacts[static_cast<std::size_t>(p.number)];
    if (c.mode == ContactMode::kOpen) continue;
    const BodyState& body = end.bodies[static_cast<std::size_t>(p.pair.a)];
    pressed_[{p.pair.a, p.pair.b}] =
        body.orientation.conjugate() * (c.contact.point - body.position);
  }
  return result;
}

bool ImplicitStep::rewrite_pair(std::size_t k) {
  return gap_->rewrite(input_, ++rewrites_[k], pairs_[k], input_.contacts[k]);
}

// Rewrites the pair that has been rewritten least, of those that can be rewritten again.
bool ImplicitStep::rewrite_any() {
  std::vector<std::size_t> order(pairs_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return rewrites_[x] < rewrites_[y]; });
  return std::any_of(order.begin(), order.end(), [&](std::size_t k) { return rewrite_pair(k); });
}

// Tries other starts, all early; then those that are likeliest again; then other forms.
std::optional<Stage> ImplicitStep::relax() {
  if (predictor_.at_work()) {  // the step can do without
    if ((prediction_ = predictor_.stop())) take_prediction(*prediction_);
    return stage(true);
  }
  if (predictor_.has_spoken()) {
    forget_prediction();
    if (!prediction_again_) return stage(true);
    starts_ = kEarlyStarts;  // the others have been tried with these contacts
    return once_more(stage(true));
  }
  if (starts_ < kEarlyStarts) {
    const Coordinates coordinates(*scene_);
    ++starts_;
    start_velocity_ = starts_ == 2 ? input_.free : coordinates.velocity(input_.state);
    if (starts_ == kEarlyStarts) look(input_.state);
    return stage(false);
  }
  if (prediction_) {
    prediction_again_ = true;
    take_prediction(*std::exchange(prediction_, {}));
    starts_ = kEarlyStarts;
    return once_more(stage(false));
  }
  if (starts_ == kEarlyStarts) {
    ++starts_;
    look(input_.state);
    return once_more(stage(false));
  }
  if (rewrite_any()) return stage(false);
  return {};
}

// The predicted impulse, or one that stops the approach and carries the weight.
double ImplicitStep::start_impulse(const StartContact& c) const {
  if (c.predicted) return c.predicted->p_n / input_.scales.impulse;
  if (predictor_.has_spoken()) return 0.0;
  const auto velocity = [&](int body, const Vector3d& point) {
    const BodyState& s = input_.state.bodies[static_cast<std::size_t>(body)];
    const BodyState& at = input_.guess.bodies[static_cast<std::size_t>(body)];
    return Vector3d(s.velocity + s.angular_velocity.cross(point - at.position));
  };
  const double approach =
      -c.normal.dot(velocity(c.a, c.point_a) - velocity(c.b, c.point_b)) / input_.scales.change;
  return 1.0 + std::max(0.0, approach);
}

Vector3d ImplicitStep::world_point(const State& state, int body, const Vector3d& local) {
  const BodyState& s = state.bodies[static_cast<std::size_t>(body)];
  return s.position + s.orientation * local;
}

// p/h = max(0, -k (gap + tau v_n)): 0 <= gap + tau v_n + p_n / (h k) complementary to p_n >= 0, in
// units of the recorder.
void ImplicitStep::soften(StepRecorder& recorder, const RecordedContact& contact,
                          const ContactUnknowns& unknowns) const {
  const ContactProperties k = scene_->properties(contact.a, contact.b);
  if (k.rigid()) return;
  const Expr speed = dot(contact.n, ExprVector3(recorder.velocity_at(contact.a, contact.arm_a) -
                                                recorder.velocity_at(contact.b, contact.arm_b)));
  const Expr time = recorder.parameter([tau = k.dissipation](const StepInput& s) {
    return tau * s.scales.velocity / s.scales.length;
  });
  const Expr compliance = recorder.parameter([stiffness = k.stiffness](const StepInput& s) {
    return s.scales.impulse / (s.h * stiffness * s.scales.length);
  });
  recorder.set_row(unknowns.p_n,
                   contact.gap + time * speed + compliance * recorder.unknown(unknowns.p_n));
}

}  // namespace

void ImplicitStepChoices::visit_settings(SettingVisitor& visitor) {
  visitor.visit("friction", friction,
                "how the ellipsoid is written: regular at p_n = 0, or as printed",
                {"normalised", "fritz-john"});
}

std::unique_ptr<Formulation> make_implicit_step(const ImplicitStepChoices& choices,
                                                std::unique_ptr<ImplicitGap> gap,
                                                Predictor predictor) {
  return std::make_unique<ImplicitStep>(
      choices.name, std::move(gap),
      choices.friction == "normalised" ? FrictionForm::kNormalised : FrictionForm::kFritzJohn,
      std::move(predictor));
}

}  // namespace perp
