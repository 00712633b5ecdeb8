// Contact candidates of a scene.
#pragma once

#include <cstdint>
#include <optional>
#include <perp/formulations/mechanics/state.hpp>
#include <vector>

namespace perp {

/// A point where two bodies touch or may touch within a step. n points into body a (the push on
/// it).
struct ContactPoint3 {
  int a, b;
  int feature;      ///< tells the points of a pair apart, the same from step to step
  Vector3d point;   ///< world; on the surface of b or midway
  Vector3d normal;  ///< unit, world
  double gap;       ///< m; < 0 overlapping
  ContactProperties properties;

  std::uint64_t key() const {
    return (static_cast<std::uint64_t>(a) << 40) ^ (static_cast<std::uint64_t>(b) << 16) ^
           static_cast<std::uint64_t>(feature);
  }
};

/// Tangents t, o with t x o = n; in 2D o is the z direction and unused.
struct ContactFrame {
  Vector3d n, t, o;
};
ContactFrame contact_frame(const Vector3d& normal, int dimension);

/// All contacts that can close within h. The rule: a point is a candidate where its gap is at most
///   h (|v_a| + |v_b| + |omega_a| r_a + |omega_b| r_b) 2 + 2 h^2 |g| + 1e-3 r,   r the smaller
///   body's size;
/// of a polygon or box against a half-space its vertices are taken (of a polygon the 15 nearest),
/// of two boxes the face of least overlap clipped by the other's (edges against edges: the nearest
/// points). Bodies that share a joint, and two fixed ones, do not collide.
/// @throws std::invalid_argument naming a pair of shapes that is not supported.
std::vector<ContactPoint3> find_contacts(const Scene& scene, const State& state, double h);

/// The pair of bodies that may meet but whose shapes find_contacts does not support, or nothing.
std::optional<std::string> unsupported_pair(const Scene& scene);

}  // namespace perp
