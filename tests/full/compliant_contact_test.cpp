// Compliant contact over many steps: ten minutes of a rolling cylinder, and a heap of forty bodies.
#include "../theta_support.hpp"

#include <perp/problems/standard/compliant_point.hpp>
#include <perp/solvers/friction/sap.hpp>

#include <algorithm>
#include <chrono>

namespace perp::test {
namespace {

double spring_energy(const Scene& scene, const State& s) {
  const double x = s.bodies[1].position.x();
  return kinetic_energy(scene, s) + 0.5 * 100 * x * x;
}

// Energy left of the spring-cylinder after so many steps of the midpoint rule with several points
// on the line of contact: an integrator of its own, in (v_x, v_z, R omega) with rolling w = -v_x.
double energy_left(int points, int steps) {
  const double m = 0.5, k = 100, stiffness = 1e4, tau = 0.02, h = 0.02, inertia = m / 2;
  ConvexContact p;
  p.A = Matrix(matrix(3, 3, {m + h * h / 4 * k, 0, 0, 0, m + h * h / 4 * k, 0, 0, 0, inertia}));
  DenseMatrix j = DenseMatrix::Zero(3 * points, 3);
  p.R.resize(3 * points);
  p.bias = Vector::Zero(3 * points);
  p.mu = Vector::Ones(points);
  const double w =
      effective_inverse_mass(Eigen::Vector3d(1 / m, 1 / m + 1 / inertia, 1 / m).asDiagonal());
  for (int c = 0; c < points; ++c) {
    j(3 * c, 1) = 1.0;
    j(3 * c + 1, 0) = j(3 * c + 1, 2) = 1.0;
    const CompliantRegularisation r = regularise({w, 0.0, stiffness, tau}, {h});
    p.R.segment<3>(3 * c) << r.normal, r.tangential, r.tangential;
  }
  p.J = Matrix(j);
  Problem problem = problem_of(p);
  Sap sap;
  sap.limits.tolerance = 1e-10;
  const double rest = -m * 9.81 / (points * stiffness);
  Eigen::Vector3d q(0.1, rest, 0), v = Eigen::Vector3d::Zero();
  for (int step = 0; step < steps; ++step) {
    auto& data = std::get<ConvexContact>(problem.data);
    // (m + h^2/4 k)(v* - v) = -h k (q + h/2 v) about the height of rest, and gravity
    Eigen::Vector3d free = v;
    for (int i = 0; i < 2; ++i) {
      const double from = q[i] - (i == 1 ? rest : 0.0);
      free[i] +=
          (-h * k * (from + h / 2 * v[i]) - (i == 1 ? h * m * 9.81 : 0.0)) / (m + h * h / 4 * k);
    }
    data.v_star = free;
    for (int c = 0; c < points; ++c)
      data.bias[3 * c] = regularise({w, q[1], stiffness, tau}, {h}).bias;
    sap.prepare(problem);
    const Result& r = sap.solve();
    if (r.status != Status::kSolved) return std::nan("");
    q += h / 2 * (v + r.z);
    v = r.z;
  }
  const double energy =
      0.5 * m * v.head<2>().squaredNorm() + 0.5 * inertia * v[2] * v[2] + 0.5 * k * q[0] * q[0];
  return energy / (0.5 * k * 0.01);
}

// The paper prints .90 after 600 s. Slip power is R_t times the friction squared at each point, so
// the loss goes with 1 over the number of points: three would have .91.
TEST(SpringCylinder, TenMinutesOfRolling) {
  const Scene scene = load_scene("spring-cylinder", {});
  const ThetaRun midpoint = theta_run(scene, "theta-method-convex", 0.02, 600);
  const double left =
      spring_energy(scene, midpoint.states.back()) / spring_energy(scene, midpoint.states[0]);
  EXPECT_NEAR(left, 0.751, 0.003);
  // Symplectic Euler: means over the first and the last oscillation, of 27.2 steps.
  const ThetaRun symplectic = theta_run(scene, "theta-method-convex:theta=symplectic", 0.02, 600);
  double first = 0.0, last = 0.0;
  for (std::size_t k = 0; k < 136; ++k) {  // five of them
    first += spring_energy(scene, symplectic.states[k]);
    last += spring_energy(scene, symplectic.states[symplectic.states.size() - 1 - k]);
  }
  std::printf("left after 600 s: midpoint %.4f, symplectic Euler %.4f\n", left, last / first);
  EXPECT_NEAR(last / first, 0.75, 0.01);
  // The integrator of the test agrees, and has more points.
  EXPECT_NEAR(energy_left(1, 30000), left, 2e-4);
  double loss = -std::log(left);
  for (const int points : {2, 3, 4}) {
    const double more = energy_left(points, 30000);
    std::printf("points %d: %.3f of the energy left after 600 s\n", points, more);
    EXPECT_NEAR(-std::log(more) * points / loss, 1.0, 0.05) << points;
  }
}

// What is left of gamma in F, R gamma + J v - bias in F*, gamma'(R gamma + J v - bias) = 0, over
// its terms.
double complementarity_error(const ConvexContact& p, const Vector& v) {
  const Vector gamma = p.impulses(v), u = p.R.cwiseProduct(gamma) + p.J.multiply(v) - p.bias;
  double product = 0.0, size = 0.0;
  for (int c = 0; c < p.contacts(); ++c) {
    const auto g = gamma.segment<3>(3 * c), s = u.segment<3>(3 * c);
    product += std::abs(g.dot(s));
    size += g.norm() * (s.norm() + p.R.segment<3>(3 * c).cwiseProduct(g).norm());
  }
  return size > 0 ? product / size : 0.0;
}

constexpr double kAtRest = 1e-4;  // J; spheres that roll, which nothing stops, have more

struct Heap {
  double momentum = 0.0, complementarity = 0.0, mean_iterations = 0.0;
  double mean_late = 0.0;                 // iterations of a step after 6 s
  double apart = 0.0;                     // sap and interior-point, relative, in the norm of A
  int compared = 0, both = 0;             // of the problems that were given to both: solved by both
  int more_than_four = 0, most_late = 0;  // steps after 6 s with more iterations; their most
  int at_rest = 0, most_at_rest = 0;      // those of them at rest; their most iterations
  int sum_at_rest = 0, long_at_rest = 0;  // all their iterations; those of them with more than four
  int most_iterations = 0, failed = 0;
  double farthest = 0.0, kinetic = 0.0;
};

// @param start of the lowest body above the ground, m
// @param every so many steps both solvers are compared
Heap heap(int walls, double start, int every) {
  const Scene scene = load_scene("clutter", {{"walls", walls}, {"start", start}});
  Heap r;
  SimulationRequest request;
  request.formulation = scene.formulation;
  request.solve.solver = "sap";
  request.solve.limits.tolerance = 1e-6;
  std::vector<double> ratios, in_run;
  request.on_step = [&](const StepReport& step) {
    r.momentum = std::max(r.momentum, step.result.momentum_error);
    r.kinetic = step.kinetic;
    for (const StageReport& stage : step.stages) {
      r.most_iterations = std::max(r.most_iterations, stage.iterations);
      r.mean_iterations += stage.iterations / 1000.0;
      if (step.step <= 600) continue;
      r.mean_late += stage.iterations / 400.0;
      r.more_than_four += stage.iterations > 4;
      r.most_late = std::max(r.most_late, stage.iterations);
      if (step.kinetic >= kAtRest) continue;
      ++r.at_rest;
      r.most_at_rest = std::max(r.most_at_rest, stage.iterations);
      r.sum_at_rest += stage.iterations;
      r.long_at_rest += stage.iterations > 4;
    }
    return true;
  };
  request.on_stage = [&](int number, const Stage& stage, const VerifiedResult& result) {
    const auto& p = std::get<ConvexContact>(stage.problem.data);
    r.complementarity = std::max(r.complementarity, complementarity_error(p, result.answer.z));
    if (number % every != 0) return;
    // From v* both, to a gradient of 1e-12; a complementarity must be smaller for that.
    SolveRequest cold;
    cold.stored_start = false;
    cold.limits.tolerance = 1e-12;
    cold.solver = "sap";
    const VerifiedResult newton = solve_verified(stage.problem, cold);
    cold.limits.tolerance = 1e-15;
    cold.solver = "polish(interior-point)";
    const Reduction reduction = reduce_to_conic_qp(p);
    const VerifiedResult path = solve_verified(problem_of(reduction.problem), cold);
    const Vector v = reduction.map_back(path.answer).z;
    // In some problems 1e-12 is less than rounding allows: then nothing but rounding is missing.
    EXPECT_TRUE(newton.status == Status::kSolved || newton.verdict.at_floor)
        << number << ' ' << newton.message;
    EXPECT_LE(newton.verdict.measure, 1e-11) << number;
    ++r.compared;
    // Its complementarity is a product, which may be small where the gradient is not yet.
    if (evaluate_residuals(p, v).natural > 1e-10) return;
    ++r.both;
    const auto norm = [&](const Vector& v) { return std::sqrt(v.dot(p.A.multiply(v))); };
    r.apart = std::max(r.apart, norm(newton.answer.z - v) / norm(v));
    in_run.push_back((path.setup_time + path.solve_time) / (result.setup_time + result.solve_time));
    ratios.push_back((path.setup_time + path.solve_time) / (newton.setup_time + newton.solve_time));
  };
  const SimulationSummary summary = simulate(scene, request);
  EXPECT_EQ(summary.failed_steps, 0) << summary.message;
  EXPECT_EQ(summary.steps, 1000);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Vector3d& x = summary.final_state.bodies[b].position;
    if (scene.bodies[b].fixed) continue;
    r.farthest = std::max({r.farthest, std::abs(x.x()), std::abs(x.y())});
    EXPECT_GT(x.z(), 0.045) << scene.bodies[b].name;
  }
  std::sort(ratios.begin(), ratios.end());
  std::sort(in_run.begin(), in_run.end());
  std::printf(
      "walls %d: iterations %.1f a step, at most %d, at rest (%d steps) %d; momentum %.1e, "
      "complementarity %.1e; interior point over sap, median of %zu: %.1f, of sap's in the run "
      "%.1f; both solve %d of %d, "
      "apart %.1e\n",
      walls, r.mean_iterations, r.most_iterations, r.at_rest, r.most_at_rest, r.momentum,
      r.complementarity, ratios.size(), ratios.empty() ? 0.0 : ratios[ratios.size() / 2],
      in_run.empty() ? 0.0 : in_run[in_run.size() / 2], r.both, r.compared, r.apart);
  return r;
}

// [CastroPermenterHan2022, Sec. VI.B]: about three iterations a step at rest. When a heap comes to
// rest, and for how many steps the interior-point method comes down to 1e-10, changes with the
// motion, which is chaotic; so there are three heaps. In each of them a sphere may still roll.
TEST(Clutter, ComesToRestInItsContainer) {
  int at_rest = 0, sum_at_rest = 0, long_at_rest = 0, both = 0;
  std::vector<double> kinetic;
  for (const double start : {0.05, 0.0502, 0.0504}) {
    const Heap r = heap(1, start, 50);
    EXPECT_LT(r.momentum, 1e-5);
    EXPECT_LT(r.complementarity, 1e-5);
    EXPECT_LE(r.mean_late, 4.0);
    EXPECT_LE(r.farthest, 0.4);
    EXPECT_LE(r.apart, 1e-7);
    kinetic.push_back(r.kinetic);
    at_rest += r.at_rest;
    sum_at_rest += r.sum_at_rest;
    long_at_rest += r.long_at_rest;
    both += r.both;
  }
  std::sort(kinetic.begin(), kinetic.end());
  EXPECT_LT(kinetic[1], 1e-3);
  EXPECT_GE(at_rest, 100);
  EXPECT_LE(sum_at_rest, 3 * at_rest);
  EXPECT_LE(long_at_rest, at_rest / 50);
  EXPECT_GE(both, 20);
}

// Without walls spheres roll away, nothing stops them, and now and then one leaves its neighbours.
TEST(Clutter, WithoutWalls) {
  const Heap r = heap(0, 0.05, 10);
  EXPECT_LT(r.momentum, 1e-5);
  EXPECT_LT(r.complementarity, 1e-5);
  EXPECT_LE(r.more_than_four, 8);  // of 400
  EXPECT_LE(r.most_late, 8);
  EXPECT_GE(r.both, 10);
  EXPECT_LE(r.apart, 1e-7);
}

}  // namespace
}  // namespace perp::test
