#include <perp/formulations/law/ellipsoid/ellipsoid.hpp>

#include <cmath>

namespace perp {

namespace {

// A contact slides if its share of the largest friction, less this many shares for one velocity
// scale of slip, is outside of the unit disc.
constexpr double kPush = 2.0;

}  // namespace

void record_friction(StepRecorder& step, FrictionForm form, const std::string& name,
                     std::uint64_t key, const RecordedContact& contact, ContactUnknowns& u) {
  const int a = contact.a, b = contact.b;
  const ContactProperties properties = step.scene().properties(a, b);
  if (properties.mu == 0.0) return;
  const bool space = step.scene().dimension == 3, normalised = form == FrictionForm::kNormalised;
  const std::string letter = normalised ? ".b" : ".q";
  u.q_t = step.free_unknown(name + letter + "_t", key + 1);
  if (space) u.q_o = step.free_unknown(name + letter + "_o", key + 2);
  if (space && properties.e_r > 0) u.q_r = step.free_unknown(name + letter + "_r", key + 3);
  u.sigma = step.nonnegative_unknown(name + ".sigma", key + 4);
  const Expr sigma = step.unknown(u.sigma), p_n = step.unknown(u.p_n);
  const Expr unit = normalised ? Expr(1.0) : p_n;
  // The ellipsoid of the friction law and maximum dissipation over it [XieChakraborty2020, Eq. 6].
  Expr cone = unit * unit;
  const auto impulse = [&](int index, Expr e, Expr v) {
    const Expr q = step.unknown(index);
    step.set_row(index, unit * e * v + sigma * q);
    cone -= q * q;
    return Expr(properties.mu) * e * (normalised ? p_n * q : q);
  };
  const ExprVector3 slip = step.velocity_at(a, contact.arm_a) - step.velocity_at(b, contact.arm_b);
  ExprVector3 force = impulse(u.q_t, properties.e_t, dot(contact.t, slip)) * contact.t;
  ExprVector3 moment = ExprVector3::Zero();
  if (space) force += impulse(u.q_o, properties.e_o, dot(contact.o, slip)) * contact.o;
  if (u.q_r >= 0) {
    const Expr e_r =
        step.parameter([e = properties.e_r](const StepInput& s) { return e / s.scales.length; });
    moment = impulse(u.q_r, e_r, dot(contact.n, step.body(a).spin - step.body(b).spin)) * contact.n;
  }
  step.set_row(u.sigma, cone);
  step.push(a, force, contact.arm_a, moment, 1.0);
  step.push(b, force, contact.arm_b, moment, -1.0);
}

void start_friction(const StepScales& scales, const ContactProperties& properties,
                    FrictionForm form, const ContactUnknowns& u, const PredictedContact& predicted,
                    const Vector3d& n, const Vector3d& t, Vector& z) {
  if (u.q_t < 0) return;
  const Vector3d o = n.cross(t);
  const double unit = form == FrictionForm::kNormalised ? 1.0 : predicted.p_n / scales.impulse;
  // In weighted components: the share of the largest impulse, and the slip.
  const auto share = [&](double e, const Vector3d& axis) {
    return predicted.impulse.dot(axis) / (properties.mu * e * predicted.p_n);
  };
  const auto slip = [&](double e, const Vector3d& axis) {
    return e * predicted.slip.dot(axis) / scales.velocity;
  };
  const auto pushed = [&](double e, const Vector3d& axis) {
    return share(e, axis) - kPush * slip(e, axis);
  };
  const double e_o = u.q_o >= 0 ? properties.e_o : 0.0;
  const double length = std::hypot(pushed(properties.e_t, t), e_o > 0 ? pushed(e_o, o) : 0.0);
  const bool slides = length > 1.0;
  const auto start = [&](int index, double e, const Vector3d& axis) {
    if (index >= 0) z[index] = unit * (slides ? pushed(e, axis) / length : share(e, axis));
  };
  start(u.q_t, properties.e_t, t);
  start(u.q_o, properties.e_o, o);
  if (u.q_r >= 0) z[u.q_r] = 0.0;
  z[u.sigma] = slides ? std::hypot(slip(properties.e_t, t), slip(e_o, o)) : 0.0;
}

ContactImpulse contact_impulse(const StepScales& scales, const ContactProperties& properties,
                               FrictionForm form, const ContactUnknowns& unknowns,
                               const Vector& z) {
  ContactImpulse p;
  p.p_n = scales.impulse * z[unknowns.p_n];
  const double unit = form == FrictionForm::kNormalised ? p.p_n : scales.impulse;
  const auto component = [&](int index, double e) {
    return index < 0 ? 0.0 : properties.mu * e * unit * z[index];
  };
  p.p_t = component(unknowns.q_t, properties.e_t);
  p.p_o = component(unknowns.q_o, properties.e_o);
  p.p_r = component(unknowns.q_r, properties.e_r);
  return p;
}

}  // namespace perp
