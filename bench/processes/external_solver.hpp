// Any program as a solver: "exec:COMMAND" reads a problem as JSON and writes a result.
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <string>

namespace perp {

/// Runs `sh -c COMMAND` with the problem (perp-problem JSON) on standard input and reads from its
/// standard output one JSON object with "z" (and "dual" for a conic_qp); "status", "iterations",
/// "certificate", "message" and "times" are optional, a missing status means a claim of solved, and
/// "z" may be left out where another status is claimed. The problem's "start" is the start that is
/// asked for; without one it has none. The command finds PERP_TOLERANCE, PERP_TIME_LIMIT and
/// PERP_MAX_ITERATIONS in its environment and is killed at the time limit. A program that a signal
/// ended leaves the statistic "signal"; of one that fails the message holds the end of what it
/// wrote to standard error.
class ExternalSolver final : public Solver {
 public:
  /// @param name what results and reports call it; empty: "exec:COMMAND"
  explicit ExternalSolver(std::string command, std::string name = "");
  /// A peer's program, which keeps to the time limit itself, from the problem in its memory on, and
  /// writes a line after each of its repeats: the last whole one counts, however the program ends.
  /// @param traits whose texts outlive the solver
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
