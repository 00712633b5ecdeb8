// Any program as a solver that keeps running from problem to problem: "serve:COMMAND".
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <string>

namespace perp {

/// Runs `sh -c COMMAND` once and gives it problem after problem. Each is a line of JSON on its
/// standard input,
///   {"id": k, "tolerance": t, "time_limit": s, "max_iterations": n, "problem": {perp-problem}},
/// and the program answers each with one line on standard output, in the format of an
/// ExternalSolver's program. If the answer has an "id", it must be that of the problem; every
/// problem has another id. All solvers of this process with the same command share one program. It
/// is started for the first problem, and started again for the next problem if it has ended for any
/// reason. perp ends it at the time limit of a problem, if it writes a wrong answer or more than
/// one line for a problem, and in end_kept_programs().
class KeptSolver final : public Solver {
 public:
  /// @param name its name in results and reports; empty: "serve:COMMAND"
  /// @throws std::invalid_argument if the command is empty
  explicit KeptSolver(std::string command, std::string name = "");
  const SolverTraits& traits() const override { return traits_; }
  void visit_settings(SettingVisitor&) override {}

 private:
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;
  std::string request(const Start& start, int id);

  std::string command_, name_;
  Problem problem_;
  SolverTraits traits_;
};

/// Ends all programs that this process keeps running. Each has one second to end by itself.
void end_kept_programs();

}  // namespace perp
