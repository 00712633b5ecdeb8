// Augmented Lagrangian with semismooth Newton steps for conic QPs of velocities and impulses.
#pragma once

#include <perp/solvers/augmented_lagrangian/impulse_newton.hpp>
#include <perp/solvers/core/solver.hpp>

namespace perp {

struct AugmentedLagrangianSettings {
  double penalty = 100.0;        ///< first, over the stiffness of the rows [-]
  double increase = 10.0;        ///< of the penalty after every outer iteration [-]
  double largest_penalty = 1e7;  ///< [-]
  double inner_accuracy = 0.2;   ///< gradient over the change of the multipliers [-]
  int inner_steps = 60;

  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("penalty", penalty, "first penalty, over the stiffness of the rows");
    v.visit("increase", increase, "factor on the penalty after every outer iteration");
    v.visit("largest_penalty", largest_penalty, "largest penalty");
    v.visit("inner_accuracy", inner_accuracy,
            "gradient over the change of the multipliers at which an inner problem ends");
    v.visit("inner_steps", inner_steps, "Newton steps of an inner problem at most");
  }
};

class AugmentedLagrangian final : public Solver {
 public:
  AugmentedLagrangianSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  struct Point {
    Vector m, lambda;
    double nu = 0.0;
  };
  struct Row {
    Vector v, mv, s, slack;  // of the point: v, M v + c_v, J m + c_p (without nu), G v - w
  };

  std::optional<std::string> do_refusal(const Problem& problem) const override;
  bool drops_bad_starts() const override { return true; }
  void do_prepare(const Problem& problem) override;
  void do_solve(const Vector* start, Observer* observer, Result& result) override;

  void evaluate();
  double gradient();
  void project();
  bool newton_direction();
  double search();
  double slope(double t) const;
  void set_penalty(double penalty);
  double measure(Result& result);

  ImpulseProgram program_;
  ImpulseNewton newton_;
  Point x_, d_, centre_;
  Row at_, along_;
  Vector p_, z_, p_centre_, u_, u_centre_, g_m_, g_lambda_;
  double g_nu_ = 0.0;
  Vector cone_size_, bound_size_, sigma_, tau_, eps_, g_sigma_;
  double total_p_ = 0.0;
  std::vector<ImpulseNewton::ConeBlock> blocks_;
  Vector weights_, a_, b_, du_v_, du_m_, work_;
  Vector best_x_, best_dual_, out_x_, out_dual_, p_out_, v_out_, m_out_, lambda_out_, s_out_;
  const ConicQp* qp_ = nullptr;
  ConicQp copy_;
};

}  // namespace perp
