// Any program as a solver that is kept from problem to problem: "serve:COMMAND".
#pragma once

#include <perp/solvers/core/solver.hpp>
#include <string>

namespace perp {

/// Runs `sh -c COMMAND` once and gives it problem after problem. Each is a line of JSON on its
/// standard input,
///   {"id": k, "tolerance": t, "time_limit": s, "max_iterations": n, "problem": {perp-problem}},
/// and each of its lines on standard output is the answer to one, as an ExternalSolver's program
/// writes it; if it has an "id" it must be that of the problem (no two problems have the same). The
/// program of a command is shared by all solvers of this process, is started for the first problem,
/// and again for the next one after it has ended, however it did. It is ended at the time limit of
/// a problem, if it writes what is no answer or more than one line for a problem, and by
/// end_kept_programs().
class KeptSolver final : public Solver {
 public:
  /// @param name what results and reports call it; empty: "serve:COMMAND"
  /// @throws std::invalid_argument without a command
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

/// Ends the programs that this process keeps; each has a second to end by itself.
void end_kept_programs();

}  // namespace perp
