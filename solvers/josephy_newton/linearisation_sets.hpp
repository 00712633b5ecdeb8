// The active sets of a linearised problem.
#pragma once

#include <perp/solvers/box/box_problem.hpp>
#include <perp/solvers/box/newton_system.hpp>
#include <perp/solvers/core/start.hpp>
#include <vector>

namespace perp {

/// Newton's method on the sets of l <= z + d <= u, F(z) + J d: rows where z - F lies between the
/// bounds are equations, the other unknowns go to their bounds, and one linear system a round gives
/// d. Whatever then violates its bounds or has an F of the wrong sign changes sets, as long as
/// these become fewer with every round.
class LinearisationSets {
 public:
  /// Keeps references. Allocates.
  void attach(const BoxProblem& problem, NewtonSystem& system);
  void begin() { singular_systems = 0; }

  /// From the sets that z and F(z) show. Violations up to 1e-6 of the residual are left to the next
  /// step. @return whether the sets settled: point() solves the linear problem
  bool solve(const Vector& z, const Vector& f, double natural, int rounds);
  /// z + d between the bounds; if the sets did not settle, of the first system; z, if that was
  /// singular.
  const Vector& point() const { return point_; }
  /// The sets reached, by unknown.
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
