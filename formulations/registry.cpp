#include <perp/formulations/equivalent_contact_point/ecp_step.hpp>
#include <perp/formulations/formulation.hpp>
#include <perp/formulations/pyramid/pyramid_step.hpp>

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

const std::vector<FormulationEntry>& formulation_registry() {
  // To add a formulation, add its line here.
  static const std::vector<FormulationEntry> registry = {
      {"stewart-trinkle", "LCP time stepping with a friction pyramid and gaps in the constraints",
       "StewartTrinkle1996",
       [](const std::string& options) {
         return make_pyramid_step(PyramidModel::kStewartTrinkle, options);
       }},
      {"anitescu-potra", "the same at velocity level: touching contacts only, no gaps",
       "AnitescuPotra1997",
       [](const std::string& options) {
         return make_pyramid_step(PyramidModel::kAnitescuPotra, options);
       }},
      {"equivalent-contact-point", "implicit geometry, line and surface contact by one point each",
       "XieChakraborty2020", make_ecp_step},
  };
  return registry;
}

std::unique_ptr<Formulation> make_formulation(const std::string& text) {
  const auto colon = std::min(text.find(':'), text.size());
  std::vector<std::string_view> names;
  for (const FormulationEntry& entry : formulation_registry()) {
    if (entry.name == text.substr(0, colon)) {
      return entry.make(colon < text.size() ? text.substr(colon + 1) : "");
    }
    names.push_back(entry.name);
  }
  throw std::invalid_argument(fmt::format("unknown formulation \"{}\"; there are: {}",
                                          text.substr(0, colon), fmt::join(names, ", ")));
}

}  // namespace perp
