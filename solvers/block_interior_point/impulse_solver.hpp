// What solvers of an ImpulseProgram share.
#pragma once

#include <perp/solvers/block_interior_point/impulse_newton.hpp>
#include <perp/solvers/core/solver.hpp>

namespace perp {

/// Takes conic QPs with a partition into velocities and impulses, and keeps the best candidate.
/// Whatever the method, a candidate takes only p, lambda and nu from it, and momentum and
/// stationarity then hold to rounding.
class ImpulseSolver : public Solver {
 protected:
  std::optional<std::string> do_refusal(const Problem& problem) const override;
  void do_prepare(const Problem& problem) override;
  void do_update(const Problem& problem) override;
  /// The method's own work space for program(), whose sizes may be new.
  virtual void prepare_method() = 0;

  const ImpulseProgram& program() const { return program_; }
  ImpulseNewton& newton() { return newton_; }
  /// What look() and goes_on() take p, lambda and nu from.
  ImpulsePoint& point() { return point_; }
  double best_measure() const { return best_measure_; }

  void begin(Result& result);
  /// The measure of the point, with e'p <= kappa; the best point is kept.
  double look();
  /// Looks, and records a step. @return false if the solve ends here, and sets the status.
  bool goes_on(const char* step_type, double merit, double step, Observer* observer,
               Result& result);
  /// Whether the best point is an answer.
  bool is_solved() const;
  void end(Result& result) const;

 private:
  void make_room();

  ImpulseProgram program_, next_;  // next_: what update() reads
  ImpulseNewton newton_;
  ImpulsePoint point_, best_;
  double best_measure_ = 0.0;
};

}  // namespace perp
