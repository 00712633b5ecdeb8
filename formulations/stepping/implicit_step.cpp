#include <perp/formulations/stepping/implicit_step.hpp>

#include <perp/formulations/dynamics/joints.hpp>
#include <perp/formulations/dynamics/recorded_joints.hpp>
#include <perp/formulations/law/ellipsoid/ellipsoid.hpp>
#include <perp/formulations/stepping/colliding_pairs.hpp>
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

constexpr int kLawColumns = 3;           // law_gap, law_cone, law_slip
constexpr double kOverlap = 1e-9;        // over the length scale: no step may leave more
constexpr double kNearest = 1e-3;        // over the length scale: higher points do not touch
constexpr std::size_t kRecordings = 32;  // kept; heaps of many bodies have other sets in each step
constexpr int kHalvings = 4;             // of a step without an answer
constexpr int kEarlyStarts = 3;  // starts after those of the prediction and of the step before

// A step begins with the contacts of the pairs that would overlap after free motion; without such
// pairs the step is free motion. If other pairs overlap (by more than kOverlap) at the end of the
// step, they are added and the step is posed again. So contacts that stay open, whose geometry may
// not be unique, are mostly left out, and no pair is forgotten. The step for a set of pairs is
// recorded once and kept for a while.
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
  std::vector<std::string> columns() const override;
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
  static double parting_speed(const State& state, const StartContact& contact);
  static Vector3d world_point(const State& state, int body, const Vector3d& local);
  const Recording& recording();
  Stage stage(bool carried_over);
  void add_contact_infos(Problem& problem) const;
  void soften(StepRecorder& recorder, const RecordedContact& contact,
              const ContactUnknowns& unknowns) const;
  static void add_law_residuals(const ContactResult& contact, double h, double spin,
                                const Vector3d& velocity, std::vector<double>& columns);
  void add_joints(const Vector& z, StepResult& r, Vector& wrenches) const;
  StepResult finish(const Vector& velocity, const Vector* z) const;
  void add_contact(const RecordedPair& pair, const Vector& z, StepResult& r, Vector& wrenches,
                   double& size) const;

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
  bool again_ = false;                    // whether it has been
  bool ended_ = true;                     // whether the step has
  std::vector<int> rewrites_;             // tried for each pair
};

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
  again_ = false;
  prediction_.reset();
  predictor_.reset();
  if (!add_overlapping(input_.guess, 0.0) && scene_->joints.empty()) {
    pressed_.clear();
    ended_ = true;
    return finish(input_.free, nullptr);
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
  const auto again = [&](int body) {
    return !scene_->bodies[static_cast<std::size_t>(body)].fixed && !seen.insert(body).second;
  };
  return std::any_of(touching_.begin(), touching_.end(), [&](const std::pair<int, int>& pair) {
    const bool first = again(pair.first), second = again(pair.second);
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
    scene_ = scene;
    candidates_ = colliding_pairs(scene);
    recordings_.clear();
  }
  // A driver may begin a step again that has not ended, for instance with half of its length.
  const bool again = same && state.time == input_.state.time && !ended_;
  if (again) spells_ = spells_before_;
  if (!again && !(same && state.time > input_.state.time)) {
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

// The contacts as they are at the beginning of the step.
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
    StepResult result = finish(velocity, &answer.z);
    result.rejected = fmt::format(
        "contact {}: the answer solves the equations, but is not the contact that they describe",
        p.name);
    return result;
  }
  if (add_overlapping(end, kOverlap * input_.scales.length)) {
    start_velocity_ = velocity;
    return stage(true);
  }
  StepResult result = finish(velocity, &answer.z);
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
    if (!again_) return stage(true);
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
    again_ = true;
    take_prediction(*std::exchange(prediction_, {}));
    starts_ = kEarlyStarts;
    return once_more(stage(false));
  }
  if (starts_ == kEarlyStarts) {
    ++starts_;
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

std::vector<std::string> ImplicitStep::columns() const {
  std::vector<std::string> names = {"law_gap", "law_cone", "law_slip"};
  for (std::string& name : gap_->columns()) names.push_back(std::move(name));
  return names;
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

// Raises the columns to the distances of a contact from its law.
void ImplicitStep::add_law_residuals(const ContactResult& k, double h, double spin,
                                     const Vector3d& v, std::vector<double>& columns) {
  const ContactProperties& c = k.contact.properties;
  double slack = k.contact.gap;
  if (!c.rigid()) slack += c.dissipation * k.v_n + k.p_n / (h * c.stiffness);
  columns[0] =
      std::max(columns[0], k.mode == ContactMode::kOpen ? std::max(0.0, -slack) : std::abs(slack));
  if (k.mode == ContactMode::kOpen || c.mu == 0.0) return;
  const double limit = c.mu * k.p_n;
  const Vector3d share(k.p_t / (c.e_t * limit), k.p_o / (c.e_o * limit),
                       c.e_r > 0 ? k.p_r / (c.e_r * limit) : 0.0);
  const Vector3d slip(c.e_t * v.dot(k.frame.t), c.e_o * v.dot(k.frame.o), c.e_r * spin);
  columns[1] = std::max(columns[1], share.norm() - 1);
  columns[2] = std::max(columns[2], slip.norm() + slip.dot(share));
}

// Impulses of the joints, and the values of their rows at the beginning of the step.
void ImplicitStep::add_joints(const Vector& z, StepResult& r, Vector& wrenches) const {
  const std::vector<JointRow>& rows = recordings_.at(pairs_).joints;
  const Coordinates coordinates(*scene_);
  std::vector<Triplet> entries;
  r.joint_values = joint_constraints(*scene_, input_.state, coordinates, 0, entries);
  r.joint_impulses.resize(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    r.joint_impulses[static_cast<Eigen::Index>(k)] =
        z[rows[k].unknown] * input_.scales.impulse * std::pow(input_.scales.length, rows[k].power);
  }
  entries.clear();
  joint_constraints(*scene_, r.state, coordinates, 0, entries);
  for (const Triplet& t : entries) wrenches[t.col()] += t.value() * r.joint_impulses[t.row()];
}

StepResult ImplicitStep::finish(const Vector& velocity, const Vector* z) const {
  const Coordinates coordinates(*scene_);
  StepResult r;
  r.state = moved(*scene_, input_.state, coordinates, velocity, input_.h);
  Vector wrenches = Vector::Zero(coordinates.size());
  double size = 0.0;
  if (z) {
    r.columns.assign(columns().size(), 0.0);
    for (const RecordedPair& p : recordings_.at(pairs_).pairs) {
      add_contact(p, *z, r, wrenches, size);
      if (r.contacts.back().mode != ContactMode::kOpen)
        gap_->raise_columns(input_, p, *z, r.columns.data() + kLawColumns);
    }
    add_joints(*z, r, wrenches);
  }
  const SparseMatrix inverse = inverse_mass_matrix(*scene_, input_.state, coordinates);
  const Vector error = velocity - input_.free - inverse * wrenches;
  size += (velocity.cwiseAbs() + input_.free.cwiseAbs()).sum();
  r.momentum_error = size > 0 ? error.cwiseAbs().sum() / size : 0.0;
  return r;
}

void ImplicitStep::add_contact(const RecordedPair& p, const Vector& z, StepResult& r,
                               Vector& wrenches, double& size) const {
  const EndContact e = gap_->end(input_, p, z, r.state);
  const int a = p.pair.a, b = p.pair.b;
  ContactResult k;
  const ContactProperties properties = scene_->properties(a, b);
  k.contact = {a, b, p.pair.form, 0.5 * (e.point_a + e.point_b), e.frame.n, e.gap, properties};
  k.frame = e.frame;
  const ContactImpulse impulse =
      contact_impulse(input_.scales, properties, friction_, p.unknowns, z);
  k.p_n = impulse.p_n;
  k.p_t = impulse.p_t;
  k.p_o = impulse.p_o;
  k.p_r = impulse.p_r;
  const auto& bodies = r.state.bodies;
  const BodyState &sa = bodies[static_cast<std::size_t>(a)],
                  &sb = bodies[static_cast<std::size_t>(b)];
  const Vector3d v = sa.velocity + sa.angular_velocity.cross(e.point_a - sa.position) -
                     sb.velocity - sb.angular_velocity.cross(e.point_b - sb.position);
  k.v_n = v.dot(e.frame.n);
  const Vector3d slip = v - k.v_n * e.frame.n;
  const double spin = e.frame.n.dot(sa.angular_velocity - sb.angular_velocity);
  k.slip = slip.norm();
  const double moving = std::max(k.slip, properties.e_r * std::abs(spin));
  k.mode = k.p_n <= 1e-12 * input_.scales.impulse    ? ContactMode::kOpen
           : moving <= 1e-9 * input_.scales.velocity ? ContactMode::kStick
                                                     : ContactMode::kSlide;
  const Vector3d force = k.p_n * e.frame.n + k.p_t * e.frame.t + k.p_o * e.frame.o;
  const Vector3d moment = k.p_r * e.frame.n;
  r.contact_work += force.dot(v) + k.p_r * spin;
  add_law_residuals(k, input_.h, spin, v, r.columns);
  r.feeding += k.p_n * std::max(0.0, k.v_n);
  const Coordinates coordinates(*scene_);
  const auto push = [&](int body, const Vector3d& point, double sign) {
    const int at = coordinates.offset(body);
    if (at < 0) return;
    const Vector3d arm = point - bodies[static_cast<std::size_t>(body)].position;
    std::vector<Triplet> entries;
    coordinates.add_wrench(body, force, arm.cross(force) + moment, sign, 0, entries);
    for (const Triplet& t : entries) wrenches[t.col()] += t.value();
    size += force.norm() / scene_->bodies[static_cast<std::size_t>(body)].mass;
  };
  push(a, e.point_a, 1.0);
  push(b, e.point_b, -1.0);
  r.contacts.push_back(k);
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
