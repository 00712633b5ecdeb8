// Exact friction as other problems, and the ways back.
#include "support.hpp"

#include <perp/problems/standard/mcp_function.hpp>
#include <perp/solvers/router.hpp>

#include <fmt/format.h>

namespace perp::test {
namespace {

FrictionContact one_contact_data(double mu, const Vector& q, const DenseMatrix& w) {
  FrictionContact p;
  p.dimension = static_cast<int>(q.size());
  p.W = Matrix(w);
  p.q = q;
  p.mu = Vector::Constant(1, mu);
  return p;
}

// The same with W = I as J = 2 I, M = 4 I.
FrictionContact as_operator(FrictionContact p) {
  const int n = p.size();
  p.W = Matrix();
  p.J = Matrix(DenseMatrix(2.0 * DenseMatrix::Identity(n, n)));
  p.M = Matrix(DenseMatrix(4.0 * DenseMatrix::Identity(n, n)));
  return p;
}

VerifiedResult solve_reduced(const Problem& p, const std::string& solver,
                             const std::string& reduction = "") {
  SolveRequest request;
  request.solver = solver;
  if (!reduction.empty()) request.settings.emplace_back("reduction", reduction);
  return solve_verified(p, request);
}

// u = r + (-1, 3, 4): slides along (3, 4) / 5 with r_n = 1.
const DenseMatrix kIdentity = DenseMatrix::Identity(3, 3);

TEST(PyramidReduction, OneContactInClosedForm) {
  // Along an edge the pyramid is the cone; between two edges of four it is weaker by sqrt(2).
  const FrictionContact along = one_contact_data(0.5, vector({-1, 3, 0}), kIdentity);
  const FrictionContact between = one_contact_data(0.5, vector({-1, 3, 3}), kIdentity);
  for (const auto& [p, impulse] :
       {std::pair(along, vector({1, -0.5, 0})), std::pair(between, vector({1, -0.25, -0.25}))}) {
    const Reduction reduction = reduce_to_pyramid_lcp(p, 4);
    EXPECT_FALSE(reduction.exact);
    const Solved solved = solve_by_lemke(problem_of(reduction.problem));
    ASSERT_EQ(solved.status, Status::kSolved);
    const Vector r = reduction.map_back({solved.z, {}}).z;
    EXPECT_NEAR(r.tail(2).sum(), impulse.tail(2).sum(), 1e-14);
    EXPECT_NEAR(r[0], 1.0, 1e-14);
  }
  EXPECT_THROW(reduce_to_pyramid_lcp(along, 5), std::invalid_argument);
  EXPECT_THROW(reduce_to_pyramid_lcp(along, 2), std::invalid_argument);
}

// An impulse is along an edge, at most pi / edges from the direction opposite to the slip, so the
// natural map of a contact is at most of the size mu r_n pi / edges.
TEST(PyramidReduction, ConvergesToTheConeWithItsEdges) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Problem p = friction("friction-pile", 6, seed);
    for (const int edges : {8, 32, 64}) {
      const Reduction reduction = reduce_to_pyramid_lcp(std::get<FrictionContact>(p.data), edges);
      const Solved solved = solve_by_lemke(problem_of(reduction.problem), 1e-12);
      ASSERT_EQ(solved.status, Status::kSolved);
      const Vector r = reduction.map_back({solved.z, {}}).z;
      const double normal = Eigen::Map<const Eigen::Matrix3Xd>(r.data(), 3, 6).row(0).norm();
      EXPECT_LT(verify(p, {r, {}}, 1e-8).residuals.natural, 0.5 * normal * 3.15 / edges);
    }
  }
}

TEST(PyramidReduction, IsExactInThePlaneAndWithoutFriction) {
  for (const char* name : {"friction-stack", "friction-pile", "friction-tower"}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      for (const double operator_form : {0.0, 1.0}) {
        for (const auto& [key, value] : {std::pair("dimension", 2.0), std::pair("mu", 0.0)}) {
          const Problem p = friction(name, 14, seed, {{key, value}, {"operator", operator_form}});
          const Reduction reduction = reduce_to_pyramid_lcp(std::get<FrictionContact>(p.data));
          EXPECT_TRUE(reduction.exact);
          const Solved solved = solve_by_lemke(problem_of(reduction.problem), 1e-11);
          ASSERT_EQ(solved.status, Status::kSolved) << p.name;
          EXPECT_TRUE(verify(p, reduction.map_back({solved.z, {}}), 1e-9).solved) << p.name;
        }
      }
    }
  }
}

TEST(PyramidReduction, KnownSolutionsComeBack) {
  const Problem p = friction("painleve-rods", 40, 5);
  const VerifiedResult r = solve_reduced(p, "lemke");
  EXPECT_EQ(r.status, Status::kSolved);
  EXPECT_EQ(r.route.back().solver, "lemke on friction_contact as lcp");
}

// Without friction the normal rows are an LCP, whatever W is: this one is no monotone problem.
TEST(PyramidReduction, WithoutFrictionIsForMethodsOfLcps) {
  Random random(8);
  int solved = 0;
  for (int k = 0; k < 50; ++k) {
    const int contacts = 2 + random.index(2), n = 3 * contacts;
    FrictionContact p;
    DenseMatrix w = gaussian(random, n, n);
    Vector r = Vector::Zero(n), u = gaussian(random, n, 1);
    for (int c = 0; c < contacts; ++c) {  // one solution is planted
      const bool open = random.index(2) == 0;
      r[3 * c] = open ? 0.0 : 1.0 + random.uniform();
      u[3 * c] = open ? 1.0 : 0.0;
    }
    p.W = Matrix(w);
    p.q = u - w * r;
    p.mu = Vector::Zero(contacts);
    p.dimension = 3;
    const Problem problem = problem_of(p);
    EXPECT_EQ(solve_reduced(problem, "lemke").route.back().solver,
              "lemke on friction_contact as lcp");
    EXPECT_EQ(solve_reduced(problem, "enumerate").status, Status::kSolved) << k;
    solved += solve_reduced(problem, "auto").status == Status::kSolved;
  }
  EXPECT_EQ(solved, 50);
}

// Without de Saxce's term the impulse is the projection of -q, and the contact opens at mu |u_t|.
TEST(ConvexReduction, OneContactInClosedForm) {
  FrictionContact p = one_contact_data(0.5, vector({-1, 2, 0}), kIdentity);
  const Vector r = vector({1.6, -0.8, 0});
  const Vector u = vector({0.6, 1.2, 0});
  const Reduction in_r = reduce_to_conic_qp(p);
  EXPECT_FALSE(in_r.exact);
  const Answer a{r, vector({u[0] / 0.5, u[1], u[2]})};
  EXPECT_TRUE(verify(in_r.problem, a, 1e-14).solved);
  EXPECT_EQ(in_r.map_back(a).z, r);
  p = as_operator(p);
  const Reduction in_v = reduce_to_conic_qp(p);
  const Answer b{0.5 * r, vector({r[0], r[1] / 0.5, r[2] / 0.5})};  // M v = J'r
  EXPECT_TRUE(verify(in_v.problem, b, 1e-14).solved);
  EXPECT_LT((in_v.map_back(b).z - r).norm(), 1e-15);
  // Compliance c in the normal: u_n = r_n (1 + c) - 1, here c = 1; r = (1, -1/2, 0) (1 + x) ...
  p.compliance = vector({1, 0, 0});
  const Reduction soft = reduce_to_conic_qp(p);
  const Vector s = vector({8.0 / 9, -4.0 / 9, 0}) * 1.0;
  const Vector us = vector({2 * s[0] - 1, s[1] + 2, 0});
  EXPECT_NEAR(us[0], 0.5 * us[1], 1e-15);
  Vector x(4);
  x << 0.5 * s, s[0];
  EXPECT_TRUE(verify(soft.problem, {x, vector({s[0], s[1] / 0.5, 0})}, 1e-14).solved);
}

TEST(ConvexReduction, WithoutFrictionItIsExact) {
  for (const double operator_form : {0.0, 1.0}) {
    const Problem p = friction("friction-pile", 12, 3, {{"mu", 0}, {"operator", operator_form}});
    const Reduction reduction = reduce_to_conic_qp(std::get<FrictionContact>(p.data));
    EXPECT_TRUE(reduction.exact);
    SolveRequest request;
    request.solver = "lemke";
    const VerifiedResult r = solve_verified(problem_of(reduction.problem), request);
    ASSERT_EQ(r.status, Status::kSolved);
    EXPECT_TRUE(verify(p, reduction.map_back(r.answer), 1e-9).solved);
  }
}

TEST(ConvexReduction, RefusesWhatIsNotConvex) {
  const auto text_of = [](const DenseMatrix& w) {
    try {
      reduce_to_conic_qp(one_contact_data(0.5, vector({-1, 2, 0}), w));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(text_of(matrix(3, 3, {1, 0.1, 0, 0, 1, 0, 0, 0, 1})), "W: not symmetric");
  EXPECT_EQ(text_of(matrix(3, 3, {1, 2, 0, 2, 1, 0, 0, 0, 1})), "W: not positive semidefinite");
  EXPECT_EQ(text_of(matrix(3, 3, {1, 1, 0, 1, 1, 0, 0, 0, 1})), "none");  // singular
}

// Impulses and slips of a solution of the problem solve the conditions, and come back.
TEST(FritzJohnReduction, SolutionsAreSolutions) {
  const FrictionContact slide = one_contact_data(0.5, vector({-1, 3, 4}), kIdentity);
  for (const FrictionContact& p : {slide, as_operator(slide)}) {
    const Reduction reduction = reduce_to_mcp(p);
    EXPECT_TRUE(reduction.exact);
    const Vector r = vector({1, -0.3, -0.4});
    const Vector rest = vector({1, -0.3, -0.4, 4.5});  // slips at |(2.7, 3.6)|
    Vector z(rest.size() + (p.is_operator() ? 3 : 0));
    z << (p.is_operator() ? Vector(0.5 * r) : Vector()), rest;
    EXPECT_TRUE(verify(reduction.problem, {z, {}}, 1e-14).solved);
    EXPECT_EQ(reduction.map_back({z, {}}).z, r);
    z[z.size() - 1] = 4.0;
    EXPECT_FALSE(verify(reduction.problem, {z, {}}, 1e-2).solved);
  }
}

TEST(FritzJohnReduction, JacobianIsTheDerivative) {
  Random random(11);
  for (const double operator_form : {0.0, 1.0}) {
    for (const double dimension : {2.0, 3.0}) {
      Problem problem =
          friction("friction-pile", 7, 1, {{"operator", operator_form}, {"dimension", dimension}});
      auto& p = std::get<FrictionContact>(problem.data);
      p.mu[2] = 0.0;
      p.compliance = Vector::LinSpaced(p.size(), 0.0, 0.3);
      const Reduction reduction = reduce_to_mcp(p);
      const Mcp& mcp = std::get<Mcp>(reduction.problem);
      EXPECT_NO_THROW(validate(mcp));
      McpFunction function(mcp);
      EXPECT_TRUE(function.exact_jacobian());
      SparseMatrix jacobian = function.pattern();
      Vector f, up, down;
      const Vector z = gaussian(random, mcp.size(), 1);
      function.evaluate(z, f, jacobian.valuePtr());
      for (int j = 0; j < mcp.size(); ++j) {
        const Vector step = 1e-6 * Vector::Unit(mcp.size(), j);
        function.evaluate(z + step, up);
        function.evaluate(z - step, down);
        const Vector difference = (up - down) / 2e-6;
        EXPECT_LT((DenseMatrix(jacobian).col(j) - difference).cwiseAbs().maxCoeff(), 1e-7);
      }
    }
  }
}

TEST(FritzJohnReduction, SolvesStacksByItsSolvers) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const VerifiedResult r = solve_reduced(friction("friction-stack", 8, seed), "josephy-newton");
    EXPECT_EQ(r.status, Status::kSolved) << seed;
    EXPECT_EQ(r.route.back().solver, "josephy-newton on friction_contact as mcp");
  }
}

// A solution maps to a solution and back to itself.
void expect_start_solves(const Problem& p, const Reduction& reduction, const Answer& solution,
                         const std::string& what) {
  const Answer start = reduction.map_start(solution);
  EXPECT_LT(verify(reduction.problem, start, 1.0).measure, 1e-9) << what;
  const Vector back = reduction.map_back(start).z;
  EXPECT_LT((back - solution.z).norm(), 1e-12 * (1 + solution.z.norm())) << what << " " << p.name;
}

TEST(StartsOfReductions, SolutionsAreSolutionsOfTheExactOnes) {
  for (const double operator_form : {0.0, 1.0}) {
    for (const double dimension : {2.0, 3.0}) {
      for (const double mu : {0.0, 0.7}) {
        Problem p = friction("friction-pile", 9, 2,
                             {{"operator", operator_form}, {"dimension", dimension}, {"mu", mu}});
        auto& contact = std::get<FrictionContact>(p.data);
        contact.compliance = Vector::LinSpaced(contact.size(), 0.0, 0.3);
        contact.mu[2] = 0.0;  // r_t = 0 there
        SolveRequest request;
        request.limits.tolerance = 1e-12;
        request.solver = "proximal-newton";
        const VerifiedResult r = solve_verified(p, request);
        ASSERT_EQ(r.status, Status::kSolved);
        const std::string what = fmt::format("{} {} {}", operator_form, dimension, mu);
        expect_start_solves(p, reduce_to_mcp(contact), r.answer, "mcp " + what);
        if (dimension == 2 || mu == 0)
          expect_start_solves(p, reduce_to_pyramid_lcp(contact), r.answer, "lcp " + what);
        if (mu == 0) expect_start_solves(p, reduce_to_conic_qp(contact), r.answer, "conic " + what);
      }
    }
  }
}

// Impulses of the relaxation are a solution of it again, with their dual.
TEST(StartsOfReductions, TheRelaxationsSolutionIsOneOfIt) {
  for (const double operator_form : {0.0, 1.0}) {
    const Problem p = friction("friction-pile", 9, 2, {{"operator", operator_form}});
    const Reduction reduction = reduce_to_conic_qp(std::get<FrictionContact>(p.data));
    const VerifiedResult r = solve_reduced(problem_of(reduction.problem), "interior-point");
    ASSERT_EQ(r.status, Status::kSolved);
    const Vector impulses = reduction.map_back(r.answer).z;
    EXPECT_TRUE(verify(reduction.problem, reduction.map_start({impulses, {}}), 1e-7).solved);
  }
}

TEST(StartsOfReductions, AnyDirectionIsBetweenTwoEdges) {
  for (const int edges : {4, 6, 16}) {
    for (int k = 0; k < 40; ++k) {
      const double angle = 2 * 3.141592653589793 * k / 40;
      const FrictionContact p = one_contact_data(0.5, vector({-1, 3, 4}), kIdentity);
      const Reduction reduction = reduce_to_pyramid_lcp(p, edges);
      const Vector r = vector({1, 0.4 * std::cos(angle), 0.4 * std::sin(angle)});
      const Answer start = reduction.map_start({r, {}});
      EXPECT_GE(start.z.minCoeff(), 0.0) << edges << " " << k;
      EXPECT_LT((reduction.map_back(start).z - r).norm(), 1e-14) << edges << " " << k;
    }
  }
}

TEST(StartsOfReductions, ASolverIsDoneAtOnce) {
  Problem p = friction("friction-stack", 8, 1, {{"dimension", 2}});
  SolveRequest request;
  request.solver = "proximal-newton";
  request.limits.tolerance = 1e-14;  // directions of slip lose digits
  p.start = solve_verified(p, request).answer.z;
  for (const auto& [solver, reduction] :
       {std::pair("newton-fb", ""), {"josephy-newton", "fritz-john"}, {"rpgs", "pyramid"}}) {
    const VerifiedResult r = solve_reduced(p, solver, reduction);
    EXPECT_EQ(r.start, "stored") << solver;
    EXPECT_EQ(r.iterations, 0) << solver << " " << reduction;
  }
}

TEST(FrictionRoutes, ApproximateOnesAreTakenOnlyWhenAsked) {
  const Problem p = friction("friction-pile", 8, 1);
  EXPECT_EQ(solve_reduced(p, "lemke").status, Status::kUnsupported);
  const VerifiedResult asked = solve_reduced(p, "lemke", "pyramid:8");
  EXPECT_EQ(asked.status, Status::kStalled);  // no wrong claim: the pyramid's problem is solved
  EXPECT_EQ(asked.answer.z.size(), p.size());
  EXPECT_NE(asked.message.find("approximates"), std::string::npos);
  EXPECT_EQ(solve_reduced(p, "auto", "pyramid:8").status, Status::kStalled);
  EXPECT_GT(asked.verdict.measure, 1e-8);
  EXPECT_LT(asked.verdict.measure, 0.1);
  // Where the approximation is exact, the answer counts.
  EXPECT_EQ(solve_reduced(friction("friction-pile", 8, 1, {{"mu", 0}}), "lemke", "pyramid").status,
            Status::kSolved);
  EXPECT_EQ(solve_reduced(friction("friction-stack", 8, 1), "josephy-newton", "fritz-john").status,
            Status::kSolved);
}

TEST(FrictionRoutes, WrongNamesAreRefused) {
  const Problem p = friction("friction-pile", 4, 1);
  for (const char* name : {"cone", "pyramid:", "pyramid:5", "pyramid:8x"})
    EXPECT_THROW(solve_reduced(p, "lemke", name), std::invalid_argument) << name;
  // Another kind has none: a try that was refused, not a mistake of the expression.
  const VerifiedResult none = solve_reduced(generate(find_family("psd"), 3, 1), "lemke", "convex");
  EXPECT_EQ(none.status, Status::kUnsupported);
  EXPECT_NE(none.message.find("only a friction_contact"), std::string::npos) << none.message;
}

TEST(FrictionRoutes, NoContactsAtAll) {
  FrictionContact p;
  p.W = Matrix(DenseMatrix(0, 0));
  p.q = p.mu = Vector(0);
  EXPECT_EQ(solve_reduced(problem_of(p), "lemke", "pyramid").status, Status::kSolved);
}

}  // namespace
}  // namespace perp::test
