#include <perp/formulations/formulation.hpp>

#include <fmt/format.h>

namespace perp {

std::string_view to_string(ContactMode mode) {
  switch (mode) {
    case ContactMode::kOpen:
      return "open";
    case ContactMode::kStick:
      return "stick";
    default:
      return "slide";
  }
}

namespace {

using Properties = ContactProperties;

// The reason why contacts need more than the capabilities, or nothing.
std::optional<std::string> refusal_of_contacts(const Capabilities& can, std::string_view name,
                                               const Scene& scene) {
  const auto found = [&](auto&& has) {
    return find_contact_properties(scene, [&](const Properties& p) { return has(p); });
  };
  if (!can.compliant_contacts) {
    if (const auto field = found([](const Properties& p) { return !p.rigid(); }))
      return fmt::format("field \"{}.stiffness\": {} takes rigid contacts only", *field, name);
  }
  if (!can.restitution) {
    if (const auto field = found([](const Properties& p) { return p.restitution > 0; }))
      return fmt::format("field \"{}.restitution\": {} has inelastic impacts only", *field, name);
  }
  if (!can.torsional_friction) {
    if (const auto field = found([](const Properties& p) { return p.e_r > 0; }))
      return fmt::format("field \"{}.e_r\": {} has no friction against turning about the normal",
                         *field, name);
  }
  if (!can.elliptic_friction) {
    if (const auto field = found([](const Properties& p) { return p.e_t != 1 || p.e_o != 1; }))
      return fmt::format("field \"{}.e_t\": {} has the same friction in all directions", *field,
                         name);
  }
  if (!can.viscous_friction) {
    if (const auto field = found([](const Properties& p) { return p.viscous > 0; }))
      return fmt::format(
          "field \"{}.viscous\": {} has no viscous friction at contacts; max-dissipation-step and "
          "max-dissipation-impulse have it",
          *field, name);
  }
  return {};
}

}  // namespace

std::optional<std::string> refusal_of(const Formulation& formulation, const Scene& scene) {
  if (auto reason = formulation.refusal(scene)) return reason;
  const Capabilities can = formulation.capabilities();
  if (auto reason = refusal_of_contacts(can, formulation.name(), scene)) return reason;
  if (!scene.joints.empty() && !can.joints)
    return fmt::format("field \"joints\": {} does not support joints", formulation.name());
  if (!scene.bearings.empty() && !can.bearings)
    return fmt::format("field \"bearings\": {} does not support bearings", formulation.name());
  for (std::size_t k = 0; k < scene.joints.size(); ++k) {
    if (scene.joints[k].has_friction() && !can.joint_friction) {
      return fmt::format(
          "field \"joints[{}]\": {} has no friction in joints; joint-friction and models with the "
          "exact cone have it",
          k, formulation.name());
    }
  }
  return {};
}

}  // namespace perp
