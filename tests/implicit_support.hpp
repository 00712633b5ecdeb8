// Simulations with geometrically implicit formulations, as several tests need them.
#pragma once

#include "support.hpp"

#include <perp/bench/harness/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/problems/scenes/scene_json.hpp>

namespace perp::test {

struct ImplicitRun {
  SimulationSummary summary;
  std::vector<StepReport> steps;
};

/// With solver auto at 1e-12; every step must be solved.
inline ImplicitRun run_implicit(const Scene& scene, double h = 0.0, double duration = 0.0,
                                const std::string& formulation = "geometric-implicit") {
  ImplicitRun r;
  SimulationRequest request;
  request.formulation = formulation;
  request.step = h;
  request.duration = duration;
  request.solve.common.tolerance = 1e-12;
  request.on_step = [&](const StepReport& step) {
    r.steps.push_back(step);
    return true;
  };
  r.summary = simulate(scene, request);
  EXPECT_EQ(r.summary.failed_steps, 0) << scene.name << " " << formulation << " step "
                                       << r.summary.steps << ": " << r.summary.message;
  return r;
}

inline const BodyState& body_of(const StepReport& step, const std::string& name) {
  for (std::size_t b = 0; b < step.scene->bodies.size(); ++b) {
    if (step.scene->bodies[b].name == name) return step.result.state.bodies[b];
  }
  throw std::invalid_argument(name);
}

/// The contact with a body, where there is one.
inline const ContactResult* contact_with(const StepReport& step, const std::string& name) {
  for (const ContactResult& c : step.result.contacts) {
    if (step.scene->bodies[static_cast<std::size_t>(c.contact.b)].name == name) return &c;
  }
  return nullptr;
}

inline Quaterniond random_orientation(Random& random) {
  return Quaterniond(random.normal(), random.normal(), random.normal(), random.normal())
      .normalized();
}

/// A ball, an ellipsoid or a superquadric of half widths between 0.4 and 1.2.
inline Shape random_convex_shape(Random& random) {
  const auto width = [&] { return random.uniform(0.4, 1.2); };
  switch (random.index(3)) {
    case 0:
      return Sphere{width()};
    case 1:
      return Ellipsoid{Vector3d(width(), width(), width())};
    default:
      return Superquadric{Vector3d(width(), width(), width()), random.uniform(0.7, 1.0),
                          random.uniform(0.7, 1.0)};
  }
}

}  // namespace perp::test
