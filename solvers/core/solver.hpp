// The interface of every solver.
#pragma once

#include <memory>
#include <optional>
#include <perp/problems/limits/deadline.hpp>
#include <perp/problems/settings/settings.hpp>
#include <perp/problems/standard/problem.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <perp/solvers/core/observer.hpp>
#include <perp/solvers/core/shared_text.hpp>
#include <perp/solvers/core/start.hpp>
#include <perp/solvers/core/status.hpp>
#include <string>
#include <utility>
#include <vector>

namespace perp {

/// What proves or explains an end without a solution.
struct Certificate {
  std::string type;       ///< "farkas": y proves infeasibility; "ray": the secondary ray (z, t);
                          ///< "unbounded": z proves that the dual is infeasible (conic_qp)
  Vector y;               ///< farkas: one multiplier for every unknown, of a conic_qp for every row
  Vector z;               ///< ray, unbounded: direction of z, size of the unknown
  double t = 0.0;         ///< ray: value of the covering variable on it
  bool checked = false;   ///< farkas, unbounded: it is a proof in exact arithmetic, or one is
                          ///< that equals it up to rounding; ray: check_ray confirmed it
  double radius = 0.0;    ///< farkas: no feasible point has a 1-norm below this; unbounded: no
                          ///< feasible point of the dual has; infinity if checked
  std::string reduction;  ///< "": it is about the problem itself, else about this reduction of it
};

/// The certificate that belongs to a check of y or x, and the status that it justifies: infeasible
/// for a proof (ray if the dual has no feasible point), excluded if it holds only up to a radius,
/// else stalled.
Certificate certificate_of(const FarkasCheck& check, Vector y);
/// @overload
Certificate certificate_of(const UnboundedCheck& check, Vector x);
/// The status that a check justifies.
Status status_of(const FarkasCheck& check);
/// @overload
Status status_of(const UnboundedCheck& check);
/// What a certificate says in words.
std::string message_of(const FarkasCheck& check);
/// @overload
std::string message_of(const UnboundedCheck& check);

/// Seconds that the solver measured itself. For solvers whose calls take longer than their work: a
/// program that is started for every solve leaves out its start and the reading of the problem.
struct OwnTimes {
  double setup = 0.0, solve = 0.0;
};

/// One try on the way to an answer. Strategies report every one.
struct RouteStep {
  SharedText solver;  ///< with the reduction, if any: "lemke on box_qp as mlcp"
  Status status;      ///< after verification
  Status claimed;
  int iterations = 0;
  double time = 0.0;  ///< seconds, setup and solve
  std::string message;
  SharedText settings;                ///< "KEY=VALUE ..." of those that differ from the defaults
  double measure = Residuals::kNone;  ///< of its answer, by the verifier
};

/// A solver's claim.
struct Result {
  Status status = Status::kUnsupported;
  Vector z;                       ///< best point found, size of the unknown
  Vector dual;                    ///< conic_qp: y of the rows
  std::vector<PairStatus> basis;  ///< one per unknown if the method ends at a basis, else empty
  std::vector<Vector> solutions;  ///< all that were found, if the method looks for all
  int iterations = 0;
  std::optional<Certificate> certificate;
  std::optional<OwnTimes> own_times;
  std::vector<RouteStep> route;                                 ///< of solvers made of others
  std::string message;                                          ///< one line, may be empty
  std::vector<std::pair<std::string_view, double>> statistics;  ///< the method's own counts
};

/// What a solver takes and where it comes from.
struct SolverTraits {
  std::string_view name;
  std::string_view summary;  ///< one line
  std::string_view source;   ///< key in docs/references.bib
  std::vector<std::string_view> kinds;
  int max_size = 0;          ///< 0: no limit
  bool uses_start = true;    ///< false: begins at the same point whatever start is given
  bool reads_names = false;  ///< it gets the names too, as an external program does: then nothing
                             ///< is kept from one solve to the next
};

/// Solves problems of the kinds it declares. One object serves one thread. Workspaces are kept: a
/// second solve of the same size allocates nothing outside sparse factorisation libraries. Parts of
/// a solver point at one another, so it can be neither copied nor moved; pass a unique_ptr instead.
class Solver {
 public:
  Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  virtual ~Solver() = default;
  /// Name, source and kinds of the method.
  virtual const SolverTraits& traits() const = 0;

  /// Why this solver does not take the problem, or nothing if it does. A prepared problem stays
  /// prepared.
  std::optional<std::string> refusal(const Problem& problem) const;

  /// Analyses and copies what is needed of the problem, which need not live on. A problem that the
  /// method cannot take is refused here, not in solve(). Numerical trouble, and a time limit that
  /// passes here, become a status of solve(). @throws std::invalid_argument if the problem is
  /// refused or malformed (the text names the field), or if a setting has a value that is not
  /// allowed.
  /// @param is_valid the caller has called validate(problem)
  void prepare(const Problem& problem, bool is_valid = false);

  /// Takes new values. The result is that of prepare(), but the problem must have the structure of
  /// the one before (kind, sizes, pattern, which bounds are finite). What depends on the structure
  /// alone is kept. @throws std::invalid_argument as prepare(), and if kind or size differ;
  /// std::logic_error without prepare.
  void update(const Problem& problem, bool is_valid = false);

  /// Solves the prepared problem. The result is valid until the next call.
  /// @throws std::invalid_argument if a part of the start has the wrong size, or if a setting has a
  /// value that is not allowed; std::logic_error without prepare.
  const Result& solve(const Start& start = {}, Observer* observer = nullptr);
  /// The same, with other limits than the solver's own for this call.
  const Result& solve(const Start& start, const Limits& other, Observer* observer = nullptr);

  /// Whether a problem is prepared; false if the time limit passed before it was.
  bool prepared() const { return prepared_size_ >= 0 && !late_; }

  Limits limits;
  /// Visits the method's own settings (not the limits).
  virtual void visit_settings(SettingVisitor& visitor) = 0;
  /// Checks the settings that do not depend on a problem, as prepare() does.
  /// @throws std::invalid_argument
  void check_settings();

 protected:
  /// refusal() for the kinds of the traits.
  virtual std::optional<std::string> do_refusal(const Problem&) const { return {}; }
  /// prepare() after all checks.
  virtual void do_prepare(const Problem& problem) = 0;
  /// update() after all checks; prepares anew unless a method overrides it.
  virtual void do_update(const Problem& problem) { do_prepare(problem); }
  /// solve() after all checks. All of `result` but z and dual has been reset.
  virtual void do_solve(const Start& start, Observer* observer, Result& result) = 0;

  /// Checks what the ranges of settings do not say. @throws std::invalid_argument
  virtual void do_check_settings() const {}

  /// The deadline of the call that runs: prepare, update or solve.
  const Deadline& deadline() const { return deadline_; }

 private:
  void take(const Problem& problem, bool is_valid, bool update);

  std::string_view prepared_kind_;
  int prepared_size_ = -1, prepared_rows_ = 0;  // rows: of a conic_qp
  bool late_ = false;                           // the time limit passed in prepare
  Deadline deadline_;
  Result result_;
};

/// All settings of a solver as text, the common ones first.
std::vector<SettingText> list_settings(Solver& solver);

/// Sets one by name. @throws std::invalid_argument if there is no such setting (the text lists
/// them), or if the value cannot be read or is out of range.
void set_setting(Solver& solver, std::string_view name, std::string_view value);

}  // namespace perp
