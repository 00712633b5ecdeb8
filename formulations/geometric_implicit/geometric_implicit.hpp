// Time stepping with the nearest points of smooth convex bodies as unknowns.
#pragma once

#include <perp/formulations/formulation.hpp>
#include <perp/formulations/geometric_implicit/closest_points.hpp>

namespace perp {

struct GeometricImplicitSettings {
  ClosestPointForm points = ClosestPointForm::kMultiplier;
  FrictionForm friction = FrictionForm::kNormalised;
};

/// Problem: one Mcp a step with unknown velocities, nearest points and impulses of every contact.
/// Method: all geometry is taken at the end of the step; bodies are sublevel sets of one smooth
/// convex function each; the gap is one body's function at the nearest point of the other; friction
/// is maximum dissipation over an ellipsoid. Source: [ChakrabortyBerardAkellaTrinkle2007].
///
/// Options "points=multiplier|unit-normal|tangential" and "friction=fritz-john|normalised",
/// separated by commas. @throws std::invalid_argument naming the option.
std::unique_ptr<Formulation> make_geometric_implicit(const std::string& options);

}  // namespace perp
