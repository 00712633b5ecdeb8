// Makes "auto" and expressions of strategies available as solvers.
#pragma once

#include <memory>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/method_settings.hpp>
#include <perp/solvers/session.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace perp {

/// A Session with the interface of a solver. Its settings are those of the methods in it: a value
/// goes to every method that has a setting of that name. Its claim is the status of its tries after
/// verification. Its times (OwnTimes) do not include the verification.
class ComposedSolver final : public Solver {
 public:
  /// @param text "auto" or an expression. @throws std::invalid_argument as check_expression()
  explicit ComposedSolver(std::string_view text, MakeSolver make);

  const SolverTraits& traits() const override { return traits_; }
  void visit_settings(SettingVisitor& visitor) override;

 private:
  std::optional<std::string> do_refusal(const Problem& problem) const override;
  void do_prepare(const Problem& problem) override;
  void do_update(const Problem& problem) override { problem_ = problem; }
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  std::string text_;
  SolverTraits traits_;
  SolveRequest request_;
  std::vector<std::unique_ptr<Solver>> methods_;  // they hold the settings
  std::unique_ptr<Session> session_;
  Problem problem_;
};

}  // namespace perp
