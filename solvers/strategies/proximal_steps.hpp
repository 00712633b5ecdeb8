// What the two forms of proximal have in common.
#pragma once

#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/verified_solve.hpp>

namespace perp {

/// Runs the part of `proximal` on a proximal problem, within the time that is left, and adds its
/// costs and tries to the result of all steps.
/// @param task as given to `proximal` @param inner of the proximal problem
/// @param started when `proximal` began
/// @return nullptr if no time is left; the first step always runs
const Outcome* run_proximal_step(Strategy& part, const Task& task, Task inner,
                                 VerifiedClock::time_point started, bool first,
                                 VerifiedResult& all);

/// Makes `proximal` for nonlinear problems. What it makes takes an mcp only.
std::unique_ptr<Strategy> make_nonlinear_proximal(const SolverExpression&, const Workshop&);

}  // namespace perp
