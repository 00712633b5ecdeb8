// Time steps whose contact geometry is that of their end.
#pragma once

#include <memory>
#include <perp/formulations/formulation.hpp>
#include <perp/formulations/gap/implicit/implicit_gap.hpp>
#include <perp/formulations/stepping/predictor.hpp>
#include <perp/problems/settings/settings.hpp>
#include <string>

namespace perp {

/// Settings of an implicit step.
struct ImplicitStepChoices {
  std::string name;  ///< name of the formulation
  std::string friction = "normalised";

  /// Shows every setting.
  void visit_settings(SettingVisitor& visitor);
};

/// A model from a gap, friction over an ellipsoid (law/ellipsoid), and steps with all geometry at
/// their end. Each step is one Mcp in velocities, impulses and the unknowns of the gap. Its columns
/// say how far a step is from the contact law, as largest values over the contacts: `law_gap`, the
/// overlap, or the distance at contacts that are pressed, m; `law_cone`, the excess over the
/// friction ellipsoid relative to mu p_n; `law_slip`, the weighted slip that friction does not
/// oppose, m/s. The columns of the gap follow.
/// @param predictor takes the steps that this one starts from, if gap->prediction() asks for it
std::unique_ptr<Formulation> make_implicit_step(const ImplicitStepChoices& choices,
                                                std::unique_ptr<ImplicitGap> gap,
                                                Predictor predictor);

}  // namespace perp
