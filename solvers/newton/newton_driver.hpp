// Newton's method for an equation that is not smooth, globalised by its merit.
#pragma once

#include <perp/problems/limits/deadline.hpp>
#include <perp/solvers/core/observer.hpp>
#include <perp/solvers/core/status.hpp>
#include <perp/solvers/newton/least_squares_damping.hpp>
#include <perp/solvers/newton/merit_history.hpp>
#include <string_view>

namespace perp {

class NewtonDriver;

/// Phi(z) = 0 at a point z, and what one method knows about it: directions, trial points on them,
/// and whether z is an answer. The driver decides which trial points become the next z.
class NewtonEquation {
 public:
  enum class Verdict { kGoOn, kSolved, kStuck };

  virtual ~NewtonEquation() = default;

  /// 1/2 ||Phi(z)||^2.
  virtual double merit() const = 0;
  /// Whether z, or a point made from it, is an answer; kStuck: no step from it makes sense.
  virtual Verdict judge() = 0;
  /// Chooses directions in the order of the method and has the driver search along each (search(),
  /// take_full_step()), until one of them accepts a point. @return the name of that step, "": none
  virtual std::string_view take_step(NewtonDriver& driver) = 0;
  /// Makes the trial point z + t d of the direction in hand. @return its merit, not finite where
  /// Phi does not exist
  virtual double try_step(double t) = 0;
  /// The trial point becomes z. @return false, and z is what it was, where the equation cannot be
  /// linearised there
  virtual bool accept_trial() = 0;
  /// For the watchdog: keeps z and the direction in hand, and goes back to them.
  virtual void keep_base() {}
  virtual bool return_to_base() { return false; }
  /// Residual, sizes and counts for a trace.
  virtual void describe(IterationRecord& record) const = 0;
};

/// What a search asks of a step t: merit <= reference + 1e-4 t slope.
struct SearchRule {
  double slope = 0.0;      ///< of the merit along the direction; below 0
  double first = 1.0;      ///< length of the first trial
  double shortest = 1e-3;  ///< of the lengths, over the first one that is valid
  bool may_relax = false;  ///< a full step may miss that for a while (watchdog)
};

struct DriverSettings {
  int memory = 1;     ///< merits that searches compare with; 1: monotone
  int patience = 15;  ///< steps without progress that end a run
  int watchdog = 0;   ///< full steps in a row that may miss the merit asked for
  int most_steps = 200;
  DampingRules damping = {};
};

/// The loop of a globalised Newton method: a step, a nonmonotone search by halving for its length
/// [GrippoLamparielloLucidi1986], and the ends. A trial point is accepted, rejected (its merit is
/// too high) or invalid (Phi or its derivative does not exist). Invalid ones do not count among the
/// lengths that a search may try, since they tell about the domain and not about the direction.
///
/// With a watchdog [FerrisLucidi1994] full steps may miss the merit asked for some times in a row;
/// if none of these comes below it, a shorter step is taken from where they began.
class NewtonDriver {
 public:
  /// Before a run. @param deadline of the whole solve
  void begin(const DriverSettings& settings, const Deadline& deadline);
  /// From the equation's point; iterations and counts go on from 0. Ends: solved; stalled; at a
  /// limit; interrupted; numerical_error, if the merit is not finite.
  Status run(NewtonEquation& equation, Observer* observer);

  // For NewtonEquation::take_step:
  /// @return whether a point was accepted; step() is its length, else 0
  bool search(NewtonEquation& equation, const SearchRule& rule);
  /// The full step, if its merit is at most that. @return whether it was accepted
  bool take_full_step(NewtonEquation& equation, double highest_merit);
  double reference() const { return history_.reference(); }
  double step() const { return step_; }
  LeastSquaresDamping damping;

  int iterations = 0, rejected = 0, invalid = 0, watchdog_returns = 0;

 private:
  enum class Trial { kAccepted, kRejected, kInvalid };

  /// Full steps since the last one that came below the merit asked for.
  struct Watchdog {
    int most = 0, relaxed = 0;
    bool returned = false;  // and no step has come below since
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
  double base_slope_ = 0.0;     // of the direction that the watchdog goes back to
  std::string_view step_type_;  // of the last step
};

}  // namespace perp
