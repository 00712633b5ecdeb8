// The five properties that Drumwright and Shell's models promise of every step.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <perp/bench/simulation/simulation.hpp>

namespace perp::test {

/// Fails the test if a step of max-dissipation-step or -impulse breaks a promise:
///  1. contact adds no energy but what -gap/h may feed,
///  2. bodies do not close further than their gaps,
///  3. normal impulses push,
///  4. friction stays in its cones, and normal impulses sum up to kappa at most,
///  5. friction takes away no less energy than none would (and the verifier granted its optimum,
///     unless the second phase was cut short).
/// @param impulse, velocity tolerances in N s and m/s
inline void expect_dissipation(const StepReport& step, double impulse, double velocity) {
  if (step.result.columns.size() < 3) return;  // nothing was posed
  const double kappa = step.result.columns[0], change = step.result.columns[1],
               first = step.result.columns[2];
  double sum = 0.0, size = 0.0;
  for (const ContactResult& c : step.result.contacts) {
    const double allowed = step.h > 0 ? -std::max(0.0, c.contact.gap) / step.h : 0.0;
    ASSERT_GE(c.v_n, allowed - velocity) << "step " << step.step;
    ASSERT_GE(c.p_n, -impulse) << "step " << step.step;
    ASSERT_LE(std::hypot(c.p_t, c.p_o), c.contact.properties.mu * c.p_n + impulse)
        << "step " << step.step;
    sum += c.p_n;
    size += std::abs(c.p_n * c.v_n);
  }
  ASSERT_LE(sum, kappa + impulse) << "step " << step.step;
  ASSERT_LE(change, step.result.feeding + 1e-12 * (1 + size)) << "step " << step.step;
  ASSERT_LE(change, first + impulse * velocity) << "step " << step.step;
  for (const StageReport& stage : step.stages) {
    if (!step.cut_short) {
      ASSERT_EQ(stage.status, Status::kSolved) << stage.stage << " of step " << step.step;
    }
  }
}

}  // namespace perp::test
