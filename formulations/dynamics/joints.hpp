// Bilateral joints: constraint values and Jacobian rows.
#pragma once

#include <array>
#include <perp/formulations/dynamics/state.hpp>

namespace perp {

/// Two unit vectors normal to an axis (of length 1) and to each other.
std::array<Vector3d, 2> joint_normals(const Vector3d& axis);

/// Number of scalar equations of a joint.
int joint_rows(JointType type, int dimension);

/// Values Theta of all joints (0 where they hold; metres, or the sine of an angle; for a distance
/// joint (d^2 - L^2)/2, m^2) and the rows of dTheta/dt = J v, appended from row `first` on.
Vector joint_constraints(const Scene& scene, const State& state, const Coordinates& coordinates,
                         int first, std::vector<Triplet>& jacobian);

/// The row of the rate of a revolute or prismatic joint, rad/s or m/s: of body_a against body_b
/// about or along its axis, dx/dt = J v with x of joint_displacement().
void joint_rate(const Scene& scene, const State& state, const Coordinates& coordinates,
                const Joint& joint, int row, std::vector<Triplet>& jacobian);

}  // namespace perp
