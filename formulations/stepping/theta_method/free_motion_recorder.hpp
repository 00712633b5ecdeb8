// The momentum balance of the theta-method as expressions.
#pragma once

#include <functional>
#include <memory>
#include <perp/formulations/dynamics/state.hpp>
#include <perp/problems/expression/graph.hpp>
#include <vector>

namespace perp {

/// The times in a step at which positions and velocities are taken, each between 0 (its
/// beginning) and 1 (its end) [CastroPermenterHan2022, Eqs. 7, 8].
struct Theta {
  double q = 0.5;   ///< of the positions for M and the forces
  double v = 0.5;   ///< of the velocities for the forces
  double vq = 0.5;  ///< of the velocities with which positions move
};

/// The numbers of a step.
struct FreeMotionInput {
  State state;  ///< at its beginning
  double h = 0.0;
  Theta theta;
  Vector initial;    ///< v_0, after the impulses of the scene
  Vector reference;  ///< velocities at z = 0
  /// Units of changes of velocity (m/s), of lengths (m) and of impulses (N s). The unit of angular
  /// velocities is change / length, that of angular impulses is impulse * length.
  double change = 1.0, length = 1.0, impulse = 1.0;

  /// The units of unknown i and of row i, SI.
  double unit(int i, int per_body) const;
  double row_unit(int i, int per_body) const;
};

/// m(v), dimensionless, as a function of z with v_i = reference_i + unit_i z_i.
struct RecordedFreeMotion {
  std::shared_ptr<const ExpressionGraph> graph;
  std::vector<std::function<double(const FreeMotionInput&)>> parameters;
};

/// @param scene must outlive the result
RecordedFreeMotion record_free_motion(const Scene& scene);

}  // namespace perp
