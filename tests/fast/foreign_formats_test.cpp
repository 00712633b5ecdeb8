// .nl and MathOptFormat: round trips, the AMPL solver library as a second reader, refusals.
#include "random_graph.hpp"
#include "support.hpp"

#include <perp/bench/data/scenes.hpp>
#include <perp/bench/harness/scene_problems.hpp>
#include <perp/problems/io/mof.hpp>
#include <perp/problems/io/nl.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/problems/standard/mcp_function.hpp>
#include <perp/problems/standard/residuals.hpp>

#include <asl_function.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace perp::test {
namespace {

namespace fs = std::filesystem;

// A file of its own for the length of a test.
class NlFile {
 public:
  explicit NlFile(const std::string& text)
      : path_(fs::temp_directory_path() / ("perp-" + std::to_string(::getpid()) + ".nl")) {
    std::ofstream(path_) << text;
  }
  ~NlFile() { fs::remove(path_); }
  NlFile(const NlFile&) = delete;
  NlFile& operator=(const NlFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

struct Values {
  Vector f;
  DenseMatrix jacobian;
};

Values evaluate_any(const Problem& problem, const Vector& z) {
  if (const auto* mcp = std::get_if<Mcp>(&problem.data)) {
    McpFunction function(*mcp);
    SparseMatrix jacobian = function.pattern();
    Vector f;
    function.evaluate(z, f, jacobian.valuePtr());
    return {f, DenseMatrix(jacobian)};
  }
  const Mlcp p = std::holds_alternative<Lcp>(problem.data) ? to_mlcp(std::get<Lcp>(problem.data))
                                                           : std::get<Mlcp>(problem.data);
  return {p.M.multiply(z) + p.q, p.M.to_dense()};
}

std::pair<Vector, Vector> bounds(const Problem& problem) {
  if (const auto* mcp = std::get_if<Mcp>(&problem.data)) return {mcp->lower, mcp->upper};
  const Mlcp p = std::holds_alternative<Lcp>(problem.data) ? to_mlcp(std::get<Lcp>(problem.data))
                                                           : std::get<Mlcp>(problem.data);
  return {p.lower, p.upper};
}

void expect_close(const Values& a, const Values& b, double tolerance, const std::string& what) {
  ASSERT_EQ(a.f.size(), b.f.size()) << what;
  for (int i = 0; i < a.f.size(); ++i) {
    EXPECT_NEAR(a.f[i], b.f[i], tolerance * (1 + std::abs(a.f[i]))) << what << ", row " << i;
    for (int j = 0; j < a.jacobian.cols(); ++j) {
      EXPECT_NEAR(a.jacobian(i, j), b.jacobian(i, j), tolerance * (1 + std::abs(a.jacobian(i, j))))
          << what << ", entry " << i << ", " << j;
    }
  }
}

// The library's view of the file against perp's view of the problem.
void expect_asl_agrees(const std::string& nl, const Problem& problem, Random& random,
                       const std::string& what) {
  const NlFile file(nl);
  AslFunction* asl = asl_open(file.path().c_str());
  ASSERT_NE(asl, nullptr) << what;
  const int n = problem.size();
  ASSERT_EQ(asl_rows(asl), n) << what;
  ASSERT_EQ(asl_columns(asl), n) << what;
  const auto [lower, upper] = bounds(problem);
  for (int i = 0; i < n; ++i) {
    const bool free = lower[i] == -kInf && upper[i] == kInf;
    EXPECT_EQ(asl_complement(asl, i), free ? -1 : i) << what;
    double l = 0.0, u = 0.0;
    asl_bounds(asl, i, &l, &u);
    EXPECT_EQ(l, lower[i]) << what;
    EXPECT_EQ(u, upper[i]) << what;
  }
  Vector start(n);
  asl_start(asl, start.data());
  EXPECT_EQ(start, problem.start.value_or(Vector::Zero(n))) << what;
  for (int trial = 0; trial < 3; ++trial) {
    Vector z = gaussian(random, n, 1), f(n);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> jacobian(n, n);
    ASSERT_EQ(asl_evaluate(asl, z.data(), f.data(), jacobian.data()), 0) << what;
    expect_close(evaluate_any(problem, z), {f, jacobian}, 1e-11, what);
  }
  asl_close(asl);
}

void expect_same(const Problem& a, const Problem& b, Random& random, const std::string& what) {
  EXPECT_EQ(a.kind(), b.kind()) << what;
  EXPECT_EQ(a.name, b.name) << what;
  EXPECT_EQ(a.variables, b.variables) << what;
  EXPECT_EQ(a.start.has_value(), b.start.has_value()) << what;
  if (a.start && b.start) {
    EXPECT_EQ(*a.start, *b.start) << what;
  }
  EXPECT_EQ(bounds(a), bounds(b)) << what;
  for (int trial = 0; trial < 3; ++trial) {
    const Vector z = gaussian(random, a.size(), 1);
    expect_close(evaluate_any(a, z), evaluate_any(b, z), 1e-11, what);
  }
}

std::string names_of(const Problem& problem) {
  std::string names;
  for (const std::string& name : problem.variables) names += name + "\n";
  return names;
}

TEST(ForeignFormats, RandomProblemsSurviveAndTheAmplLibraryAgrees) {
  Random random(1);
  for (int trial = 0; trial < 60; ++trial) {
    Problem problem;
    problem.name = "trial " + std::to_string(trial);
    if (trial % 3 == 0) {
      problem.data = random_mcp(random, 1 + random.index(8), random.index(80));
    } else if (trial % 3 == 1) {
      problem.data = random_box_problem(random);
    } else {
      const DenseMatrix m = gaussian(random, 4, 4);
      problem.data = Lcp{Matrix(m), gaussian(random, 4, 1)};
    }
    if (random.uniform() < 0.5) problem.start = gaussian(random, problem.size(), 1);
    for (int j = 0; j < problem.size(); ++j) {
      problem.variables.push_back(std::string(static_cast<std::size_t>(j) + 1, 'x'));
    }
    const std::string nl = problem_to_nl(problem);
    const Problem from_nl = problem_from_nl(nl, names_of(problem), "t.nl");
    const Problem from_mof = problem_from_mof(problem_to_mof(problem), "t.mof.json");
    // What happens to be simpler is read as what it is.
    if (from_nl.kind() == problem.kind()) expect_same(problem, from_nl, random, problem.name);
    EXPECT_EQ(from_nl.kind(), from_mof.kind());
    expect_same(from_nl, from_mof, random, problem.name);
    expect_asl_agrees(nl, problem, random, problem.name);
    expect_asl_agrees(problem_to_nl(from_mof), problem, random, problem.name);
  }
}

// Steps of a scene: shared subexpressions, square roots of sums of squares, names and a start.
TEST(ForeignFormats, TheAmplLibraryAgreesOnStepsOfAScene) {
  Random random(4);
  const Scene scene = load_scene("two-spheres", {});
  SceneProblemsRequest request;
  request.first = 100;
  request.last = 102;
  const SceneProblems steps = scene_problems(scene, request);
  ASSERT_EQ(steps.problems.size(), 3u);
  for (const Problem& problem : steps.problems) {
    const std::string nl = problem_to_nl(problem);
    expect_asl_agrees(nl, problem, random, problem.name);
    expect_same(problem_from_nl(nl, names_of(problem), "two-spheres.nl"), problem, random,
                problem.name);
  }
}

TEST(ForeignFormats, LinearProblemsSurviveBitForBit) {
  const Problem stack = generate(find_family("contact-stack"), 10, 1);
  const Problem from_nl = problem_from_nl(problem_to_nl(stack), names_of(stack), "t.nl");
  const Problem from_mof = problem_from_mof(problem_to_mof(stack), "t.mof.json");
  for (const Problem* p : {&from_nl, &from_mof}) {
    ASSERT_EQ(p->kind(), "lcp");
    EXPECT_EQ(std::get<Lcp>(p->data).q, std::get<Lcp>(stack.data).q);
    EXPECT_EQ(std::get<Lcp>(p->data).M.to_dense(), std::get<Lcp>(stack.data).M.to_dense());
    EXPECT_EQ(p->variables, stack.variables);
  }
}

const std::string kHeader =
    "g3 1 1 0\t# problem codes\n 2 2 0 0 0\n 2 0 0 2 0 0\n 0 0\n 2 0 0\n 0 0 0 1\n 0 0 0 0 0\n"
    " 4 0\n 0 0\n 0 1 0 0 0\n";
const std::string kTail = "r\n5 1 1\n5 1 2\nb\n2 0\n2 0\nk1\n2\nJ0 2\n0 0\n1 0\nJ1 2\n0 0.5\n1 2\n";

// Every operation of the format that has a meaning here, against the library that defines it.
TEST(ForeignFormats, OperationsOfNlMeanWhatTheAmplLibrarySays) {
  Random random(2);
  const std::string x = "o2\nn0.3\no41\nv0\n";  // 0.3 sin x: inside every domain below
  const std::string y = "v2\n";                 // the defined variable, 1.5 + tanh(y) + 0.25 x
  const std::string defined = "V2 1 0\n0 0.25\no0\nn1.5\no37\nv1\n";
  const std::vector<std::string> bodies = {"o0\n" + x + y,
                                           "o1\n" + x + y,
                                           "o2\n" + x + y,
                                           "o3\n" + x + y,
                                           "o5\no15\n" + y + x,
                                           "o6\n" + x + y,
                                           "o11\n3\n" + x + y + "v1\n",
                                           "o12\n3\n" + x + y + "v1\n",
                                           "o15\n" + x,
                                           "o16\n" + x,
                                           "o37\n" + x,
                                           "o38\n" + x,
                                           "o39\no15\n" + y,
                                           "o40\n" + x,
                                           "o41\n" + x,
                                           "o42\no15\n" + y,
                                           "o43\no15\n" + y,
                                           "o44\n" + x,
                                           "o45\n" + x,
                                           "o46\n" + x,
                                           "o47\n" + x,
                                           "o49\n" + x,
                                           "o50\n" + x,
                                           "o51\n" + x,
                                           "o52\no0\nn3\n" + x,
                                           "o53\n" + x,
                                           "o54\n3\n" + x + y + "n2\n",
                                           "o5\n" + x + "n3\n",
                                           "o5\nn2\n" + x};
  for (const std::string& body : bodies) {
    const std::string nl = kHeader + defined + "C0\n" + body + "C1\no2\nv0\n" + y + kTail;
    expect_asl_agrees(nl, problem_from_nl(nl, "", "codes.nl"), random, body);
  }
}

// 3/0 and 1e600 are expressions, but no numbers that a file can hold.
TEST(ForeignFormats, NumbersThatAreNotFiniteStayExpressions) {
  for (const std::string body : {"o0\no3\nn3\nn0\nv0\n", "o2\nn1e300\no2\nn1e300\nv0\n",
                                 "o3\nv0\nn0\n", "o0\nn1e308\no0\nn1e308\nv0\n"}) {
    const std::string nl = kHeader + "V2 0 0\no37\nv1\nC0\n" + body + "C1\no2\nv0\nv2\n" + kTail;
    const Problem read = problem_from_nl(nl, "", "huge.nl");
    ASSERT_EQ(read.kind(), "mcp") << body;
    const Vector expected = std::get<Mcp>(read.data).evaluate(vector({2, 1}));
    EXPECT_FALSE(std::isfinite(expected[0])) << body;
    EXPECT_TRUE(std::isfinite(expected[1])) << body;
    const Problem from_nl = problem_from_nl(problem_to_nl(read), "", "huge.nl");
    const Problem from_mof = problem_from_mof(problem_to_mof(read), "huge.mof.json");
    for (const Problem* again : {&from_nl, &from_mof}) {
      const Vector f = std::get<Mcp>(again->data).evaluate(vector({2, 1}));
      EXPECT_EQ(f[0], expected[0]) << body;
      EXPECT_NEAR(f[1], expected[1], 1e-15) << body;
    }
  }
}

TEST(ForeignFormats, SharedSubexpressionsAreWrittenOnce) {
  Mcp mcp;
  {
    Recorder recorder;
    const ExprVector z = recorder.variables(2);
    const Expr shared = exp(z[0] * z[1]);
    mcp.graph = std::make_shared<const ExpressionGraph>(
        recorder.graph({shared * z[0] + 3.0 * z[1], sin(shared) - 1.0}));
  }
  mcp.lower = Vector::Zero(2);
  mcp.upper = Vector::Constant(2, kInf);
  const std::string nl = problem_to_nl(problem_of(mcp)), mof = problem_to_mof(problem_of(mcp));
  const auto times = [](const std::string& text, std::string_view part) {
    int count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(times(nl, "\no44\n"), 1);
  EXPECT_EQ(times(nl, "\nV2 "), 1);
  EXPECT_EQ(times(nl, "\n1 3\n"), 1);  // the linear part stands in the J segment
  EXPECT_EQ(times(mof, "\"exp\""), 1);
}

TEST(ForeignFormats, DeepExpressionsDoNotOverflowTheStack) {
  Mcp mcp;
  {
    Recorder recorder;
    Expr a = recorder.variable(0);
    for (int k = 0; k < 100'000; ++k) a = sin(a);
    mcp.graph = std::make_shared<const ExpressionGraph>(recorder.graph({a}));
  }
  mcp.lower = Vector::Zero(1);
  mcp.upper = Vector::Constant(1, kInf);
  const Problem problem = problem_of(mcp);
  const Vector z = vector({0.7}), expected = mcp.evaluate(z);
  for (const Problem& read : {problem_from_nl(problem_to_nl(problem), "", "deep.nl"),
                              problem_from_mof(problem_to_mof(problem), "deep.mof.json")}) {
    EXPECT_EQ(std::get<Mcp>(read.data).evaluate(z), expected);
  }
}

// Equations belong to the free variables in their order; fixed variables need no row.
TEST(ForeignFormats, EquationsAreMatchedToFreeVariables) {
  const std::string text = R"({"version": {"major": 1, "minor": 9},
    "variables": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}],
    "objective": {"sense": "feasibility"}, "constraints": [
    {"function": {"type": "ScalarQuadraticFunction", "constant": 1.0,
                  "affine_terms": [{"coefficient": 2.0, "variable": "b"}],
                  "quadratic_terms": [{"coefficient": 6.0, "variable_1": "a", "variable_2": "a"},
                                      {"coefficient": 5.0, "variable_1": "a", "variable_2": "c"}]},
     "set": {"type": "EqualTo", "value": 3.0}},
    {"function": {"type": "Variable", "name": "d"}, "set": {"type": "EqualTo", "value": 7.0}},
    {"function": {"type": "VectorOfVariables", "variables": ["b"]},
     "set": {"type": "Nonpositives", "dimension": 1}},
    {"function": {"type": "VectorNonlinearFunction", "node_list": [1.0, 2.0],
                  "rows": [{"type": "-", "args": [{"type": "node", "index": 2}, "a", 0.5]}, "b"]},
     "set": {"type": "Complements", "dimension": 2}},
    {"function": {"type": "VectorAffineFunction", "constants": [4.0],
                  "terms": [{"output_index": 1, "scalar_term": {"coefficient": 1.0, "variable": "d"}}]},
     "set": {"type": "Zeros", "dimension": 1}}]})";
  EXPECT_THROW(problem_from_mof(text, "t"), InputError);  // "-" of three arguments
  std::string right = text;
  right.replace(right.find("\"a\", 0.5]"), 9, "\"a\"]");
  const Problem p = problem_from_mof(right, "t");
  EXPECT_EQ(p.kind(), "mcp");
  EXPECT_EQ(bounds(p).first, vector({-kInf, -kInf, -kInf, 7}));
  EXPECT_EQ(bounds(p).second, vector({kInf, 0, kInf, 7}));
  // 1/2 6 a^2 + 5 a c + 2 b + 1 = 3 for a; 2 - a complements b; d + 4 = 0 for c; nothing for d.
  EXPECT_EQ(std::get<Mcp>(p.data).evaluate(vector({2, 3, 5, 7})), vector({66, 0, 11, 0}));
}

TEST(ForeignFormats, CallbacksAndOtherKindsAreRefused) {
  Mcp mcp;
  mcp.callback = [](const Vector&, Vector&) {};
  mcp.lower = mcp.upper = Vector::Zero(1);
  BoxQp qp{Matrix(DenseMatrix(matrix(1, 1, {1}))), vector({0}), vector({0}), vector({1})};
  for (const Problem& p : {problem_of(mcp), problem_of(qp)}) {
    EXPECT_THROW(problem_to_nl(p), std::invalid_argument);
    EXPECT_THROW(problem_to_mof(p), std::invalid_argument);
  }
}

}  // namespace
}  // namespace perp::test
