// Bearings, and engines that run by contact alone.
#include "engine_support.hpp"

#include <functional>
#include <perp/formulations/dynamics/bearings.hpp>
#include <perp/formulations/registry.hpp>

namespace perp::test {
namespace {

Body free_body(const std::string& name, const Vector3d& position) {
  Body b;
  b.name = name;
  b.mass = 1.0;
  b.inertia = Vector3d(0.5, 0.6, 0.7);
  b.position = position;
  return b;
}

// A pin in a hole, both moving, neither where the other is.
Scene pin_and_hole(int corners, double turn) {
  Scene s;
  s.name = "pin-and-hole";
  s.bodies = {free_body("pin", {0.1, 0.2, 0.3}), free_body("hole", {-0.2, 0.1, 0.0})};
  Bearing b;
  b.name = "bearing";
  b.pin = 0;
  b.hole = 1;
  b.center = Vector3d(0.05, 0.1, 0.2);
  b.pin_center = b.center + Vector3d(0.002, -0.001, 0.0);
  b.axis = Vector3d(1, 2, 2) / 3;
  b.direction = Vector3d(2, 1, -2) / 3;
  b.turn = turn;
  b.radius = 0.2;
  b.clearance = 0.004;
  b.corners = corners;
  b.sections = {-0.1, 0.02, 0.1};
  s.bearings = {b};
  return s;
}

State turned_state(const Scene& s, Random& random, double size) {
  State state = initial_state(s);
  for (BodyState& b : state.bodies) {
    const Vector3d axis = Vector3d(random.normal(), random.normal(), random.normal()).normalized();
    b.orientation = Quaterniond(Eigen::AngleAxisd(size * random.normal(), axis));
    b.velocity = Vector3d(random.normal(), random.normal(), random.normal());
    b.angular_velocity = Vector3d(random.normal(), random.normal(), random.normal());
  }
  return state;
}

// Every vertex against every face, by rotation matrices.
std::vector<double> gaps_of_all_pairs(const Scene& s, const State& state) {
  const Bearing& b = s.bearings.front();
  const auto turned = [&](const Vector3d& v, double angle) {
    return Vector3d(Eigen::AngleAxisd(angle, b.axis) * v);
  };
  const double pitch = 2 * kPi / b.corners;
  double nearest = 1.0;  // cosine of the least angle between a vertex and a face
  for (int k = -b.corners; k <= b.corners; ++k)
    nearest = k == -b.corners ? std::cos(b.turn + k * pitch)
                              : std::max(nearest, std::cos(b.turn + k * pitch));
  std::vector<double> gaps;
  const BodyState &pin = state.bodies[0], &hole = state.bodies[1];
  for (const double section : b.sections) {
    for (int v = 0; v < b.corners; ++v) {
      const Vector3d at = b.pin_center + section * b.axis +
                          turned(b.radius * b.direction, b.turn + v * pitch) - s.bodies[0].position;
      const Vector3d vertex = pin.position + pin.orientation * at;
      for (int f = 0; f < b.corners; ++f) {
        const Vector3d outward = hole.orientation * turned(b.direction, f * pitch);
        const Vector3d center =
            hole.position + hole.orientation * (b.center - s.bodies[1].position);
        gaps.push_back(b.radius * nearest + b.clearance - outward.dot(vertex - center));
      }
    }
  }
  std::sort(gaps.begin(), gaps.end());
  return gaps;
}

TEST(Bearings, PointsAreTheVerticesNearFaces) {
  Random random(3);
  for (const int corners : {3, 4, 7, 24}) {
    for (const double turn : {0.0, 0.3, kPi / corners}) {
      const Scene s = pin_and_hole(corners, turn);
      const State state = turned_state(s, random, 0.003);
      const double slack = 0.006;
      std::vector<double> expected = gaps_of_all_pairs(s, state), found;
      std::erase_if(expected, [&](double gap) { return gap > slack; });
      for (const BearingPoint& p : bearing_points(s, state, s.bearings.front(), 0, slack))
        found.push_back(p.gap);
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found.size(), expected.size()) << corners << " " << turn;
      ASSERT_GT(found.size(), 0U);
      for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-14);
    }
  }
}

TEST(Bearings, NormalVelocitiesAreDerivativesOfGaps) {
  Random random(4);
  const Scene s = pin_and_hole(6, 0.2);
  const State state = turned_state(s, random, 0.02);
  const double h = 1e-6;
  const auto after = [&](double time) {
    std::map<int, double> gaps;
    State moved = state;
    for (BodyState& b : moved.bodies) {
      b.position += time * b.velocity;
      const double speed = b.angular_velocity.norm();
      b.orientation =
          Quaterniond(Eigen::AngleAxisd(time * speed, b.angular_velocity / speed)) * b.orientation;
    }
    for (const BearingPoint& p : bearing_points(s, moved, s.bearings.front(), 5, 0.1))
      gaps[p.feature] = p.gap;
    return gaps;
  };
  const std::map<int, double> low = after(-h), high = after(h);
  int checked = 0;
  for (const ContactPoint3& c : find_contacts(s, state, 0.1)) {
    EXPECT_EQ(std::pair(c.a, c.b), std::pair(0, 1));
    const auto x = low.find(c.feature + 5), y = high.find(c.feature + 5);
    if (x == low.end() || y == high.end()) continue;
    EXPECT_NEAR((y->second - x->second) / (2 * h), normal_velocity(c, state), 1e-8);
    ++checked;
  }
  EXPECT_GT(checked, 10);
}

TEST(Bearings, FormulationsWithoutContactPointsRefuseThem) {
  const Scene s = load_scene("engine-single", {});
  for (const char* name :
       {"geometric-implicit", "closed-form-gap", "equivalent-contact-point", "joint-friction"}) {
    const auto reason = refusal_of(*make_formulation(name), s);
    ASSERT_TRUE(reason.has_value()) << name;
  }
  EXPECT_FALSE(refusal_of(*make_formulation("max-dissipation-impulse"), s).has_value());
}

TEST(Engine, StartsWithoutOverlapAndAtRest) {
  for (const char* name : {"engine-single", "engine-four"}) {
    for (const double corners : {12.0, 24.0, 48.0}) {
      const Scene s = load_scene(name, {{"corners", corners}});
      const State state = initial_state(s);
      int touching = 0;
      for (const ContactPoint3& c : find_contacts(s, state, 0.0)) {
        EXPECT_GE(c.gap, -1e-15);
        touching += c.gap < 1e-12;
      }
      EXPECT_GE(touching, s.bodies.size() * 2) << name;
      EXPECT_EQ(kinetic_energy(s, state), 0.0);
    }
  }
}

// The slider-crank without clearance as a system of one coordinate, the angle of the crank from
// the top: J q'' + J'/2 q'^2 + V' = torque.
class SliderCrank {
 public:
  explicit SliderCrank(const Scene& s) : scene_(s) {}

  /// Kinetic and potential energy at a time, less that of the beginning: the torque's work.
  double energy(double time) const {
    const double start = scene_.parameters.at("angle"), torque = scene_.parameters.at("torque");
    const int steps = 4000;
    const double h = time / steps;
    double q = start, w = 0.0;
    const auto acceleration = [&](double angle, double rate) {
      const double e = 1e-5, inertia = place(angle).inertia;
      const Place low = place(angle - e), high = place(angle + e);
      return (torque - (high.potential - low.potential) / (2 * e) -
              0.5 * rate * rate * (high.inertia - low.inertia) / (2 * e)) /
             inertia;
    };
    for (int k = 0; k < steps; ++k) {  // the midpoint rule
      const double q_half = q + h / 2 * w, w_half = w + h / 2 * acceleration(q, w);
      q += h * w_half;
      w += h * acceleration(q_half, w_half);
    }
    return torque * (q - start);
  }

 private:
  struct Place {
    double inertia, potential;
  };

  Place place(double q) const {
    const double r = scene_.parameters.at("throw"), l = scene_.parameters.at("rod");
    const double s = r * std::sin(q), c = r * std::cos(q), height = std::sqrt(l * l - s * s);
    const double wrist_rate = -s - s * c / height, rod_rate = c / height;
    const Body &crank = scene_.bodies[body_of(scene_, "crank")],
               &rod = scene_.bodies[body_of(scene_, "rod")],
               &piston = scene_.bodies[body_of(scene_, "piston")];
    const double rod_x = -c / 2, rod_y = (-s + wrist_rate) / 2;
    return {crank.inertia.z() + rod.inertia.z() * rod_rate * rod_rate +
                rod.mass * (rod_x * rod_x + rod_y * rod_y) + piston.mass * wrist_rate * wrist_rate,
            -scene_.gravity.y() * (rod.mass * (c + height / 2) + piston.mass * (c + height))};
  }

  const Scene& scene_;
};

TEST(Engine, ASingleCylinderRunsByEvents) {
  for (const double corners : {12.0, 24.0, 48.0}) {
    const Scene s = load_scene("engine-single", {{"corners", corners}});
    const EngineRun r = run_events(s);
    EXPECT_GE(r.summary.events, 3) << corners;
    EXPECT_LE(r.deepest, 1e-6) << corners;
    EXPECT_GT(r.energy, 0.9 * r.work) << corners;
  }
}

// Corners of pins knock at every face: a loss that the smooth mechanism does not have.
TEST(Engine, LossesFallWithTheCorners) {
  double last = 0.2;
  for (const double corners : {12.0, 24.0, 48.0}) {
    const Scene s = load_scene("engine-single", {{"corners", corners}, {"sections", 2}});
    const EngineRun r = run_events(s, 0.12);
    const double loss = 1 - r.energy / SliderCrank(s).energy(0.12);
    EXPECT_GT(loss, 0.01) << corners;
    EXPECT_LT(loss, 0.75 * last) << corners;
    EXPECT_LE(r.deepest, 1e-6) << corners;
    last = loss;
  }
}

TEST(Engine, FourCylindersTouchAtAHundredPoints) {
  const EngineRun r = run_events(load_scene("engine-four", {}), 0.01);
  EXPECT_GE(r.share(), 0.9);
  EXPECT_GE(r.summary.events, 20);
  EXPECT_LE(r.deepest, 1e-6);
  EXPECT_LE(r.off_plane, 1e-9);  // nothing pushes along the crankshaft
}

TEST(Engine, TheComplementarityProblemMovesItTheSameWay) {
  const Scene s = load_scene("engine-single", {});
  const State x = run_events(s).summary.final_state,
              y = run_events(s, 0.0, 0.0, "anitescu-potra").summary.final_state;
  for (std::size_t b = 0; b < x.bodies.size(); ++b) {
    EXPECT_LE((x.bodies[b].position - y.bodies[b].position).norm(), 1e-9);
    EXPECT_LE((x.bodies[b].velocity - y.bodies[b].velocity).norm(), 1e-6);
  }
}

TEST(Engine, StepsApproachEventsToFirstOrder) {
  const Scene s = load_scene("engine-single", {{"sections", 2}});
  const double exact = run_events(s, 0.06).turned;
  std::vector<double> error;
  for (const double h : {4e-4, 2e-4, 1e-4}) {
    const EngineRun r = EngineCheck(s, Driver::kTimeStepping).run("max-dissipation-step", h, 0.06);
    error.push_back(std::abs(r.turned - exact));
  }
  EXPECT_LE(error[2], 2e-3);
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(error[k] / error[k + 1], 2.0, 0.4);
}

TEST(Engine, TheCapOnEventsIsHonest) {
  SimulationRequest request;
  request.driver = Driver::kEventDriven;
  request.formulation = "max-dissipation-impulse";
  request.max_events = 1;
  request.duration = 0.2;
  const SimulationSummary summary = simulate(load_scene("engine-single", {}), request);
  EXPECT_TRUE(summary.stopped);
  EXPECT_EQ(summary.failed_steps, 1);
  EXPECT_NE(summary.message.find("max_events"), std::string::npos);
  EXPECT_LT(summary.final_state.time, 0.2);
}

}  // namespace
}  // namespace perp::test
