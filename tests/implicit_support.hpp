// Simulations with geometrically implicit formulations, as several tests need them.
#pragma once

#include "support.hpp"

#include <memory>
#include <perp/bench/data/scenes.hpp>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/formulations/collision/separation.hpp>
#include <perp/formulations/gap/nearest_points/closest_points.hpp>
#include <perp/problems/scenes/scene_json.hpp>

namespace perp::test {

struct ImplicitRun {
  std::shared_ptr<const Scene> scene;  ///< what the reports point to
  SimulationSummary summary;
  std::vector<StepReport> steps;
};

/// With solver auto at 1e-12; every step must be solved.
inline ImplicitRun run_implicit(const Scene& scene, double h = 0.0, double duration = 0.0,
                                const std::string& formulation = "geometric-implicit") {
  ImplicitRun r;
  r.scene = std::make_shared<const Scene>(scene);
  SimulationRequest request;
  request.formulation = formulation;
  request.step = h;
  request.duration = duration;
  request.solve.limits.tolerance = 1e-12;
  request.on_step = [&](const StepReport& step) {
    r.steps.push_back(step);
    return true;
  };
  r.summary = simulate(*r.scene, request);
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

/// The contact with a body, if there is one.
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

// Two fixed bodies and the rows of their nearest points alone.
struct Pair {
  Scene scene;
  RecordedStep step;
  PointUnknowns unknowns;
  Vector3d point_a, point_b, normal;
  double gap;
};

inline Pair random_pair(Random& random, ClosestPointForm form, double gap) {
  Pair p;
  p.scene.bodies.resize(2);
  for (Body& body : p.scene.bodies) {
    body.fixed = true;
    body.shape = random_convex_shape(random);
    body.orientation = random_orientation(random);
  }
  const auto placed = [&](int k) {
    const Body& b = p.scene.bodies[static_cast<std::size_t>(k)];
    return PlacedShape{&b.shape, b.position, b.orientation.toRotationMatrix()};
  };
  // A point of the second body is put at `gap` from the point of the first with the same normal.
  const Vector3d n = Vector3d(random.normal(), random.normal(), random.normal()).normalized();
  p.scene.bodies[1].position = placed(0).support(-n) - gap * n - placed(1).support(n);
  p.point_a = placed(0).support(-n);
  p.point_b = placed(1).support(n);
  p.normal = n;
  p.gap = gap;
  StepRecorder recorder(p.scene);
  const auto solid = [&](int k) {
    const PlacedShape s = placed(k);
    return RecordedSolid{s.shape, {s.position.cast<Expr>(), s.axes.cast<Expr>()}};
  };
  const ContactFrame frame = contact_frame(n, 3);
  p.unknowns = record_closest_points(recorder, form, GapFunction::kOfA, "pair", 1, solid(0),
                                     solid(1), 1.0, frame.t.cast<Expr>(), frame.o.cast<Expr>())
                   .unknowns;
  p.step = recorder.finish();
  return p;
}

inline Problem pair_problem(const Pair& p) {
  return p.step.problem(step_input(p.scene, initial_state(p.scene), 0.1));
}

inline Vector at_the_points(const Pair& p) {
  Vector z = Vector::Zero(p.step.size());
  z.segment<3>(p.unknowns.a1) = p.point_a;
  z.segment<3>(p.unknowns.a2) = p.point_b;
  if (p.unknowns.l1 < 0) return z;
  const auto slope = [&](std::size_t k, const Vector3d& x) {
    const Body& b = p.scene.bodies[k];
    return surface_factor(b.shape) *
           implicit_gradient(b.shape, b.orientation.conjugate() * (x - b.position)).norm();
  };
  z[p.unknowns.l1] = p.gap / slope(0, p.point_a);
  z[p.unknowns.l2] = slope(0, p.point_a) / slope(1, p.point_b);
  return z;
}

}  // namespace perp::test
