// How the covering variable enters the basis.
#pragma once

#include <perp/solvers/pivoting/basic_values.hpp>
#include <perp/solvers/pivoting/lexicographic_order.hpp>

namespace perp {

/// A point that a path comes from: x and w of all pairs, canonical.
struct PathOrigin {
  const Vector* x = nullptr;
  const Vector* w = nullptr;
};

/// The covering direction p: values(t) = value + t p. Along it t falls until a value reaches a
/// bound and leaves for t.
///
/// Invariant of an entry that is ready: at t all values are within their bounds (to rounding), the
/// leaving one at one of its own, and its entry of p is not zero, so that the basis stays
/// nonsingular with d = -B p in place of its column.
class CoveringEntry {
 public:
  enum class Kind {
    kReady,
    kSolved,    ///< the values are within their bounds without t
    kUncovered  ///< a value is outside whatever t is
  };

  void attach(int size) { p.setZero(size); }
  /// From far away: p = 1 inwards at one-sided values, @param covering p of slacks, by pair
  /// (nonnegative), or nullptr. t falls from infinity; values outside two-sided bounds are moved to
  /// the nearer one. @param tie values closer than this to where they block tie with what blocks
  Kind from_far_away(const BasicValues& values, const Basis& basis, const Vector* covering,
                     double tie, LexicographicOrder& order);
  /// From a point: p = (its values, moved between their bounds) - value, so that t falls from 1 and
  /// all that is violated shrinks in proportion to it [DirkseFerris1995].
  Kind from_point(const BasicValues& values, const Basis& basis, const PathOrigin& origin,
                  LexicographicOrder& order);

  Vector p;
  int leaving = -1;        ///< position
  double t = 0.0;          ///< scaled
  double first_t = 0.0;    ///< true value of t when the path begins
  bool may_close = false;  ///< the path may return to where t entered

 private:
  bool cover_one_sided(const BasicValues& values, const Basis& basis, const Vector* covering,
                       LexicographicOrder& order, bool& outside);
};

}  // namespace perp
