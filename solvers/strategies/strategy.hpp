// Strategies combine solvers, for problems on which one method alone may fail. Each has a file in
// this folder and a line in strategy.cpp; docs/reference/strategies.md describes them.
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

/// Values of names in "{EXPRESSION}": n, contacts, k of repeat, and round of eliminate.
using Numbers = std::map<std::string, double>;

/// Numbers that change with the problem, so that a part knows if it has prepared it. If the
/// structure changes, so do the values.
struct Version {
  long structure = 0, values = 0;
  bool operator==(const Version&) const = default;
};

/// The task of a part. What it refers to lives until the part has returned. The problem lives
/// longer, until one with another version comes.
struct Task {
  const Problem& problem;
  Version version;
  Start start;
  Limits limits;           ///< the time limit is the time that is left
  double verify_at = 0.0;  ///< tolerance of the verification
  Observer* observer = nullptr;
  const Numbers* numbers = nullptr;
  bool is_valid = false;                 ///< validate(problem) has been called
  const VerifiedResult* best = nullptr;  ///< best result of the tries before, or nullptr
  bool after_cap = false;                ///< whether one of them ended at a cap of iterations
  bool give_up_early = false;            ///< whether the caller has another way
  bool stop_if_excluded = false;         ///< as SolveRequest::stop_if_excluded
  bool all_residuals = false;  ///< as SolveRequest::all_residuals; else the session adds them

  /// The same task for another problem, without a start, a best result, and all residuals.
  Task with(const Problem& other, Version its_version) const;
};

/// The outcome of a task.
struct Outcome {
  VerifiedResult result;
  bool skipped = false;  ///< nothing was done, for instance because there is no start to polish
  bool capped = false;   ///< a try ended at a cap of iterations that is not the caller's

  /// Resets all but the answer. The last answer stays until a new one overwrites it, so that its
  /// memory is used again.
  void clear();
  /// Removes the answer.
  void drop_answer();
};

/// A method or a strategy in a composed solver. It keeps the solvers that it is made of, and what
/// they have prepared, from task to task. In a second task with the same version, or with other
/// values only, nothing allocates but methods and factorisations.
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// @return valid until the next call. @throws std::invalid_argument as solve_verified()
  virtual Outcome& run(const Task& task) = 0;
};

/// Makes composed solvers from expressions.
struct Workshop {
  std::function<std::unique_ptr<Solver>(std::string_view)> make = make_solver;
  /// Settings by method. They are applied before those in the expression.
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> settings;
  /// Whether parts of `first` are made only when their turn comes. The expressions must then live
  /// as long as what is built from them, and must have been checked.
  bool on_demand = false;
  /// Methods and strategies that are left out of all plans, too.
  std::vector<std::string> left_out{};

  /// Builds a method, auto, start or a strategy.
  /// @throws std::invalid_argument for unknown strategies, methods, settings or options
  std::unique_ptr<Strategy> build(const SolverExpression& expression) const;
};

/// A strategy of the list.
struct StrategyEntry {
  std::string_view name;
  std::string_view usage;    ///< "first(SOLVER, ...)"
  std::string_view summary;  ///< one line
  int least_parts, most_parts;
  std::vector<std::string_view> options;
  std::unique_ptr<Strategy> (*make)(const SolverExpression&, const Workshop&);
};

/// All strategies, in the order of the list.
const std::vector<StrategyEntry>& strategies();

/// The methods that an expression runs; if auto is in it, those of all plans.
std::vector<std::string> methods_of(const SolverExpression& expression);

/// Checks an expression. @throws std::invalid_argument as Workshop::build()
void check_expression(
    const SolverExpression& expression,
    const std::function<std::unique_ptr<Solver>(std::string_view)>& make = make_solver);

/// Checks a text for SolveRequest::solver. @throws std::invalid_argument as Workshop::build()
void check_solver(
    const std::string& solver,
    const std::function<std::unique_ptr<Solver>(std::string_view)>& make = make_solver);

/// An option of a strategy. Its text may contain "{EXPRESSION}".
class OptionText {
 public:
  /// The option of that key, which may not be given.
  OptionText(const SolverExpression& expression, std::string_view key);
  /// Whether it is given.
  explicit operator bool() const { return given_; }
  /// Whether it is given and the same for all problems.
  bool is_constant() const { return given_ && constant_; }
  /// The text with its expressions evaluated; this is done again only if the numbers have changed.
  const std::string& at(const Numbers& numbers);

 private:
  bool given_ = false, constant_ = true;
  std::string text_, value_;
  Numbers numbers_;
};

/// Which numbers an option may be.
enum class OptionRange { kAboveZero, kUpToOne, kInteger };  ///< finite, > 0; (0, 1]; 1, 2, 3, ...

/// An option that is a number.
class OptionNumber {
 public:
  /// The option of that key, which may not be given. @throws std::invalid_argument if it is
  /// constant and not in the range
  OptionNumber(const SolverExpression& expression, std::string_view key,
               OptionRange range = OptionRange::kAboveZero);
  /// Whether it is given.
  explicit operator bool() const { return static_cast<bool>(text_); }
  /// @param otherwise the value if the option is not given
  /// @throws std::invalid_argument if it is not in the range
  double at(const Numbers& numbers, double otherwise);
  /// A whole number; larger ones than 2^31 - 1 count as that. @throws std::invalid_argument as at()
  int whole(const Numbers& numbers, int otherwise);

 private:
  std::string strategy_, key_;
  OptionRange range_;
  OptionText text_;
  std::string read_;  // the text that was read as value_
  double value_ = 0.0;
};

/// One method. If it does not take the kind of problem, it solves an exact reduction.
std::unique_ptr<Strategy> make_method(const SolverExpression& expression, const Workshop& workshop);
/// The start itself as an answer, which is not verified yet.
std::unique_ptr<Strategy> make_start();
/// Verifies the outcome of make_start(). polish improves such an outcome before that.
void judge_start(const Task& task, Outcome& outcome);

// The strategies.
/// Makes `first` (docs/reference/strategies.md).
std::unique_ptr<Strategy> make_first(const SolverExpression&, const Workshop&);
/// Makes `best` (docs/reference/strategies.md).
std::unique_ptr<Strategy> make_best(const SolverExpression&, const Workshop&);
/// Makes `together` (docs/reference/strategies.md).
std::unique_ptr<Strategy> make_together(const SolverExpression&, const Workshop&);
/// Makes `repeat` (docs/reference/strategies.md).
std::unique_ptr<Strategy> make_repeat(const SolverExpression&, const Workshop&);
/// Makes `try` (docs/reference/strategies.md).
std::unique_ptr<Strategy> make_try(const SolverExpression&, const Workshop&);
/// Makes `warm` (docs/reference/strategies.md).
std::unique_ptr<Strategy> make_warm(const SolverExpression&, const Workshop&);
/// Makes `polish` (docs/reference/strategies.md).
std::unique_ptr<Strategy> make_polish(const SolverExpression&, const Workshop&);
/// Makes `certify` (docs/reference/strategies.md).
std::unique_ptr<Strategy> make_certify(const SolverExpression&, const Workshop&);
/// Makes `proximal` (docs/reference/strategies.md).
std::unique_ptr<Strategy> make_proximal(const SolverExpression&, const Workshop&);
/// Makes `reduce` (docs/reference/strategies.md).
std::unique_ptr<Strategy> make_reduce(const SolverExpression&, const Workshop&);
/// Makes `islands` (docs/reference/strategies.md).
std::unique_ptr<Strategy> make_islands(const SolverExpression&, const Workshop&);
/// Makes `eliminate` (docs/reference/strategies.md).
std::unique_ptr<Strategy> make_eliminate(const SolverExpression&, const Workshop&);
/// Makes `without` (docs/reference/strategies.md).
std::unique_ptr<Strategy> make_without(const SolverExpression&, const Workshop&);

/// Builds an expression without the parts that the workshop leaves out.
std::unique_ptr<Strategy> build_rest(SolverExpression rest, const Workshop& workshop);

}  // namespace perp
