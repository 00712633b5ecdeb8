// Semismooth Newton method on the Fischer-Burmeister function.
#pragma once

#include <chrono>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/semismooth_newton/complementarity_function.hpp>
#include <perp/solvers/semismooth_newton/newton_system.hpp>
#include <perp/solvers/semismooth_newton/scaled_problem.hpp>

namespace perp {

struct NewtonFbSettings {
  std::string function = "auto";  ///< phi: "auto", "fb", "penalised" or "min"
  double lambda = 0.9;            ///< share of fb in the penalised function, in (0, 1] [-]
  std::string inside = "auto";    ///< start at l + 1, not at l: "auto", "always", "never"
  double proximal = 1e-6;         ///< least eps added to the diagonal of M in Newton steps [-]
  double proximal_factor = 1e-3;  ///< eps over max |Phi_i|, that up to 1; of an mcp 1/100 of it [-]
  std::string least_squares = "fallback";  ///< Levenberg-Marquardt: "fallback", "always", "never"
  int memory = 10;                         ///< merits that the line search compares with
  int patience = 15;                       ///< steps without a lower merit that end an attempt
  int attempt_iterations = 200;            ///< steps of one attempt
  int restarts = 20;                       ///< attempts after the first
  bool finish = true;                      ///< solve the active set's linear system in the end
  double finish_below = 0.01;              ///< largest |Phi_i| from which that is tried [-]
  std::string equilibrate = "auto";        ///< scale by powers of two: "auto", "always", "never"
  std::string linear_algebra = "auto";     ///< "auto", "dense" or "sparse"

  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("function", function,
            "complementarity function: auto (fb, for mcp penalised), fb, penalised or min");
    v.visit("lambda", lambda, "share of fb in the penalised function, in (0, 1]");
    v.visit("inside", inside,
            "start at l + 1, not at l: auto (where M is constant and has no positive entry off the "
            "diagonal), always, never");
    v.visit("proximal", proximal, "least eps added to the diagonal of M in Newton steps");
    v.visit("proximal_factor", proximal_factor,
            "eps over the largest |Phi_i|, that up to 1; of an mcp a hundredth of it");
    v.visit("least_squares", least_squares,
            "Levenberg-Marquardt steps: fallback (where a Newton step is poor), always, never");
    v.visit("memory", memory, "merits that the nonmonotone line search compares with");
    v.visit("patience", patience, "steps without a lower merit that end an attempt");
    v.visit("attempt_iterations", attempt_iterations, "steps of one attempt at most");
    v.visit("restarts", restarts, "attempts after the first");
    v.visit("finish", finish, "solve the linear system of the identified active set in the end");
    v.visit("finish_below", finish_below, "largest |Phi_i| from which the finish is tried");
    v.visit("equilibrate", equilibrate,
            "scale rows and columns by powers of two: auto (where badly scaled), always, never");
    v.visit("linear_algebra", linear_algebra, "factorisations: auto, dense or sparse");
  }
};

/// Solves LCP(q, M), mixed LCPs and nonlinear MCPs as the semismooth equation Phi(z) = 0 with
/// Phi_i = phi(z_i - l_i, F_i) [DeLucaFacchineiKanzow1996], two-sided bounds by Billups'
/// composition [Billups1995], phi of Fischer and Burmeister [Fischer1992], penalised
/// [ChenChenKanzow2000], or min. M is the Jacobian of F at the iterate.
///
/// Newton step: (D_a + D_b (M + eps I)) d = -Phi, a proximal perturbation [Billups1995] that falls
/// with Phi. Where that is no good descent direction, least squares: (J'J + mu I) d = -J'Phi; then
/// the gradient. Nonmonotone line search on 1/2 ||Phi||^2 [GrippoLamparielloLucidi1986]; where F is
/// nonlinear, steps are shortened until F and its Jacobian exist, and full steps are projected onto
/// the bounds where that halves the merit. Near a solution the system of the active set is
/// solved by Newton's method (linear F: with residuals in extended precision); its point is the
/// answer, or the next iterate where it is better. An attempt that leads nowhere is followed by
/// others: another function, least-squares steps only, random starts, other elements of the
/// generalised Jacobian at kinks [MunsonFacchineiFerrisFischerKanzow2001].
///
/// Points whose residual vanishes though F does not hold its signs at the bounds (poles,
/// BoundSigns) are no answers: after a few of them the attempt ends. Ends: solved; stationary
/// (J'Phi = 0 though Phi is not: the message names the rows); stalled; iteration_limit, time_limit,
/// interrupted; numerical_error (no start where F and its Jacobian are finite: the message names a
/// row). None but solved proves anything.
class NewtonFb final : public Solver {
 public:
  NewtonFbSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  enum class StepType { kNewton, kLeastSquares, kGradient, kActiveSet, kNone };

  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  void check_settings() const;
  void prepare_nonlinear(const Mcp& problem, ScaledProblem::Scaling scaling);
  bool prefers_sparse(const Matrix& m) const;
  ComplementarityFunction chosen_function() const;
  void begin_attempt(int attempt, bool has_start);
  void move_inside();
  void random_start(int attempt, double share);
  void start_near(int attempt);
  Status run_attempt(Observer* observer);
  void evaluate();
  void remember();
  void remember_merit();
  bool is_false_answer();
  bool accept_if_solved();
  bool finish(int rounds, double target);
  bool move_to_finish();
  void classify(const Vector& z, const Vector& f);
  StepType take_step();
  bool find_direction(StepType type);
  bool search(double shortest);
  bool search_along(double shortest, bool projected);
  double merit_at(double t, bool projected);
  double merit_of(const Vector& z, const Vector& f) const;
  void note_undefined(const Vector& f);
  bool report_iteration(Observer* observer);
  Status end_of_attempt() const;
  bool out_of_time() const;
  std::string row_name(int row) const;
  void describe(Status status, Result& result);

  McpFunction mcp_function_;
  ScaledProblem problem_;
  NewtonSystem system_;
  std::vector<std::string> names_;
  bool starts_inside_ = false;

  // One attempt.
  ComplementarityFunction function_;
  bool least_squares_first_ = false;
  Vector z_, f_, phi_, da_, db_, gradient_;
  double merit_ = 0.0, natural_ = 0.0;
  Vector direction_, map_direction_, right_side_;
  Vector trial_, trial_f_;
  double slope_ = 0.0, step_ = 0.0, damping_ = 0.0;
  StepType last_step_ = StepType::kNone;
  std::vector<double> merits_;  // a ring of the last ones
  int attempt_steps_ = 0, since_lower_ = 0, patience_ = 0;
  double lowest_merit_ = 0.0;

  // The finish: sets as the a and b of a kernel, and the point in work.
  Vector at_bound_, basic_, tried_;
  double tried_size_ = 0.0;  // ||Phi|| then
  Vector candidate_, candidate_f_, polished_;
  double polished_natural_ = 0.0;

  // The whole solve.
  std::chrono::steady_clock::time_point started_;
  int iterations_ = 0, finishes_ = 0, least_squares_steps_ = 0, gradient_steps_ = 0;
  int false_answers_ = 0, false_answers_here_ = 0;  // in all, in this attempt
  int undefined_row_ = -1, undefined_points_ = 0;   // where F or its Jacobian was not finite
  Vector start_;
  Vector best_z_;  // least natural residual
  double best_natural_ = 0.0;
  Vector stationary_z_, stationary_phi_;  // least merit
  double stationary_merit_ = 0.0, stationary_gradient_ = 0.0;
};

}  // namespace perp
