// The momentum balance of the theta-method as expressions.
#pragma once

#include <functional>
#include <memory>
#include <perp/formulations/dynamics/state.hpp>
#include <perp/problems/expression/graph.hpp>
#include <vector>

namespace perp {

/// Where in a step positions and velocities are taken, each between 0 (its beginning) and 1 (its
/// end) [CastroPermenterHan2022, Eqs. 7, 8].
struct Theta {
  double q = 0.5;   ///< positions that M and the forces belong to
  double v = 0.5;   ///< velocities that the forces belong to
  double vq = 0.5;  ///< velocities that positions move with
};

/// The numbers of a step.
struct FreeMotionInput {
  State state;  ///< at its beginning
  double h = 0.0;
  Theta theta;
  Vector initial;    ///< v_0, impulses of the scene given
  Vector reference;  ///< velocities at z = 0
  /// Units: of changes of velocity (m/s), of length (m; angular velocities have change / length)
  /// and of impulses (N s; moments impulse * length).
  double change = 1.0, length = 1.0, impulse = 1.0;

  /// Of unknown i and of row i, SI.
  double unit(int i, int per_body) const;
  double row_unit(int i, int per_body) const;
};

/// m(v), dimensionless, of z with v_i = reference_i + unit_i z_i.
struct RecordedFreeMotion {
  std::shared_ptr<const ExpressionGraph> graph;
  std::vector<std::function<double(const FreeMotionInput&)>> parameters;
};

/// @param scene must outlive what is recorded
RecordedFreeMotion record_free_motion(const Scene& scene);

}  // namespace perp
