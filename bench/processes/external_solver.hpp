// Any program as a solver, "exec:COMMAND": it reads a problem as JSON and writes a result.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <string>

namespace perp {

/// Runs `sh -c COMMAND` with the problem (perp-problem JSON) on standard input. Reads one JSON
/// object from its standard output with "z" (and "dual" for a conic_qp). "status", "iterations",
/// "certificate", "message" and "times" are optional. A missing status means that the program
/// claims solved; with another status "z" may be missing. The "start" of the problem is the start
/// of the request, if there is one. The command has PERP_TOLERANCE, PERP_TIME_LIMIT and
/// PERP_MAX_ITERATIONS in its environment and is killed at the time limit. If a signal ended the
/// program, the result has the statistic "signal". If it failed, the message has the end of its
/// standard error.
class ExternalSolver final : public Solver {
 public:
  /// @param name its name in results and reports; empty: "exec:COMMAND"
  /// @throws std::invalid_argument if the command is empty
  explicit ExternalSolver(std::string command, std::string name = "");
  /// For a peer's program. It observes the time limit itself, counted from the problem in its
  /// memory, and writes a line after each repeat. The last complete line counts, however the
  /// program ends.
  /// @param traits its texts must live as long as the solver
  ExternalSolver(std::string command, SolverTraits traits);
  const SolverTraits& traits() const override { return traits_; }
  void visit_settings(SettingVisitor&) override {}

 private:
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  std::string input_for(const Vector* start);

  std::string command_, name_, input_;
  Problem problem_;
  SolverTraits traits_;
  bool is_peer_ = false;
};

}  // namespace perp
