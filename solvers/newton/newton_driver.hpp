// Newton's method for a nonsmooth equation, globalised by a merit function.
#pragma once

#include <perp/problems/limits/deadline.hpp>
#include <perp/solvers/core/observer.hpp>
#include <perp/solvers/core/status.hpp>
#include <perp/solvers/newton/least_squares_damping.hpp>
#include <perp/solvers/newton/merit_history.hpp>
#include <string_view>

namespace perp {

class NewtonDriver;

/// The equation Phi(z) = 0 with its current point z, as one method sees it: it makes directions and
/// trial points on them, and decides whether z is an answer. The driver decides which trial points
/// become the next z.
class NewtonEquation {
 public:
  enum class Verdict { kGoOn, kSolved, kStuck };

  virtual ~NewtonEquation() = default;

  /// 1/2 ||Phi(z)||^2.
  virtual double merit() const = 0;
  /// kSolved: z, or a point made from it, is an answer. kStuck: no step from z makes sense.
  virtual Verdict judge() = 0;
  /// Chooses directions in the order of the method. Along each it calls search() or
  /// take_full_step() of the driver, until a point is accepted.
  /// @return the name of that step; "": no point was accepted
  virtual std::string_view take_step(NewtonDriver& driver) = 0;
  /// Makes the trial point z + t d of the current direction d. @return its merit; not finite if Phi
  /// does not exist there
  virtual double try_step(double t) = 0;
  /// Makes the trial point the new z. @return false if the equation cannot be linearised there; z
  /// then stays the same
  virtual bool accept_trial() = 0;
  /// For the watchdog: keep_base() stores z and the current direction, return_to_base() goes back.
  virtual void keep_base() {}
  virtual bool return_to_base() { return false; }
  /// Writes residual, sizes and counts to the record.
  virtual void describe(IterationRecord& record) const = 0;
};

/// A search accepts a step t if merit <= reference + 1e-4 t slope.
struct SearchRule {
  double slope = 0.0;      ///< of the merit along the direction; below 0
  double first = 1.0;      ///< length of the first trial
  double shortest = 1e-3;  ///< shortest length, over the first one that is valid
  bool may_relax = false;  ///< the watchdog may accept a full step that does not satisfy this
};

/// Settings of the loop.
struct DriverSettings {
  int memory = 1;     ///< number of merits with which searches compare; 1: monotone
  int patience = 15;  ///< more steps without progress end a run
  int watchdog = 0;   ///< number of full steps in a row that need not satisfy the rule
  int most_steps = 200;
  DampingRules damping = {};
  double wild = 1e4;   ///< of the watchdog: largest merit over that with which searches compare
  int most_rises = 0;  ///< of the merit without progress, before searches are monotone; 0: any
};

/// The loop of a globalised Newton method: steps, a nonmonotone search by halving for their length
/// [GrippoLamparielloLucidi1986], and the tests for the end. A trial point is accepted, rejected
/// (its merit is too high) or invalid (Phi or its derivative does not exist). Invalid points do not
/// use up the lengths that a search may try: they say nothing about the direction.
///
/// With a watchdog [FerrisLucidi1994] a few full steps in a row need not satisfy SearchRule. If
/// none of them leads to a step that does, the driver goes back to the point where they began and
/// takes a shorter step.
class NewtonDriver {
 public:
  /// To be called before a run. Sets iterations and counts to 0. @param deadline of the whole solve
  void begin(const DriverSettings& settings, const Deadline& deadline);
  /// Runs from the point of the equation. Ends: solved; stalled; iteration_limit; time_limit;
  /// interrupted; numerical_error if the merit is not finite.
  Status run(NewtonEquation& equation, Observer* observer);

  // For NewtonEquation::take_step:
  /// @return whether a point was accepted; step() is its length, 0 if none was
  bool search(NewtonEquation& equation, const SearchRule& rule);
  /// Takes the full step if its merit is at most `highest_merit`. @return whether it was accepted
  bool take_full_step(NewtonEquation& equation, double highest_merit);
  double reference() const { return history_.reference(); }
  double step() const { return step_; }
  LeastSquaresDamping damping;

  int iterations = 0, rejected = 0, invalid = 0, watchdog_returns = 0;

 private:
  enum class Trial { kAccepted, kRejected, kInvalid };

  /// `relaxed` counts the full steps since the last step that satisfied the rule.
  struct Watchdog {
    int most = 0;
    double wild = 0.0;
    int relaxed = 0;
    bool returned = false;  // to the base, and no step has satisfied the rule since
  };

  bool tell(const NewtonEquation& equation, Observer* observer) const;
  std::string_view take_step(NewtonEquation& equation);
  Trial try_length(NewtonEquation& equation, const SearchRule& rule, double reference);
  bool return_to_base(NewtonEquation& equation);

  MeritHistory history_;
  Watchdog watchdog_;
  Deadline deadline_;
  int most_steps_ = 0;
  double step_ = 0.0;
  double base_slope_ = 0.0;     // of the direction to which the watchdog goes back
  std::string_view step_type_;  // of the last step
};

}  // namespace perp
