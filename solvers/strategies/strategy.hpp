// Strategies: what is done with solvers where one method alone may fail. Each is a file here and a
// line in strategy.cpp; docs/reference/strategies.md describes them.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <perp/solvers/router.hpp>
#include <perp/solvers/strategies/expression.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perp {

/// Values of names in "{EXPRESSION}": n, contacts, and k of repeat.
using Numbers = std::map<std::string, double>;

/// Which problem a part has before it: numbers that change with the problem, so that a part knows
/// what it has prepared. Another structure has other values, too.
struct Version {
  long structure = 0, values = 0;
  bool operator==(const Version&) const = default;
};

/// What a part is asked to do. What it refers to lives until the part has returned; the problem
/// longer, until one comes with another version.
struct Task {
  const Problem& problem;
  Version version;
  Start start;
  Limits limits;           ///< the time is what is left of all of it
  double verify_at = 0.0;  ///< tolerance of the verification
  Observer* observer = nullptr;
  const Numbers* numbers = nullptr;
  const VerifiedResult* best = nullptr;  ///< of the tries before, or nullptr
  bool after_cap = false;                ///< whether one of them ended at a cap of iterations
};

/// What has come of it.
struct Outcome {
  VerifiedResult result;
  bool skipped = false;  ///< nothing was done, for instance as there is no start to polish
  bool capped = false;   ///< a try ended at a cap of iterations that is not the caller's

  /// As new, but for the answer: that of the last time, whose memory is used again, stands until
  /// another one is written over it.
  void clear();
  /// There is no answer.
  void drop_answer();
};

/// A method or a strategy in a composed solver: it keeps the solvers that it is made of, and what
/// they have prepared, from task to task. A second task of a version, or one that changes values
/// alone, allocates nothing but what methods and factorisations do.
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// @return what stays valid until the next call. @throws std::invalid_argument as solve_verified
  virtual Outcome& run(const Task& task) = 0;
};

/// What composed solvers are made with.
struct Workshop {
  std::function<std::unique_ptr<Solver>(std::string_view)> make = make_solver;
  /// Settings by the method that they go to; they come before those that stand in the expression.
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> settings;
  /// Parts of `first` are made when their turn comes. The expressions live as long as what is built
  /// of them, and are known to be right.
  bool on_demand = false;
  /// Methods and strategies that are left out of all plans, too.
  std::vector<std::string> left_out{};

  /// A method, auto, start or a strategy.
  /// @throws std::invalid_argument: unknown strategies, methods, settings, options
  std::unique_ptr<Strategy> build(const SolverExpression& expression) const;
};

struct StrategyEntry {
  std::string_view name;
  std::string_view usage;    ///< "first(SOLVER, ...)"
  std::string_view summary;  ///< one line
  int least_parts, most_parts;
  std::vector<std::string_view> options;
  std::unique_ptr<Strategy> (*make)(const SolverExpression&, const Workshop&);
};

const std::vector<StrategyEntry>& strategies();

/// The methods that an expression runs; those of all plans if auto is in it.
std::vector<std::string> methods_of(const SolverExpression& expression);

/// Refuses what Workshop::build() does, and what plans would.
void check_expression(
    const SolverExpression& expression,
    const std::function<std::unique_ptr<Solver>(std::string_view)>& make = make_solver);

/// The same of what SolveRequest::solver takes.
void check_solver(
    const std::string& solver,
    const std::function<std::unique_ptr<Solver>(std::string_view)>& make = make_solver);

/// An option of a strategy, whose text may hold "{EXPRESSION}".
class OptionText {
 public:
  OptionText(const SolverExpression& expression, std::string_view key);
  explicit operator bool() const { return given_; }
  /// The text with its numbers; evaluated anew only if they have changed.
  const std::string& at(const Numbers& numbers);

 private:
  bool given_ = false, constant_ = true;
  std::string text_, value_;
  Numbers numbers_;
};

/// An option that is a finite number above 0.
class OptionNumber {
 public:
  OptionNumber(const SolverExpression& expression, std::string_view key);
  explicit operator bool() const { return static_cast<bool>(text_); }
  /// @throws std::invalid_argument if it is no number above 0, or larger than `most`
  double at(const Numbers& numbers, double otherwise,
            double most = std::numeric_limits<double>::max());
  /// A whole number; larger ones than 2^31 - 1 count as that.
  int whole(const Numbers& numbers, int otherwise);

 private:
  std::string strategy_, key_;
  OptionText text_;
  std::string read_;  // the text that value_ is the number of
  double value_ = 0.0;
};

/// One method, on an exact reduction of the problem if it does not take the kind.
std::unique_ptr<Strategy> make_method(const SolverExpression& expression, const Workshop& workshop);
/// The start itself, as an answer that nobody has worked for.
std::unique_ptr<Strategy> make_start();
/// Verifies a start that is an answer as it stands; polish takes it before that.
void judge_start(const Task& task, Outcome& outcome);

// The strategies.
std::unique_ptr<Strategy> make_first(const SolverExpression&, const Workshop&);
std::unique_ptr<Strategy> make_best(const SolverExpression&, const Workshop&);
std::unique_ptr<Strategy> make_repeat(const SolverExpression&, const Workshop&);
std::unique_ptr<Strategy> make_try(const SolverExpression&, const Workshop&);
std::unique_ptr<Strategy> make_warm(const SolverExpression&, const Workshop&);
std::unique_ptr<Strategy> make_polish(const SolverExpression&, const Workshop&);
std::unique_ptr<Strategy> make_certify(const SolverExpression&, const Workshop&);
std::unique_ptr<Strategy> make_proximal(const SolverExpression&, const Workshop&);
std::unique_ptr<Strategy> make_reduce(const SolverExpression&, const Workshop&);
std::unique_ptr<Strategy> make_without(const SolverExpression&, const Workshop&);

/// What is left of an expression without what the workshop leaves out.
std::unique_ptr<Strategy> build_rest(SolverExpression rest, const Workshop& workshop);

}  // namespace perp
