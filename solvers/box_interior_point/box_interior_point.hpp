// Infeasible interior-point method for complementarity problems with bounds.
#pragma once

#include <perp/solvers/box/newton_system.hpp>
#include <perp/solvers/box_interior_point/interior_pairs.hpp>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/semismooth_newton/active_set_finish.hpp>

namespace perp {

/// Settings of BoxInteriorPoint.
struct BoxInteriorPointSettings {
  double distance = 0.0;       ///< of the first point from its bounds; 0: from the size of F [-]
  double proximal = 1e-10;     ///< eps added to the diagonal of the Jacobian [-]
  double to_boundary = 0.995;  ///< share of the longest step that is taken far from a solution [-]
  int patience = 20;           ///< steps without progress that end the solve
  bool finish = true;          ///< solve the active set's system in the end
  double finish_below = 0.01;  ///< try that if the natural residual is at most this [-]
  std::string linear_algebra = "auto";  ///< "auto", "dense" or "sparse"

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit(
        "distance", distance,
        "distance of the first point from its bounds, and its multipliers; 0: the size of F there");
    v.visit("proximal", proximal, "eps added to the diagonal of the Jacobian");
    v.visit("to_boundary", to_boundary, "share of the longest step that is taken at most", kShare);
    v.visit("patience", patience, "steps without progress that end the solve", kAtLeastOne);
    v.visit("finish", finish, "solve the linear system of the identified active set in the end");
    v.visit("finish_below", finish_below,
            "the finish is tried if the natural residual is at most this");
    v.visit("linear_algebra", linear_algebra, "factorisations: auto, dense or sparse",
            Choices{"auto", "dense", "sparse"});
  }
};

/// Solves l <= z <= u complementary to a monotone F(z) (lcp, mlcp, mcp) by following the path on
/// which all products of distances to bounds and their multipliers are the same mu
/// [WrightRalph1996]. With distances a = z - l, b = u - z, their multipliers v, w, and
/// D = v / a + w / b on the diagonal, a step solves
///   (J + D + eps I) dz = -F + sigma mu / a - sigma mu / b
/// twice with one factorisation: first a predictor, which chooses sigma, then the step with the
/// second-order term of the predictor [Mehrotra1992]. The step is shortened until the point keeps a
/// distance from its bounds, no product is far below the mean, and ||F - v + w|| falls, or its
/// ratio to mu is at most about that in the beginning. Near a solution the system of the active set
/// is solved (ActiveSetFinish). If F is not monotone, the path may not lead to a solution.
///
/// Ends: solved; stalled; iteration_limit (200 by default), time_limit, interrupted;
/// numerical_error (F does not exist at the first point, or a matrix is singular or not finite).
class BoxInteriorPoint final : public Solver {
 public:
  BoxInteriorPointSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  void do_prepare(const Problem& problem) override;
  void do_update(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  bool start_solves();
  bool begin();
  Status run(Observer* observer);
  bool is_solved();
  bool find_direction();
  bool search();

  BoxProblem problem_;
  NewtonSystem system_;
  InteriorPairs pairs_;
  ActiveSetFinish finish_;
  BoxRecord record_;
  Vector start_, diagonal_, row_weight_, right_side_, direction_;
  double largest_ratio_ = 0.0;  // allowed ratio of the defect to mu
  double near_ = 1.0;  // mu in the beginning, at most 1: near a solution it is small beside this
  double step_ = 0.0;
  int iterations_ = 0;
};

}  // namespace perp
