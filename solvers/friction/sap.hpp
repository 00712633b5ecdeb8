// The semi-analytic primal method for compliant contact.
#pragma once

#include <perp/problems/standard/residuals.hpp>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/friction/sap_matrix.hpp>
#include <vector>

namespace perp {

/// Settings of Sap.
struct SapSettings {
  double search_tolerance = 1e-6;  ///< slope at the end of a search over that at its beginning [-]
  int patience = 10;  ///< steps without a smaller gradient that end the solve, once the
                      ///< objective no longer falls

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("search_tolerance", search_tolerance,
            "slope at the end of a line search over that at its beginning", kPositive);
    v.visit("patience", patience,
            "steps without a smaller gradient that end a run once the objective no longer falls",
            kAtLeastOne);
  }
};

/// Minimises 1/2 ||v - v*||^2_A + 1/2 ||P_F(y(v))||^2_R [CastroPermenterHan2022, Algorithm 1]. Each
/// step solves H d = -gradient with H = A + J'SJ by a sparse LDL' factorisation. S comes from the
/// derivative of the analytic projection. The step goes to the minimum along d, which safeguarded
/// Newton steps find. The objective is strictly convex with a Lipschitz gradient, so this converges
/// from any start. It begins at the start given, or at v*.
/// Ends: solved, stalled (the tolerance is below what rounding permits), iteration_limit,
/// time_limit, interrupted, numerical_error (entries that overflow).
class Sap final : public Solver {
 public:
  SapSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  /// A point, with quantities that belong to it.
  struct Point {
    Vector v, change;  ///< v, A (v - v*)
    Vector u, gamma;   ///< J v - bias, and the impulses
    Vector gradient;
  };
  /// A step d.
  struct Direction {
    Vector v, change, u;                   ///< d, A d, J d
    double linear = 0.0, quadratic = 0.0;  ///< d'A(v - v*), d'A d
  };
  struct Slope {
    double first, second;  ///< derivatives of the objective along the direction
  };

  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  void evaluate();
  double measure();
  bool is_solved(double measure);
  double objective_size();
  bool find_direction();
  Slope slope(double t);
  double search(double slope_at_zero);

  ConvexContact problem_;
  CompliantContacts contacts_;
  SapMatrix matrix_;
  Point point_;
  Direction direction_;
  Vector best_, trial_;
  std::vector<Eigen::Matrix3d> stiffness_;
  ResidualWork work_;
  int factorisations_ = 0, slopes_ = 0;
};

}  // namespace perp
