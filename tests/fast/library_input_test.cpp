// Numbers of calls that no command line has checked.
#include "support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/solvers/verified_solve.hpp>

#include <limits>

namespace perp::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Problem one_unknown() { return problem_of(Lcp{matrix(1, 1, {1}), vector({-1})}); }

// An infinite one would grant every point.
TEST(LibraryInput, TolerancesAreFinite) {
  for (const double tolerance : {kNan, kInf, -1.0})
    EXPECT_THROW(verify(one_unknown(), {vector({0}), {}}, tolerance), std::invalid_argument);
  EXPECT_FALSE(verify(one_unknown(), {vector({0}), {}}, 0.0).solved);
}

TEST(LibraryInput, LimitsOfSolvesAreFinite) {
  SolveRequest request;
  request.solver = "lemke";
  EXPECT_EQ(solve_verified(one_unknown(), request).status, Status::kSolved);
  for (const double bad : {kNan, kInf, -1.0}) {
    for (const int field : {0, 1, 2}) {
      SolveRequest wrong = request;
      if (field == 0) wrong.limits.tolerance = bad;
      if (field == 1) wrong.limits.time_limit = bad;
      if (field == 2) wrong.verify_at = bad;
      EXPECT_THROW(solve_verified(one_unknown(), wrong), std::invalid_argument) << field;
    }
  }
}

TEST(LibraryInput, StepsAndDurationsAreNumbers) {
  const Scene scene = load_scene("pendulum", {});
  for (const double bad : {kNan, -1.0}) {
    SimulationRequest step, duration;
    step.step = bad;
    duration.duration = bad;
    EXPECT_THROW(simulate(scene, step), std::invalid_argument);
    EXPECT_THROW(simulate(scene, duration), std::invalid_argument);
  }
}

}  // namespace
}  // namespace perp::test
