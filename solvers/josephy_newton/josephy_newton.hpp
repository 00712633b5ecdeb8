// Josephy-Newton method for nonlinear mixed complementarity problems.
#pragma once

#include <chrono>
#include <perp/problems/standard/random.hpp>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/josephy_newton/box_map.hpp>
#include <perp/solvers/josephy_newton/linearised_problem.hpp>
#include <perp/solvers/semismooth_newton/complementarity_function.hpp>
#include <perp/solvers/semismooth_newton/newton_system.hpp>

namespace perp {

struct JosephyNewtonSettings {
  int crash_iterations = 50;     ///< projected Newton steps of an attempt before it pivots
  int set_rounds = 20;           ///< linear systems tried on a linearisation before pivots
  std::string path = "far";      ///< where a path of pivots comes from: "far", "point"
  double proximal = 1e-6;        ///< first rho over the largest entry of J, after a failed path [-]
  int memory = 1;                ///< merits that the line search compares with; 1: monotone
  int watchdog = 10;             ///< full steps in a row that may miss the merit asked for
  int patience = 25;             ///< steps without a lower merit that end an attempt
  int attempt_iterations = 200;  ///< steps of one attempt
  int restarts = 20;             ///< attempts after the first
  std::string least_squares = "fallback";  ///< Levenberg-Marquardt steps: "fallback", "never"
  std::string linear_algebra = "auto";     ///< "auto", "dense" or "sparse"

  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("crash_iterations", crash_iterations,
            "projected Newton steps of an attempt before it pivots");
    v.visit("set_rounds", set_rounds, "linear systems tried on a linearisation before pivots");
    v.visit("path", path, "where a path of pivots comes from: far, point (the iterate)");
    v.visit("proximal", proximal, "first rho over the largest entry of J, after a failed path");
    v.visit("memory", memory, "merits that the nonmonotone line search compares with");
    v.visit("watchdog", watchdog, "full steps in a row that may miss the merit asked for");
    v.visit("patience", patience, "steps without a lower merit that end an attempt");
    v.visit("attempt_iterations", attempt_iterations, "steps of one attempt at most");
    v.visit("restarts", restarts, "attempts after the first");
    v.visit("least_squares", least_squares, "Levenberg-Marquardt steps: fallback, never");
    v.visit("linear_algebra", linear_algebra, "factorisations: auto, dense or sparse");
  }
};

/// Solves mixed complementarity problems l <= z <= u, F(z), and lcp and mlcp as such, by the method
/// of Josephy [Josephy1979] in the manner of [DirkseFerris1995; FerrisKanzowMunson1999]. A step:
///
/// 1. The linear problem l <= z + d <= u, F(z) + J d. First by Newton's method on its sets, one
///    linear system a round; where these do not settle, and the projected Newton point is no good
///    either (the crash), by a path of complementary pivots from the basis of the sets at z.
/// 2. A nonmonotone search along d on the merit 1/2 ||Phi||^2, Phi of Fischer and Burmeister
///    [Fischer1992; Billups1995]. z and z + d lie between the bounds and so does what is between
///    them; where F does not exist, the step is shortened.
/// 3. Where the path ends on a ray: the point where it ended, then J + rho I for growing rho, then
///    a Levenberg-Marquardt step on Phi, then the projected gradient.
///
/// Full steps may miss the merit that the search asks for `watchdog` times in a row
/// [FerrisLucidi1994]. An attempt that leads nowhere is followed by others: other options, the
/// start perturbed. Ends: solved; stationary (the merit has a minimum that is no solution: the
/// message names the rows); stalled; numerical_error (no point near the start where F and J exist:
/// the message names the row); iteration_limit, time_limit, interrupted.
class JosephyNewton final : public Solver {
 public:
  JosephyNewtonSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  enum class StepType {
    kStart,
    kNewton,
    kCrash,
    kPath,
    kPathEnd,
    kProximal,
    kLeastSquares,
    kGradient,
    kWatchdog,
    kNone
  };

  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;
  void check_settings() const;

  // restarts.cpp
  bool begin_attempt(int attempt, const Vector* start);
  bool move_into_domain();
  void note_bad_row();
  void perturb(const Vector& around, double spread, Random& random);

  Status run_attempt(Observer* observer);
  bool evaluate();
  bool set_rows();
  bool linearise();
  bool is_false_answer();
  void remember(bool as_lowest);
  bool retreat();
  StepType take_step();
  bool set_newton_point();
  void classify();
  int exchange_sets();
  bool crash_step();
  StepType path_step();
  bool least_squares_step();
  bool gradient_step();
  bool return_to_base();
  bool search(bool may_relax, double first = 1.0);
  bool try_step(double step);
  bool relax(double reference);
  double reference_merit() const;
  void accept_trial();

  // reporting.cpp
  bool report_iteration(Observer* observer);
  Status end_of_attempt() const;
  bool out_of_time() const;
  double time_left() const;
  std::string name_of(int i) const;
  void describe(Status status, Result& result) const;
  void add_statistics(Result& result) const;

  BoxMap map_;
  NewtonSystem system_;
  LinearisedProblem linearised_;
  std::vector<std::string> names_;

  // One attempt.
  ComplementarityFunction function_;
  LinearisedProblem::Origin origin_ = LinearisedProblem::Origin::kPoint;
  bool crashing_ = false, least_squares_first_ = false;
  double least_proximal_ = 0.0;  // rho / max|J| of every path
  Vector z_, f_, phi_, da_, db_, gradient_;
  double merit_ = 0.0, natural_ = 0.0;
  Vector previous_z_, direction_, map_direction_, right_side_, newton_point_;
  Vector trial_z_, trial_f_;
  double trial_merit_ = 0.0, step_ = 0.0, damping_ = 0.0;
  StepType last_step_ = StepType::kStart;
  std::vector<double> merits_;  // a ring of the last ones
  int attempt_steps_ = 0, since_lower_ = 0, merits_kept_ = 0;
  double lowest_merit_ = 0.0;

  // Sets of the linearisation, as a and b of a Newton system too.
  std::vector<PairStatus> sets_;
  Vector at_bound_, basic_;

  // The watchdog: where the relaxed steps began.
  int relaxed_ = 0;
  bool returned_ = false;
  Vector base_z_, base_direction_;

  // The whole solve.
  std::chrono::steady_clock::time_point started_;
  int attempt_ = 0, iterations_ = 0, crash_steps_ = 0, bad_row_ = -1;
  bool bad_jacobian_ = false;
  int step_counts_[10] = {};
  int singular_systems_ = 0, rays_ = 0, shortened_ = 0;
  int false_answers_ = 0, false_answers_here_ = 0;  // in all, in this attempt
  Vector start_, best_z_;                           // least natural residual
  double best_natural_ = 0.0;
  Vector lowest_z_, lowest_phi_;  // least merit
  double lowest_of_all_ = 0.0, lowest_gradient_ = 0.0;
};

}  // namespace perp
