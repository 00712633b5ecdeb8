// Problems in matrices: Matrix Market and CSV files, single problems of a sequence, and reductions
// that are written.
#include "formats_support.hpp"
#include "support.hpp"

#include <perp/problems/io/csv_matrix.hpp>
#include <perp/problems/io/files.hpp>
#include <perp/problems/io/matrix_market.hpp>
#include <perp/problems/io/problem_file.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/io/problem_parts.hpp>
#include <perp/problems/io/sequence.hpp>
#include <perp/solvers/reduced_problem.hpp>
#include <perp/solvers/statements.hpp>

#include <cstring>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>

namespace perp::test {
namespace {

class MatrixFiles : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    write_text_file(path(name), text);
    return path(name);
  }
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("perp-matrices-test-" + std::to_string(Random(std::random_device{}()).bits()));
};

Matrix market(const std::string& text, Infinities infinities = Infinities::kRefused) {
  return matrix_from_market(text, "file.x", infinities);
}
DenseMatrix csv(const std::string& text, Infinities infinities = Infinities::kRefused) {
  return matrix_from_csv(text, "file.x", infinities);
}

bool same_bits(const DenseMatrix& a, const DenseMatrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * a.size()) == 0;
}

// ---- an oracle of its own: matrices of small whole numbers, and the texts that state them

enum class Shape { kGeneral, kSymmetric, kSkew };

DenseMatrix whole_numbers(Random& random, Shape shape, int rows, int cols) {
  DenseMatrix m = DenseMatrix::Zero(rows, shape == Shape::kGeneral ? cols : rows);
  for (double& x : m.reshaped()) x = random.index(2) == 0 ? 0 : random.index(9) - 4;
  if (shape == Shape::kSymmetric) return m + m.transpose();
  if (shape == Shape::kSkew) return m - m.transpose();
  return m;
}

const char* name_of(Shape shape) {
  return shape == Shape::kGeneral     ? "general"
         : shape == Shape::kSymmetric ? "symmetric"
                                      : "skew-symmetric";
}

// Entries in any order, some of them in two parts that add; of a symmetric matrix one triangle.
std::string as_coordinates(Random& random, Shape shape, const DenseMatrix& m, bool upper) {
  std::vector<std::string> lines;
  for (int j = 0; j < m.cols(); ++j) {
    for (int i = 0; i < m.rows(); ++i) {
      if (m(i, j) == 0 || (shape != Shape::kGeneral && (upper ? i > j : i < j))) continue;
      const int part = random.index(3) == 0 ? random.index(7) - 3 : 0;
      for (const double value : {m(i, j) - part, double(part)}) {
        if (value == 0) continue;
        std::ostringstream line;
        line << "  " << i + 1 << '\t' << j + 1 << ' ' << (random.index(2) ? "+" : "")
             << std::abs(value) << "e0\n";
        std::string text = line.str();
        if (value < 0) {
          const std::size_t at = text.find_last_of(" \t") + 1;
          if (text[at] == '+') text.erase(at, 1);
          text.insert(at, 1, '-');
        }
        lines.push_back(text);
      }
    }
  }
  std::ostringstream text;
  text << "%%MatrixMarket matrix coordinate " << (random.index(2) ? "real" : "integer") << ' '
       << name_of(shape) << "\n% a remark\n\n"
       << m.rows() << ' ' << m.cols() << ' ' << lines.size() << '\n';
  for (const int k : random.permutation(static_cast<int>(lines.size()))) text << lines[k];
  return text.str();
}

std::string as_array(Shape shape, const DenseMatrix& m) {
  std::ostringstream text;
  text << "%%MatrixMarket MATRIX Array Real " << name_of(shape) << "\r\n"
       << m.rows() << ' ' << m.cols() << "\r\n";
  for (int j = 0; j < m.cols(); ++j) {
    const int first = shape == Shape::kGeneral ? 0 : shape == Shape::kSymmetric ? j : j + 1;
    for (int i = first; i < m.rows(); ++i) text << m(i, j) << "\r\n";
  }
  return text.str();
}

std::string as_csv(const DenseMatrix& m, const std::string& separator) {
  std::ostringstream text;
  text << "# a heading\n";
  for (int i = 0; i < m.rows(); ++i) {
    for (int j = 0; j < m.cols(); ++j) text << (j > 0 ? separator : "") << m(i, j);
    text << "\n\n";
  }
  return text.str();
}

TEST(MatrixTexts, StateWhatTheOracleSays) {
  Random random(1);
  for (int k = 0; k < 400; ++k) {
    const Shape shape = static_cast<Shape>(random.index(3));
    const DenseMatrix m = whole_numbers(random, shape, 1 + random.index(6), 1 + random.index(6));
    const std::string text = as_coordinates(random, shape, m, random.index(2) == 1);
    const Matrix sparse = market(text), array = market(as_array(shape, m));
    EXPECT_TRUE(sparse.is_sparse());
    EXPECT_EQ(sparse.to_dense(), m) << text;
    EXPECT_FALSE(array.is_sparse());
    EXPECT_EQ(array.to_dense(), m) << as_array(shape, m);
    for (const char* separator : {",", ";", "\t", " ; ", "  "})
      EXPECT_EQ(csv(as_csv(m, separator)), m) << as_csv(m, separator);
  }
}

TEST(MatrixTexts, RandomDoublesKeepTheirBits) {
  Random random(2);
  for (int k = 0; k < 100; ++k) {
    DenseMatrix m(3, 3);
    for (double& x : m.reshaped()) {
      do {
        const std::uint64_t bits = random.bits();
        std::memcpy(&x, &bits, sizeof x);
      } while (!std::isfinite(x));
    }
    m(0, 0) = -0.0;
    m(1, 1) = std::numeric_limits<double>::denorm_min();
    const Problem posed = problem_of(Lcp{m, m.col(0)});
    for (const auto& [field, text] : problem_to_matrix_market(posed))
      EXPECT_TRUE(same_bits(market(text).to_dense(), field == "M" ? m : DenseMatrix(m.col(0))));
    std::vector<Triplet> entries;  // zeros are stored
    for (int i = 0; i < 3; ++i) entries.emplace_back(i, 2 - i, m(i, 2 - i));
    entries.emplace_back(0, 0, -0.0);
    const SparseMatrix sparse = Matrix::from_triplets(3, 3, entries).sparse();
    const auto texts = problem_to_matrix_market(problem_of(Lcp{sparse, m.col(0)}));
    const Matrix back = market(texts[0].second);
    EXPECT_EQ(back.stored(), sparse.nonZeros());
    for (int i = 0; i < back.stored(); ++i) {
      EXPECT_EQ(std::memcmp(back.sparse().valuePtr() + i, sparse.valuePtr() + i, sizeof(double)),
                0);
    }
  }
}

TEST(MatrixTexts, InfinitiesAreForBounds) {
  const std::string text = "%%MatrixMarket matrix array real general\n1 3\ninf\n-Inf\n+Infinity\n";
  EXPECT_EQ(market(text, Infinities::kAllowed).to_dense(), matrix(1, 3, {kInf, -kInf, kInf}));
  EXPECT_EQ(csv("inf,-INF,+infinity", Infinities::kAllowed), matrix(1, 3, {kInf, -kInf, kInf}));
  expect_refusal([&] { market(text); }, {"line 3", "inf", "finite"});
  expect_refusal([] { csv("1\n-inf\n"); }, {"line 2", "-inf", "finite"});
  expect_refusal([] { csv("nan", Infinities::kAllowed); }, {"line 1", "nan"});
}

TEST(MatrixTexts, MatrixMarketRefusesWithItsLine) {
  const auto refuse = [](const std::string& rest, std::initializer_list<const char*> words) {
    expect_refusal([&] { market("%%MatrixMarket matrix " + rest); }, words);
  };
  expect_refusal([] { market(""); }, {"banner"});
  expect_refusal([] { market("2 2\n1\n2\n3\n4\n"); }, {"line 1", "banner"});
  refuse("coordinate real\n", {"line 1", "4 words"});
  refuse("coordinate pattern general\n1 1 1\n1 1\n", {"line 1", "pattern"});
  refuse("coordinate complex general\n1 1 1\n1 1 1 0\n", {"line 1", "complex", "real"});
  refuse("array real hermitian\n1 1\n1\n", {"line 1", "hermitian"});
  refuse("sparse real general\n", {"line 1", "sparse", "coordinate"});
  refuse("array real general\n", {"sizes"});
  refuse("array real general\n2 2 4\n", {"line 2", "3 words"});
  refuse("array real general\n-1 2\n", {"line 2", "rows", "-1"});
  refuse("array real general\n1e3 2\n", {"line 2", "rows", "1e3"});
  refuse("array real general\n3000000000 2\n", {"line 2", "rows", "3000000000"});
  refuse("coordinate real symmetric\n2 3 0\n", {"line 2", "square"});
  refuse("coordinate real general\n1000000000 1000000000 1\n1 1 1\n", {"line 2", "bytes"});
  refuse("array real general\n1000000000 1\n1\n", {"line 2", "bytes"});
  refuse("array real general\n60000 60000\n1\n", {"1 of the 3600000000"});
  refuse("coordinate real general\n2 2 2147483647\n1 1 1\n", {"1 of the 2147483647"});
  refuse("coordinate real general\n2 2 1\n0 1 1\n", {"line 3", "row (from 1)", "0", "1..2"});
  refuse("coordinate real general\n2 2 1\n1 3 1\n", {"line 3", "column (from 1)", "3", "1..2"});
  refuse("coordinate real general\n2 2 1\n1 1\n", {"line 3", "2 words"});
  refuse("coordinate real general\n2 2 1\n1 1 one\n", {"line 3", "\"one\""});
  refuse("coordinate real general\n2 2 1\n1 1 1e400\n", {"line 3", "1e400", "range"});
  refuse("coordinate integer general\n2 2 1\n1 1 1.5\n", {"line 3", "1.5", "integer"});
  refuse("coordinate real general\n2 2 1\n1 1 1\n1 2 1\n", {"line 4", "more than the 1"});
  refuse("array real general\n2 1\n1\n2\n3\n", {"line 5", "more than the 2"});
  refuse("coordinate real symmetric\n2 2 2\n1 2 1\n2 1 1\n", {"line 4", "triangle"});
  refuse("coordinate real skew-symmetric\n2 2 1\n1 1 1\n", {"line 3", "diagonal"});
}

TEST(MatrixTexts, CsvRefusesWithItsLine) {
  expect_refusal([] { csv(""); }, {"no numbers"});
  expect_refusal([] { csv("# 1\n\n% 2\n"); }, {"no numbers"});
  expect_refusal([] { csv("a,b\n1,2\n"); }, {"line 1", "\"a\"", "column names"});
  expect_refusal([] { csv("\"1\",2\n"); }, {"line 1", "column names"});
  expect_refusal([] { csv("1,2\n3\n"); }, {"line 2", "1 numbers", "line 1 has 2"});
  expect_refusal([] { csv("1,2,\n"); }, {"line 1", "\",\""});
  expect_refusal([] { csv("1;;2\n"); }, {"line 1", "\";\""});
  expect_refusal([] { csv("1,5;2\n"); }, {"line 1", "1,5", "point"});
  expect_refusal([] { csv("1,5 2\n"); }, {"line 1", "\"5 2\""});
  expect_refusal([] { csv("1\n2,5\n"); }, {"line 2", "\"2,5\""});
  expect_refusal([] { csv("1,+-2\n"); }, {"line 1", "\"+-2\""});
  expect_refusal([] { csv("1,1e-999\n"); }, {"line 1", "range"});
}

// ---- files

// What the files of matrices hold of a problem.
Problem numbers_of(Problem p) {
  p.source = {};
  p.variables.clear();
  p.contacts.clear();
  p.extensions.clear();
  if (auto* qp = std::get_if<ConicQp>(&p.data)) qp->partition = nullptr;
  return p;
}

std::vector<Problem> problems_of_every_kind() {
  std::vector<Problem> problems = {
      generate(find_family("psd"), 5, 1),           generate(find_family("obstacle"), 3, 1),
      generate(find_family("box-qp"), 6, 1),        generate(find_family("contact-stack"), 2, 1),
      generate(find_family("socp"), 6, 1),          generate(find_family("friction-stack"), 2, 1),
      generate(find_family("compliant-pile"), 6, 1)};
  problems.push_back(problem_of(to_mlcp(std::get<Lcp>(problems[0].data))));
  problems.push_back(problem_of(Lcp{DenseMatrix(0, 0), Vector(0)}));
  problems.push_back(
      problem_of(ConicQp{matrix(1, 1, {1}), vector({1}), DenseMatrix(0, 1), Vector(), {}}));
  for (Problem& p : problems) {
    if (!p.start) p.start = Vector::Constant(p.size(), 0.25);
  }
  return problems;
}

TEST_F(MatrixFiles, EveryKindComesBackBitForBit) {
  std::set<std::string> kinds;
  for (Problem& p : problems_of_every_kind()) {
    for (const char* ending : {".mtx", ".mtx.gz"}) {
      const std::string name = "model" + std::to_string(kinds.size()) + ending;
      std::vector<std::string> named = write_problem(p, path(name));
      named.push_back(path(name));  // which is no file
      p.name = name.substr(0, name.find('.'));
      for (const std::string& file : named)
        EXPECT_EQ(problem_to_text(read_problem(file)), problem_to_text(numbers_of(p))) << file;
      for (const std::string& file : named) std::filesystem::remove(file);
    }
    kinds.insert(std::string(p.kind()));
  }
  EXPECT_EQ(kinds.size(), problem_kinds().size() - 1);  // all but mcp
}

TEST_F(MatrixFiles, OfAFolderAndByName) {
  std::filesystem::create_directories(path("mine"));
  const std::string banner = "%%MatrixMarket matrix array real general\n";
  const std::string m = write("mine/M.mtx", banner + "2 2\n2\n1\n1\n2\n");
  write("mine/q.mtx.gz", banner + "1 2\n-4\n1\n");
  for (const std::string& file : {path("mine"), path("mine/"), m, path("mine/q.mtx.gz")}) {
    const Problem p = read_problem(file);
    EXPECT_EQ(p.kind(), "lcp");
    EXPECT_EQ(p.name, "mine");
    EXPECT_EQ(std::get<Lcp>(p.data).q, vector({-4, 1}));
  }
  const std::string q = write("rhs.csv", "1\n2\n"), low = write("l.csv", "-inf,0"),
                    high = write("u.csv", "inf;1");
  const Problem given = read_problem(m, "", {{"q", q}});
  EXPECT_EQ(std::get<Lcp>(given.data).q, vector({1, 2}));
  const Problem bounded = read_problem(m, "", {{"q", q}, {"lower", low}, {"upper", high}});
  EXPECT_EQ(std::get<Mlcp>(bounded.data).lower, vector({-kInf, 0}));
  EXPECT_EQ(std::get<Mlcp>(bounded.data).upper, vector({kInf, 1}));
  write("W.txt", "3 1\n1 3\n");
  write("t.q.txt", "0 1\n");
  write("t.M.txt", "3 1\n1 3\n");
  EXPECT_EQ(std::get<Lcp>(read_problem(path("t.M.txt"), "csv").data).q, vector({0, 1}));
}

TEST_F(MatrixFiles, RefusalsNameTheFileAndTheField) {
  const auto refuse = [](const std::string& file, const PartFiles& given,
                         std::initializer_list<const char*> words) {
    try {
      read_problem(file, "", given);
      ADD_FAILURE() << file;
    } catch (const InputError& error) {
      const std::string text = error.what();
      for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
    }
  };
  const std::string m = write("M.csv", "2,1\n1,2\n");
  refuse(m, {}, {"M.csv: ", "\"q\"", "missing", "/q.csv"});
  write("q.csv", "1\n2\n3\n");
  refuse(m, {}, {"M.csv: ", "\"M\"", "2x2", "3x3"});
  write("q.csv", "1,2\n3,4\n");
  refuse(m, {}, {"q.csv: ", "\"q\"", "2 x 2", "one column or one row"});
  write("q.csv", "1\n2\n");
  write("lower.csv", "0\n0\n");
  refuse(m, {}, {"\"upper\"", "missing", "mlcp"});
  write("upper.csv", "1\n-1\n");
  refuse(m, {}, {"lower.csv: ", "\"lower[1]\"", "above"});
  write("H.csv", "1");
  refuse(m, {}, {"M.csv: ", "{H,M,lower,q,upper}", "--q"});
  refuse(path("none.csv"), {}, {"none.csv: no such file"});
  refuse(m, {{"q", path("none.csv")}}, {"none.csv: no such file"});
  refuse(m, {{"lower", path("lower.csv")}, {"upper", path("lower.csv")}}, {"\"q\"", "missing"});
  refuse(write("b.csv", "1"), {}, {"b.csv: "});
  refuse(write("rhs.csv", "1"), {}, {"rhs.csv: ", "alone", "--q"});
  refuse(write("p.json", "{}"), {{"q", path("q.csv")}}, {"p.json: ", "--q", "perp"});
  write("M.mtx", "");
  refuse(path(""), {}, {"H.csv", "M.mtx"});
  write("q.csv.gz", "1\n2\n");
  refuse(m, {}, {"q.csv", "twice"});
}

TEST(ProblemParts, CheckConesAndContacts) {
  const auto refuse = [](std::map<std::string, ProblemPart, std::less<>> parts,
                         std::initializer_list<const char*> words) {
    for (auto& [field, part] : parts) part.file = "file.x";
    expect_refusal([&] { problem_from_parts(parts, "file.x"); }, words);
  };
  const DenseMatrix one = matrix(1, 1, {1});
  const auto conic = [&](const DenseMatrix& cones) {
    return std::map<std::string, ProblemPart, std::less<>>{{"P", {one, ""}},
                                                           {"c", {one, ""}},
                                                           {"A", {one, ""}},
                                                           {"b", {one, ""}},
                                                           {"cones", {cones, ""}}};
  };
  refuse(conic(matrix(1, 2, {3, 1})), {"\"cones\"", "type 3"});
  refuse(conic(matrix(1, 2, {1, 0.5})), {"\"cones\"", "size 0.5"});
  refuse(conic(matrix(1, 2, {1, 2})), {"\"cones\"", "add up to 2"});
  refuse(conic(matrix(1, 3, {1, 1, 1})), {"\"cones\"", "3 columns"});
  refuse(conic(SparseMatrix(1, 2)), {"\"cones\""});
  const Vector q = Vector::Ones(5);
  refuse({{"W", {DenseMatrix(DenseMatrix::Identity(5, 5)), ""}},
          {"q", {DenseMatrix(q), ""}},
          {"mu", {matrix(2, 1, {1, 1}), ""}}},
         {"\"q\"", "5", "2 contacts"});
  refuse({{"J", {one, ""}},
          {"M", {SparseMatrix(1, 1), ""}},
          {"q", {matrix(2, 1, {1, 1}), ""}},
          {"mu", {one, ""}}},
         {"\"M\"", "positive definite"});
}

TEST_F(MatrixFiles, OneProblemOfASequence) {
  std::vector<Problem> problems;
  for (int k = 1; k <= 3; ++k) {
    problems.push_back(numbers_of(generate(find_family("psd"), k, 1)));
    problems.back().name = k == 2 ? "" : "named";
  }
  const std::string text = sequence_to_text("s", {}, problems);
  const std::string file = write("steps.jsonl.gz", text);
  for (int k = 1; k <= 3; ++k) {
    const Problem p = read_problem(file + ":" + std::to_string(k));
    EXPECT_EQ(p.size(), k);
    EXPECT_EQ(p.name, k == 2 ? "steps-2" : "named");
  }
  for (const char* wrong : {":0", ":-1", ":", ":1x", ":99999999999", ":4"})
    EXPECT_THROW(read_problem(file + wrong), InputError) << wrong;
  EXPECT_THROW(read_problem(file), InputError);
  EXPECT_THROW(read_problem(path("none.jsonl:1")), InputError);
  // Lines are skipped without a look, and a last one without its end does not count.
  const std::string broken =
      write("broken.jsonl", text.substr(0, text.find('\n')) + "\n\nnothing\n" +
                                text.substr(text.rfind('\n', text.size() - 2) + 1) + "{}");
  EXPECT_EQ(read_problem(broken + ":2").size(), 3);
  EXPECT_THROW(read_problem(broken + ":1"), InputError);
  EXPECT_THROW(read_problem(broken + ":3"), InputError);
  write("odd.jsonl:1", text);  // a file of this very name is meant
  EXPECT_FALSE(sequence_place(path("odd.jsonl:1")));
}

// ---- reductions

TEST(ReducedProblem, FritzJohnAsAGraphIsTheCallback) {
  Random random(3);
  for (const char* family : {"friction-stack", "friction-pile", "painleve-rods"}) {
    for (const double mu : {0.0, 0.5}) {
      Problem p = friction(family, 3, 1);
      auto& contact = std::get<FrictionContact>(p.data);
      contact.mu[0] = mu;
      const Reduction reduction = reduce_to_mcp(contact);
      const Mcp& callback = std::get<Mcp>(reduction.problem);
      const Mcp graph = fritz_john_graph(contact);
      EXPECT_EQ(graph.lower, callback.lower);
      EXPECT_EQ(graph.upper, callback.upper);
      for (int k = 0; k < 5; ++k) {
        const Vector z = gaussian(random, graph.size(), 1);
        const Vector a = graph.evaluate(z), b = callback.evaluate(z);
        EXPECT_LT((a - b).norm(), 1e-12 * (1 + b.norm())) << family;
      }
    }
  }
}

// Of the planar problem its own reduction, and of J and M that of W.
TEST(ReducedProblem, GraphsOfOperatorsAndInThePlane) {
  Random random(4);
  FrictionContact p;
  p.dimension = 2;
  p.J = gaussian(random, 4, 3);
  p.M = DenseMatrix(DenseMatrix::Identity(3, 3) * 2);
  p.q = gaussian(random, 4, 1);
  p.mu = vector({0.5, 0});
  p.compliance = vector({0.1, 0.2, 0, 0.3});
  const Mcp graph = fritz_john_graph(p);
  const Reduction reduction = reduce_to_mcp(p);
  const Vector z = gaussian(random, graph.size(), 1);
  EXPECT_LT((graph.evaluate(z) - std::get<Mcp>(reduction.problem).evaluate(z)).norm(), 1e-12);
}

TEST(ReducedProblem, TellsWhereItComesFrom) {
  const Problem p = generate(find_family("box-qp"), 6, 1);
  const Problem reduced = reduced_problem(p, "mlcp", "p.json");
  EXPECT_EQ(reduced.kind(), "mlcp");
  EXPECT_EQ(*reduced.source.find("label")->get_if<std::string>(), "exact");
  EXPECT_EQ(*reduced.source.find("of")->find("kind")->get_if<std::string>(), "box_qp");
  EXPECT_EQ(*reduced.source.find("of")->find("file")->get_if<std::string>(), "p.json");
  EXPECT_NE(reduced.source.find("of")->find("source"), nullptr);
  ASSERT_TRUE(reduced.solution);
  EXPECT_TRUE(verify(reduced, {reduced.solution->z, {}}, 1e-8).solved);
  EXPECT_EQ(problem_to_text(problem_from_text(problem_to_text(reduced), "x")),
            problem_to_text(reduced));
}

TEST(ReducedProblem, ApproximateOnesByNameAlone) {
  const Problem p = friction("friction-stack", 2, 1);
  EXPECT_THROW(reduced_problem(p, "lcp"), std::invalid_argument);
  EXPECT_THROW(reduced_problem(p, "conic_qp"), std::invalid_argument);
  EXPECT_THROW(reduced_problem(p, "pyramid:5"), std::invalid_argument);
  for (const char* as : {"pyramid", "pyramid:4", "convex"}) {
    const Problem reduced = reduced_problem(p, as);
    EXPECT_EQ(*reduced.source.find("label")->get_if<std::string>(), "approximate") << as;
    EXPECT_NE(reduced.name.find("approximate"), std::string::npos);
    EXPECT_FALSE(reduced.solution);
  }
  EXPECT_EQ(*reduced_problem(p, "mcp").source.find("label")->get_if<std::string>(), "exact");
  Problem smooth = p;
  std::get<FrictionContact>(smooth.data).mu.setZero();
  EXPECT_EQ(reduced_problem(smooth, "lcp").kind(), "lcp");
  EXPECT_EQ(reduced_problem(smooth, "conic_qp").kind(), "conic_qp");
}

TEST(ReducedProblem, RefusesWithTheListOfWhatThereIs) {
  const auto refuse = [](const Problem& p, const std::string& as, const char* words) {
    try {
      reduced_problem(p, as);
      ADD_FAILURE() << as;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  const Problem lcp = generate(find_family("p-matrix"), 4, 1);
  refuse(lcp, "conic_qp", "there are: mlcp, mcp, box_qp");
  refuse(lcp, "convex", "there are: mlcp, mcp, box_qp");
  refuse(lcp, "box_qp", "not symmetric");
  refuse(reduced_problem(lcp, "mlcp"), "box_qp", "not symmetric");
  refuse(reduced_problem(lcp, "mlcp"), "conic_qp", "there are: lcp");
  refuse(generate(find_family("socp"), 6, 1), "mlcp", "second_order");
  refuse(friction("friction-stack", 2, 1), "nothing", "pyramid:EDGES");
}

}  // namespace
}  // namespace perp::test
