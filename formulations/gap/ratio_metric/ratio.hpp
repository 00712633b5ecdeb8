// The ratio metric of convex polyhedra and its events.
#pragma once

#include <perp/formulations/gap/ratio_metric/small_lp.hpp>
#include <perp/problems/scenes/shapes.hpp>
#include <vector>

namespace perp {

/// A polygon (2D) or polyhedron in the world, given by its faces: n_k . (x - centre) <= offset_k.
struct FacedSolid {
  Vector3d centre;                ///< centre of scaling: the mass centre, which must be inside
  std::vector<Vector3d> normals;  ///< unit
  std::vector<double> offsets;    ///< > 0, m
  double reach = 0.0;             ///< radius of a ball about the centre that contains it, m

  double inner() const;  ///< smallest offset: radius of a ball about the centre inside it, m
};

/// @param shape with faces: a polygon, box or polyhedron with the origin inside
/// @param axes axes of the body, as columns
FacedSolid faced_solid(const Shape& shape, const Vector3d& position, const Matrix3d& axes);

/// A contact that appears when both solids are scaled by t, between a face and a corner or between
/// two edges: a vertex (x, t) of the set { (x, t): x in both solids, scaled by t about their
/// centres }.
struct RatioEvent {
  double t = 0.0;         ///< factor of scaling; the smallest of all events is r
  double rho = 0.0;       ///< (t - 1) / t; < 0 if the solids overlap there
  Vector3d point;         ///< x, world, m: the contact point of both solids
  Vector3d gradient;      ///< dt/dc_a with the centre c_a of a, 1/m; dt/dc_b = -dt/dc_a
  unsigned features = 0;  ///< a number for the set of faces that meet

  /// rho / |grad rho| = (t - 1) t / |gradient|: rho in metres along the gradient.
  double gap() const { return (t - 1) * t / gradient.norm(); }
};

/// The ratio metric [Hart]:
///   r = min { t >= 0 : a and b, scaled by t about their centres, meet },  rho = (r - 1) / r.
/// r > 1 if they are apart, 1 if they touch, < 1 if they overlap. It is a linear program in (x, t),
/// solved by SmallLpSolver. Gradients follow from duality: the faces that meet have normals n,
/// offsets beta and multipliers y with sum of y n = 0 and sum of y beta = 1, and
///   dt/dc_a = -sum over the faces of a of y n =: g,  dt/dangle_a = (x - c_a) x g.
/// Let s be the distance (or minus the penetration depth), Delta the distance of the centres and w
/// the smallest width of the Minkowski sum about the centres. Then |s| / Delta <= |rho| <= |s| / (r
/// w), and s and rho have the same sign (README).
class RatioMetric {
 public:
  /// @param dimension 2 or 3; in 2D everything lies in the plane z = 0
  explicit RatioMetric(int dimension) : dimension_(dimension) {}

  /// The event at r. If the centres coincide: t = 0, rho = -infinity and no gradient.
  /// @param face_multipliers receives those of the faces of a, then of b; may be null
  RatioEvent measure(const FacedSolid& a, const FacedSolid& b,
                     std::vector<double>* face_multipliers = nullptr);

  /// All events with t up to `limit`, and those at r; none if the centres coincide. There is one
  /// event for each point and normal: of several combinations of faces that meet there, the first
  /// one found. The search starts at the event at r and follows the edges of the feasible set. For
  /// the search the offsets are enlarged a little (1e-10 of the size) by different amounts, so that
  /// no more faces than necessary meet in a vertex; the events are then computed with the true
  /// offsets. At most 4096 combinations are examined.
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
