// Gradient projection: closed forms, other solvers as oracles, ranks, indefinite and unbounded
// functions, operators.
#include "limits_support.hpp"
#include "support.hpp"

#include <perp/solvers/active_set/newton_min.hpp>
#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/gradient_projection/gradient_projection.hpp>
#include <perp/solvers/router.hpp>

#include <Eigen/Eigenvalues>

namespace perp::test {
namespace {

Result solve_by_projection(const Problem& p, double tolerance = 1e-10,
                           const GradientProjectionSettings& settings = {},
                           const Vector* start = nullptr) {
  GradientProjection solver;
  solver.settings = settings;
  solver.limits.tolerance = tolerance;
  solver.prepare(p);
  const Result& r = solver.solve(start);
  EXPECT_EQ(r.status == Status::kSolved, verify(p, {r.z, {}}, tolerance).solved)
      << p.name << " " << to_string(r.status);
  return r;
}

std::vector<GradientProjectionSettings> face_settings() {
  std::vector<GradientProjectionSettings> all(3);
  all[1].face = "cg";
  all[2].face = "factorise";
  return all;
}

double objective(const BoxQp& p, const Vector& x) {
  return 0.5 * x.dot(p.H.multiply(x)) + p.c.dot(x);
}

// Bounds of every sort: none, one, two, equal.
BoxQp with_random_bounds(Random& random, DenseMatrix h, bool integer) {
  const int n = static_cast<int>(h.rows());
  BoxQp p{std::move(h), Vector(n), Vector::Constant(n, -kInf), Vector::Constant(n, kInf)};
  for (int i = 0; i < n; ++i) {
    p.c[i] = integer ? random.index(5) - 2 : random.normal();
    const int sort = random.index(6);
    if (sort >= 2) p.lower[i] = integer ? -random.index(3) : -random.uniform();
    if (sort == 1 || sort >= 3) p.upper[i] = integer ? random.index(3) : random.uniform();
    if (sort == 5) p.upper[i] = p.lower[i];
  }
  return p;
}

BoxQp random_qp(int seed, bool definite) {
  Random random(seed);
  const int n = 1 + random.index(8), rank = 1 + random.index(n);
  const bool integer = seed % 2 == 1;
  DenseMatrix a(n, rank);
  for (double& x : a.reshaped()) x = integer ? random.index(3) - 1 : random.normal();
  DenseMatrix h = a * a.transpose();
  if (!definite) {
    DenseMatrix b(n, n);
    for (double& x : b.reshaped()) x = integer ? random.index(3) - 1 : random.normal();
    h -= DenseMatrix(b + b.transpose());
  }
  return with_random_bounds(random, std::move(h), integer);
}

// PSD of any rank: minimum and status are those that enumeration of all bases finds.
TEST(GradientProjection, AgreesWithEnumerationOnConvexProblems) {
  int solved = 0, unbounded = 0;
  for (int seed = 0; seed < 800; ++seed) {
    const BoxQp p = random_qp(seed, true);
    const Enumeration known = enumerate_solutions(to_mlcp(p), 1e-9);
    for (const auto& settings : face_settings()) {
      const Result r = solve_by_projection(problem_of(p), 1e-10, settings);
      if (known.solutions.empty()) {
        const FarkasCheck check = check_farkas(to_mlcp(p), r.certificate.value_or(Certificate{}).y);
        const DenseMatrix h = p.H.to_dense();
        if (r.status == Status::kExcluded) {  // an H of Gaussian factors is singular up to rounding
          EXPECT_FALSE((h.array() == h.array().round()).all()) << seed;
          EXPECT_TRUE(check.excludes);
        } else {
          ASSERT_EQ(r.status, Status::kInfeasible) << seed << settings.face << r.message;
          EXPECT_TRUE(check.holds);
          EXPECT_NE(r.message.find("unbounded below"), std::string::npos);
        }
        ++unbounded;
      } else {
        ASSERT_EQ(r.status, Status::kSolved) << seed << settings.face << r.message;
        EXPECT_NEAR(objective(p, r.z), objective(p, known.solutions[0]), 1e-8) << seed;
        ++solved;
      }
    }
  }
  EXPECT_GT(solved, 600);
  EXPECT_GT(unbounded, 100);
}

// Of an indefinite H stationary points are found, or a direction of descent without end.
TEST(GradientProjection, EndsAtStationaryPointsOfIndefiniteFunctions) {
  int solved = 0, unbounded = 0, said = 0;
  for (int seed = 0; seed < 800; ++seed) {
    const BoxQp p = random_qp(seed, false);
    for (const auto& settings : face_settings()) {
      const Result r = solve_by_projection(problem_of(p), 1e-10, settings);
      if (r.status == Status::kSolved) {
        ++solved;
        said += r.message.find("indefinite") != std::string::npos;
        continue;
      }
      ASSERT_TRUE(r.certificate) << seed << settings.face << to_string(r.status) << r.message;
      ++unbounded;
      if (r.status == Status::kInfeasible) continue;  // checked by check_farkas
      ASSERT_EQ(r.status, Status::kRay) << seed << settings.face;
      const Vector& d = r.certificate->z;
      EXPECT_LE(d.dot(p.H.multiply(d)), 1e-12);
      EXPECT_LT(objective(p, r.z + 1e6 * d), objective(p, r.z) - 1e3);
      for (int i = 0; i < p.size(); ++i) {
        EXPECT_TRUE(d[i] == 0.0 || (d[i] > 0 ? p.upper : -p.lower)[i] == kInf) << seed;
      }
    }
  }
  EXPECT_GT(solved, 600);
  EXPECT_GT(unbounded, 300);
  EXPECT_GT(said, 100);
}

// x1 x2 on a box: the origin is a saddle point, left though the gradient is zero there.
TEST(GradientProjection, LeavesSaddlePointsAndSaysSo) {
  const BoxQp p{matrix(2, 2, {0, 1, 1, 0}), Vector::Zero(2), vector({-1, -2}), vector({3, 1})};
  const BoxQp hill{matrix(2, 2, {1, 0, 0, -1}), Vector::Zero(2), vector({-1, -1}), vector({1, 1})};
  const Result r = solve_by_projection(problem_of(hill));
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_NEAR(std::abs(r.z[1]), 1.0, 1e-15);
  EXPECT_NE(r.message.find("indefinite"), std::string::npos);
  GradientProjectionSettings stay;
  stay.escapes = 0;
  EXPECT_EQ(solve_by_projection(problem_of(hill), 1e-10, stay).z, Vector::Zero(2));
  const Vector start = vector({1, -1});
  EXPECT_NEAR(objective(p, solve_by_projection(problem_of(p), 1e-10, {}, &start).z), -6.0, 1e-12);
}

// A saddle point that was left is a stationary point, but a solve that is stopped says that.
TEST(GradientProjection, IsInterruptedAfterItHasLeftASaddlePoint) {
  int stopped = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const int n = 12;
    const DenseMatrix a = gaussian(random, n, n);
    const BoxQp hill{Matrix(DenseMatrix(a + a.transpose())), Vector::Zero(n),
                     Vector::Constant(n, -1.0), Vector::Constant(n, 1.0)};
    GradientProjection solver;
    solver.prepare(problem_of(hill));
    IterationRecords all;
    if (statistic(solver.solve(nullptr, &all), "escapes") == 0) continue;
    IterationRecords stop;
    stop.stop_after = static_cast<int>(all.records.size());
    EXPECT_EQ(solver.solve(nullptr, &stop).status, Status::kInterrupted) << seed;
    ++stopped;
  }
  EXPECT_GT(stopped, 0);
}

TEST(GradientProjection, NamesTheDirectionWhereTheObjectiveFallsForEver) {
  const Vector none = Vector::Constant(3, -kInf);
  const BoxQp p{matrix(3, 3, {1, 1, 0, 1, 1, 0, 0, 0, 2}), vector({-1, 1, 0}), none, -none};
  const Result r = solve_by_projection(problem_of(p));
  ASSERT_EQ(r.status, Status::kInfeasible);
  EXPECT_NE(r.message.find("z[0] grows, z[1] falls"), std::string::npos) << r.message;
  EXPECT_NEAR(r.certificate->y[0], -r.certificate->y[1], 1e-12);
  EXPECT_EQ(r.certificate->y[2], 0.0);
  const BoxQp cap{matrix(1, 1, {-1}), vector({1}), vector({-kInf}), vector({1})};
  const Result falls = solve_by_projection(problem_of(cap));
  EXPECT_EQ(falls.status, Status::kRay);
  EXPECT_NE(falls.message.find("negative curvature"), std::string::npos);
  // Curvatures that are tiny or huge, and none below 0.
  for (const double tiny : {1e-250, 1e-300, 1e-305}) {
    const BoxQp flat{matrix(2, 2, {tiny, 0, 0, 1}), vector({1, 0}), vector({-kInf, -kInf}),
                     vector({kInf, 5})};
    const Result result = solve_by_projection(problem_of(flat));
    EXPECT_EQ(result.message.find("negative curvature"), std::string::npos) << tiny;
  }
}

TEST(GradientProjection, ClosedForms) {
  const int n = 5;
  const Vector none = Vector::Constant(n, -kInf);
  DenseMatrix h = DenseMatrix::Identity(n, n);
  h.diagonal() = vector({1, 2, 3, 4, 5});
  const Vector c = vector({-1, 4, 0, -8, 5});
  for (const bool sparse : {false, true}) {
    const Matrix m = sparse ? Matrix(SparseMatrix(h.sparseView())) : Matrix(h);
    const auto solve = [&](const Vector& lower, const Vector& upper) {
      return solve_by_projection(problem_of(BoxQp{m, c, lower, upper}), 1e-14).z;
    };
    EXPECT_LT((solve(none, -none) - vector({1, -2, 0, 2, -1})).norm(), 1e-13);  // all free
    EXPECT_EQ(solve(vector({2, 2, 2, 3, 2}), -none), vector({2, 2, 2, 3, 2}));  // all at bounds
    EXPECT_EQ(solve(c, c), c);                                                  // all fixed
    EXPECT_LT((solve(vector({0, -1, 0, 0, -1}), vector({9, 0, 0, 1, 9})) -  // degenerate in 2 and 4
               vector({1, -1, 0, 1, -1}))
                  .norm(),
              1e-13);
  }
  const BoxQp empty{DenseMatrix(0, 0), Vector(0), Vector(0), Vector(0)};
  EXPECT_EQ(solve_by_projection(problem_of(empty)).status, Status::kSolved);
  const BoxQp flat{matrix(1, 1, {0}), vector({1}), vector({-2}), vector({kInf})};
  EXPECT_EQ(solve_by_projection(problem_of(flat)).z, vector({-2}));
}

TEST(GradientProjection, SolvesTheFamilyOfBothRanksTightly) {
  for (const double rank : {1.0, 0.5, 0.1}) {
    for (const double boxed : {0.0, 0.5, 1.0}) {
      const Problem p = generate(find_family("box-qp"), 90, 3, {{"rank", rank}, {"boxed", boxed}});
      for (const auto& settings : face_settings()) {
        if (settings.face == "cg" && rank < 1.0) continue;  // to the last digits by factors only
        const Result r = solve_by_projection(p, 1e-12, settings);
        EXPECT_EQ(r.status, Status::kSolved) << rank << boxed << settings.face << r.message;
        EXPECT_LE(r.iterations, settings.face == "cg" ? 200 : 20) << rank << boxed;
        const BoxQp& qp = std::get<BoxQp>(p.data);
        EXPECT_NEAR(objective(qp, r.z), objective(qp, p.solution->z), 1e-10);
      }
    }
  }
}

TEST(GradientProjection, DenseFacesAreFactorisedOnceOrTwice) {
  double factorisations = 0, products = 0;
  for (int seed = 1; seed <= 5; ++seed) {
    const Result r = solve_by_projection(generate(find_family("box-qp"), 200, seed));
    factorisations += statistic(r, "factorisations");
    products += statistic(r, "products");
  }
  EXPECT_LE(factorisations, 10);
  EXPECT_LE(products, 5 * 30);
}

// Units of the unknowns: x = S y changes H to S H S. The path is the same but for rounding.
TEST(GradientProjection, UnitsOfTheUnknownsDoNotMatter) {
  const Problem p = generate(find_family("box-qp"), 60, 2);
  const BoxQp& qp = std::get<BoxQp>(p.data);
  Vector scale(60);
  for (int i = 0; i < 60; ++i) scale[i] = std::ldexp(1.0, (i % 7 - 3) * 4);  // 2^-12 to 2^12
  const DenseMatrix h = scale.asDiagonal() * qp.H.dense() * scale.asDiagonal();
  const BoxQp scaled{h, qp.c.cwiseProduct(scale), qp.lower.cwiseQuotient(scale),
                     qp.upper.cwiseQuotient(scale)};
  const Result a = solve_by_projection(p), b = solve_by_projection(problem_of(scaled));
  EXPECT_EQ(b.status, Status::kSolved);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_LT((a.z - b.z.cwiseProduct(scale)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(GradientProjection, TakesSymmetricLcpsAndRefusesOthers) {
  for (const char* family : {"psd", "psd-deficient"}) {
    const Problem p = generate(find_family(family), 100, 4);
    EXPECT_EQ(solve_by_projection(p).status, Status::kSolved) << family;
  }
  GradientProjection solver;
  const Problem skew = generate(find_family("p-matrix"), 10, 1);
  ASSERT_TRUE(solver.refusal(skew));
  EXPECT_NE(solver.refusal(skew)->find("symmetric"), std::string::npos);
  solver.settings.face = "newton";
  EXPECT_THROW(solver.prepare(generate(find_family("psd"), 10, 1)), std::invalid_argument);
}

TEST(GradientProjection, SparseProblemsNeedFewFactorisations) {
  const Problem p = generate(find_family("obstacle"), 40, 1);
  const Result r = solve_by_projection(p, 1e-12);
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_LE(statistic(r, "factorisations"), 3);
  GradientProjectionSettings products;
  products.face = "cg";
  const Result without = solve_by_projection(p, 1e-10, products);
  EXPECT_EQ(statistic(without, "factorisations"), 0);
  EXPECT_LT((without.z - r.z).cwiseAbs().maxCoeff(), 1e-7);
}

// A stencil that is never stored: the five points of the obstacle problem.
class Stencil final : public SymmetricOperator {
 public:
  explicit Stencil(int grid) : grid_(grid), x_(grid * grid), y_(grid * grid) {}
  int size() const override { return grid_ * grid_; }
  void multiply(const Vector& x, Vector& y) override {
    for (int k = 0; k < size(); ++k) {
      const int i = k / grid_, j = k % grid_;
      y[k] = 4.0 * x[k] - (i > 0 ? x[k - grid_] : 0) - (i + 1 < grid_ ? x[k + grid_] : 0) -
             (j > 0 ? x[k - 1] : 0) - (j + 1 < grid_ ? x[k + 1] : 0);
    }
  }
  void set_face(const std::vector<int>& face) override { face_ = face; }
  void multiply_face(const Vector& x, Vector& y) override {
    x_.setZero();
    for (std::size_t k = 0; k < face_.size(); ++k) x_[face_[k]] = x[k];
    multiply(x_, y_);
    for (std::size_t k = 0; k < face_.size(); ++k) y[k] = y_[face_[k]];
  }

 private:
  int grid_;
  std::vector<int> face_;
  Vector x_, y_;
};

TEST(GradientProjection, MinimisesWithProductsAlone) {
  const Problem p = generate(find_family("obstacle"), 30, 1);
  const Lcp& lcp = std::get<Lcp>(p.data);
  Stencil stencil(30);
  const Limits limits{1e-11};
  const Vector zero = Vector::Zero(900), none = Vector::Constant(900, kInf), few = Vector::Zero(3);
  const Result r = minimise({stencil, lcp.q, zero, none}, {}, limits);
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_TRUE(verify(p, {r.z, {}}, 2e-11).solved);
  EXPECT_THROW(minimise({stencil, few, zero, none}, {}, limits), std::invalid_argument);
  EXPECT_THROW(minimise({stencil, lcp.q, none, zero}, {}, limits), std::invalid_argument);
}

// Other values on the same pattern: as prepare() would have it.
TEST(GradientProjection, UpdatesAsItPrepares) {
  for (const char* family : {"box-qp", "obstacle"}) {
    const Problem first = generate(find_family(family), 30, 1);
    Problem second = first;
    if (auto* qp = std::get_if<BoxQp>(&second.data)) {
      qp->H.dense() *= 0.25;
      qp->c *= 3.0;
    } else {
      std::get<Lcp>(second.data).M.sparse() *= 0.25;
    }
    GradientProjection updated, fresh;
    updated.prepare(first);
    updated.solve();
    updated.update(second);
    fresh.prepare(second);
    const Result &a = updated.solve(), &b = fresh.solve();
    EXPECT_EQ(a.status, Status::kSolved) << family;
    EXPECT_EQ(a.z, b.z) << family;
    EXPECT_EQ(a.iterations, b.iterations) << family;
  }
}

TEST(GradientProjection, ObeysLimitsAndObservers) {
  expect_limits_and_observers_are_obeyed<GradientProjection>(
      generate(find_family("box-qp"), 150, 1));
}

TEST(GradientProjection, AStartWithTheRightSetIsEnough) {
  const Problem p = generate(find_family("box-qp"), 80, 5);
  const Vector near = p.solution->z;
  EXPECT_LE(solve_by_projection(p, 1e-10, {}, &near).iterations, 1);
}

TEST(GradientProjection, ComesFirstInAutoForBoxQps) {
  SolveRequest request;
  request.limits.tolerance = 1e-10;
  const VerifiedResult r = solve_verified(generate(find_family("box-qp"), 60, 1), request);
  EXPECT_EQ(r.status, Status::kSolved);
  ASSERT_EQ(r.route.size(), 1u);
  EXPECT_EQ(r.route[0].solver, "gradient-projection");
}

TEST(BoxQpFamily, PlantsWhatItSays) {
  for (const double negative : {0.0, 0.3}) {
    const Problem p =
        generate(find_family("box-qp"), 40, 7, {{"rank", 0.5}, {"negative", negative}});
    const BoxQp& qp = std::get<BoxQp>(p.data);
    EXPECT_TRUE(verify(p, {p.solution->z, {}}, 1e-13).solved);
    const Vector values = Eigen::SelfAdjointEigenSolver<DenseMatrix>(qp.H.dense()).eigenvalues();
    EXPECT_EQ((values.array() > 1e-10).count(), negative > 0 ? 14 : 20);
    EXPECT_EQ((values.array() < -1e-10).count(), negative > 0 ? 6 : 0);
    EXPECT_EQ(qp.upper.allFinite(), negative > 0);
  }
  const Problem free = generate(find_family("box-qp"), 40, 7, {{"rank", 0.5}, {"planted", 0}});
  EXPECT_FALSE(free.solution);
  EXPECT_TRUE(std::get<BoxQp>(free.data).upper.allFinite());
}

}  // namespace
}  // namespace perp::test
