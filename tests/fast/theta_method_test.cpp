// The theta-method against closed forms, its own derivatives and the numbers of its paper.
#include "../theta_support.hpp"

#include <perp/formulations/stepping/theta_method/free_motion.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <numbers>
#include <random>

namespace perp::test {
namespace {

// Mechanical energy of the spring and the motion along the floor.
double spring_energy(const Scene& scene, const State& s) {
  const double x = s.bodies[1].position.x();
  return kinetic_energy(scene, s) + 0.5 * 100 * x * x;
}

// Largest less smallest energy over the first.
double energy_band(const Scene& scene, const ThetaRun& r) {
  double least = 1e300, most = 0.0;
  for (const State& s : r.states) {
    least = std::min(least, spring_energy(scene, s));
    most = std::max(most, spring_energy(scene, s));
  }
  return (most - least) / spring_energy(scene, r.states[0]);
}

// Root mean square over time of x - .1 cos(w t), rolling: 3/2 m is the mass.
double position_error(const ThetaRun& r, double h) {
  const double w = std::sqrt(100 / 0.75);
  double sum = 0.0;
  for (std::size_t k = 0; k < r.states.size(); ++k) {
    const double exact = 0.1 * std::cos(w * h * static_cast<double>(k));
    sum += h * std::pow(r.states[k].bodies[1].position.x() - exact, 2);
  }
  return std::sqrt(sum / r.states.back().time);
}

// [CastroPermenterHan2022, Sec. VI.A], 28 % printed for symplectic Euler.
TEST(SpringCylinder, EnergyWithoutFriction) {
  const Scene scene = load_scene("spring-cylinder", {{"mu", 0}});
  const auto run = [&](const std::string& theta) {
    return theta_run(scene, "theta-method-convex:theta=" + theta, 0.02, 10);
  };
  EXPECT_NEAR(energy_band(scene, run("symplectic")), 0.2886, 1e-4);
  EXPECT_LT(energy_band(scene, run("midpoint")), 1e-10);
  const ThetaRun implicit = run("implicit");
  EXPECT_LT(spring_energy(scene, implicit.states.back()),
            1e-12 * spring_energy(scene, implicit.states[0]));
}

TEST(SpringCylinder, EnergyOfRolling) {
  const Scene scene = load_scene("spring-cylinder", {});
  const auto run = [&](const std::string& theta, double duration) {
    return energy_band(scene,
                       theta_run(scene, "theta-method-convex:theta=" + theta, 0.02, duration));
  };
  EXPECT_NEAR(run("symplectic", 2), 0.235, 1e-3);
  EXPECT_NEAR(run("midpoint", 2), 0.00096, 2e-5);
  EXPECT_NEAR(run("midpoint", 10), 0.00475, 3e-5);
}

TEST(SpringCylinder, MidpointIsOfSecondOrder) {
  const Scene scene = load_scene("spring-cylinder", {});
  std::vector<double> errors;
  for (const double h : {0.02, 0.01, 0.005, 0.0025})
    errors.push_back(position_error(theta_run(scene, "theta-method-convex", h, 5), h));
  const double found[] = {1.03e-2, 2.59e-3, 6.48e-4, 1.62e-4};
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(errors[k] / found[k], 1.0, 0.01);
  for (const double order : orders(errors)) EXPECT_NEAR(order, 2.0, 0.05);
  // As printed, with theta_vq twice in A.
  const double printed[] = {1.41e-2, 3.56e-3};
  for (int k = 0; k < 2; ++k) {
    const double h = 0.02 / (k + 1);
    EXPECT_NEAR(
        position_error(theta_run(scene, "theta-method-convex:A=printed", h, 5), h) / printed[k],
        1.0, 0.01);
  }
}

TEST(SpringCylinder, SymplecticEulerIsOfFirstOrder) {
  const Scene scene = load_scene("spring-cylinder", {});
  std::vector<double> errors;
  for (const double h : {0.005, 0.0025, 0.00125})
    errors.push_back(
        position_error(theta_run(scene, "theta-method-convex:theta=symplectic", h, 5), h));
  for (const double order : orders(errors)) EXPECT_NEAR(order, 1.1, 0.1);
  EXPECT_NEAR(errors[2], 5.27e-4, 5e-6);
}

// Orders of convergence where no contact takes part.
struct Smooth {
  std::string name, scene;
  double duration;
};

// Positions, orientations and angular velocities of all bodies at the end.
Vector end_of(const Scene& scene, const std::string& theta, double h, double duration) {
  const ThetaRun r = theta_run(scene, "theta-method:theta=" + theta, h, duration, 1e-12);
  Vector x(0);
  for (const BodyState& b : r.states.back().bodies) {
    const auto n = x.size();
    x.conservativeResize(n + 10);
    x.tail(10) << b.position, b.orientation.coeffs(), b.angular_velocity;
  }
  return x;
}

// Of steps of h, h / 2 and h / 4, for each theta; against midpoint steps of h / 64.
std::map<std::string, std::vector<double>> convergence(const Scene& scene,
                                                       const std::vector<std::string>& thetas,
                                                       double h, double duration) {
  const Vector exact = end_of(scene, "midpoint", h / 64, duration);
  std::map<std::string, std::vector<double>> found;
  for (const std::string& theta : thetas) {
    std::vector<double> errors;
    for (const double step : {h, h / 2, h / 4})
      errors.push_back((end_of(scene, theta, step, duration) - exact).norm());
    found[theta] = orders(errors);
  }
  return found;
}

TEST(ThetaMethod, OrdersOfConvergence) {
  const std::vector<Smooth> list = {
      {"oscillator",
       R"("dimension":3,"bodies":[{"name":"wall","fixed":true},
         {"name":"b","mass":1,"inertia":[1,1,1],"position":[1,0,0],"velocity":[0,0.5,0]}],
         "springs":[{"a":"b","b":"wall","anchor_a":[1,0,0],"anchor_b":[0,0,0],"stiffness":30,"damping":0.4,"length":0}])",
       0.4},
      {"pendulum",
       R"("dimension":2,"gravity":[0,-9.81],"bodies":[{"name":"wall","fixed":true},
         {"name":"rod","mass":1,"inertia":0.1,"position":[1,0]}],
         "springs":[{"a":"rod","b":"wall","anchor_a":[0.5,0],"anchor_b":[0,0],"stiffness":200,"length":0.4}])",
       0.4},
      {"spinning asymmetric body",
       R"("dimension":3,"bodies":[{"name":"b","mass":1,"inertia":[1,2,3],"angular_velocity":[0.3,4,1]}])",
       0.8}};
  for (const Smooth& s : list) {
    const Scene scene = scene_of(s.scene);
    const auto found = convergence(scene, {"explicit", "symplectic", "implicit", "midpoint"},
                                   s.duration / 80, s.duration);
    for (const auto& [theta, rates] : found) {
      const double order = theta == "midpoint" ? 2 : 1;
      EXPECT_NEAR(rates.back(), order, 0.12) << s.name << " " << theta << " " << rates[0];
    }
  }
}

// The rows of a joint are those of the middle of a midpoint step, README eq. 4.
TEST(ThetaMethod, AJointHasTheOrderOfTheRule) {
  const Scene scene = load_scene("pendulum", {});
  for (const auto& [theta, rates] : convergence(scene, {"symplectic", "midpoint"}, 0.005, 0.5))
    EXPECT_NEAR(rates.back(), theta == "midpoint" ? 2.0 : 1.0, 0.3) << theta << " " << rates[0];
}

// A joint does no work. With its rows at the beginning of the step the energy grows without bound.
// A spring of length .1 m at rest whose ends meet has no direction, and no force: a constant force
// moves the body off, and the spring pushes it on.
TEST(ThetaMethod, ASpringOfNoLengthHasNoForce) {
  const Scene scene = scene_of(R"("dimension":2,"bodies":[{"name":"w","fixed":true},
    {"name":"b","mass":1,"inertia":1,"position":[0,0]}],
    "springs":[{"a":"b","b":"w","anchor_a":[0,0],"anchor_b":[0,0],"stiffness":100,"length":0.1}],
    "loads":[{"body":"b","force":[1,0]}])");
  const State plain = theta_run(scene, "stewart-trinkle", 0.01, 0.01).states.back();
  for (const char* rule : {"explicit", "symplectic"}) {
    const std::string model = std::string("theta-method:theta=") + rule;
    const State end = theta_run(scene, model, 0.01, 0.01).states.back();
    EXPECT_NEAR(end.bodies[1].velocity.x(), 0.01, 1e-9) << rule;
    EXPECT_NEAR(end.bodies[1].velocity.y(), 0.0, 1e-9) << rule;
  }
  EXPECT_NEAR(plain.bodies[1].velocity.x(), 0.01, 1e-9);
}

TEST(ThetaMethod, JointsKeepTheEnergy) {
  for (const char* name : {"pendulum", "four-bar"}) {
    const Scene scene = load_scene(name, {});
    std::vector<double> change;
    for (const double h : {0.01, 0.005}) {
      const ThetaRun r = theta_run(scene, "theta-method", h, 5, 1e-12);
      const auto energy = [&](const State& s) {
        return kinetic_energy(scene, s) + potential_energy(scene, s);
      };
      double most = 0.0;
      for (const State& s : r.states)
        most = std::max(most, std::abs(energy(s) - energy(r.states.front())));
      change.push_back(most);
    }
    EXPECT_LT(change[0], 1.0) << name;
    EXPECT_LT(change[1], change[0] / 2.5) << name;  // of second order at least
  }
}

// What is wrong at the beginning decays: a blow on a pendulum along its rod.
TEST(ThetaMethod, ABlowAlongAJointIsTakenByIt) {
  const Scene scene = scene_of(
      R"("dimension":2,"bodies":[{"name":"wall","fixed":true},
        {"name":"bob","mass":1,"inertia":0.1,"position":[1,0]}],
        "joints":[{"name":"j","type":"revolute","a":"bob","b":"wall","anchor":[0,0]}],
        "impulses":[{"body":"bob","linear":[3,0],"time":0}])");
  for (const char* theta : {"midpoint", "implicit", "symplectic"}) {
    const ThetaRun r = theta_run(scene, std::string("theta-method:theta=") + theta, 0.01, 0.5);
    const BodyState& bob = r.states.back().bodies[1];
    EXPECT_NEAR(bob.position.x(), 1.0, 1e-7) << theta;
    EXPECT_NEAR(bob.velocity.norm(), 0.0, 1e-6) << theta;
  }
}

// A scene with everything that k has.
Scene smooth_forces(const std::string& springs, const std::string& inertia) {
  return scene_of(
      R"("dimension":3,"gravity":[0,0,-9.81],"bodies":[{"name":"wall","fixed":true},
    {"name":"a","mass":1.5,"inertia":)" +
      inertia + R"(,"position":[1,0.2,0.1],"velocity":[0.3,1,-0.5],"angular_velocity":[1,-2,0.5]},
    {"name":"b","mass":0.7,"inertia":)" +
      inertia +
      R"(,"position":[1.2,1.1,0.3],"velocity":[-0.3,0.2,0.5],"angular_velocity":[0.2,1,1.5]}],
    "springs":[)" +
      springs + R"(],
    "loads":[{"body":"a","force":[{"amplitude":2,"omega":3},0,1],"moment":[0,0.3,0]}])");
}

const std::string kLinear =
    R"({"a":"a","b":"wall","anchor_a":[1,0.2,0.1],"anchor_b":[0,0,0],"stiffness":40,"damping":1,"length":0})";
const std::string kGeometric =
    kLinear +
    R"(,{"a":"a","b":"b","anchor_a":[1.1,0.4,0.1],"anchor_b":[1.2,0.9,0.3],"stiffness":300,"damping":2,"length":0.9})";

// dm/dv by differences.
DenseMatrix derivative(const FreeMotion& free, const Vector& v) {
  const double step = 1e-6;
  DenseMatrix j(v.size(), v.size());
  for (int k = 0; k < v.size(); ++k) {
    const Vector d = step * Vector::Unit(static_cast<int>(v.size()), k);
    j.col(k) = (free.residual(v + d) - free.residual(v - d)) / (2 * step);
  }
  return j;
}

Vector free_velocity_of(FreeMotion& free) {
  Vector v = free.initial_velocity();
  for (int k = 0; k < 30; ++k)
    v -= DenseMatrix(free.linearisation(v)).ldlt().solve(free.residual(v));
  for (int k = 0; k < 6; ++k) v -= derivative(free, v).partialPivLu().solve(free.residual(v));
  return v;
}

// Proposition 1 [CastroPermenterHan2022, Sec. II.D]: the error of A as the Jacobian of m is of
// first order with gyroscopic terms, of second with geometric stiffness alone, nothing if m is
// linear.
TEST(Proposition1, OrderOfTheLinearisation) {
  struct Case {
    Scene scene;
    double order;
  };
  const std::vector<Case> list = {{smooth_forces(kLinear, "[0.1,0.2,0.25]"), 1},
                                  {smooth_forces(kGeometric, "[0.2,0.2,0.2]"), 2},
                                  {smooth_forces(kLinear, "[0.2,0.2,0.2]"), 0}};
  for (const Case& c : list) {
    for (const Theta theta : {Theta{0.5, 0.5, 0.5}, Theta{1, 1, 1}}) {
      FreeMotion free(c.scene);
      std::vector<double> errors;
      for (const double h : {0.004, 0.002, 0.001}) {
        free.begin(initial_state(c.scene), h, theta);
        const Vector v = free_velocity_of(free);
        EXPECT_LT(free.residual(v).norm(), 1e-12);
        const DenseMatrix a = free.linearisation(v);
        EXPECT_EQ(a, a.transpose());
        EXPECT_GT(a.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0.09);
        errors.push_back((derivative(free, v) - a).norm());
      }
      if (c.order == 0) {
        EXPECT_LT(errors[0], 1e-7);
        continue;
      }
      for (const double order : orders(errors)) EXPECT_NEAR(order, c.order, 0.15);
    }
  }
}

// A is positive definite also where the derivative is not: a spring under pressure.
TEST(Proposition1, AIsPositiveDefiniteUnderPressure) {
  const Scene scene = scene_of(R"("dimension":3,"bodies":[{"name":"wall","fixed":true},
    {"name":"b","mass":0.01,"inertia":[1e-5,2e-5,2e-5],"position":[0.1,0,0]}],
    "springs":[{"a":"b","b":"wall","anchor_a":[0.1,0,0],"anchor_b":[0,0,0],"stiffness":1000,"length":1}])");
  FreeMotion free(scene);
  free.begin(initial_state(scene), 0.02, {1, 1, 1});
  const Vector v = Vector::Zero(6);
  const DenseMatrix a = free.linearisation(v), j = derivative(free, v);
  EXPECT_GT(a.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0.0);
  EXPECT_LT(
      (0.5 * (j + j.transpose())).eval().selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(),
      0.0);
}

// What linearising leaves of the balance, |m(v) - J'gamma|, where v differs from v* by O(h), or by
// an impact.
TEST(Proposition1, OrderOfTheBalanceAfterContact) {
  for (const auto& [speed, order] : {std::pair("0", 2.0), std::pair("-1", 1.0)}) {
    const Scene scene = scene_of(
        R"("dimension":3,"gravity":[0,0,-9.81],"bodies":[{"name":"floor","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
        {"name":"ball","mass":1,"inertia":[0.002,0.004,0.005],"shape":{"type":"sphere","radius":0.1},"position":[0,0,0.1],
         "velocity":[0.3,0,)" +
        std::string(speed) + R"(],"angular_velocity":[3,5,-4]}],"contact":{"mu":0.4})");
    for (const char* theta : {"midpoint", "implicit"}) {
      const std::string model = std::string("theta-method:theta=") + theta;
      std::vector<double> errors;
      for (const double h : {0.002, 0.001, 0.0005}) {
        const ThetaRun r = theta_run(scene, model, h, h, 1e-13);
        const ContactResult& c = r.steps[0].result.contacts.at(0);
        ASSERT_GT(c.p_n, 0.0);
        const Vector3d push = c.p_n * c.frame.n + c.p_t * c.frame.t + c.p_o * c.frame.o;
        Vector wrench(6), v(6);
        wrench << push, Vector3d(0, 0, -0.1).cross(push);
        const BodyState& end = r.states[1].bodies[1];
        v << end.velocity, end.angular_velocity;
        FreeMotion free(scene);
        free.begin(initial_state(scene), h,
                   theta == std::string("midpoint") ? Theta{0.5, 0.5, 0.5} : Theta{1, 1, 1});
        errors.push_back((free.residual(v) - wrench).norm());
      }
      for (const double found : orders(errors)) EXPECT_NEAR(found, order, 0.15) << theta << speed;
    }
  }
}

}  // namespace
}  // namespace perp::test
