// The active sets of a linearised problem.
#pragma once

#include <perp/solvers/box/box_problem.hpp>
#include <perp/solvers/box/newton_system.hpp>
#include <perp/solvers/core/start.hpp>
#include <vector>

namespace perp {

/// Newton's method on the active sets of l <= z + d <= u, F(z) + J d. A row with z - F between the
/// bounds is an equation; the other unknowns go to their bounds. One linear system per round gives
/// d. Then all unknowns that violate their bounds, or whose F + J d has the wrong sign, change
/// sets. This goes on as long as their number falls with every round.
class LinearisationSets {
 public:
  /// Keeps references. Allocates.
  void attach(const BoxProblem& problem, NewtonSystem& system);
  void begin() { singular_systems = 0; }

  /// Begins with the sets that z and F(z) show. Violations up to 1e-6 of the residual are ignored;
  /// those of unknowns are smaller by the largest entry of J, if that is above 1.
  /// @param z, f n values each @param natural residual at z @param rounds at most
  /// @return whether the sets settled: point() solves the linear problem
  bool solve(const Vector& z, const Vector& f, double natural, int rounds);
  /// z + d, projected on the bounds. If the sets did not settle, d is that of the first system; if
  /// this was singular, the point is z.
  const Vector& point() const { return point_; }
  /// The last sets, one per unknown.
  const std::vector<PairStatus>& sets() const { return sets_; }

  int singular_systems = 0;

 private:
  void classify(const Vector& z, const Vector& f);
  void put(int i, PairStatus set);
  int exchange(const Vector& z, const Vector& f, double slack);

  const BoxProblem* problem_ = nullptr;
  NewtonSystem* system_ = nullptr;
  std::vector<PairStatus> sets_;
  Vector at_bound_, basic_;  // the same, as a and b of a Newton system
  Vector right_side_, direction_, map_direction_, point_;
};

}  // namespace perp
