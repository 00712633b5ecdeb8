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

/// The contacts of a state cannot be found: a body is too far from the origin, or too many bodies
/// are near each other. The text is one line. The step cannot be taken.
class CollisionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// @throws CollisionError if a moving body is not within 1e9 m of the origin, or if its position,
/// orientation or velocity is not finite
void check_places(const Scene& scene, const State& state);

/// @throws CollisionError unless the gap is finite and the normal a unit vector.
void check_contact(const Scene& scene, int a, int b, const Vector3d& normal, double gap);

/// The key of an unknown that is not carried over from step to step.
inline constexpr std::uint64_t kNoKey = 0;

/// A point where two bodies touch or may touch within a step. The normal points into body a: the
/// direction in which a is pushed.
struct ContactPoint3 {
  int a, b;
  int feature;      ///< tells the points of a pair apart; the same from step to step
  Vector3d point;   ///< world, m; between the surfaces, those of a pair in one plane across n
  Vector3d normal;  ///< unit, world
  double gap;       ///< m; < 0 overlapping
  ContactProperties properties;
  double unit = 1.0;  ///< of the measured gap, see PairContact

  /// A number of 58 bits that is the same for the same point of the same pair in every step.
  std::uint64_t key() const {
    std::uint64_t k = 0;
    for (const int next : {a, b, feature}) {
      k = (k + static_cast<std::uint64_t>(next)) * 0x9e3779b97f4a7c15u;
      k ^= k >> 29;
    }
    return k >> 6;
  }
};

/// Normal velocity at the point, m/s; positive if the bodies move apart.
double normal_velocity(const ContactPoint3& contact, const State& state);

/// Tangents t, o with t x o = n; in 2D o is the z direction and unused.
struct ContactFrame {
  Vector3d n, t, o;
};
/// @param reference the direction of its tangential part becomes t; if that part is zero, t is any
/// tangent
ContactFrame contact_frame(const Vector3d& normal, int dimension,
                           const Vector3d& reference = Vector3d::Zero());

/// All contacts of all pairs of shapes that can close within h. A point is a candidate if its gap
/// is at most
///   h max(0, 2 (u_b - u_a), -u_a, u_b)
///     + h (|v_a| + |v_b| + |omega_a| r_a + |omega_b| r_b) / 10 + 2 h^2 |g| + 1e-3 r,
/// with the normal velocities u_a and u_b of both bodies at the point (-u_a and u_b stand for the
/// case that the other body is stopped within the step) and r the smaller radius of the two bodies
/// about their origins. For pairs with a polygon (2D) the limit is
///   2 h (|v_a| + |v_b| + |omega_a| r_a + |omega_b| r_b) + 2 h^2 |g| + 1e-3 r.
/// Candidates against a half-space: boxes and polyhedra have all their vertices, polygons the 15
/// nearest vertices, cylinders the lowest points of their rims (and 8 points of the lower cap if
/// they stand on it), other shapes their support point. Other pairs have the points of `gap`.
/// Bodies that share a joint, two fixed bodies and two half-spaces do not collide. The two bodies
/// of a bearing have the points of bearings.hpp instead, if the gap is at most
///   h (2 max(0, u_b - u_a) + |v_a - v_b| / 10) + 2 h^2 |g| + 1e-3 r
/// with the velocities v_a and v_b at the point and the radius r of the pin. For compliant points
/// the limit is larger by tau max(0, u_b - u_a), because dampers push before bodies touch (for
/// polygons by tau times the sum of all speeds).
/// @param share the factor 1/10 in these limits
/// @param gap measures pairs of solids; linearised_gap() is pair_contacts() and planar_contacts()
/// @throws CollisionError, also for more than 300 000 contacts or 1e7 pairs of near bodies
std::vector<ContactPoint3> find_contacts(const Scene& scene, const State& state, double h,
                                         double share = 0.1, const Gap& gap = linearised_gap());

/// The field of the first contact properties of a scene for which `is_meant` is true, "contact" or
/// "pairs[2]"; nothing if it is true for none.
std::optional<std::string> find_contact_properties(
    const Scene& scene, const std::function<bool(const ContactProperties&)>& is_meant);

}  // namespace perp
