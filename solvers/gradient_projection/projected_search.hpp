// Searches along projected paths.
#pragma once

#include <perp/solvers/gradient_projection/box_quadratic.hpp>

namespace perp {

/// Steps from a point of the box along the path P(x + alpha p), with P the projection on the box
/// [MoreToraldo1991].
///
/// A step that is taken lowers the objective, moves the point and updates its gradient by one
/// product with H. If a search ends without a step, the point stays the same.
class ProjectedSearch {
 public:
  enum class End {
    kMoved,
    kStuck,    ///< no step lowers the objective
    kNoBound,  ///< there is no bound along p, which has no positive curvature
  };

  /// Keeps references to both.
  void attach(BoxQuadratic& problem, BoxPoint& point);
  /// Resets the sums and flags.
  void begin();

  /// Searches for a sufficient decrease; if the path is straight up to its minimum, goes there.
  /// @param alpha first length
  End search(double alpha);
  /// Searches along a p without positive curvature: to its last bound, or less far.
  End search_flat();

  Vector p;                        ///< the direction, n values
  Vector s, hs;                    ///< the last step and its product with H
  double slope = 0.0, bend = 0.0;  ///< g's and s'Hs of the last step
  double gain = 0.0;               ///< by which the last step that was taken lowered the objective
  double gained = 0.0;             ///< sum of all gains since begin()
  double length = 0.0;             ///< alpha of the last step
  bool negative = false;           ///< negative curvature was found since begin()
  bool flat = false;               ///< set by search_flat()

 private:
  bool project(double alpha);
  void move();
  double first_bend() const;

  BoxQuadratic* problem_ = nullptr;
  BoxPoint* point_ = nullptr;
  Vector trial_;
  bool clipped_ = false;  // the last step has met a bound
};

}  // namespace perp
