// Interior-point method for conic QPs of velocities and impulses, with linear systems on the graph
// of the bodies.
#pragma once

#include <perp/solvers/block_interior_point/impulse_solver.hpp>
#include <perp/solvers/block_interior_point/predictor_corrector.hpp>

namespace perp {

/// Settings of BlockInteriorPoint.
struct BlockInteriorPointSettings {
  int patience = 15;  ///< steps without progress before the solve ends as stalled

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("patience", patience, "steps without progress before the solve ends as stalled",
            kAtLeastOne);
  }
};

/// Solves conic QPs of the form of ImpulseProgram, with thousands of contacts, velocities as
/// unknowns and one row that bounds the sum of all normal impulses. It uses Mehrotra's predictor
/// and corrector (PredictorCorrector) with linear systems of the size of the bodies
/// (ImpulseNewton). That row borders them by one row and column. The method begins at its own
/// central start and ignores the start given.
/// Ends: solved, stalled, iteration_limit, time_limit, interrupted. It proves no infeasibility.
class BlockInteriorPoint final : public ImpulseSolver {
 public:
  BlockInteriorPointSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  void prepare_method() override { path_.prepare(program()); }
  // The measure is at least the verifier's. The next step begins at the central start anyway.
  double aim() const override { return 0.95; }
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  PredictorCorrector path_;
};

}  // namespace perp
