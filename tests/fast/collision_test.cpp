// Distances, manifolds and candidates of pairs of shapes against closed forms and brute force.
#include "support.hpp"

#include <fmt/format.h>
#include <perp/bench/simulation/simulation.hpp>
#include <perp/formulations/collision/manifold.hpp>
#include <perp/formulations/dynamics/contacts.hpp>
#include <perp/problems/scenes/scene_json.hpp>

#include <cmath>
#include <numbers>
#include <random>
#include <set>

namespace perp::test {
namespace {

Matrix3d turn(double angle, const Vector3d& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

PlacedShape at(const Shape& shape, const Vector3d& x, const Matrix3d& r = Matrix3d::Identity()) {
  return {&shape, x, r};
}

double least_gap(const std::vector<PairContact>& contacts) {
  double gap = std::numeric_limits<double>::infinity();
  for (const PairContact& c : contacts) gap = std::min(gap, c.gap);
  return gap;
}

// max s(u): over many directions, then about the best in ever smaller neighbourhoods.
double brute_force(const PlacedShape& a, const PlacedShape& b) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const auto draw = [&] { return Vector3d(normal(random), normal(random), normal(random)); };
  Vector3d best = Vector3d::UnitX();
  double s = separation_along(a, b, best);
  const auto consider = [&](const Vector3d& u) {
    const double there = separation_along(a, b, u);
    if (there > s) {
      s = there;
      best = u;
    }
  };
  for (int k = 0; k < 20000; ++k) consider(draw().normalized());
  for (double radius = 0.1; radius > 1e-9; radius *= 0.8) {
    for (int k = 0; k < 60; ++k) consider((best + radius * draw()).normalized());
  }
  return s;
}

TEST(Polytopes, FaceOnFaceHasFourCornersWhateverTheRounding) {
  const Shape cube = Box{Vector3d::Constant(0.5)};
  for (const double tilt : {0.0, 1e-14, -1e-12, 1e-10}) {
    const PlacedShape lower = at(cube, {0, 0, 0.5});
    const PlacedShape upper = at(cube, {tilt, -tilt, 1.5}, turn(tilt, {0.3, 0.5, 0.8}));
    const auto contacts = pair_contacts(upper, lower, 1e-3);
    ASSERT_EQ(contacts.size(), 4u) << tilt;
    for (const PairContact& c : contacts) {
      EXPECT_NEAR(c.gap, 0.0, 1e-9);
      EXPECT_NEAR(c.normal.z(), 1.0, 1e-9);
    }
  }
}

// Answers are carried from step to step by these numbers. Sides of both faces may have the same
// numbers, so all sides of one box lie on all of the other.
TEST(Polytopes, FeaturesTellTheContactsOfAPairApart) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const Shape flat = Box{{0.5, 0.4, 0.1}}, cube = Box{Vector3d::Constant(0.3)};
  const auto quarters = [&] {
    const auto n = [&] { return std::floor(2.0 + 2.0 * unit(random)) * std::numbers::pi / 2.0; };
    return Matrix3d(turn(n(), {1, 0, 0}) * turn(n(), {0, 1, 0}) * turn(n(), {0, 0, 1}));
  };
  int most = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const PlacedShape lower = at(trial % 2 == 0 ? flat : cube, {0, 0, 0}, quarters());
    const Matrix3d spin = turn(unit(random), {0, 0, 1}) * turn(1e-4 * unit(random), {1, 1, 0});
    PlacedShape upper = at(trial % 3 == 0 ? flat : cube, {0, 0, 0}, spin * quarters());
    upper.position = Vector3d(
        0.3 * unit(random), 0.3 * unit(random),
        lower.support(Vector3d::UnitZ()).z() - upper.support(-Vector3d::UnitZ()).z() + 1e-6);
    std::set<int> features;
    const std::vector<PairContact> contacts = pair_contacts(upper, lower, 0.01);
    for (const PairContact& c : contacts)
      EXPECT_TRUE(features.insert(c.feature).second) << trial << ": " << c.feature;
    most = std::max(most, static_cast<int>(contacts.size()));
  }
  EXPECT_EQ(most, 8);  // two squares, one turned
}

// Else a pair that rolls shut would have to slide at all points but one, by as little as the points
// are out of plane: friction could then hold all of them only with forces far from any other.
TEST(Polytopes, PointsOfAPairLieInOnePlaneAcrossTheNormal) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const Shape cube = Box{Vector3d::Constant(0.3)}, can = Cylinder{0.3, 0.2};
  int several = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const PlacedShape lower = at(trial % 3 == 0 ? can : cube, {0, 0, 0}, Matrix3d::Identity());
    const Matrix3d tilted = turn(unit(random), {0, 0, 1}) * turn(0.02 * unit(random), {1, 0, 0}) *
                            turn(0.02 * unit(random), {0, 1, 0});
    PlacedShape upper = at(trial % 2 == 0 ? can : cube, {0, 0, 0}, tilted);
    upper.position = Vector3d(
        0.2 * unit(random), 0.2 * unit(random),
        lower.support(Vector3d::UnitZ()).z() - upper.support(-Vector3d::UnitZ()).z() + 1e-3);
    const std::vector<PairContact> contacts = pair_contacts(upper, lower, 0.05);
    for (const PairContact& c : contacts) {
      EXPECT_LT((c.normal - contacts[0].normal).norm(), 1e-12);
      EXPECT_NEAR(c.normal.dot(c.point - contacts[0].point), 0.0, 1e-12) << trial;
    }
    several += contacts.size() > 2;
  }
  EXPECT_GT(several, 1000);
}

TEST(Polytopes, DistancesOfKnownPositions) {
  const Shape cube = Box{Vector3d::Constant(0.5)}, tall = Box{{1, 1, 1.5}};
  const PlacedShape a = at(cube, {0, 0, 2.5}), b = at(tall, {0.2, 0.1, 0});
  EXPECT_EQ(pair_contacts(a, b, 1.0).size(), 4u);
  for (const PairContact& c : pair_contacts(a, b, 1.0)) EXPECT_NEAR(c.gap, 0.5, 1e-14);
  EXPECT_TRUE(pair_contacts(a, b, 0.4).empty());
  // Edge over edge, crossed at right angles: one contact between the edges.
  const double reach = 0.5 * std::sqrt(2.0);
  const PlacedShape top = at(cube, {0, 0, 2 * reach + 0.1}, turn(kPi / 4, Vector3d::UnitX()));
  const PlacedShape bottom = at(cube, {0, 0, 0}, turn(kPi / 4, Vector3d::UnitY()));
  const auto crossed = pair_contacts(top, bottom, 0.2);
  ASSERT_EQ(crossed.size(), 1u);
  EXPECT_NEAR(crossed[0].gap, 0.1, 1e-12);
  EXPECT_NEAR(crossed[0].normal.z(), 1.0, 1e-12);
  EXPECT_NEAR(crossed[0].point.z(), reach + 0.05, 1e-12);
  // Corner to corner along a diagonal: no faces over each other.
  const auto corners = pair_contacts(at(cube, {1.1, 1.1, 1.1}), at(cube, {0, 0, 0}), 0.5);
  ASSERT_EQ(corners.size(), 1u);
  EXPECT_NEAR(corners[0].gap, 0.1 * std::sqrt(3.0), 1e-12);
}

struct RandomPair {
  Shape a, b;
  Vector3d x;
  Matrix3d ra, rb;
  PlacedShape first() const { return at(a, x, ra); }
  PlacedShape second() const { return at(b, Vector3d::Zero(), rb); }
};

Shape random_shape(int kind, std::mt19937& random) {
  std::uniform_real_distribution<double> u(0.4, 1.0);
  const auto half = [&] { return Vector3d(u(random), u(random), u(random)); };
  std::normal_distribution<double> normal;
  switch (kind) {
    case 0:
      return Sphere{u(random)};
    case 1:
      return Ellipsoid{half()};
    case 2:
      return Superquadric{half(), u(random), u(random)};
    case 3:
      return Cylinder{u(random), u(random)};
    case 4:
      return Box{half()};
    default: {
      std::vector<Vector3d> points;
      for (int k = 0; k < 20; ++k)
        points.push_back(0.8 *
                         Vector3d(normal(random), normal(random), normal(random)).normalized());
      return convex_hull(points);
    }
  }
}

// Apart, just touching, and overlapping by up to a fifth of the size.
RandomPair random_bodies(int kind_a, int kind_b, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto direction = [&] {
    return Vector3d(normal(random), normal(random), normal(random)).normalized();
  };
  RandomPair p{random_shape(kind_a, random), random_shape(kind_b, random), Vector3d::Zero(),
               turn(normal(random), direction()), turn(normal(random), direction())};
  const Vector3d u = direction();
  p.x = 5 * u;
  const double wanted = std::vector<double>{0.3, 0.02, 1e-6, -1e-3, -0.03, -0.1}[seed % 6];
  for (int k = 0; k < 30; ++k) {
    const Separation s = separation(p.first(), p.second());
    p.x -= (s.gap - wanted) / std::max(0.3, std::abs(s.normal.dot(u))) * u;
  }
  return p;
}

TEST(Separation, IsTheMaximumOfTheSupportFunctionForAllPairs) {
  int deeper = 0, pairs = 0;
  double worst = 0.0;
  for (int a = 0; a < 6; ++a) {
    for (int b = 0; b <= a; ++b) {
      for (unsigned seed = 0; seed < 12; ++seed) {
        const RandomPair p = random_bodies(a, b, 1000 * a + 100 * b + seed);
        const Separation s = separation(p.first(), p.second());
        EXPECT_NEAR(s.normal.norm(), 1.0, 1e-12);
        EXPECT_NEAR(separation_along(p.first(), p.second(), s.normal), s.gap, 1e-12);
        EXPECT_NEAR(s.normal.dot(s.point_a - s.point_b), s.gap, 1e-7);
        const double best = brute_force(p.first(), p.second());
        ++pairs;
        if (s.gap > 0 || best > 0) {
          EXPECT_GT(s.gap, best - 1e-9) << a << " " << b << " " << seed;
          worst = std::max(worst, best - s.gap);
        } else if (s.gap < best - 1e-7) {
          ++deeper;  // a local maximum
        }
      }
    }
  }
  RecordProperty("local_maxima", deeper);
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LE(deeper, pairs / 50) << "of " << pairs;
}

TEST(Separation, SpheresInDisguise) {
  const Shape ball = Sphere{0.5}, ellipsoid = Ellipsoid{Vector3d::Constant(0.5)},
              quadric = Superquadric{Vector3d::Constant(0.5), 1, 1};
  for (const double distance : {2.0, 1.001, 1.0, 0.999, 0.9}) {
    const Vector3d u = Vector3d(1, -2, 2) / 3;
    for (const Shape& a : {ball, ellipsoid, quadric}) {
      for (const Shape& b : {ball, ellipsoid, quadric}) {
        const auto c =
            pair_contacts(at(a, distance * u, turn(0.7, {1, 2, 3})), at(b, {0, 0, 0}), 5);
        ASSERT_EQ(c.size(), 1u);
        EXPECT_NEAR(c[0].gap, distance - 1, 1e-12) << shape_name(a) << " " << shape_name(b);
        EXPECT_LT((c[0].normal - u).norm(), 1e-6) << shape_name(a) << " " << shape_name(b);
        EXPECT_LT((c[0].point - distance / 2 * u).norm(), 1e-6);
      }
    }
  }
}

TEST(Separation, ABoxAsAPolyhedron) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const RandomPair p = random_bodies(4, 4, seed);
    const auto as_hull = [](const Shape& box) -> Shape {
      std::vector<Vector3d> corners;
      for (const Vector3d& v : unit_cube().vertices)
        corners.push_back(v.cwiseProduct(std::get<Box>(box).half));
      return convex_hull(corners);
    };
    const Shape ha = as_hull(p.a), hb = as_hull(p.b);
    const auto boxes = pair_contacts(p.first(), p.second(), 1.0);
    const auto hulls = pair_contacts(at(ha, p.x, p.ra), at(hb, Vector3d::Zero(), p.rb), 1.0);
    ASSERT_EQ(boxes.size(), hulls.size()) << seed;
    EXPECT_NEAR(least_gap(boxes), least_gap(hulls), 1e-12);
  }
}

// Depths of overlapping polytopes are those of the best axis, but for the preference of faces.
TEST(Polytopes, DepthsAgreeWithBruteForce) {
  for (const auto& [a, b] : {std::pair(4, 4), std::pair(5, 4), std::pair(5, 5)}) {
    for (unsigned seed = 3; seed < 60; seed += 6) {
      const RandomPair p = random_bodies(a, b, seed);
      const double gap = least_gap(pair_contacts(p.first(), p.second(), 1.0));
      const double best = brute_force(p.first(), p.second());
      ASSERT_LT(best, 0.0);
      EXPECT_NEAR(gap, best, 1e-3) << a << " " << b << " " << seed;
    }
  }
}

// Shapes of random sizes with corners and edges in all positions. A gap that is too large lets the
// bodies overlap in the next step.
TEST(Contacts, TheSmallestGapOfSeparatePairsIsTheirDistance) {
  for (int a = 3; a < 6; ++a) {
    for (int b = 3; b <= a; ++b) {
      for (unsigned trial = 0; trial < 1000; ++trial) {
        const RandomPair p = random_bodies(a, b, 6 * trial + trial % 2);  // .3 or .02 m apart
        const double distance = separation(p.first(), p.second()).gap;
        ASSERT_GT(distance, 0.0);
        const std::vector<PairContact> contacts = pair_contacts(p.first(), p.second(), 0.5);
        EXPECT_NEAR(least_gap(contacts), distance, 2e-3) << a << " " << b << " " << trial;
        for (const PairContact& c : contacts)
          EXPECT_NEAR(c.normal.dot(c.point - contacts[0].point), 0.0, 1e-9);
      }
    }
  }
}

TEST(Balls, AgainstBoxesAndCylinders) {
  const Shape ball = Sphere{0.5}, box = Box{{1, 2, 3}}, cylinder = Cylinder{1, 2};
  const auto gap = [&](const Shape& other, const Vector3d& x) {
    const auto ab = pair_contacts(at(ball, x), at(other, {0, 0, 0}), 10);
    const auto ba = pair_contacts(at(other, {0, 0, 0}), at(ball, x), 10);
    EXPECT_EQ(ab.size(), 1u);
    EXPECT_LT((ab[0].normal + ba[0].normal).norm(), 1e-14);
    EXPECT_LT((ab[0].point - ba[0].point).norm(), 1e-14);
    EXPECT_EQ(ab[0].gap, ba[0].gap);
    return ab[0].gap;
  };
  EXPECT_NEAR(gap(box, {2, 0.3, 0.2}), 0.5, 1e-15);
  EXPECT_NEAR(gap(box, {1.3, 2.4, 0}), 0.0, 1e-15);
  EXPECT_NEAR(gap(box, {2, 4, 5}), 2.5, 1e-15);
  EXPECT_NEAR(gap(box, {0.9, 0.1, 0.1}), -0.6, 1e-15);  // the centre is inside
  EXPECT_NEAR(gap(cylinder, {2, 0, 1}), 0.5, 1e-15);
  EXPECT_NEAR(gap(cylinder, {0.2, 0, 3}), 0.5, 1e-15);
  EXPECT_NEAR(gap(cylinder, {0, 1.3, 2.4}), 0.0, 1e-15);
  const Shape octahedron =
      convex_hull({{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}});
  EXPECT_NEAR(gap(octahedron, {1, 1, 1}), 2 / std::sqrt(3.0) - 0.5, 1e-13);
  EXPECT_NEAR(gap(octahedron, {0, 3, 0}), 1.5, 1e-13);
  EXPECT_NEAR(gap(octahedron, {0.1, 0.1, 0.1}), -0.7 / std::sqrt(3.0) - 0.5, 1e-13);
}

TEST(Cylinders, StandingLyingAndTiltedOnABox) {
  const Shape table = Box{{2, 2, 0.5}}, can = Cylinder{0.3, 0.4};
  const PlacedShape top = at(table, {0, 0, -0.5});
  const auto standing = pair_contacts(at(can, {0.1, 0.2, 0.401}), top, 0.01);
  EXPECT_EQ(standing.size(), 8u);
  for (const PairContact& c : standing) {
    EXPECT_NEAR(c.gap, 0.001, 1e-14);
    EXPECT_NEAR(c.normal.z(), 1.0, 1e-15);
  }
  const auto over_the_edge = pair_contacts(at(can, {2.0, 0, 0.401}), top, 0.01);
  for (const PairContact& c : over_the_edge) EXPECT_LE(c.point.x(), 2 + 1e-6);
  EXPECT_GE(over_the_edge.size(), 5u);
  const Matrix3d flat = turn(kPi / 2, Vector3d::UnitX());
  const auto lying = pair_contacts(at(can, {0, 0, 0.299}, flat), top, 0.01);
  ASSERT_EQ(lying.size(), 2u);
  for (const PairContact& c : lying) EXPECT_NEAR(c.gap, -0.001, 1e-14);
  EXPECT_NEAR((lying[0].point - lying[1].point).norm(), 0.8, 1e-12);
  const double tilt = 0.3;
  const Matrix3d leaning = turn(tilt, Vector3d(1, 2, 0));
  const double lowest = 0.4 * std::cos(tilt) + 0.3 * std::sin(tilt);
  const auto tilted = pair_contacts(at(can, {0, 0, lowest}, leaning), top, 1e-4);
  ASSERT_EQ(tilted.size(), 1u);
  EXPECT_NEAR(tilted[0].gap, 0.0, 1e-14);
  // Lying across another: one point; along another: two.
  const auto across =
      pair_contacts(at(can, {0, 0, 0.61}, flat), at(can, {0, 0, 0}, turn(kPi / 2, {0, 1, 0})), 0.1);
  ASSERT_EQ(across.size(), 1u);
  EXPECT_NEAR(across[0].gap, 0.01, 1e-10);
  EXPECT_LT((across[0].point - Vector3d(0, 0, 0.305)).norm(), 1e-6);
  const auto along = pair_contacts(at(can, {0, 0.2, 0.61}, flat), at(can, {0, 0, 0}, flat), 0.1);
  ASSERT_EQ(along.size(), 2u);
  for (const PairContact& c : along) EXPECT_NEAR(c.gap, 0.01, 1e-9);
  EXPECT_NEAR((along[0].point - along[1].point).norm(), 0.6, 1e-6);
}

// d gap / dt is the relative normal velocity at the contact point.
TEST(Separation, GapsOfSmoothPairsChangeWithTheNormalVelocity) {
  for (const auto& [a, b] :
       {std::pair(1, 0), std::pair(1, 1), std::pair(2, 1), std::pair(2, 2), std::pair(3, 1)}) {
    for (unsigned seed = 0; seed < 12; ++seed) {
      const RandomPair p = random_bodies(a, b, seed);
      const Vector3d v(0.3, -0.5, 0.2), w(0.7, 0.4, -0.6);
      const auto moved = [&](double h) {
        return separation(at(p.a, p.x + h * v, turn(h * w.norm(), w) * p.ra), p.second());
      };
      const double h = 1e-5;
      const Separation now = moved(0);
      const double rate = (moved(h).gap - moved(-h).gap) / (2 * h);
      const double normal = now.normal.dot(v + w.cross(now.point_a - p.x));
      EXPECT_NEAR(rate, normal, 2e-5) << a << " " << b << " " << seed;
    }
  }
}

TEST(Polygons, FaceCornerAndDisc) {
  const Shape square = Polygon{{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}}, disc = Disc{0.5};
  const auto stacked = planar_contacts(at(square, {0.5, 2.1, 0}), at(square, {0, 0, 0}), 0.5);
  ASSERT_EQ(stacked.size(), 2u);
  for (const PairContact& c : stacked) {
    EXPECT_NEAR(c.gap, 0.1, 1e-15);
    EXPECT_LT((c.normal - Vector3d::UnitY()).norm(), 1e-15);
  }
  EXPECT_NEAR(std::abs(stacked[0].point.x() - stacked[1].point.x()), 1.5, 1e-14);
  const auto standing = planar_contacts(
      at(square, {0.2, 1 + std::sqrt(2.0) - 0.01, 0}, turn(kPi / 4, Vector3d::UnitZ())),
      at(square, {0, 0, 0}), 0.05);
  ASSERT_EQ(standing.size(), 1u);
  EXPECT_NEAR(standing[0].gap, -0.01, 1e-14);
  EXPECT_NEAR(standing[0].point.x(), 0.2, 1e-14);
  const auto corners = planar_contacts(at(square, {2.3, 2.4, 0}), at(square, {0, 0, 0}), 1.0);
  ASSERT_EQ(corners.size(), 1u);
  EXPECT_NEAR(corners[0].gap, 0.5, 1e-12);
  for (const bool first : {true, false}) {
    const auto gap = [&](const Vector3d& x) {
      const PlacedShape d = at(disc, x), s = at(square, {0, 0, 0});
      const auto c = first ? planar_contacts(d, s, 10) : planar_contacts(s, d, 10);
      EXPECT_EQ(c.size(), 1u);
      return c[0].gap;
    };
    EXPECT_NEAR(gap({2, 0.3, 0}), 0.5, 1e-15);
    EXPECT_NEAR(gap({1.3, 1.4, 0}), 0.0, 1e-15);
    EXPECT_NEAR(gap({0.9, 0.3, 0}), -0.6, 1e-15);
  }
}

TEST(Polygons, DepthsAgreeWithBruteForce) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> u(0, 2 * kPi);
  for (int trial = 0; trial < 100; ++trial) {
    const auto polygon = [&](int n) {
      std::vector<double> angles;
      for (int k = 0; k < n; ++k) angles.push_back(u(random));
      std::sort(angles.begin(), angles.end());
      Polygon p;
      for (const double t : angles) p.vertices.emplace_back(std::cos(t), std::sin(t), 0);
      return Shape(p);
    };
    const Shape a = polygon(7), b = polygon(9);
    const Vector3d x = 1.2 * Vector3d(std::cos(trial), std::sin(trial), 0);
    const PlacedShape pa = at(a, x, turn(u(random), Vector3d::UnitZ())), pb = at(b, {0, 0, 0});
    double best = -10;
    for (int k = 0; k < 200000; ++k) {
      const double t = 2 * kPi * k / 200000;
      best = std::max(best, separation_along(pa, pb, {std::cos(t), std::sin(t), 0}));
    }
    if (best >= 0) continue;
    EXPECT_NEAR(least_gap(planar_contacts(pa, pb, 10)), best, 1e-4) << trial;
  }
}

// If the deepest vertex is beyond the end of the edge, its edge may reach in front of it all the
// same: the vertices are nearer than what is cut off there.
TEST(Polygons, GapsOfSeparatePairsAreTheirDistances) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> u(0, 1);
  Polygon four, three;
  four.vertices = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  three.vertices = {{-0.19, -0.8, 0}, {0.41, 0.4, 0}, {-0.22, 0.4, 0}};
  const Shape square = four, wedge = three;
  int apart = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const PlacedShape a = at(wedge, Vector3d(0.5 + u(random), 1.2 + u(random), 0),
                             turn(2 * kPi * u(random), Vector3d::UnitZ()));
    const PlacedShape b = at(square, {0, 0, 0});
    const double distance = separation(a, b).gap;
    if (!(distance > 0)) continue;
    ++apart;
    EXPECT_NEAR(least_gap(planar_contacts(a, b, 10)), distance, 1e-6) << trial;
  }
  EXPECT_GT(apart, 1000);
}

// ---- whole scenes ----

std::vector<ContactPoint3> contacts_of(const std::string& bodies, double h = 0.01) {
  const Scene s = scene_from_text(
      R"({"format":"perp-scene","version":1,"name":"t","dimension":3,"gravity":[0,0,-10],"bodies":[)"
      R"({"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},)" +
          bodies + "]}",
      "test");
  return find_contacts(s, initial_state(s), h);
}

TEST(HalfSpaces, TouchAllShapesInTheRightPoints) {
  const auto body = [](const std::string& shape, const std::string& z,
                       const std::string& more = "") {
    return R"({"name":"b","density":1,"shape":)" + shape + R"(,"position":[0,0,)" + z + "]" + more +
           "}";
  };
  const auto gaps = [&](const std::string& shape, const std::string& z, std::size_t count,
                        const std::string& more = "") {
    const auto c = contacts_of(body(shape, z, more));
    EXPECT_EQ(c.size(), count) << shape;
    for (const ContactPoint3& p : c) EXPECT_NEAR(p.gap, 0.0, 1e-12) << shape;
  };
  const std::string flat = R"(,"orientation":[1,1,0,0])";
  gaps(R"({"type":"ellipsoid","half":[1,2,3]})", "3", 1);
  gaps(R"({"type":"ellipsoid","half":[1,2,3]})", "2", 1, flat);
  gaps(R"({"type":"superquadric","half":[1,2,3],"exponents":[0.5,0.5]})", "3", 1);
  gaps(R"({"type":"cylinder","radius":1,"half_length":2})", "2", 8);
  gaps(R"({"type":"cylinder","radius":1,"half_length":2})", "1", 2, flat);
  gaps(R"({"type":"box","half":[1,1,1]})", "1", 4);
  gaps(R"({"type":"polyhedron","vertices":[[1,1,-1],[-1,1,-1],[1,-1,-1],[-1,-1,-1],[0,0,3]]})", "1",
       4);
}

// Cubes that fall as one meet where the lower may be stopped, not beside each other.
TEST(Candidates, FollowTheApproachAtThePoint) {
  const auto pair = [](double lower, double upper, const Vector3d& away) {
    const auto box = [](const char* name, const Vector3d& x, double speed) {
      return fmt::format(R"({{"name":"{}","density":1,"position":[{},{},{}],"velocity":[0,0,{}],)"
                         R"("shape":{{"type":"box","half":[0.1,0.1,0.1]}}}})",
                         name, x.x(), x.y(), x.z(), speed);
    };
    const Vector3d x(0, 0, 50);
    return contacts_of(box("low", x, lower) + "," + box("high", x + away, upper)).size();
  };
  // 2 h 8 = 0.16; h 8 + 0.1 h (8 + 8) + 2 h^2 g = 0.098.
  EXPECT_EQ(pair(0, -8, {0, 0, 0.3}), 4u);
  EXPECT_EQ(pair(-8, -8, {0, 0, 0.3}), 0u);
  EXPECT_EQ(pair(-8, -8, {0, 0, 0.29}), 4u);
  EXPECT_EQ(pair(-8, -8, {0.23, 0, 0}), 0u);
  EXPECT_EQ(pair(-8, 0, {0, 0, 0.3}), 0u);
}

// Four cubes that fall as one with gaps smaller than their way in a step: when the first is stopped
// the others do not run into it.
TEST(Candidates, AStackThatLandsDoesNotOverlap) {
  const Scene s = scene_from_text(
      R"({"format":"perp-scene","version":1,"name":"t","dimension":3,"gravity":[0,0,-9.81],"bodies":[
      {"name":"ground","fixed":true,"shape":{"type":"half_space","normal":[0,0,1]}},
      {"repeat":{"k":4},"of":{"name":"b_{k}","density":1000,"position":[0,0,"0.43+0.22*k"],
       "velocity":[0,0,-4],"shape":{"type":"box","half":[0.1,0.1,0.1]}}}],"duration":0.3})",
      "test");
  SimulationRequest request;
  request.solve.solver = "lemke";
  request.on_step = [&](const StepReport& step) {
    for (const ContactResult& c : step.result.contacts)
      EXPECT_GT(c.contact.gap, -1e-9) << step.step;
    return true;
  };
  EXPECT_EQ(simulate(s, request).failed_steps, 0);
}

TEST(Candidates, BodiesOfAJointDoNotCollide) {
  const Scene s = scene_from_text(
      R"({"format":"perp-scene","version":1,"name":"t","dimension":3,"bodies":[
      {"name":"a","density":1,"shape":{"type":"ellipsoid","half":[1,1,1]}},
      {"name":"b","density":1,"shape":{"type":"cylinder","radius":1,"half_length":1},"position":[1,0,0]}],
      "joints":[{"name":"j","type":"spherical","a":"a","b":"b","anchor":[0.5,0,0]}]})",
      "test");
  EXPECT_TRUE(find_contacts(s, initial_state(s), 0.01).empty());
}

}  // namespace
}  // namespace perp::test
