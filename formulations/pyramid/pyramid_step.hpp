// Time stepping with polyhedral friction cones: Stewart and Trinkle's and Anitescu and Potra's
// LCPs.
#pragma once

#include <perp/formulations/formulation.hpp>
#include <perp/formulations/gaps.hpp>

namespace perp {

enum class PyramidModel { kStewartTrinkle, kAnitescuPotra };

struct PyramidSettings {
  GapChoice gap;
  int edges = 4;             ///< of the pyramid in 3D, even, at least 4 (2D: always 2)
  double rest_speed = 1e-3;  ///< m/s: slower approaches (or than h|g|) do not bounce
  bool keep_velocities =
      false;  ///< velocities as free unknowns of a sparse Mlcp instead of eliminated
};

/// Options "edges=8", "velocities=kept|eliminated", "rest_speed=0.01" and those of
/// gaps, separated by commas. @throws std::invalid_argument naming the option.
/// @param settings what the options begin from
std::unique_ptr<Formulation> make_pyramid_step(PyramidModel model, const std::string& options,
                                               PyramidSettings settings = {});

}  // namespace perp
