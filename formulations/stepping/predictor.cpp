#include <perp/formulations/stepping/predictor.hpp>

namespace perp {

std::optional<StageOrResult> Predictor::begin(const Scene& scene, const State& state, double h) {
  try {
    StageOrResult next = formulation_->begin(scene, state, h);
    at_work_ = std::holds_alternative<Stage>(next);
    return next;
  } catch (const CollisionError&) {
    return {};
  }
}

StageOrResult Predictor::advance(const Answer& answer) {
  StageOrResult next = formulation_->advance(answer);
  at_work_ = std::holds_alternative<Stage>(next);
  return next;
}

void Predictor::take(const State& start, const StepResult& end) {
  ++predictions_;
  contacts_.clear();
  for (const ContactResult& k : end.contacts) {
    if (!(k.p_n > 0)) continue;
    const Vector3d& point = k.contact.point;
    const auto velocity = [&](int body) {
      const BodyState& s = end.state.bodies[static_cast<std::size_t>(body)];
      const Vector3d arm = point - start.bodies[static_cast<std::size_t>(body)].position;
      return Vector3d(s.velocity + s.angular_velocity.cross(arm));
    };
    const int a = k.contact.a, b = k.contact.b;
    const BodyState& at = start.bodies[static_cast<std::size_t>(a)];
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
