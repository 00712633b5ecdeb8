// Runs of the theta-method, and what is measured of them.
#pragma once

#include "support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/formulations/registry.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace perp::test {

struct ThetaRun {
  SimulationSummary summary;
  std::vector<StepReport> steps;
  std::vector<State> states;  ///< the initial one, then the end of each step
};

/// Every problem to `tolerance`; contact by sap if it is convex, else by `contact_solver`.
inline ThetaRun theta_run(const Scene& scene, const std::string& formulation, double h,
                          double duration, double tolerance = 1e-10,
                          const std::string& contact_solver = "proximal-newton") {
  SimulationRequest request;
  request.formulation = formulation;
  request.step = h;
  request.duration = duration;
  request.solve.solver = "first(sap, " + contact_solver + ", newton-fb)";
  request.solve.limits.tolerance = tolerance;
  ThetaRun r;
  r.states.push_back(initial_state(scene));
  request.on_step = [&](const StepReport& step) {
    r.steps.push_back(step);
    r.states.push_back(step.result.state);
    return true;
  };
  r.summary = simulate(scene, request);
  EXPECT_EQ(r.summary.failed_steps, 0) << scene.name << ": " << r.summary.message;
  return r;
}

/// log2 of the ratios of values at h and h/2, from the coarsest pair on.
inline std::vector<double> orders(const std::vector<double>& errors) {
  std::vector<double> list;
  for (std::size_t k = 1; k < errors.size(); ++k)
    list.push_back(std::log2(errors[k - 1] / errors[k]));
  return list;
}

}  // namespace perp::test
