// How the covering variable enters the basis.
#pragma once

#include <perp/solvers/pivoting/basic_values.hpp>
#include <perp/solvers/pivoting/lexicographic_order.hpp>

namespace perp {

/// The point at which a path begins: x and w of all pairs, canonical.
struct PathOrigin {
  const Vector* x = nullptr;
  const Vector* w = nullptr;
};

/// The covering direction p: values(t) = value + t p. t falls until a value reaches a bound; this
/// variable then leaves the basis, and t enters.
///
/// Invariant of an entry that is ready: at t all values are within their bounds (to rounding), and
/// the leaving one is at one of its bounds. Its entry of p is not zero, so that the basis stays
/// nonsingular if d = -B p replaces its column.
class CoveringEntry {
 public:
  enum class Kind {
    kReady,
    kSolved,    ///< the values are within their bounds without t
    kUncovered  ///< a value is outside its bounds for every finite t (overflow, underflow)
  };

  void attach(int size) { p.setZero(size); }
  /// From far away: t falls from infinity, and p is 1 or -1, inwards, at values with one bound.
  /// Values outside two-sided bounds are moved to the nearer bound.
  /// @param covering |p| of slacks, by pair (positive); nullptr: 1
  /// @param tie values closer than this to their bound at t tie with the one that blocks
  Kind from_far_away(const BasicValues& values, const Basis& basis, const Vector* covering,
                     double tie, LexicographicOrder& order);
  /// From a point: p = (its values, clamped to their bounds) - value. So t falls from 1, and all
  /// violations shrink in proportion to it [DirkseFerris1995].
  Kind from_point(const BasicValues& values, const Basis& basis, const PathOrigin& origin,
                  LexicographicOrder& order);

  Vector p;
  int leaving = -1;        ///< position
  double t = 0.0;          ///< scaled
  double first_t = 0.0;    ///< true value of t when the path begins
  bool may_close = false;  ///< the path may return to the basis at which t entered

 private:
  bool cover_one_sided(const BasicValues& values, const Basis& basis, const Vector* covering,
                       LexicographicOrder& order, bool& outside);
};

}  // namespace perp
