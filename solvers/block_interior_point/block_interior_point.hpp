// Interior-point method for conic QPs of velocities and impulses, on the graph of the bodies.
#pragma once

#include <perp/solvers/block_interior_point/impulse_multipliers.hpp>
#include <perp/solvers/block_interior_point/impulse_path.hpp>
#include <perp/solvers/core/solver.hpp>

namespace perp {

struct BlockInteriorPointSettings {
  double start_measure = 1.0;  ///< largest measure of a start that the method of multipliers takes
  int start_steps = 4;         ///< Newton steps from a start before the central path is followed
  double penalty = 1e4;        ///< first one of the method of multipliers, over the stiffness [-]
  double increase = 10.0;      ///< of the penalty after every update [-]
  double negligible = 1e-4;    ///< multipliers of a start below it count as 0
  int finish_steps = 20;       ///< Newton steps after a path that ends short of the tolerance
  int patience = 15;           ///< steps of the path without progress

  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("start_measure", start_measure, "largest measure of a start that is continued from");
    v.visit("start_steps", start_steps, "Newton steps from a start before the path is followed");
    v.visit("penalty", penalty, "first penalty of the method of multipliers, over the stiffness");
    v.visit("increase", increase, "factor on the penalty after every update of the multipliers");
    v.visit("negligible", negligible, "multipliers of a start below it count as 0");
    v.visit("finish_steps", finish_steps, "Newton steps where the path ends before the tolerance");
    v.visit("patience", patience, "steps of the path without progress before it ends");
  }
};

/// Solves conic QPs of the form of ImpulseProgram: thousands of contacts, velocities kept, one row
/// that bounds all normal impulses together. Two methods share linear systems of the size of the
/// bodies (ImpulseNewton), into which that row goes as a border of one: from a start that is near,
/// the method of multipliers (ImpulseMultipliers), which needs some Newton steps; else, or where
/// these lead nowhere, the central path (ImpulsePath). Whatever the method, a candidate takes only
/// p, lambda and nu from it, and momentum and stationarity then hold to rounding.
/// Ends: solved, stalled, iteration_limit, time_limit, interrupted, numerical_error. It proves no
/// infeasibility.
class BlockInteriorPoint final : public Solver {
 public:
  BlockInteriorPointSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  struct Run;  // what one solve keeps

  std::optional<std::string> do_refusal(const Problem& problem) const override;
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  bool read_start(const Start& start);
  void follow_multipliers(Run& run, int most_steps);
  void follow_path(Run& run);
  double candidate(Run& run);
  bool goes_on(Run& run, const char* step_type, double merit, double step);

  ImpulseProgram program_;
  mutable ImpulseProgram asked_;  // what do_refusal() read last, which prepare() then takes over
  ImpulseNewton newton_;
  ImpulseMultipliers multipliers_;
  ImpulsePath path_;
  ImpulsePoint point_, best_;
};

}  // namespace perp
