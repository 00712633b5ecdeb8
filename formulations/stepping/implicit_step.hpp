// Time steps with contact geometry at their end.
#pragma once

#include <memory>
#include <perp/formulations/formulation.hpp>
#include <perp/formulations/gap/implicit/implicit_gap.hpp>
#include <perp/problems/settings/settings.hpp>
#include <string>

namespace perp {

struct ImplicitStepChoices {
  std::string name;  ///< of the formulation
  std::string friction = "normalised";

  void visit_settings(SettingVisitor& visitor);
};

/// A model of a gap, friction over an ellipsoid (law/ellipsoid), and steps with all geometry at
/// their end: one Mcp of velocities, impulses and what the gap has for unknowns. Columns, how far
/// the step is from the contact law, largest values: `law_gap`, overlap, or distance of what is
/// pressed, m; `law_cone`, excess over the friction ellipsoid relative to mu p_n; `law_slip`,
/// weighted slip that friction does not oppose, m/s; then those of the gap.
std::unique_ptr<Formulation> make_implicit_step(const ImplicitStepChoices& choices,
                                                std::unique_ptr<ImplicitGap> gap);

}  // namespace perp
