// The families of exact friction: the scenes they share, their closed forms and their packings.
#include "support.hpp"

#include <perp/problems/families/contact.hpp>
#include <perp/problems/families/friction.hpp>

#include <set>

namespace perp::test {
namespace {

FrictionContact friction_data(const std::string& family, int size, std::uint64_t seed,
                              const std::map<std::string, double>& parameters = {}) {
  return std::get<FrictionContact>(generate(find_family(family), size, seed, parameters).data);
}

// The normal and two of the four edges of the LCP are the rows (n, t, s).
TEST(FrictionFamilies, HaveTheScenesOfTheContactLcps) {
  for (const char* name : {"stack", "tower", "pile"}) {
    const int nc = 22;
    const Family& family = find_family(std::string("contact-") + name);
    const Lcp lcp = std::get<Lcp>(generate(family, nc, 3).data);
    const FrictionContact p = friction_data(family.siblings.at("friction_contact"), nc, 3);
    ASSERT_EQ(p.size(), 3 * nc);
    const auto row = [&](int i) { return i % 3 == 0 ? i / 3 : nc + 4 * (i / 3) + i % 3 - 1; };
    for (int i = 0; i < p.size(); ++i) {
      EXPECT_NEAR(p.q[i], lcp.q[row(i)], 1e-14) << name;
      for (int j = 0; j < p.size(); ++j)
        EXPECT_NEAR(p.W.coefficient(i, j), lcp.M.coefficient(row(i), row(j)), 1e-13) << name;
    }
  }
}

TEST(FrictionFamilies, OperatorAndMatrixAreTheSameProblem) {
  Random random(5);
  for (const char* name : {"friction-stack", "friction-pile", "friction-granular"}) {
    const FrictionContact w = friction_data(name, 17, 2);
    const FrictionContact op = friction_data(name, 17, 2, {{"operator", 1}});
    EXPECT_TRUE(op.is_operator());
    EXPECT_TRUE(w.W.is_symmetric());
    const Vector r = gaussian(random, w.size(), 1);
    EXPECT_LT((w.relative_velocity(r) - op.relative_velocity(r)).norm(), 1e-12 * r.norm() * 30);
  }
}

TEST(FrictionFamilies, ParametersDoWhatTheySay) {
  // Heaviest on top: the inverse mass of the highest box is that of the lowest over the ratio.
  const FrictionContact op =
      friction_data("friction-tower", 20, 1, {{"operator", 1}, {"mass_ratio", 1e6}});
  EXPECT_DOUBLE_EQ(op.M.coefficient(0, 0), 1.0);
  EXPECT_NEAR(op.M.coefficient(24, 24), 1e6, 1e-3);
  EXPECT_NEAR(op.M.coefficient(12, 12), 1e3, 1e-6);
  const FrictionContact one = friction_data("friction-pile", 9, 4);
  const FrictionContact two = friction_data("friction-pile", 9, 4, {{"duplicates", 1}});
  ASSERT_EQ(two.contacts(), 18);
  for (int c = 0; c < 9; ++c) {
    EXPECT_EQ(one.q.segment<3>(3 * c), two.q.segment<3>(6 * c));
    EXPECT_EQ(one.q.segment<3>(3 * c), two.q.segment<3>(6 * c + 3));
  }
  // In the plane: the vertical parts of the velocities are those in space.
  const FrictionContact plane =
      friction_data("friction-stack", 20, 7, {{"dimension", 2}, {"mu", 0.3}});
  EXPECT_EQ(plane.dimension, 2);
  EXPECT_EQ(plane.size(), 40);
  EXPECT_EQ(plane.mu, Vector(Vector::Constant(20, 0.3)));
  EXPECT_THROW(friction_data("friction-stack", 20, 1, {{"dimension", 4}}), std::invalid_argument);
}

// One rod in closed form: W = 1/m + arm^2 / I, so friction wedges it where W_nn < mu |W_nt|.
TEST(FrictionFamilies, PainleveRodsAreThoseOfTheTheory) {
  const FrictionContact p = friction_data("painleve-rods", 2000, 1);
  const double critical = 4.0 / 3.0;  // of mu, at the worst angle, tan = 2
  double least = kInf;
  int wedged = 0;
  for (int k = 0; k < p.contacts(); ++k) {
    const double nn = p.W.coefficient(2 * k, 2 * k), nt = p.W.coefficient(2 * k, 2 * k + 1),
                 tt = p.W.coefficient(2 * k + 1, 2 * k + 1);
    EXPECT_NEAR(nn + tt, 2.0 + 3.0, 1e-13);  // the arm has length 1
    EXPECT_NEAR(nn * tt - nt * nt, 4.0, 1e-12);
    least = std::min(least, nn / std::abs(nt));
    wedged += nn < p.mu[k] * std::abs(nt);
  }
  EXPECT_GE(least, critical);
  EXPECT_NEAR(least, critical, 1e-4);
  EXPECT_GT(wedged, 1000);
  EXPECT_LT(wedged, 2000);
  for (const double mu : {0.0, 0.3, 1.4, 2.0, 10.0}) {
    const Problem q = generate(find_family("painleve-rods"), 500, 3, {{"mu", mu}});
    EXPECT_TRUE(verify(q, {q.solution->z, {}}, 1e-14).solved) << mu;
  }
}

TEST(FrictionFamilies, SpheresTouchAndDoNotOverlap) {
  for (const int size : {10, 100, 700}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const ContactScene scene = settled_spheres(size, seed, 0.05);
      ASSERT_EQ(scene.contacts.size(), static_cast<std::size_t>(size));
      std::vector<int> carriers(scene.bodies.size(), 0);
      std::set<std::pair<int, int>> pairs;
      std::vector<Eigen::Vector3d> centres(scene.bodies.size());
      std::vector<double> radii(scene.bodies.size());
      for (const ContactPoint& c : scene.contacts) {
        const double radius = c.arm_a.norm();
        EXPECT_GE(radius, 0.04);
        EXPECT_LE(radius, 0.06);
        EXPECT_NEAR(c.normal.norm(), 1.0, 1e-12);
        EXPECT_LT((c.arm_a + radius * c.normal).norm(), 1e-12);
        // The mass is that of the radius: the two agree where the arm is that of the body.
        const double mass = 1.0 / scene.bodies[c.a].inverse_mass;
        EXPECT_NEAR(mass, 1000.0 * 4.0 / 3.0 * 3.14159265358979 * std::pow(radius, 3), 1e-9);
        if (c.b >= 0) {
          EXPECT_LT(c.b, c.a);
          EXPECT_TRUE(pairs.emplace(c.a, c.b).second);
        }
        ++carriers[c.a];
        centres[c.a] = c.point - c.arm_a;
        radii[c.a] = radius;
        EXPECT_GE(centres[c.a].z(), radius - 1e-12);
      }
      for (std::size_t a = 0; a < centres.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b)
          EXPECT_GT((centres[a] - centres[b]).norm(), radii[a] + radii[b] - 2e-9);
      }
      for (std::size_t k = 0; k + 1 < carriers.size(); ++k)
        EXPECT_TRUE(carriers[k] == 1 || carriers[k] == 3) << k;
    }
  }
}

}  // namespace
}  // namespace perp::test
