// Searches along projected paths.
#pragma once

#include <perp/solvers/gradient_projection/box_quadratic.hpp>

namespace perp {

/// Steps from a point of the box along the path P(x + alpha p), P the projection on the box
/// [MoreToraldo1991].
///
/// A step that is taken lowers the objective, moves the point and keeps its gradient up to date by
/// one product with H; a search that ends otherwise leaves the point as it is.
class ProjectedSearch {
 public:
  enum class End {
    kMoved,
    kStuck,    ///< no step lowers the objective
    kNoBound,  ///< along p, which has no positive curvature, no bound is met
  };

  /// For a function and a point that must stay alive.
  void attach(BoxQuadratic& problem, BoxPoint& point);
  void begin();

  /// To a sufficient decrease, where the path is straight so far to its minimum.
  End search(double alpha);
  /// Along a p without positive curvature: as far as its last bound, or less far.
  End search_flat();

  Vector p;                        ///< the direction
  Vector s, hs;                    ///< the last step and its product with H
  double slope = 0.0, bend = 0.0;  ///< g's and s'Hs of it
  double gain = 0.0;               ///< what the last step that was taken has gained
  double gained = 0.0;             ///< all of them since begin()
  double length = 0.0;             ///< alpha of the last step
  bool negative = false;           ///< negative curvature has been met since begin()
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
