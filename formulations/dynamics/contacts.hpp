// Contact candidates of a scene.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <perp/formulations/dynamics/state.hpp>
#include <perp/formulations/gap/gap.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace perp {

/// A state whose contacts cannot be found: a body is too far out, or too many are near each other.
/// One line. The step cannot be taken.
class CollisionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// @throws CollisionError where a moving body is not within 1e9 m of the origin, or its position or
/// velocity is not finite.
void check_places(const Scene& scene, const State& state);

/// @throws CollisionError unless the gap is finite and the normal a unit vector.
void check_contact(const Scene& scene, int a, int b, const Vector3d& normal, double gap);

/// The key of an unknown that is not carried over from step to step.
inline constexpr std::uint64_t kNoKey = 0;

/// A point where two bodies touch or may touch within a step. n points into body a (the push on
/// it).
struct ContactPoint3 {
  int a, b;
  int feature;      ///< tells the points of a pair apart, the same from step to step
  Vector3d point;   ///< world; on the surface of b or midway
  Vector3d normal;  ///< unit, world
  double gap;       ///< m; < 0 overlapping
  ContactProperties properties;
  double unit = 1.0;  ///< of the measured gap: see PairContact

  /// The same for the same point of the same pair from step to step; 58 bits.
  std::uint64_t key() const {
    std::uint64_t k = 0;
    for (const int next : {a, b, feature}) {
      k = (k + static_cast<std::uint64_t>(next)) * 0x9e3779b97f4a7c15u;
      k ^= k >> 29;
    }
    return k >> 6;
  }
};

/// Velocity at which the bodies part at the point, along its normal, m/s.
double normal_velocity(const ContactPoint3& contact, const State& state);

/// Tangents t, o with t x o = n; in 2D o is the z direction and unused.
struct ContactFrame {
  Vector3d n, t, o;
};
/// @param reference its tangential part becomes t; where that vanishes or is zero, any tangent.
ContactFrame contact_frame(const Vector3d& normal, int dimension,
                           const Vector3d& reference = Vector3d::Zero());

/// All contacts that can close within h, of all pairs of shapes. The rule: a point is a candidate
/// where its gap is at most
///   h max(0, 2 (u_b - u_a), -u_a, u_b)
///     + h (|v_a| + |v_b| + |omega_a| r_a + |omega_b| r_b) / 10 + 2 h^2 |g| + 1e-3 r,
/// u_a and u_b the normal velocities of both bodies at the point (-u_a and u_b: as if the other
/// were stopped within the step), r the radius of the smaller body about its origin; of pairs with
/// a (2D) polygon, where it is at most
///   2 h (|v_a| + |v_b| + |omega_a| r_a + |omega_b| r_b) + 2 h^2 |g| + 1e-3 r.
/// Against a half-space, boxes and polyhedra have their vertices, polygons the 15 nearest,
/// cylinders the lowest points of their rims and 8 points of a cap that stands, others their
/// support point. Other pairs: pair_contacts and planar_contacts (manifold.hpp). Bodies that share
/// a joint, two fixed ones and two half-spaces do not collide. Those of a bearing have the points
/// of bearings.hpp instead, where the gap is at most
///   h (2 max(0, u_b - u_a) + |v_a - v_b| / 10) + 2 h^2 |g| + 1e-3 r,
/// v_a and v_b the velocities at the point, r the radius of the pin. Compliant points may be
/// farther apart by tau max(0, u_b - u_a), for dampers push earlier (polygons: tau all speeds).
/// @param share the tenth in the rule  @param gap how solids are measured, instead of
/// pair_contacts and planar_contacts
/// @throws CollisionError, also for more than 300 000 contacts, and too many pairs to be looked at
std::vector<ContactPoint3> find_contacts(const Scene& scene, const State& state, double h,
                                         double share = 0.1, const Gap& gap = linearised_gap());

/// The first contact properties of a scene that `is_meant` holds for, as a field: "contact" or
/// "pairs[2]"; nothing where it holds for none.
std::optional<std::string> find_contact_properties(
    const Scene& scene, const std::function<bool(const ContactProperties&)>& is_meant);

}  // namespace perp
