// The method of multipliers for conic QPs of velocities and impulses, with linear systems on the
// graph of the bodies.
#pragma once

#include <perp/solvers/block_interior_point/augmented_lagrangian.hpp>
#include <perp/solvers/block_interior_point/impulse_solver.hpp>

#include <limits>

namespace perp {

/// Settings of BlockAugmentedLagrangian.
struct BlockAugmentedLagrangianSettings {
  double penalty = 100.0;      ///< first penalty, over the stiffness of cones and rows [-]
  double increase = 10.0;      ///< factor on the penalty after every update [-]
  double negligible = 0.0;     ///< smaller multipliers lambda, nu of a start count as 0
  double start_measure = 0.0;  ///< largest measure of a start that is used; 0: any

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("penalty", penalty, "first penalty, over the stiffness of cones and rows", kPositive);
    v.visit("increase", increase, "factor on the penalty after every update of the multipliers",
            Range{1.0, std::numeric_limits<double>::infinity(), true});
    v.visit("negligible", negligible, "smaller multipliers of a start count as 0");
    v.visit("start_measure", start_measure,
            "a start with a larger measure ends the solve as stalled; 0: any start");
  }
};

/// Solves conic QPs of the form of ImpulseProgram by the method of multipliers on the dual
/// (AugmentedLagrangian), with linear systems of the size of the bodies (ImpulseNewton). Newton
/// steps bring the gradient below a tenth of the change of the multipliers. Then the multipliers
/// are updated and the penalty grows. It is for starts near a solution, with their dual: from these
/// it needs a few Newton steps. From far away block-interior-point needs fewer.
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
