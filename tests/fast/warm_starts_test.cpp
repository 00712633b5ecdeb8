// Answers of earlier problems as starts of later ones.
#include "support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/bench/simulation/warm_starts.hpp>
#include <perp/solvers/verified_solve.hpp>

namespace perp::test {
namespace {

std::vector<Problem> problems_of_a_stack(const std::string& formulation) {
  SimulationRequest request;
  request.formulation = formulation;
  request.duration = 0.05;
  std::vector<Problem> problems;
  request.on_stage = [&](int, const Stage& stage, const VerifiedResult&) {
    problems.push_back(stage.problem);
  };
  simulate(load_scene("box-stack", {{"rows", 3}}), request);
  return problems;
}

// Problems from a file have names, but no keys. With velocities as unknowns the impulses are the
// dual.
TEST(WarmStarts, CarryImpulsesOverByTheNamesOfContacts) {
  std::vector<Problem> problems = problems_of_a_stack("anitescu-tasora");
  ASSERT_GE(problems.size(), 2u);
  WarmStarts answers;
  SolveRequest request;
  request.limits.tolerance = 1e-10;
  request.stored_start = false;
  const VerifiedResult cold = solve_verified(problems[0], request);
  ASSERT_EQ(cold.status, Status::kSolved);
  answers.remember("", keys_of(problems[0]), cold);

  ASSERT_TRUE(answers.give("", keys_of(problems[1]), {}, request));
  ASSERT_TRUE(request.start_dual.has_value());
  EXPECT_LT((*request.start_dual - cold.answer.dual).norm(), 1e-12);
  const VerifiedResult warm = solve_verified(problems[1], request);
  EXPECT_EQ(warm.status, Status::kSolved);
  EXPECT_LT(warm.iterations, cold.iterations / 2);

  // A contact that was not there before begins without impulses; the others keep theirs.
  Problem other = problems[1];
  other.contacts.edit()[0].name = "new";
  ASSERT_TRUE(answers.give("", keys_of(other), {}, request));
  EXPECT_EQ(request.start_dual->head(3), Vector::Zero(3));
  EXPECT_EQ(request.start_dual->tail(request.start_dual->size() - 3),
            cold.answer.dual.tail(cold.answer.dual.size() - 3));
}

TEST(WarmStarts, NoDualIfRowsCannotBeToldApart) {
  Problem twins = problems_of_a_stack("anitescu-tasora")[0];
  twins.contacts.edit()[1].name = twins.contacts[0].name;
  EXPECT_TRUE(keys_of(twins).rows.empty());
  // With impulses as unknowns the dual is a velocity.
  EXPECT_TRUE(
      keys_of(problems_of_a_stack("anitescu-tasora:velocities=eliminated")[0]).rows.empty());
  EXPECT_TRUE(keys_of(problems_of_a_stack("stewart-trinkle")[0]).rows.empty());
}

}  // namespace
}  // namespace perp::test
