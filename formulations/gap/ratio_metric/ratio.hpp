// The ratio metric of convex polyhedra and its events.
#pragma once

#include <perp/formulations/gap/ratio_metric/small_lp.hpp>
#include <perp/problems/scenes/shapes.hpp>
#include <vector>

namespace perp {

/// A polygon (2D) or polyhedron in the world by its faces: n_k . (x - centre) <= offset_k.
struct FacedSolid {
  Vector3d centre;                ///< about which it is scaled: the mass centre, inside
  std::vector<Vector3d> normals;  ///< unit
  std::vector<double> offsets;    ///< > 0, m
  double reach = 0.0;             ///< radius about the centre that holds it, m

  double inner() const;  ///< the least offset: radius of a ball about the centre within it, m
};

/// @param shape with faces: a polygon, box or polyhedron with the origin inside
/// @param axes the body's, as columns
FacedSolid faced_solid(const Shape& shape, const Vector3d& position, const Matrix3d& axes);

/// A pair of faces and corners, or of edges, that meets when both solids are scaled by t: a vertex
/// (x, t) of { (x, t): x in both solids scaled by t about their centres }.
struct RatioEvent {
  double t = 0.0;         ///< factor of scaling; the least of all is r
  double rho = 0.0;       ///< (t - 1) / t; < 0 where they overlap there
  Vector3d point;         ///< x, world: the contact point of both
  Vector3d gradient;      ///< of t by the centre of a, 1/m; by that of b its negative
  unsigned features = 0;  ///< tells the faces that meet apart

  /// (t - 1) t / |gradient|: what rho is in metres along the gradient, rho / |grad rho|.
  double gap() const { return (t - 1) * t / gradient.norm(); }
};

/// The ratio metric [Hart]: r = min { t >= 0 : a and b, scaled by t about their centres, meet
/// }, > 1 apart, 1 touching, < 1 overlapping, and rho = (r - 1) / r. A linear program in (x, t), by
/// SmallLpSolver. Gradients by its duality: with multipliers y of the normals n and offsets beta of
/// the faces that meet, sum of y n = 0 and sum of y beta = 1,
///   dt/dc_a = -sum over the faces of a of y n =: g,  dt/dangle_a = (x - c_a) x g.
/// With the distance s (or less the penetration depth), the distance of the centres Delta and w the
/// least width of the Minkowski sum about the centres: |s| / Delta <= |rho| <= |s| / (r w), signs
/// equal (README).
class RatioMetric {
 public:
  /// @param dimension 2 or 3; in 2D everything lies in the plane z = 0
  explicit RatioMetric(int dimension) : dimension_(dimension) {}

  /// The event at r. Of centres in one place t = 0, rho = -infinity and no gradient.
  /// @param face_multipliers of the faces of a and then of b, where wanted
  RatioEvent measure(const FacedSolid& a, const FacedSolid& b,
                     std::vector<double>* face_multipliers = nullptr);

  /// All events with t up to `limit`, and those at r; nothing for centres in one place. One for
  /// each place and normal: of several combinations of faces that meet there, the first found.
  /// They are found from the event at r along the edges of the feasible set, of which the offsets
  /// are enlarged a little (1e-10 of the size) and differently, so that no more faces than needed
  /// meet; then computed without that. At most 4096 combinations are looked at.
  std::vector<RatioEvent> events(const FacedSolid& a, const FacedSolid& b, double limit);

 private:
  static constexpr int kMost = 4;
  using Combination = std::array<int, kMost>;

  void state_program(const FacedSolid& a, const FacedSolid& b);
  RatioEvent event_of(const FacedSolid& a, const Combination& faces) const;
  std::vector<Combination> neighbours(const Combination& at, double limit) const;

  int dimension_;
  SmallLp program_;
  std::vector<double> true_b_;
  SmallLpSolver solver_;
};

}  // namespace perp
