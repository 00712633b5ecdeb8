// The interior-point method: closed forms, planted solutions, other solvers, certificates, odd
// data.
#include "support.hpp"

#include <perp/bench/data/data_files.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/solvers/active_set/active_set_polish.hpp>
#include <perp/solvers/active_set/newton_min.hpp>
#include <perp/solvers/interior_point/conic_polish.hpp>
#include <perp/solvers/interior_point/interior_point.hpp>
#include <perp/solvers/router.hpp>

#include <Eigen/Eigenvalues>
#include <filesystem>

namespace perp::test {
namespace {

struct ConicAnswer {
  Status status;
  Vector x, y;
  int iterations;
  double measure;
  std::optional<Certificate> certificate;
  std::string message;
};

ConicAnswer solve_alone(const Problem& p, double tolerance = 1e-9,
                        const InteriorPointSettings& settings = {}) {
  InteriorPoint solver;
  solver.settings = settings;
  solver.limits.tolerance = tolerance;
  solver.prepare(p);
  const Result& r = solver.solve();
  const Verdict verdict = verify(p, {r.z, r.dual}, tolerance);
  EXPECT_TRUE(r.status != Status::kSolved || verdict.solved) << p.name << " " << verdict.measure;
  return {r.status, r.z, r.dual, r.iterations, verdict.measure, r.certificate, r.message};
}

// As polish(interior-point): answers that are all but right get Newton steps on their faces.
ConicAnswer solve_by_interior_point(const Problem& p, double tolerance = 1e-9,
                                    const InteriorPointSettings& settings = {}) {
  ConicAnswer a = solve_alone(p, tolerance, settings);
  if (!(a.measure <= 1e-4) || a.certificate) return a;
  if (const auto* qp = std::get_if<ConicQp>(&p.data)) {
    ConicPolish polish;
    const double reached = polish.improve(*qp, 1e-4 * tolerance, 10, a.x, a.y);
    EXPECT_LE(reached, 1e-4);
  } else {
    ActiveSetPolish polish;
    polish.improve(to_mlcp(std::get<BoxQp>(p.data)), tolerance, 1e-4 * tolerance, a.x);
  }
  const Verdict verdict = verify(p, {a.x, a.y}, tolerance);
  a.measure = verdict.measure;
  if (verdict.solved) a.status = Status::kSolved;
  return a;
}

ConicQp conic(DenseMatrix p, Vector c, DenseMatrix a, Vector b, std::vector<Cone> cones) {
  return {std::move(p), std::move(c), std::move(a), std::move(b), std::move(cones)};
}

double objective(const ConicQp& p, const Vector& x) {
  return 0.5 * x.dot(p.P.multiply(x)) + p.c.dot(x);
}

// Pi_K(v) for the cone ||x|| <= t.
Vector cone_projection(const Vector& v) {
  const double t = v[0], length = v.tail(v.size() - 1).norm();
  if (length <= t) return v;
  if (length <= -t) return Vector::Zero(v.size());
  Vector p = v;
  p[0] = 0.5 * (t + length);
  p.tail(v.size() - 1) *= p[0] / length;
  return p;
}

TEST(InteriorPoint, ProjectsOnASecondOrderCone) {
  for (int seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const int n = 2 + random.index(12);
    Vector v = gaussian(random, n, 1);
    v[0] = random.uniform(-2.0, 2.0) * v.tail(n - 1).norm();
    const ConicAnswer a = solve_by_interior_point(
        problem_of(conic(DenseMatrix::Identity(n, n), -v, -DenseMatrix::Identity(n, n),
                         Vector::Zero(n), {{ConeType::kSecondOrder, n}})));
    ASSERT_EQ(a.status, Status::kSolved) << seed;
    EXPECT_LT((a.x - cone_projection(v)).norm(), 1e-8) << seed;
    EXPECT_LE(a.iterations, 12) << seed;
  }
}

// min 1/2 x'Px + c'x over ||x|| <= r: (P + m I) x = -c with m >= 0 the zero of ||x(m)|| - r
// [NocedalWright2006, Sec. 4.3], here by bisection on the eigenvalues of P.
TEST(InteriorPoint, SolvesTrustRegionProblems) {
  for (int seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const int n = 1 + random.index(9);
    const DenseMatrix root = gaussian(random, n, 1 + random.index(n));
    const DenseMatrix p = root * root.transpose();
    const Vector c = gaussian(random, n, 1);
    const double radius = random.uniform(0.1, 2.0);
    const Eigen::SelfAdjointEigenSolver<DenseMatrix> eigen(p);
    const Vector along = eigen.eigenvectors().transpose() * c;
    const auto length = [&](double m) {
      return along.cwiseQuotient((eigen.eigenvalues().array() + m).matrix()).norm();
    };
    double low = 1e-14, high = 1e4;
    for (int k = 0; k < 200; ++k) {
      const double middle = 0.5 * (low + high);
      (length(middle) > radius ? low : high) = middle;
    }
    const Vector expected =
        -eigen.eigenvectors() * along.cwiseQuotient((eigen.eigenvalues().array() + high).matrix());
    DenseMatrix a = DenseMatrix::Zero(n + 1, n);
    a.bottomRows(n) = -DenseMatrix::Identity(n, n);
    Vector b = Vector::Zero(n + 1);
    b[0] = radius;
    const ConicQp qp = conic(p, c, a, b, {{ConeType::kSecondOrder, n + 1}});
    const ConicAnswer found = solve_by_interior_point(problem_of(qp));
    ASSERT_EQ(found.status, Status::kSolved) << seed;
    EXPECT_NEAR(objective(qp, found.x), objective(qp, expected), 1e-8) << seed;
  }
}

// min c'x over the simplex is the smallest c_j; over a box every x_j is at a bound.
TEST(InteriorPoint, FindsVerticesOfLinearPrograms) {
  for (int seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const int n = 2 + random.index(20);
    const Vector c = gaussian(random, n, 1);
    DenseMatrix a(n + 1, n);
    a << DenseMatrix::Ones(1, n), -DenseMatrix::Identity(n, n);
    Vector b = Vector::Zero(n + 1);
    b[0] = 1.0;
    const DenseMatrix zero = DenseMatrix::Zero(n, n);
    const ConicAnswer simplex = solve_by_interior_point(
        problem_of(conic(zero, c, a, b, {{ConeType::kZero, 1}, {ConeType::kNonnegative, n}})));
    ASSERT_EQ(simplex.status, Status::kSolved) << seed;
    int smallest = 0;
    c.minCoeff(&smallest);
    EXPECT_LT((simplex.x - Vector::Unit(n, smallest)).norm(), 1e-9) << seed;

    const ConicAnswer box = solve_by_interior_point(
        problem_of(BoxQp{zero, c, Vector::Constant(n, -1.0), Vector::Constant(n, 2.0)}));
    ASSERT_EQ(box.status, Status::kSolved) << seed;
    for (int j = 0; j < n; ++j) EXPECT_EQ(box.x[j], c[j] > 0 ? -1.0 : 2.0) << seed;
  }
}

TEST(InteriorPoint, FindsPlantedSolutions) {
  for (const int n : {3, 12, 40, 90}) {
    for (int seed = 1; seed <= 20; ++seed) {
      const Problem p = generate(find_family("socp"), n, seed, {{"rank", 1.0}, {"density", 0.5}});
      const ConicQp& qp = std::get<ConicQp>(p.data);
      ASSERT_TRUE(verify(p, {p.solution->z, p.solution->dual}, 1e-10).solved);
      const ConicAnswer a = solve_by_interior_point(p, 1e-10);
      ASSERT_EQ(a.status, Status::kSolved) << p.name;
      EXPECT_LE(a.iterations, 20) << p.name;
      const double best = objective(qp, p.solution->z);
      EXPECT_NEAR(objective(qp, a.x), best, 1e-8 * (1.0 + std::abs(best))) << p.name;
    }
  }
}

// Also where strict complementarity fails, linear objectives, sparse data, large and small cones.
TEST(InteriorPoint, SolvesTheFamilyOfSocps) {
  const std::map<std::string, double> variants[] = {
      {},
      {{"rank", 0.0}},
      {{"rank", 1.0}, {"density", 1.0}},
      {{"largest_cone", 60.0}},
      {{"largest_cone", 2.0}},
      {{"degenerate", 0.5}},
      {{"degenerate", 1.0}, {"rank", 0.0}},
  };
  for (const auto& variant : variants) {
    for (const int n : {2, 8, 50}) {
      for (int seed = 1; seed <= 20; ++seed) {
        const Problem p = generate(find_family("socp"), n, seed, variant);
        EXPECT_EQ(solve_by_interior_point(p, 1e-8).status, Status::kSolved) << p.name;
      }
    }
  }
}

// Without interior on one side, with nearly active cones, of bad scales. Not all of them can be
// solved: the tolerance is absolute.
TEST(InteriorPoint, SolvesNearlyAllIllPosedSocps) {
  const std::map<std::string, double> variants[] = {
      {{"no_interior", 1}},
      {{"no_interior", 2}},
      {{"margin", 1e-5}},
      {{"decades", 3}},
      {{"no_interior", 1}, {"margin", 1e-4}, {"decades", 2}},
      {{"no_interior", 2}, {"margin", 1e-4}, {"decades", 2}},
  };
  int all = 0, solved = 0;
  for (const auto& variant : variants) {
    for (const int n : {20, 60}) {
      for (int seed = 1; seed <= 10; ++seed) {
        const Problem p = generate(find_family("socp"), n, seed, variant);
        ++all;
        solved += solve_by_interior_point(p, 1e-8).status == Status::kSolved;
      }
    }
  }
  EXPECT_GE(solved, 0.95 * all);
}

// The certificate in plain long double arithmetic: y in K*, A'y = 0, b'y < 0.
void expect_farkas(const ConicQp& p, const Vector& y) {
  const DenseMatrix a = p.A.to_dense();
  long double slope = 0, worst = 0;
  for (int i = 0; i < y.size(); ++i) slope += static_cast<long double>(p.b[i]) * y[i];
  for (int j = 0; j < p.size(); ++j) {
    long double sum = 0;
    for (int i = 0; i < y.size(); ++i) sum += static_cast<long double>(a(i, j)) * y[i];
    worst = std::max(worst, std::abs(sum));
  }
  EXPECT_LT(static_cast<double>(slope), 0);
  EXPECT_LE(static_cast<double>(worst), -1e-9 * static_cast<double>(slope));
  int offset = 0;
  for (const Cone& cone : p.cones) {
    const Vector part = y.segment(offset, cone.size);
    if (cone.type == ConeType::kNonnegative) {
      EXPECT_GE(part.minCoeff(), 0.0);
    } else if (cone.type == ConeType::kSecondOrder) {
      EXPECT_GE(part[0], part.tail(cone.size - 1).norm() * (1 - 1e-15));
    }
    offset += cone.size;
  }
}

TEST(InteriorPoint, CertifiesInfeasibleProblems) {
  int excluded = 0;  // of 120
  for (const double boundary : {0.0, 0.5}) {
    for (const int n : {2, 10, 40}) {
      for (int seed = 1; seed <= 20; ++seed) {
        const Problem p =
            generate(find_family("socp-infeasible"), n, seed, {{"boundary", boundary}});
        const ConicAnswer a = solve_by_interior_point(p);
        ASSERT_TRUE(a.certificate.has_value()) << p.name;
        EXPECT_EQ(a.certificate->type, "farkas");
        const FarkasCheck check = check_farkas(std::get<ConicQp>(p.data), a.certificate->y);
        EXPECT_EQ(check.holds, a.certificate->checked) << p.name;
        expect_farkas(std::get<ConicQp>(p.data), a.certificate->y);
        if (a.status == Status::kExcluded) {  // no point next to y was found that proves it
          EXPECT_TRUE(check.excludes) << p.name;
          ++excluded;
        } else {
          ASSERT_EQ(a.status, Status::kInfeasible) << p.name;
          EXPECT_TRUE(check.holds) << p.name;
        }
      }
    }
  }
  EXPECT_LE(excluded, 2);
}

TEST(InteriorPoint, CertifiesThatTheDualIsInfeasible) {
  for (const int n : {2, 10, 40}) {
    for (int seed = 1; seed <= 20; ++seed) {
      const Problem p = generate(find_family("socp-unbounded"), n, seed);
      const ConicAnswer a = solve_by_interior_point(p);
      ASSERT_EQ(a.status, Status::kRay) << p.name;
      ASSERT_TRUE(a.certificate && a.certificate->checked) << p.name;
      EXPECT_EQ(a.certificate->type, "unbounded");
      const ConicQp& qp = std::get<ConicQp>(p.data);
      EXPECT_TRUE(check_unbounded(qp, a.certificate->z).holds) << p.name;
      EXPECT_LT(qp.c.dot(a.certificate->z), 0.0);
      EXPECT_LT(qp.P.multiply(a.certificate->z).norm(), -1e-9 * qp.c.dot(a.certificate->z));
    }
  }
}

// x >= 1 and x <= 0; equations that contradict each other; a cone that the equations miss.
TEST(InteriorPoint, CertifiesSmallContradictions) {
  const DenseMatrix none = DenseMatrix::Zero(1, 1);
  const std::vector<ConicQp> problems = {
      conic(none, vector({1}), matrix(2, 1, {-1, 1}), vector({-1, 0}),
            {{ConeType::kNonnegative, 2}}),
      conic(none, vector({0}), matrix(2, 1, {1, 1}), vector({1, 2}), {{ConeType::kZero, 2}}),
      conic(DenseMatrix::Identity(2, 2), vector({0, 0}), matrix(3, 2, {1, 0, -1, 0, 0, -1}),
            vector({-1, 0, 0}), {{ConeType::kZero, 1}, {ConeType::kSecondOrder, 2}}),
      conic(none, vector({0}), matrix(1, 1, {0}), vector({-1}), {{ConeType::kNonnegative, 1}})};
  for (const ConicQp& p : problems) {
    const ConicAnswer a = solve_by_interior_point(problem_of(p));
    EXPECT_EQ(a.status, Status::kInfeasible);
    ASSERT_TRUE(a.certificate.has_value());
    expect_farkas(p, a.certificate->y);
  }
}

TEST(Verifier, RefusesWhatProvesNothingOfAConicQp) {
  const ConicQp p =
      conic(DenseMatrix::Zero(2, 2), vector({-1, 0}), matrix(3, 2, {-1, 0, 0, -1, 0, -1}),
            vector({-1, 0, 0}), {{ConeType::kNonnegative, 1}, {ConeType::kSecondOrder, 2}});
  EXPECT_FALSE(check_farkas(p, vector({1, 0, 0})).holds);   // A'y is not 0
  EXPECT_FALSE(check_farkas(p, vector({0, 0, 0})).holds);   // b'y is not negative
  EXPECT_FALSE(check_farkas(p, vector({-1, 0, 0})).holds);  // not in K*
  EXPECT_FALSE(check_farkas(p, vector({0, 1, -2})).holds);  // likewise
  EXPECT_FALSE(check_farkas(p, vector({0, kInf, 0})).holds);
  EXPECT_THROW(check_farkas(p, vector({0, 1})), std::invalid_argument);
  EXPECT_TRUE(check_unbounded(p, vector({1, 0})).holds);
  EXPECT_FALSE(check_unbounded(p, vector({-1, 0})).holds);  // the objective grows
  EXPECT_FALSE(check_unbounded(p, vector({1, -1})).holds);  // leaves the second-order cone
  EXPECT_FALSE(check_unbounded(p, vector({0, 1})).holds);   // the objective stays
  EXPECT_THROW(check_unbounded(p, vector({1})), std::invalid_argument);
  ConicQp curved = p;
  curved.P = Matrix(DenseMatrix(DenseMatrix::Identity(2, 2)));
  EXPECT_FALSE(check_unbounded(curved, vector({1, 0})).holds);
}

// Random convex QPs with few integer entries, so that ties, dependent rows and contradictions
// occur.
ConicQp random_linear_cones(Random& random) {
  const int n = 1 + random.index(6), zero = random.index(3), rows = 1 + random.index(8);
  const auto fill = [&](int r, int c) {
    DenseMatrix m(r, c);
    for (double& x : m.reshaped()) x = random.index(5) - 2;
    return m;
  };
  const DenseMatrix root = fill(n, random.index(n + 1));
  std::vector<Cone> cones = {{ConeType::kNonnegative, rows}};
  if (zero > 0) cones.push_back({ConeType::kZero, zero});
  return conic(root * root.transpose(), fill(n, 1), fill(rows + zero, n), fill(rows + zero, 1),
               cones);
}

TEST(InteriorPoint, AgreesWithLemkeOnLinearCones) {
  int solved = 0, infeasible = 0, unbounded = 0;
  for (int seed = 0; seed < 1500; ++seed) {
    Random random(seed);
    const ConicQp p = random_linear_cones(random);
    const Reduction reduced = reduce_to_mlcp(p);
    Lemke lemke;
    lemke.prepare(problem_of(reduced.problem));
    const Result& other = lemke.solve();
    const ConicAnswer a = solve_by_interior_point(problem_of(p), 1e-8);
    if (other.status == Status::kSolved) {
      ++solved;
      ASSERT_EQ(a.status, Status::kSolved) << seed;
      const Answer answer = reduced.map_back({other.z, {}});
      EXPECT_NEAR(objective(p, a.x), objective(p, answer.z), 1e-7) << seed;
    } else {
      // No primal or no dual feasible point.
      ASSERT_TRUE(a.status == Status::kInfeasible || a.status == Status::kRay)
          << seed << " " << to_string(a.status);
      (a.status == Status::kInfeasible ? infeasible : unbounded) += 1;
    }
  }
  EXPECT_GT(solved, 300);
  EXPECT_GT(infeasible, 300);
  EXPECT_GT(unbounded, 50);
}

TEST(InteriorPoint, SolvesTheMarosMeszarosCollection) {
  const std::filesystem::path folder = data_root() / "problems/collections/maros-meszaros";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json" && entry.path().extension() != ".gz") continue;
    const Problem p = read_problem(entry.path().string());
    EXPECT_EQ(solve_by_interior_point(p, 1e-9).status, Status::kSolved) << entry.path();
    ++count;
  }
  EXPECT_EQ(count, 10);
}

TEST(InteriorPoint, TakesDependentRowsFreeColumnsAndFixedUnknowns) {
  const DenseMatrix p = DenseMatrix::Identity(3, 3);
  const Vector c = vector({-1, -2, -3});
  // The same equation three times, and its double.
  const ConicAnswer rows = solve_by_interior_point(
      problem_of(conic(p, c, matrix(4, 3, {1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2}),
                       vector({3, 3, 3, 6}), {{ConeType::kZero, 4}})));
  ASSERT_EQ(rows.status, Status::kSolved);
  EXPECT_LT((rows.x - vector({0, 1, 2})).norm(), 1e-9);
  // Inequalities that fix x_0 = 0.5, from both sides and twice.
  const ConicAnswer fixed = solve_by_interior_point(
      problem_of(conic(p, c, matrix(4, 3, {1, 0, 0, -1, 0, 0, 1, 0, 0, -1, 0, 0}),
                       vector({0.5, -0.5, 0.5, -0.5}), {{ConeType::kNonnegative, 4}})));
  ASSERT_EQ(fixed.status, Status::kSolved);
  EXPECT_LT((fixed.x - vector({0.5, 2, 3})).norm(), 1e-8);
  // x_2 in no row and no term of the objective.
  DenseMatrix flat = p;
  flat(2, 2) = 0.0;
  const ConicAnswer free =
      solve_by_interior_point(problem_of(conic(flat, vector({-1, -2, 0}), matrix(1, 3, {1, 1, 0}),
                                               vector({1}), {{ConeType::kNonnegative, 1}})));
  ASSERT_EQ(free.status, Status::kSolved);
  EXPECT_LT((free.x.head(2) - vector({0, 1})).norm(), 1e-9);
  // No rows at all.
  const ConicAnswer open =
      solve_by_interior_point(problem_of(ConicQp{p, c, Matrix(DenseMatrix(0, 3)), Vector(0), {}}));
  ASSERT_EQ(open.status, Status::kSolved);
  EXPECT_LT((open.x + c).norm(), 1e-9);
  // A row and a column of dense numbers in a sparse problem.
  const int n = 60;
  DenseMatrix arrow = DenseMatrix::Identity(n, n);
  arrow.row(0).setOnes();
  arrow.col(0).setOnes();
  Random random(4);
  const Vector planted = gaussian(random, n, 1).cwiseAbs();
  const ConicAnswer dense = solve_by_interior_point(
      problem_of(ConicQp{Matrix(SparseMatrix(DenseMatrix::Identity(n, n).sparseView())),
                         -planted,
                         Matrix(SparseMatrix(arrow.sparseView())),
                         arrow * planted,
                         {{ConeType::kNonnegative, n}}}));
  ASSERT_EQ(dense.status, Status::kSolved);
  EXPECT_LT((dense.x - planted).norm(), 1e-7);
}

// Rows, unknowns, objective and right-hand sides in other units.
TEST(InteriorPoint, TakesOtherUnits) {
  std::vector<double> over_rounding;
  for (int seed = 1; seed <= 10; ++seed) {
    const Problem p = generate(find_family("socp"), 20, seed, {{"rank", 1.0}});
    const ConicQp& qp = std::get<ConicQp>(p.data);
    for (const double unit : {1e-6, 1e6}) {
      ConicQp objective = qp, length = qp, rows = qp;
      objective.P = DenseMatrix(unit * qp.P.to_dense());
      objective.c *= unit;
      length.b *= unit;  // x and s in other units
      length.c *= unit;
      rows.A = DenseMatrix(unit * qp.A.to_dense());
      rows.b *= unit;
      EXPECT_EQ(solve_by_interior_point(problem_of(objective), 1e-8).status, Status::kSolved)
          << seed << " objective " << unit;
      EXPECT_EQ(solve_by_interior_point(problem_of(rows), 1e-8).status, Status::kSolved)
          << seed << " rows " << unit;
      // The gap is of the size unit^2: no tolerance below its rounding can be asked for.
      const Answer planted{unit * p.solution->z, unit * p.solution->dual};
      const double floor = verify(problem_of(length), planted, 1e-8).residuals.floor;
      const double tolerance = std::max(1e-8, floor);
      // The path alone may stop where s and z leave their cones by rounding, and says so. How far
      // from the answer that is, is a matter of rounding.
      const ConicAnswer alone = solve_alone(problem_of(length), tolerance);
      const double rounding = std::max(tolerance, 1e-8 * unit);
      EXPECT_LE(alone.measure, (unit > 1.0 ? 10.0 : 1.0) * rounding) << seed << " alone " << unit;
      if (unit > 1.0) over_rounding.push_back(alone.measure / rounding);
      SolveRequest request;
      request.solver = "polish(interior-point)";
      request.limits.tolerance = tolerance;
      EXPECT_EQ(solve_verified(problem_of(length), request).status, Status::kSolved)
          << seed << " length " << unit;
    }
  }
  std::nth_element(over_rounding.begin(), over_rounding.begin() + 5, over_rounding.end());
  EXPECT_LE(over_rounding[5], 0.1);  // of ten seeds
}

TEST(InteriorPoint, SolvesBoxQpsOfBothRanks) {
  for (const char* family : {"psd", "psd-deficient"}) {
    for (const int n : {2, 20, 120}) {
      for (int seed = 1; seed <= 5; ++seed) {
        const Lcp lcp = std::get<Lcp>(generate(find_family(family), n, seed).data);
        BoxQp box{lcp.M, lcp.q, Vector::Zero(n), Vector::Constant(n, kInf)};
        for (int j = 0; j < n; j += 5) box.upper[j] = 0.25;
        for (int j = 1; j < n; j += 7) box.lower[j] = box.upper[j] = 0.125;
        if (family == std::string("psd")) box.lower[n / 2] = -kInf;
        const ConicAnswer a = solve_by_interior_point(problem_of(box), 1e-10);
        ASSERT_EQ(a.status, Status::kSolved) << family << n << " " << seed;
        EXPECT_LE(a.iterations, 15);
        NewtonMin other;
        other.limits.tolerance = 1e-10;
        other.prepare(problem_of(to_mlcp(box)));
        const Result& r = other.solve();
        if (r.status != Status::kSolved) continue;
        const auto value = [&](const Vector& x) {
          return 0.5 * x.dot(box.H.multiply(x)) + box.c.dot(x);
        };
        EXPECT_NEAR(value(a.x), value(r.z), 1e-8) << family << n << " " << seed;
      }
    }
  }
}

// The path alone, also where s_i and z_i both vanish.
TEST(InteriorPoint, ReachesTheToleranceOnDegenerateBoxQpsAlone) {
  for (const double rank : {1.0, 0.5}) {
    for (const double tolerance : {1e-8, 1e-10}) {
      const Problem p = generate(find_family("box-qp"), 60, 1, {{"rank", rank}});
      EXPECT_EQ(solve_alone(p, tolerance).status, Status::kSolved) << rank << " " << tolerance;
    }
  }
}

TEST(InteriorPoint, DenseAndSparseSystemsLeadToTheSameAnswers) {
  InteriorPointSettings dense, sparse;
  dense.linear_algebra = "dense";
  sparse.linear_algebra = "sparse";
  for (int seed = 1; seed <= 20; ++seed) {
    const Problem p = generate(find_family("socp"), 25, seed, {{"rank", 1.0}});
    const ConicAnswer a = solve_by_interior_point(p, 1e-10, dense);
    const ConicAnswer b = solve_by_interior_point(p, 1e-10, sparse);
    ASSERT_EQ(a.status, Status::kSolved) << seed;
    ASSERT_EQ(b.status, Status::kSolved) << seed;
    EXPECT_NEAR(objective(std::get<ConicQp>(p.data), a.x),
                objective(std::get<ConicQp>(p.data), b.x), 1e-8)
        << seed;
  }
  InteriorPoint solver;
  solver.settings.linear_algebra = "quick";
  EXPECT_THROW(solver.prepare(generate(find_family("socp"), 5, 1)), std::invalid_argument);
}

TEST(InteriorPoint, EndsHonestly) {
  const Problem p = generate(find_family("socp"), 30, 1);
  class Stop : public Observer {
   public:
    int seen = 0;
    bool on_iteration(const IterationRecord&) override { return ++seen < 2; }
  } stop;
  InteriorPoint solver;
  solver.prepare(p);
  EXPECT_EQ(solver.solve(nullptr, &stop).status, Status::kInterrupted);
  EXPECT_EQ(stop.seen, 2);
  solver.limits.max_iterations = 1;
  EXPECT_EQ(solver.solve().status, Status::kIterationLimit);
  EXPECT_EQ(solver.solve().iterations, 1);
  solver.limits.max_iterations = 0;
  solver.limits.time_limit = 1e-9;
  EXPECT_EQ(solver.solve().status, Status::kTimeLimit);
  solver.limits.time_limit = 0.0;
  const Vector start = Vector::Constant(30, 1e3);
  EXPECT_EQ(solver.solve(&start).status, Status::kSolved);  // a start is not needed, and harmless
  // Below rounding nothing is claimed.
  solver.limits.tolerance = 1e-300;
  const Result& r = solver.solve();
  EXPECT_TRUE(r.status == Status::kStalled || verify(p, {r.z, r.dual}, 1e-300).solved);
  // Not convex.
  const Problem saddle = problem_of(
      BoxQp{matrix(2, 2, {1, 2, 2, 1}), vector({0, 0}), vector({-1, -1}), vector({1, 1})});
  EXPECT_THROW(solver.prepare(saddle), std::invalid_argument);
  EXPECT_THROW(solver.solve(), std::logic_error);
}

// Where it is found, and with what is wrong.
TEST(InteriorPoint, RefusesWhatIsNotConvexAndSaysWhere) {
  InteriorPoint solver;
  const auto refused = [&](const DenseMatrix& p, bool sparse, const std::string& unknown,
                           double curvature) {
    const int n = static_cast<int>(p.rows());
    Problem problem = problem_of(conic(p, Vector::Zero(n), -DenseMatrix::Identity(n, n),
                                       Vector::Zero(n), {{ConeType::kNonnegative, n}}));
    if (sparse) std::get<ConicQp>(problem.data).P = Matrix(SparseMatrix(p.sparseView()));
    problem.variables.resize(n);
    for (int i = 0; i < n; ++i) problem.variables.edit()[i] = "x" + std::to_string(i);
    const std::string text = solver.refusal(problem).value_or("");
    EXPECT_NE(text.find("P is not positive semidefinite"), std::string::npos) << text;
    EXPECT_NE(text.find("for " + unknown + " is 1"), std::string::npos) << text;
    const std::size_t at = text.find("<= ");
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_NEAR(std::stod(text.substr(at + 3)), curvature, 0.01 * std::abs(curvature)) << text;
    EXPECT_THROW(solver.prepare(problem), std::invalid_argument);
  };
  // x'Px = 1 - 4 at (-2, 1), whatever the units of the unknowns.
  refused(matrix(2, 2, {1, 2, 2, 1}), false, "x1", -3.0);
  refused(matrix(2, 2, {1e6, 2e3, 2e3, 1}), false, "x1", -3.0);
  DenseMatrix large = DenseMatrix::Identity(30, 30);
  large(17, 17) = -0.25;
  refused(large, true, "x17", -0.25);
  refused(large, false, "x17", -0.25);
  // Rank deficient, and with entries that only rounding made: taken.
  const DenseMatrix a = matrix(2, 4, {1, 2, 3, 4, -1, 0.1, 0.3, 7});
  BoxQp flat{DenseMatrix(a.transpose() * a), Vector::Zero(4), Vector::Zero(4), Vector::Ones(4)};
  EXPECT_EQ(solver.refusal(problem_of(flat)), std::nullopt);
}

TEST(InteriorPoint, IsTheFirstTryOfAutoForConicQps) {
  SolveRequest request;
  const Problem socp = generate(find_family("socp"), 20, 1);
  const VerifiedResult solved = solve_verified(socp, request);
  EXPECT_EQ(solved.status, Status::kSolved);
  ASSERT_EQ(solved.route.size(), 1u);
  EXPECT_EQ(solved.route[0].solver, "interior-point");
  const VerifiedResult infeasible =
      solve_verified(generate(find_family("socp-infeasible"), 20, 1), request);
  EXPECT_EQ(infeasible.status, Status::kInfeasible);
  const VerifiedResult unbounded =
      solve_verified(generate(find_family("socp-unbounded"), 20, 1), request);
  EXPECT_EQ(unbounded.status, Status::kRay);
  EXPECT_EQ(unbounded.route.size(), 1u);
  // Stationary points of a problem that is not convex are left to Lemke's method.
  const VerifiedResult other =
      solve_verified(problem_of(conic(matrix(1, 1, {-1}), vector({0.5}), matrix(2, 1, {-1, 1}),
                                      vector({1, 1}), {{ConeType::kNonnegative, 2}})),
                     request);
  EXPECT_EQ(other.status, Status::kSolved);
  ASSERT_EQ(other.route.size(), 2u);
  EXPECT_EQ(other.route[0].status, Status::kUnsupported);
}

}  // namespace
}  // namespace perp::test
