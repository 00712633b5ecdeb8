#include <perp/formulations/law/penalty/penalty.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace perp {

namespace {

constexpr double kStick = 1e-6;  // m/s

class Penalty final : public Formulation {
 public:
  explicit Penalty(PenaltySettings settings) : settings_(std::move(settings)) {}

  std::string_view name() const override { return settings_.name; }

  Capabilities capabilities() const override {
    return {.joints = false,
            .restitution = false,
            .compliant_contacts = false,  // all contacts have the stiffness of the settings
            .elliptic_friction = false};
  }
  std::optional<std::string> refusal(const Scene& scene) const override {
    return settings_.gap.gap->refusal(scene);
  }

  StageOrResult begin(const Scene& scene, const State& state, double h,
                      const HeldContacts&) override {
    const Coordinates coordinates(scene);
    const std::vector<ContactPoint3> contacts =
        find_contacts(scene, state, h, 0.1, *settings_.gap.gap);
    Vector impulse = Vector::Zero(coordinates.size());
    StepResult r;
    for (const ContactPoint3& c : contacts)
      r.contacts.push_back(press(scene, state, coordinates, c, h, impulse));
    const Vector v = free_velocity(scene, state, coordinates, h) +
                     inverse_mass_matrix(scene, state, coordinates) * impulse;
    r.state = moved(scene, state, coordinates, v, h);
    for (ContactResult& c : r.contacts) finish(r.state, state, c, r);
    return r;
  }

  StageOrResult advance(const Answer&) override {
    throw std::logic_error("penalty poses no problem");
  }

 private:
  static Vector3d velocity_at(const State& state, const Vector3d& point, const Vector3d& from,
                              int body) {
    const BodyState& s = state.bodies[static_cast<std::size_t>(body)];
    return s.velocity + s.angular_velocity.cross(point - from);
  }

  static double reduced_mass(const Scene& scene, int a, int b) {
    const Body &first = scene.bodies[static_cast<std::size_t>(a)],
               &second = scene.bodies[static_cast<std::size_t>(b)];
    const double inverse =
        (first.fixed ? 0.0 : 1 / first.mass) + (second.fixed ? 0.0 : 1 / second.mass);
    return 1 / inverse;
  }

  // f_n = max(0, k depth - c v_n), c = 2 zeta sqrt(k m). Friction acts against the slip: it is mu
  // f_n, or c times the slip speed if that is less.
  ContactResult press(const Scene& scene, const State& state, const Coordinates& coordinates,
                      const ContactPoint3& c, double h, Vector& impulse) const {
    const auto centre = [&](int body) {
      return state.bodies[static_cast<std::size_t>(body)].position;
    };
    ContactResult k;
    k.contact = c;
    k.frame = contact_frame(c.normal, scene.dimension, c.properties.direction);
    if (c.gap >= 0) return k;
    const double damping = 2 * settings_.damping_ratio *
                           std::sqrt(settings_.stiffness * reduced_mass(scene, c.a, c.b));
    const Vector3d v = velocity_at(state, c.point, centre(c.a), c.a) -
                       velocity_at(state, c.point, centre(c.b), c.b);
    const double v_n = c.normal.dot(v);
    const double f_n = std::max(0.0, -settings_.stiffness * c.gap - damping * v_n);
    const Vector3d slip = v - v_n * c.normal;
    const double bound = (settings_.gap.printed_rows() ? c.unit : 1.0) * c.properties.mu * f_n;
    const double speed = slip.norm();
    const Vector3d friction =
        speed > 0 ? Vector3d(-std::min(bound, damping * speed) / speed * slip) : Vector3d::Zero();
    const Vector3d force = f_n * c.normal + friction;
    for (const auto& [body, sign] : {std::pair(c.a, 1.0), std::pair(c.b, -1.0)}) {
      std::vector<Triplet> entries;
      coordinates.add_wrench(body, force, (c.point - centre(body)).cross(force), sign, 0, entries);
      for (const Triplet& t : entries) impulse[t.col()] += h * t.value();
    }
    k.p_n = h * f_n;
    k.p_t = h * friction.dot(k.frame.t);
    k.p_o = h * friction.dot(k.frame.o);
    return k;
  }

  // Velocities at the end of the step at the contact point of its beginning, and work.
  static void finish(const State& end, const State& start, ContactResult& k, StepResult& r) {
    const auto velocity = [&](int body) {
      return velocity_at(end, k.contact.point,
                         start.bodies[static_cast<std::size_t>(body)].position, body);
    };
    const Vector3d v = velocity(k.contact.a) - velocity(k.contact.b);
    k.v_n = v.dot(k.frame.n);
    const Vector3d slip = v - k.v_n * k.frame.n;
    k.slip = slip.norm();
    k.mode = k.p_n <= 0         ? ContactMode::kOpen
             : k.slip <= kStick ? ContactMode::kStick
                                : ContactMode::kSlide;
    r.contact_work += k.p_n * k.v_n + k.p_t * v.dot(k.frame.t) + k.p_o * v.dot(k.frame.o);
    r.feeding += k.p_n * std::max(0.0, k.v_n);
  }

  PenaltySettings settings_;
};

}  // namespace

void PenaltySettings::visit(SettingVisitor& visitor) {
  gap.visit_settings(visitor);
  visitor.visit("stiffness", stiffness, "of a contact point, N/m", kPositive);
  visitor.visit("damping_ratio", damping_ratio,
                "of the spring with the reduced mass of both bodies", kPositive);
}

std::unique_ptr<Formulation> make_penalty(const PenaltySettings& settings) {
  return std::make_unique<Penalty>(settings);
}

}  // namespace perp
