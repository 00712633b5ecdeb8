#include <perp/formulations/stepping/predictor.hpp>

#include <perp/formulations/dynamics/contacts.hpp>
#include <perp/formulations/dynamics/state.hpp>

namespace perp {

std::optional<StageOrResult> Predictor::begin(const Scene& scene, const State& state, double h) {
  scene_ = &scene;
  start_ = geometry_ = state;
  h_ = h;
  end_.reset();
  now_ = first_.get();
  try {
    return go_on(now_->begin(scene, state, h));
  } catch (const CollisionError&) {
    return {};
  }
}

StageOrResult Predictor::advance(const Answer& answer) { return go_on(now_->advance(answer)); }

// After an end the step is taken again, with the contacts of that end: N v+ >= N v - gap / h, where
// v and the gap are those of the end.
StageOrResult Predictor::go_on(StageOrResult next) {
  while (auto* result = std::get_if<StepResult>(&next)) {
    const bool again = now_ == again_.get();
    if (again) {  // its positions are an end moved on
      const Coordinates coordinates(*scene_);
      result->state = moved(*scene_, start_, coordinates, coordinates.velocity(result->state), h_);
    }
    end_ = *result;
    if (again) break;
    const State end = result->state;
    State geometry = start_;
    for (std::size_t b = 0; b < end.bodies.size(); ++b) {
      geometry.bodies[b].position = end.bodies[b].position;
      geometry.bodies[b].orientation = end.bodies[b].orientation;
    }
    const auto held = [&](const ContactPoint3& c) {
      return std::optional(normal_velocity(c, end) - c.gap / h_);
    };
    try {
      next = again_->begin(*scene_, geometry, h_, held);
    } catch (const CollisionError&) {
      break;
    }
    geometry_ = std::move(geometry);
    now_ = again_.get();
  }
  at_work_ = std::holds_alternative<Stage>(next);
  return next;
}

std::optional<StepResult> Predictor::stop() {
  at_work_ = false;
  contacts_.clear();
  return end_;
}

void Predictor::take(const StepResult& end) {
  ++predictions_;
  contacts_.clear();
  for (const ContactResult& k : end.contacts) {
    if (!(k.p_n > 0)) continue;
    const Vector3d& point = k.contact.point;
    const auto velocity = [&](int body) {
      const BodyState& s = end.state.bodies[static_cast<std::size_t>(body)];
      const Vector3d arm = point - geometry_.bodies[static_cast<std::size_t>(body)].position;
      return Vector3d(s.velocity + s.angular_velocity.cross(arm));
    };
    const int a = k.contact.a, b = k.contact.b;
    const BodyState& at = geometry_.bodies[static_cast<std::size_t>(a)];
    PredictedContact& pair = contacts_[{a, b}];
    pair.p_n += k.p_n;
    pair.impulse += k.p_n * k.frame.n + k.p_t * k.frame.t + k.p_o * k.frame.o;
    pair.centre += k.p_n * (at.orientation.conjugate() * Vector3d(point - at.position));
    pair.slip += k.p_n * (velocity(a) - velocity(b));
  }
  for (auto& [bodies, pair] : contacts_) {
    pair.centre /= pair.p_n;
    pair.slip /= pair.p_n;
  }
}

const PredictedContact* Predictor::of(const std::pair<int, int>& pair) const {
  const auto found = contacts_.find(pair);
  return found == contacts_.end() ? nullptr : &found->second;
}

void Predictor::forget() {
  contacts_.clear();
  --predictions_;
}

void Predictor::reset() {
  at_work_ = false;
  contacts_.clear();
}

std::uint64_t Predictor::marked(std::uint64_t key) const {
  constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15U;  // odd, so that multiples differ
  return key == kNoKey ? key : key ^ (predictions_ * kMix);
}

}  // namespace perp
