// The points where two convex bodies are nearest, as rows of a step.
#pragma once

#include <perp/formulations/dynamics/step_recorder.hpp>
#include <perp/formulations/gap/nearest_points/surface.hpp>

namespace perp {

/// How the conditions of the nearest points a1 of body a, f <= 0, and a2 of body b, g <= 0, are
/// written. n = -N_f, N_f and N_g the unit normals, t and o tangents.
enum class ClosestPointForm {
  /// a1 - a2 = -l1 grad f(a1), grad f(a1) = -l2 grad g(a2), 0 <= l1 complementary to -f(a1) >= 0,
  /// 0 <= l2 complementary to -g(a2) >= 0 [ChakrabortyBerardAkellaTrinkle2007, Eqs. 7-8].
  kMultiplier,
  /// Two rows each, those of the tangents at the beginning of the step, of
  /// a1 - a2 = -|a1 - a2| N_f and N_f = -N_g; f(a1) = 0, g(a2) = 0
  /// [ChakrabortyBerardAkellaTrinkle2007, Eq. 9].
  kUnitNormal,
  /// t'(a1 - a2) = o'(a1 - a2) = 0, t'N_g = o'N_g = 0, f(a1) = 0, g(a2) = 0: admits N_f = N_g.
  kTangential,
};

/// Whose function is the gap: g of body b at a1, or f of body a at a2
/// [ChakrabortyBerardAkellaTrinkle2007, Eq. 6 has both]. The multiplier of kMultiplier that
/// measures the distance goes with it: with g(a1) it is a1 - a2 = l1 grad g(a2), grad g(a2) = -l2
/// grad f(a1), l1 complementary to -g(a2) and l2 to -f(a1).
enum class GapFunction { kOfA, kOfB };

/// Where the unknowns of a pair stand; -1: there is none.
struct PointUnknowns {
  int a1 = -1, a2 = -1;  ///< first of 3, in 2D of 2
  int l1 = -1, l2 = -1;
};

/// A body of a pair.
struct RecordedSolid {
  const Shape* shape;
  RecordedPose pose;
};

/// The pair as recorded; lengths in the unit of the step.
struct RecordedPoints {
  PointUnknowns unknowns;
  ExprVector3 a1, a2;
  ExprVector3 n;  ///< unit, -grad f(a1)/|grad f(a1)|: the push on body a
  Expr gap;       ///< f(a2) or g(a1), complementary to p_n [.., Eq. 6]
};

constexpr int kPointKeys = 8;  ///< keys that a pair takes

/// Adds the unknowns and rows of a pair; those of a1, a2 are named NAME.a1.x, ..., l1 and l2
/// NAME.l1, NAME.l2.
/// @param unit of length, m
/// @param reference a vector whose part normal to N_f becomes t; kUnitNormal: t, with `reference_o`
RecordedPoints record_closest_points(StepRecorder& step, ClosestPointForm form, GapFunction gap,
                                     const std::string& name, std::uint64_t key,
                                     const RecordedSolid& a, const RecordedSolid& b, double unit,
                                     const ExprVector3& reference_t,
                                     const ExprVector3& reference_o);

}  // namespace perp
