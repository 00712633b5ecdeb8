// The points where two convex bodies are nearest, as rows of a step.
#pragma once

#include <perp/formulations/dynamics/step_recorder.hpp>
#include <perp/formulations/gap/nearest_points/surface.hpp>

namespace perp {

/// The ways to write the conditions for the nearest points a1 of body a, f <= 0, and a2 of body b,
/// g <= 0. N_f and N_g are the unit normals, n = -N_f, t and o are tangents.
enum class ClosestPointForm {
  /// a1 - a2 = -l1 grad f(a1), grad f(a1) = -l2 grad g(a2), 0 <= l1 complementary to -f(a1) >= 0,
  /// 0 <= l2 complementary to -g(a2) >= 0 [ChakrabortyBerardAkellaTrinkle2007, Eqs. 7-8].
  kMultiplier,
  /// a1 - a2 = -|a1 - a2| N_f and N_f = -N_g, of each only the two components along the tangents
  /// at the beginning of the step; and f(a1) = 0, g(a2) = 0
  /// [ChakrabortyBerardAkellaTrinkle2007, Eq. 9].
  kUnitNormal,
  /// t'(a1 - a2) = o'(a1 - a2) = 0, t'N_g = o'N_g = 0, f(a1) = 0, g(a2) = 0. N_f = N_g is a
  /// solution too.
  kTangential,
};

/// The body whose function is the gap: kOfB is g of body b at a1, kOfA is f of body a at a2
/// ([ChakrabortyBerardAkellaTrinkle2007, Eq. 6] has both). In the form kMultiplier the equations
/// depend on it: with kOfB they are a1 - a2 = l1 grad g(a2), grad g(a2) = -l2 grad f(a1), l1
/// complementary to -g(a2) and l2 to -f(a1).
enum class GapFunction { kOfA, kOfB };

/// Indices of the unknowns of a pair; -1: there is none.
struct PointUnknowns {
  int a1 = -1, a2 = -1;  ///< first of 3 unknowns, in 2D of 2
  int l1 = -1, l2 = -1;
};

/// A body of a pair.
struct RecordedSolid {
  const Shape* shape;
  RecordedPose pose;
};

/// A recorded pair; lengths in the unit of the step.
struct RecordedPoints {
  PointUnknowns unknowns;
  ExprVector3 a1, a2;
  ExprVector3 n;  ///< unit, -grad f(a1)/|grad f(a1)|: into body a
  Expr gap;       ///< f(a2) or g(a1), complementary to p_n
};

constexpr int kPointKeys = 8;  ///< number of keys that a pair needs

/// Adds the unknowns and rows of a pair. The unknowns of the points are named NAME.a1.x, ..., the
/// multipliers NAME.l1 and NAME.l2.
/// @param unit unit of length, m
/// @param reference_t a vector whose part normal to N_f becomes t; in the form kUnitNormal it is t
/// @param reference_o o, in the form kUnitNormal only
RecordedPoints record_closest_points(StepRecorder& step, ClosestPointForm form, GapFunction gap,
                                     const std::string& name, std::uint64_t key,
                                     const RecordedSolid& a, const RecordedSolid& b, double unit,
                                     const ExprVector3& reference_t,
                                     const ExprVector3& reference_o);

}  // namespace perp
