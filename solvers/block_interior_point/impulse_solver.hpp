// The base class of solvers of an ImpulseProgram.
#pragma once

#include <perp/solvers/block_interior_point/impulse_newton.hpp>
#include <perp/solvers/core/solver.hpp>

namespace perp {

/// Takes conic QPs with a partition into velocities and impulses, and keeps the best candidate. A
/// candidate takes only p, lambda and nu from the method; the rest is computed from these, so that
/// momentum and stationarity hold to rounding.
class ImpulseSolver : public Solver {
 protected:
  std::optional<std::string> do_refusal(const Problem& problem) const override;
  void do_prepare(const Problem& problem) override;
  void do_update(const Problem& problem) override;
  /// Prepares the work space of the method for program(), whose sizes may be new.
  virtual void prepare_method() = 0;
  /// Share of the tolerance at which the solve ends. Half of it, so that the answer still is one,
  /// or nearly, after a step of time in which little moves.
  virtual double aim() const { return 0.5; }

  const ImpulseProgram& program() const { return program_; }
  ImpulseNewton& newton() { return newton_; }
  /// The point from which look() and goes_on() take p, lambda and nu.
  ImpulsePoint& point() { return point_; }

  void begin(Result& result);
  /// Completes the point, keeps it if it is the best one, and returns its measure. p is scaled down
  /// if e'p > kappa.
  double look();
  /// Calls look() and records a step. @return false, with the status set, if the solve ends here.
  bool goes_on(const char* step_type, double merit, double step, Observer* observer,
               Result& result);
  /// Whether the best point is an answer.
  bool is_solved() const;
  void end(Result& result) const;

 private:
  void make_room();

  ImpulseProgram program_, next_;  // next_: read by update()
  ImpulseNewton newton_;
  ImpulsePoint point_, best_;
  double best_measure_ = 0.0;
};

}  // namespace perp
