// What every method promises of its caller's limits.
#pragma once

#include "support.hpp"

namespace perp::test {

/// @param problem that takes the solver more than two iterations
template <class AnySolver>
void expect_limits_and_observers_are_obeyed(const Problem& problem) {
  class Stop : public Observer {
   public:
    int seen = 0;
    bool on_iteration(const IterationRecord&) override { return ++seen < 2; }
  } stop;
  AnySolver solver;
  solver.prepare(problem);
  EXPECT_EQ(solver.solve(nullptr, &stop).status, Status::kInterrupted);
  EXPECT_EQ(stop.seen, 2);
  solver.limits.max_iterations = 1;
  EXPECT_EQ(solver.solve().status, Status::kIterationLimit);
  solver.limits.max_iterations = 0;
  solver.limits.time_limit = 1e-9;
  EXPECT_EQ(solver.solve().status, Status::kTimeLimit);
  solver.limits.time_limit = 0.0;
  EXPECT_EQ(solver.solve().status, Status::kSolved);
}

}  // namespace perp::test
