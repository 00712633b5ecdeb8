// Bilateral joints: constraint values and Jacobian rows.
#pragma once

#include <array>
#include <perp/formulations/dynamics/state.hpp>

namespace perp {

/// Two unit vectors that are normal to each other and to an axis of length 1.
std::array<Vector3d, 2> joint_normals(const Vector3d& axis);

/// Number of scalar equations of a joint.
int joint_rows(JointType type, int dimension);

/// The values Theta of all joints, which are 0 if the joints hold: lengths (m) or sines of angles;
/// for a distance joint (d^2 - L^2)/2, m^2. Appends the rows of dTheta/dt = J v to `jacobian`, from
/// row `first` on.
Vector joint_constraints(const Scene& scene, const State& state, const Coordinates& coordinates,
                         int first, std::vector<Triplet>& jacobian);

/// Appends the row of the rate of a revolute or prismatic joint: dx/dt = J v with the displacement
/// x of joint_displacement(), rad/s or m/s.
void joint_rate(const Scene& scene, const State& state, const Coordinates& coordinates,
                const Joint& joint, int row, std::vector<Triplet>& jacobian);

}  // namespace perp
