// The method of multipliers for conic QPs of velocities and impulses, on the graph of the bodies.
#pragma once

#include <perp/solvers/block_interior_point/augmented_lagrangian.hpp>
#include <perp/solvers/block_interior_point/impulse_solver.hpp>

namespace perp {

/// Settings of BlockAugmentedLagrangian.
struct BlockAugmentedLagrangianSettings {
  double penalty = 1e4;        ///< first one, over the stiffness [-]
  double increase = 10.0;      ///< of the penalty after every update [-]
  double negligible = 0.0;     ///< multipliers of a start below it count as 0
  double start_measure = 0.0;  ///< largest measure of a start to begin from; 0: any

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("penalty", penalty, "first penalty, over the stiffness of cones and rows", kPositive);
    v.visit("increase", increase, "factor on the penalty after every update of the multipliers",
            kAtLeastOne);
    v.visit("negligible", negligible, "multipliers of a start below it count as 0");
    v.visit("start_measure", start_measure,
            "a start with a larger measure ends the solve as stalled; 0: any start");
  }
};

/// Solves conic QPs of the form of ImpulseProgram by the method of multipliers on the dual
/// (AugmentedLagrangian), with linear systems of the size of the bodies (ImpulseNewton): the
/// gradient is brought below a tenth of what the multipliers would move, then they move and the
/// penalty grows. It is for starts that are near, with their dual, which cost it some Newton
/// steps; from afar block-interior-point takes fewer.
/// Ends: solved, stalled, iteration_limit, time_limit, interrupted. It proves no infeasibility.
class BlockAugmentedLagrangian final : public ImpulseSolver {
 public:
  BlockAugmentedLagrangianSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  void prepare_method() override { lagrangian_.prepare(program()); }
  void do_solve(const Start& start, Observer* observer, Result& result) override;
  void read_start(const Start& start);
  void iterate(Observer* observer, Result& result);

  AugmentedLagrangian lagrangian_;
};

}  // namespace perp
