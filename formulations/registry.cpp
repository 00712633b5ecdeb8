#include <perp/formulations/anitescu_tasora/anitescu_tasora.hpp>
#include <perp/formulations/closed_form_gap/closed_form_gap.hpp>
#include <perp/formulations/coulomb_implicit/coulomb_implicit.hpp>
#include <perp/formulations/equivalent_contact_point/ecp_step.hpp>
#include <perp/formulations/formulation.hpp>
#include <perp/formulations/geometric_implicit/geometric_implicit.hpp>
#include <perp/formulations/joint_friction/joint_friction.hpp>
#include <perp/formulations/max_dissipation/max_dissipation.hpp>
#include <perp/formulations/penalty/penalty.hpp>
#include <perp/formulations/pyramid/pyramid_step.hpp>
#include <perp/formulations/ratio_metric/ratio_gap.hpp>

#include <fmt/format.h>
#include <stdexcept>

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

std::optional<std::string> refusal_of(const Formulation& formulation, const Scene& scene) {
  if (auto reason = formulation.refusal(scene)) return reason;
  const auto viscous =
      find_contact_properties(scene, [](const ContactProperties& p) { return p.viscous > 0; });
  if (viscous && !formulation.treats_viscous_contacts()) {
    return fmt::format(
        "field \"{}.viscous\": {} has no viscous friction at contacts; max-dissipation-step and "
        "-impulse have",
        *viscous, formulation.name());
  }
  if (!scene.bearings.empty() && !formulation.takes_bearings())
    return fmt::format("field \"bearings\": {} takes none", formulation.name());
  for (std::size_t k = 0; k < scene.joints.size(); ++k) {
    if (scene.joints[k].has_friction() && !formulation.treats_joint_friction()) {
      return fmt::format("field \"joints[{}]\": {} has no friction in joints; joint-friction has",
                         k, formulation.name());
    }
  }
  return {};
}

const std::vector<FormulationEntry>& formulation_registry() {
  // To add a formulation, add its line here.
  static const std::vector<FormulationEntry> registry = {
      {"stewart-trinkle",
       "LCP time stepping with a friction pyramid and gaps in the constraints",
       "StewartTrinkle1996",
       {"lcp", "mlcp"},
       [](const std::string& options) {
         return make_pyramid_step(PyramidModel::kStewartTrinkle, options);
       }},
      {"anitescu-potra",
       "the same at velocity level: touching contacts only, no gaps",
       "AnitescuPotra1997",
       {"lcp", "mlcp"},
       [](const std::string& options) {
         return make_pyramid_step(PyramidModel::kAnitescuPotra, options);
       }},
      {"ratio-metric",
       "the step of stewart-trinkle with gaps by the ratio metric of polyhedra",
       "Hart",
       {"lcp", "mlcp"},
       [](const std::string& options) {
         PyramidSettings settings;
         settings.gap.gap = &ratio_gap();
         return make_pyramid_step(PyramidModel::kStewartTrinkle, options, settings);
       }},
      {"coulomb-implicit",
       "the step of stewart-trinkle with the exact friction cone",
       "AcaryBremondHuber2018",
       {"friction_contact"},
       make_coulomb_implicit},
      {"anitescu-tasora",
       "convex relaxation: friction cones, sliding contacts separate a little",
       "AnitescuTasora2010",
       {"conic_qp"},
       make_anitescu_tasora},
      {"geometric-implicit",
       "geometry at the end of the step: nearest points of smooth bodies as unknowns",
       "ChakrabortyBerardAkellaTrinkle2007",
       {"mcp"},
       make_geometric_implicit},
      {"closed-form-gap",
       "geometry at the end of the step: distances of balls in closed form",
       "TrinkleTzitzourisPang2001",
       {"mcp"},
       make_closed_form_gap},
      {"equivalent-contact-point",
       "implicit geometry, line and surface contact by one point each",
       "XieChakraborty2020",
       {"mcp"},
       make_ecp_step},
      {"max-dissipation-step",
       "convex programs in place of complementarity: least kinetic energy within the friction "
       "cones",
       "DrumwrightShell2010",
       {"box_qp", "conic_qp"},
       [](const std::string& options) {
         return make_max_dissipation(DissipationModel::kStep, options);
       }},
      {"max-dissipation-impulse",
       "the same at velocity level, impulses as unknowns: impacts and resting contact",
       "DrumwrightShell2010",
       {"box_qp", "conic_qp"},
       [](const std::string& options) {
         return make_max_dissipation(DissipationModel::kImpulse, options);
       }},
      {"joint-friction",
       "arms in reduced coordinates with Coulomb and viscous friction in the joints, no contacts",
       "DrumwrightShell2010",
       {"box_qp"},
       make_joint_friction},
      {"penalty",
       "explicit steps with springs and dampers at contacts, for comparison: poses no problem",
       "CundallStrack1979",
       {},
       make_penalty},
  };
  return registry;
}

const FormulationEntry& find_formulation(const std::string& text) {
  const std::string name = text.substr(0, text.find(':'));
  std::vector<std::string_view> names;
  for (const FormulationEntry& entry : formulation_registry()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw std::invalid_argument(
      fmt::format("unknown formulation \"{}\"; there are: {}", name, fmt::join(names, ", ")));
}

std::string default_formulation(const Scene& scene) {
  return scene.formulation.empty() ? "stewart-trinkle" : scene.formulation;
}

std::unique_ptr<Formulation> make_formulation(const std::string& text) {
  const auto colon = text.find(':');
  return find_formulation(text).make(colon == std::string::npos ? "" : text.substr(colon + 1));
}

}  // namespace perp
