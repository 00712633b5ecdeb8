// The family mcp-classics: known solutions, Jacobians, names, files; the family random-ncp.
#include "support.hpp"

#include <perp/problems/families/mcp_classics/classic.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/standard/mcp_function.hpp>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <map>
#include <set>

namespace perp::test {
namespace {

const Family& classics_family() { return find_family("mcp-classics"); }

Problem member(const std::string& name, int size = 0) {
  return generate(classics_family(), size, 1, {}, name);
}

const Mcp& mcp_of(const Problem& p) { return std::get<Mcp>(p.data); }

// Every member, made once: the larger ones take tenths of a second under sanitizers.
const std::vector<Problem>& all_members() {
  static const std::vector<Problem> problems = [] {
    std::vector<Problem> made;
    for (const FamilyMember& m : classics_family().members) made.push_back(member(m.name));
    return made;
  }();
  return problems;
}

// Problem of a member: its name without the start.
std::string problem_name(const Problem& p) { return p.name.substr(0, p.name.rfind('-')); }

TEST(McpClassics, ThereAreAtLeastSixtyWithNamesOfTheirOwn) {
  std::set<std::string> names, problems;
  for (const Problem& p : all_members()) {
    names.insert(p.name);
    problems.insert(problem_name(p));
    EXPECT_EQ(p.kind(), "mcp");
    EXPECT_EQ(p.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos);
  }
  EXPECT_EQ(names.size(), classics_family().members.size());
  EXPECT_GE(names.size(), 60u);
  EXPECT_GE(problems.size(), 35u);
}

TEST(McpClassics, EveryKnownSolutionSolves) {
  for (const Problem& p : all_members()) {
    EXPECT_NO_THROW(validate(p)) << p.name;
    ASSERT_TRUE(p.solution.has_value()) << p.name;
    EXPECT_TRUE(verify(p, {p.solution->z, {}}, 1e-11).solved) << p.name;
  }
}

TEST(McpClassics, NoStartIsASolution) {
  for (const Problem& p : all_members()) {
    ASSERT_TRUE(p.start.has_value()) << p.name;
    EXPECT_GT(evaluate_residuals(mcp_of(p), *p.start).natural, 1e-4) << p.name;
  }
}

TEST(McpClassics, StartsOfAProblemDifferAndNothingElse) {
  std::map<std::string, std::vector<const Problem*>> groups;
  for (const Problem& p : all_members()) groups[problem_name(p)].push_back(&p);
  for (const auto& [name, group] : groups) {
    const Vector f = mcp_of(*group[0]).evaluate(*group[0]->start);
    for (std::size_t k = 1; k < group.size(); ++k) {
      EXPECT_NE(*group[k]->start, *group[0]->start) << name;
      EXPECT_EQ(mcp_of(*group[k]).evaluate(*group[0]->start), f) << name;
    }
  }
}

// Columns of the Jacobian against central differences; up to twelve columns of a large problem.
void expect_jacobian(const Problem& p, const Vector& z) {
  McpFunction function(mcp_of(p));
  SparseMatrix jacobian = function.pattern();
  Vector f, ahead, behind;
  function.evaluate(z, f, jacobian.valuePtr());
  ASSERT_TRUE(f.allFinite()) << p.name;
  const int n = p.size(), stride = std::max(1, n / 12);
  for (int j = 0; j < n; j += stride) {
    const double step = 1e-5 * std::max(1e-2, std::abs(z[j]));
    Vector moved = z;
    moved[j] = z[j] + step;
    function.evaluate(moved, ahead);
    moved[j] = z[j] - step;
    function.evaluate(moved, behind);
    const Vector slope = (ahead - behind) / (2 * step), column = jacobian.col(j);
    const double rounding = 1e-15 * f.cwiseAbs().maxCoeff() / step;
    for (int i = 0; i < n; ++i) {
      if (!std::isfinite(slope[i]) || !std::isfinite(column[i])) continue;  // beyond the domain
      EXPECT_NEAR(column[i], slope[i], 2e-6 * (1 + std::abs(slope[i])) + rounding)
          << p.name << " row " << i << " column " << j;
    }
  }
}

TEST(McpClassics, JacobiansAgreeWithDifferencesAtTheStarts) {
  for (const Problem& p : all_members()) {
    if (problem_name(p) == "kinks") continue;  // differences mean nothing across a kink
    expect_jacobian(p, *p.start);
  }
}

TEST(McpClassics, JacobiansAgreeWithDifferencesBetweenStartAndSolution) {
  for (const Problem& p : all_members()) {
    expect_jacobian(p, 0.35 * *p.start + 0.65 * p.solution->z);
  }
}

TEST(McpClassics, FilesEvaluateAlike) {
  for (const Problem& p : all_members()) {
    const Problem read = problem_from_text(problem_to_text(p), p.name);
    EXPECT_EQ(read.name, p.name);
    EXPECT_EQ(*read.start, *p.start) << p.name;
    EXPECT_EQ(read.solution->z, p.solution->z) << p.name;
    EXPECT_EQ(mcp_of(read).lower, mcp_of(p).lower) << p.name;
    EXPECT_EQ(mcp_of(read).upper, mcp_of(p).upper) << p.name;
    EXPECT_EQ(mcp_of(read).evaluate(*p.start), mcp_of(p).evaluate(*p.start)) << p.name;
  }
}

TEST(McpClassics, SizesCanBeChosenWhereTheyMeanSomething) {
  std::map<std::string, int> tried;
  for (const FamilyMember& m : classics_family().members) {
    if (m.min_size == 0) {
      EXPECT_THROW(member(m.name, m.default_size + 1), std::invalid_argument) << m.name;
      continue;
    }
    EXPECT_THROW(member(m.name, -1), std::invalid_argument) << m.name;
    if (++tried[m.summary] > 1) continue;  // one start of each
    int last = 0;
    for (const int size : {m.min_size, m.min_size + 3, m.min_size + 8}) {
      const Problem p = member(m.name, size);
      EXPECT_GT(p.size(), last) << p.name;
      last = p.size();
      ASSERT_TRUE(p.solution.has_value()) << p.name;
      EXPECT_TRUE(verify(p, {p.solution->z, {}}, 1e-10).solved) << p.name;
    }
  }
  EXPECT_GE(tried.size(), 8u);
}

TEST(McpClassics, MembersAreChosenByName) {
  EXPECT_EQ(match_members(classics_family(), {"kojima-shindo-?"}).size(), 8u);
  EXPECT_EQ(match_members(classics_family(), {"pies-ones", "billups-*", "billups-zero"}),
            (std::vector<std::string>{"billups-zero", "billups-half", "billups-three",
                                      "billups-hundred", "pies-ones"}));
  EXPECT_THROW(match_members(classics_family(), {"pies-ones", "nothing-*"}), std::invalid_argument);
  EXPECT_THROW(match_members(find_family("psd"), {"*"}), std::invalid_argument);
  EXPECT_THROW(member("kojima-shindo"), std::invalid_argument);
  EXPECT_THROW(member(""), std::invalid_argument);
  EXPECT_THROW(generate(find_family("psd"), 3, 1, {}, "billups-zero"), std::invalid_argument);
}

// What the literature reports: Hock and Schittkowski's optimal values, Murphy, Sherali and
// Soyster's equilibrium, the prices of the PIES model, Kojima and Shindo's second solution.
TEST(McpClassics, FiguresOfTheLiterature) {
  const auto x = [](const char* name) { return member(name).solution->z; };
  EXPECT_NEAR(x("hs110-standard")[0], 9.35026583, 1e-8);
  EXPECT_NEAR(x("hs71-standard")[2], 3.8211503, 1e-6);
  EXPECT_NEAR(x("hs66-standard")[0], 0.1841264879, 1e-10);
  EXPECT_NEAR(x("hs86-standard")[3], 0.42831010, 1e-8);
  EXPECT_NEAR(x("nash-5-ones")[0], 36.93, 5e-3);
  EXPECT_NEAR(x("nash-5-ones")[4], 39.18, 5e-3);
  const Vector prices = x("pies-ones").segment(26, 6);
  EXPECT_LT((prices - vector({11.7, 13.7, 15.8, 16.0, 11.9, 12.4})).cwiseAbs().maxCoeff(), 0.05);
  EXPECT_TRUE(verify(member("kojima-shindo-1"), {vector({1, 0, 3, 0}), {}}, 1e-12).solved);
}

// The optimality conditions of a program, against conditions written by hand:
// min x0^2 + x1 with x0 x1 = 2, x0 + x1 >= 3 over x1 <= 5.
TEST(McpClassics, OptimalityConditionsAreTheLagrangians) {
  classics::Program program{vector({-kInf, -kInf}), vector({kInf, 5}), {}, {}, {}};
  program.objective = [](const ExprVector& x) { return x[0] * x[0] + x[1]; };
  program.equations = [](const ExprVector& x) -> std::vector<Expr> { return {x[0] * x[1] - 2}; };
  program.inequalities = [](const ExprVector& x) -> std::vector<Expr> { return {x[0] + x[1] - 3}; };
  const Mcp mcp = classics::optimality_conditions(program);
  EXPECT_EQ(mcp.lower, vector({-kInf, -kInf, -kInf, 0}));
  EXPECT_EQ(mcp.upper, vector({kInf, 5, kInf, kInf}));
  const double a = 1.5, b = -2.5, u = 0.75, v = 4.0;
  EXPECT_LT((mcp.evaluate(vector({a, b, u, v})) -
             vector({2 * a - u * b - v, 1 - u * a - v, a * b - 2, a + b - 3}))
                .cwiseAbs()
                .maxCoeff(),
            1e-14);
}

TEST(McpClassics, ReferenceSolutionsAreNotClaimedWhereThereIsNone) {
  const auto never = [](const ExprVector& z) { return ExprVector(-1.0 - z.array() * z.array()); };
  EXPECT_FALSE(classics::reference_solution(classics::ncp(1, never), Vector::Ones(1)));
}

TEST(RandomNcp, MonotoneOnesAreMonotone) {
  Random random(3);
  for (int seed = 1; seed <= 5; ++seed) {
    const Problem p = generate(find_family("random-ncp"), 12, seed);
    const Problem other = generate(find_family("random-ncp"), 12, seed, {{"monotone", 0.0}});
    for (int k = 0; k < 50; ++k) {
      const Vector a = gaussian(random, 12, 1).cwiseAbs(), b = gaussian(random, 12, 1).cwiseAbs();
      EXPECT_GE((mcp_of(p).evaluate(a) - mcp_of(p).evaluate(b)).dot(a - b), -1e-10);
    }
    McpFunction function(mcp_of(other));
    SparseMatrix jacobian = function.pattern();
    function.evaluate_jacobian(other.solution->z, jacobian.valuePtr());
    const DenseMatrix j(jacobian);
    EXPECT_LT(Eigen::SelfAdjointEigenSolver<DenseMatrix>(j + j.transpose()).eigenvalues()[0], 0)
        << other.name;
    EXPECT_TRUE(verify(other, {other.solution->z, {}}, 1e-12).solved);
    expect_jacobian(p, p.solution->z);
  }
}

}  // namespace
}  // namespace perp::test
