#include <perp/formulations/stepping/predictor.hpp>

#include <perp/formulations/dynamics/contacts.hpp>
#include <perp/formulations/dynamics/state.hpp>
#include <perp/problems/scenes/shapes.hpp>

#include <Eigen/QR>
#include <algorithm>
#include <limits>

namespace perp {

namespace {

constexpr int kRounds = 15;        // most times that the step is taken again
constexpr double kSettled = 1e-3;  // over the radius: centres that move less have been found
constexpr double kNear = 1e-3;     // over the radius: points this far above the lowest still touch
constexpr double kRaised = 1e-5;   // over the radius: the other points are so much above the centre
constexpr double kStiffness = 10.0;  // of the other points, over mass / h^2
constexpr double kMixed = 0.5;       // share of the new place in the next centre
constexpr int kCentre = 1 << 20;     // feature of a centre of pressure
constexpr double kDependent = 1e-6;  // relative size of pivots of points on a line or in a plane

// The length scale of a pair.
double radius(const Scene& scene, const std::pair<int, int>& pair) {
  const auto of = [&](int b) {
    return bounding_radius(scene.bodies[static_cast<std::size_t>(b)].shape);
  };
  return std::min(of(pair.first), of(pair.second));
}

// The mass of the lighter body that moves.
double mass(const Scene& scene, const std::pair<int, int>& pair) {
  double least = std::numeric_limits<double>::infinity();
  for (const int b : {pair.first, pair.second}) {
    const Body& body = scene.bodies[static_cast<std::size_t>(b)];
    if (!body.fixed) least = std::min(least, body.mass);
  }
  return least;
}

// The points of a pair that are at most `above` higher than its lowest one.
std::vector<ContactPoint3> lowest(const std::vector<ContactPoint3>& points, double above) {
  const auto lower = [](const ContactPoint3& x, const ContactPoint3& y) { return x.gap < y.gap; };
  const double least = std::min_element(points.begin(), points.end(), lower)->gap;
  std::vector<ContactPoint3> low = points;
  std::erase_if(low, [&](const ContactPoint3& c) { return c.gap > least + above; });
  return low;
}

// The contact point at the place that is the nearest in the plane or the line of several points,
// with the gap that is affine there and nearest to theirs.
ContactPoint3 between(const std::vector<ContactPoint3>& points, const Vector3d& place) {
  const auto count = static_cast<double>(points.size());
  Vector3d mean = Vector3d::Zero();
  double gap = 0.0, least = points.front().gap, most = least;
  for (const ContactPoint3& c : points) {
    mean += c.point / count;
    gap += c.gap / count;
    least = std::min(least, c.gap);
    most = std::max(most, c.gap);
  }
  DenseMatrix arms(static_cast<Eigen::Index>(points.size()), 3);
  Vector rest(arms.rows());
  for (Eigen::Index i = 0; i < arms.rows(); ++i) {
    const ContactPoint3& c = points[static_cast<std::size_t>(i)];
    arms.row(i) = (c.point - mean).transpose();
    rest[i] = c.gap - gap;
  }
  Eigen::CompleteOrthogonalDecomposition<DenseMatrix> plane(arms.rows(), 3);
  plane.setThreshold(kDependent);
  plane.compute(arms);
  const Vector slope = plane.solve(rest);
  const Vector along = arms * (place - mean);
  const Vector arm = plane.solve(along);
  ContactPoint3 centre = points.front();
  centre.feature = kCentre;
  centre.point = mean + Vector3d(arm);
  centre.gap = std::clamp(gap + slope.dot(arm), least, most);
  return centre;
}

}  // namespace

std::optional<StageOrResult> Predictor::begin(const Scene& scene, const State& state, double h) {
  scene_ = &scene;
  start_ = geometry_ = state;
  h_ = h;
  end_.reset();
  centres_.clear();
  rounds_ = 0;
  now_ = first_step_.get();
  try {
    return go_on(now_->begin(scene, state, h));
  } catch (const CollisionError&) {
    return {};
  }
}

StageOrResult Predictor::advance(const Answer& answer) { return go_on(now_->advance(answer)); }

// After an end the step is taken again, with the contacts of that end, until the centres stay.
StageOrResult Predictor::go_on(StageOrResult next) {
  while (auto* result = std::get_if<StepResult>(&next)) {
    const bool again = now_ == repeated_step_.get();
    if (again) {  // its positions are an end moved on
      const Coordinates coordinates(*scene_);
      result->state = moved(*scene_, start_, coordinates, coordinates.velocity(result->state), h_);
    }
    const bool settled = look(*result);
    end_ = *result;
    end_geometry_ = geometry_;
    if (again && (++rounds_ >= kRounds || settled)) break;
    const State end = result->state;
    State geometry = start_;
    for (std::size_t b = 0; b < end.bodies.size(); ++b) {
      geometry.bodies[b].position = end.bodies[b].position;
      geometry.bodies[b].orientation = end.bodies[b].orientation;
    }
    try {
      HeldContacts decisions;
      decisions.choose = [&](std::vector<ContactPoint3> found) {
        return centred(std::move(found), end);
      };
      next = repeated_step_->begin(*scene_, geometry, h_, decisions);
    } catch (const CollisionError&) {
      break;
    }
    geometry_ = std::move(geometry);
    now_ = repeated_step_.get();
  }
  at_work_ = std::holds_alternative<Stage>(next);
  return next;
}

// Takes the centres of an end for the next round: half way from those of the last round, because a
// centre turns the friction of a body that spins, and the friction moves the centre. @return
// whether no centre has moved
bool Predictor::look(const StepResult& end) {
  Pairs found = pairs(end);
  bool settled = true;
  for (auto& [bodies, pair] : found) {
    const auto before = centres_.find(bodies);
    if (before == centres_.end()) {
      settled = false;
      continue;
    }
    const Vector3d change = pair.centre - before->second.centre;
    settled = settled && change.norm() <= kSettled * radius(*scene_, bodies);
    if (rounds_ > 0) pair.centre = before->second.centre + kMixed * change;
  }
  centres_ = std::move(found);
  return settled;
}

// The contacts of the next round: N v+ >= N v - gap / h, where v and the gap are those of the end.
// If several points of a pair touch, a point at the centre of pressure has all of its friction. It
// carries the pair, and the other points only what is beside it: they are a little higher and give
// way, so that the impulses are unique.
std::vector<HeldContact> Predictor::centred(std::vector<ContactPoint3> found,
                                            const State& end) const {
  std::map<std::pair<int, int>, std::vector<ContactPoint3>> pairs;
  for (ContactPoint3& c : found) pairs[{c.a, c.b}].push_back(std::move(c));
  std::vector<HeldContact> all;
  const auto add = [&](const ContactPoint3& c) {
    all.push_back({c, normal_velocity(c, end) - c.gap / h_});
  };
  for (auto& [bodies, points] : pairs) {
    const double length = radius(*scene_, bodies);
    const std::vector<ContactPoint3> low = lowest(points, kNear * length);
    const auto centre = centres_.find(bodies);
    if (low.size() > 1 && centre != centres_.end() && low.front().properties.mu > 0) {
      const BodyState& at = end.bodies[static_cast<std::size_t>(bodies.first)];
      add(between(low, at.position + at.orientation * centre->second.centre));
      for (ContactPoint3& c : points) {
        c.properties.mu = 0.0;
        c.properties.stiffness = kStiffness * mass(*scene_, bodies) / (h_ * h_);
        c.gap += kRaised * length;
      }
    }
    for (const ContactPoint3& c : points) add(c);
  }
  return all;
}

std::optional<StepResult> Predictor::stop() {
  at_work_ = false;
  contacts_.clear();
  if (end_) geometry_ = end_geometry_;  // the round under way has another one
  return end_;
}

// The contacts of an end, summed up by pairs.
Predictor::Pairs Predictor::pairs(const StepResult& end) const {
  Pairs found;
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
    PredictedContact& pair = found[{a, b}];
    pair.p_n += k.p_n;
    pair.impulse += k.p_n * k.frame.n + k.p_t * k.frame.t + k.p_o * k.frame.o;
    pair.centre += k.p_n * (at.orientation.conjugate() * Vector3d(point - at.position));
    pair.slip += k.p_n * (velocity(a) - velocity(b));
  }
  for (auto& [bodies, pair] : found) {
    pair.centre /= pair.p_n;
    pair.slip /= pair.p_n;
  }
  return found;
}

void Predictor::take(const StepResult& end) {
  ++predictions_;
  contacts_ = pairs(end);
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
