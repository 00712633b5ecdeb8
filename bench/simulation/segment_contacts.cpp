#include <perp/bench/simulation/segment_contacts.hpp>

#include <algorithm>
#include <limits>

namespace perp {

namespace {

constexpr double kRelease = 1e-6;  // m/s: a contact that was not held and separates faster is open,
constexpr double kNear = 1e-7;     // m: except if it stays so near during the whole segment
// m: overlap up to which a held contact may go on approaching
constexpr double kHeldOverlap = 1e-7;

}  // namespace

State drifted(const Scene& scene, const State& from, const State& velocities, double time) {
  State to = from;
  for (std::size_t b = 0; b < to.bodies.size(); ++b) {
    if (scene.bodies[b].fixed) continue;
    const BodyState& v = velocities.bodies[b];
    BodyState& s = to.bodies[b];
    s.position += time * v.velocity;
    const double speed = v.angular_velocity.norm();
    if (speed == 0.0) continue;
    const Quaterniond turn(Eigen::AngleAxisd(time * speed, v.angular_velocity / speed));
    s.orientation = (turn * s.orientation).normalized();
  }
  return to;
}

State without_impulses(const Scene& scene, State state) {
  for (std::size_t k = 0; k < state.given.size(); ++k) state.given[k] = scene.impulses[k].times;
  return state;
}

std::vector<HeldContact> held_if_touching(std::vector<ContactPoint3> found) {
  std::vector<HeldContact> touching;
  for (ContactPoint3& c : found) {
    if (c.gap <= kTouchingGap) touching.push_back({std::move(c), 0.0});
  }
  return touching;
}

SegmentContacts::SegmentContacts(const Scene& scene, const State& start, double length,
                                 const std::unordered_set<std::uint64_t>& before)
    : scene_(scene), start_(start), at_beginning_(false) {
  const double release = std::max(kRelease, kNear / length);
  for (const ContactPoint3& c : find_contacts(scene, start, length)) {
    const double velocity = normal_velocity(c, start);
    if (c.gap <= kTouchingGap && velocity <= (before.contains(c.key()) ? kHeldVelocity : release)) {
      held_[c.key()] = {c.gap, velocity};
      held_pairs_.insert({c.a, c.b});
      at_beginning_ |= c.properties.mu > 0 || c.properties.viscous > 0;
    } else {
      open_[c.key()] = std::min(0.0, c.gap);
    }
  }
}

// If polyhedra lie on each other, contact points appear and vanish as the bodies turn.
bool SegmentContacts::is_new_of_held_pair(const ContactPoint3& c) const {
  return held_pairs_.contains({c.a, c.b}) && !held_.contains(c.key()) && !open_.contains(c.key());
}

State SegmentContacts::reference(double length) const {
  State reference = at_beginning_ ? start_ : drifted(scene_, start_, start_, 0.5 * length);
  reference.time += 0.5 * length;
  return without_impulses(scene_, std::move(reference));
}

std::vector<HeldContact> SegmentContacts::held(std::vector<ContactPoint3> found,
                                               const State& reference, double length) const {
  std::vector<HeldContact> held;
  for (ContactPoint3& c : found) {
    if (const std::optional<double> velocity = wanted(c, reference, length))
      held.push_back({std::move(c), *velocity});
  }
  return held;
}

HeldContacts SegmentContacts::decisions(const State& reference, double length, double step) const {
  HeldContacts decisions;
  decisions.choose = [this, &reference, length](std::vector<ContactPoint3> found) {
    return held(std::move(found), reference, length);
  };
  decisions.joints_kept = at_beginning_ ? 0.0 : 1.0;
  decisions.joints_corrected = at_beginning_ ? length / std::max(step, length) : 0.0;
  if (at_beginning_) decisions.joint_share = 0.5;
  return decisions;
}

std::optional<double> SegmentContacts::wanted(const ContactPoint3& c, const State& reference,
                                              double length) const {
  const auto held = held_.find(c.key());
  if (held == held_.end() && !(is_new_of_held_pair(c) && c.gap <= kTouchingGap)) return {};
  if (at_beginning_) return 0.0;
  double approach = 0.0;  // is removed within the segment as far as the overlap allows
  if (held != held_.end()) {
    const auto& [gap, velocity] = held->second;
    approach = std::max(0.0, std::min(-velocity, 2 * (gap + kHeldOverlap) / length));
  }
  return -approach - normal_velocity(c, reference);
}

double SegmentContacts::gap_at_start(const ContactPoint3& c) const {
  const auto held = held_.find(c.key());
  return held == held_.end() ? c.gap : held->second.gap;
}

double SegmentContacts::smallest_gap(const State& end) const {
  double smallest = std::numeric_limits<double>::infinity();
  for (const ContactPoint3& c : find_contacts(scene_, end, 0.0)) {
    if (held_.contains(c.key())) continue;
    const auto open = open_.find(c.key());
    const double from = open != open_.end()      ? open->second
                        : is_new_of_held_pair(c) ? -kTouchingGap
                                                 : 0.0;
    smallest = std::min(smallest, c.gap - from);
  }
  return smallest;
}

}  // namespace perp
