// QPS, Matrix Market and the global friction problems of Siconos: what is read and written, and
// what is refused.
#include "formats_support.hpp"
#include "support.hpp"

#include <perp/problems/io/matrix_market.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/io/qps.hpp>
#include <perp/problems/io/siconos_text.hpp>
#include <perp/problems/json/json.hpp>

#include <map>
#include <set>
#include <sstream>

namespace perp::test {
namespace {

Problem qps(const std::string& text) { return problem_from_qps(text, "file.x"); }

// Every kind of row with and without a range, every kind of bound.
const std::string kQps = R"(* a remark
NAME          EVERYTHING
ROWS
 N  cost
 N  other
 L  low
 G  high
 E  same
 E  upward
 E  downward
 L  between
COLUMNS
    x         cost      1.5            low       1.0
    x         high      2.0            same      -1.D0
    y         cost      -2.0           low       +3.0
    y         upward    1.0            downward  1.0
    z         between   4.0            other     7.0
    f         same      1.0
    v         low       .5
RHS
    RHS       cost      10.0           low       4.0
    RHS       high      -1.0           same      2.0
    RHS       upward    1.0            downward  1.0
    RHS       between   8.0
RANGES
    RNG       upward    3.0            downward  -3.0
    RNG       between   2.5
BOUNDS
 UP BND       x         4.0
 MI BND       y
 FX BND       z         0.5
 FR BND       f
 UP BND       v         -2.0
QUADOBJ
    x         x         2.0            y         -1.0
    y         y         3.0
ENDATA
)";

// Constraint rows (A, b) of a cone, as text to compare without order.
std::multiset<std::string> rows_of_cones(const ConicQp& p) {
  std::multiset<std::string> rows;
  int at = 0;
  for (const Cone& cone : p.cones) {
    for (int k = 0; k < cone.size; ++k, ++at) {
      std::string text(to_string(cone.type));
      for (int j = 0; j < p.size(); ++j)
        text += ' ' + std::to_string(p.A.coefficient(at, j) + 0.0).substr(0, 5);
      rows.insert(text + " | " + std::to_string(p.b[at] + 0.0).substr(0, 5));
    }
  }
  return rows;
}

TEST(Qps, RowsRangesBoundsAndTheQuadraticPart) {
  const Problem problem = qps(kQps);
  const ConicQp& p = std::get<ConicQp>(problem.data);
  EXPECT_EQ(problem.name, "EVERYTHING");
  EXPECT_EQ(problem.variables, (std::vector<std::string>{"x", "y", "z", "f", "v"}));
  EXPECT_EQ(p.c, vector({1.5, -2, 0, 0, 0}));
  DenseMatrix h = DenseMatrix::Zero(5, 5);
  h.topLeftCorner(2, 2) << 2, -1, -1, 3;
  EXPECT_EQ(p.P.to_dense(), h);
  EXPECT_EQ(std::get<double>(problem.source.find("constant")->data), -10.0);
  const ConicQp expected{
      p.P,
      p.c,
      Matrix(matrix(13, 5, {-1, 0, 0, 1, 0,                     // same
                            0,  0, 1, 0, 0,                     // z = 0.5
                            1,  3, 0, 0, .5,                    // low
                            -2, 0, 0, 0, 0,                     // high
                            0,  1, 0, 0, 0,  0,  -1, 0,  0, 0,  // 1 <= upward <= 4
                            0,  1, 0, 0, 0,  0,  -1, 0,  0, 0,  // -2 <= downward <= 1
                            0,  0, 4, 0, 0,  0,  0,  -4, 0, 0,  // 5.5 <= between <= 8
                            1,  0, 0, 0, 0,  -1, 0,  0,  0, 0,  // 0 <= x <= 4
                            0,  0, 0, 0, 1})),                  // v <= -2, no lower bound
      vector({2, .5, 4, 1, 4, -1, 1, 2, 8, -5.5, 4, 0, -2}),
      {{ConeType::kZero, 2}, {ConeType::kNonnegative, 11}}};
  EXPECT_EQ(rows_of_cones(p), rows_of_cones(expected));
}

TEST(Qps, WithoutRowsItIsABoxQp) {
  const Problem problem =
      qps("NAME free form\nOBJSENSE\n    MAX\nROWS\n N obj\nCOLUMNS\n a obj 1\n b obj -2\n"
          "BOUNDS\n UP B a 3\n LO B b -1e30\n BV B b\nQMATRIX\n a a -2\n a b 1\n b a 1\n b b "
          "-4\nENDATA\n");
  const BoxQp& p = std::get<BoxQp>(problem.data);
  EXPECT_EQ(p.H.to_dense(), matrix(2, 2, {2, -1, -1, 4}));
  EXPECT_EQ(p.c, vector({-1, 2}));
  EXPECT_EQ(p.lower, vector({0, 0}));
  EXPECT_EQ(p.upper, vector({3, 1}));
  EXPECT_NE(problem.source.find("sense"), nullptr);
  EXPECT_NE(problem.source.find("relaxed"), nullptr);
}

// In fixed form names may hold blanks; sets need no name in free form.
TEST(Qps, FixedAndFreeForm) {
  const Problem fixed =
      qps("NAME          BLANKS\nROWS\n N  the cost\n L  row 1\nCOLUMNS\n"
          "    col one   the cost  1.0            row 1     2.0\nRHS\n"
          "    RHS       row 1     3.0\nBOUNDS\n UP BND       col one   5.0\nENDATA\n");
  const Problem free = qps(
      "NAME BLANKS\nROWS\n N cost\n L r\nCOLUMNS\n x cost 1.0 r 2.0\nRHS\n r 3.0\nBOUNDS\n UP x 5\n"
      "ENDATA\n");
  EXPECT_EQ(fixed.variables, std::vector<std::string>{"col one"});
  const ConicQp &a = std::get<ConicQp>(fixed.data), &b = std::get<ConicQp>(free.data);
  EXPECT_EQ(a.A.to_dense(), b.A.to_dense());
  EXPECT_EQ(a.b, b.b);
}

TEST(Qps, RefusesWithLineAndSection) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = kQps;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return [text = text.replace(at, from.size(), to)] { qps(text); };
  };
  expect_refusal(changed("ROWS", "GROUPS"), {"line 3", "GROUPS", "not supported"});
  expect_refusal(changed("QUADOBJ", "QCMATRIX"), {"QCMATRIX", "not supported"});
  expect_refusal(changed("2.0            same", "two            same"), {"COLUMNS", "\"two\""});
  expect_refusal(changed("1.5            low ", "1.5            lost"), {"COLUMNS", "lost"});
  expect_refusal(changed("cost      -2.0           low", "cost      -2.0           cost"),
                 {"twice"});
  expect_refusal(changed(" MI BND       y", " XX BND       y"), {"BOUNDS", "XX"});
  expect_refusal(changed("0.5\n FR", "inf\n FR"), {"BOUNDS", "z"});
  expect_refusal(changed(" UP BND       x         4.0", " UP BND       w         4.0"), {"\"w\""});
  expect_refusal(changed("    y         y         3.0", "    y         x         3.0"),
                 {"QMATRIX"});
  expect_refusal(changed("ENDATA", ""), {"ENDATA"});
  expect_refusal(changed("    RHS       upward", "    RHS2      upward"), {"RHS", "only one"});
  expect_refusal([] { qps("NAME x\nROWS\n L r\nCOLUMNS\n x r 1\nENDATA\n"); }, {"objective"});
  expect_refusal([] { qps("NAME x\nROWS\n N c\nENDATA\n"); }, {"no columns"});
  expect_refusal([] { qps("ROWS\n N c\nCOLUMNS\n x c 1\n y c 1\nQMATRIX\n x y 1\nENDATA\n"); },
                 {"H"});
}

// What says something else than the reader would take must not be read in silence.
TEST(Qps, WhatStandsTwiceOrElsewhereIsRefused) {
  const std::string head = "NAME x\nROWS\n N obj\n L c1\nCOLUMNS\n x obj 1 c1 1\n";
  expect_refusal([&] { qps(head + "RHS\n c1 10\n c1 20\nENDATA\n"); }, {"line 9", "c1", "twice"});
  expect_refusal([&] { qps(head + "RHS\n A c1 10\nRHS\n B c1 30\nENDATA\n"); },
                 {"line 10", "only one"});
  expect_refusal([&] { qps(head + "RANGES\n c1 10\n c1 20\nENDATA\n"); }, {"twice"});
  expect_refusal([&] { qps(head + "BOUNDS\n UP b x 1\n UP b x 2\nENDATA\n"); },
                 {"line 9", "x", "upper"});
  expect_refusal([&] { qps(head + "BOUNDS\n LO b x 1\n FX b x 2\nENDATA\n"); }, {"x", "lower"});
  expect_refusal([&] { qps(head + "QSECTION c1\n x x 2\nENDATA\n"); },
                 {"line 7", "c1", "quadratic constraints"});
  expect_refusal([&] { qps(head + "QSECTION nothing\n x x 2\nENDATA\n"); }, {"nothing"});
  const Problem quadratic = qps(head + "QSECTION obj\n x x 2\nENDATA\n");
  EXPECT_EQ(std::get<ConicQp>(quadratic.data).P.to_dense(), matrix(1, 1, {2}));
  const Problem bounded = qps(head + "BOUNDS\n LO b x -1\n UP b x 2\nENDATA\n");
  EXPECT_EQ(std::get<ConicQp>(bounded.data).b, vector({0, 2, 1}));
}

TEST(Qps, FixedFieldsAreNotCut) {
  const std::string head = "NAME\nROWS\n N  obj\n L  c 1\nCOLUMNS\n";
  expect_refusal([&] { qps(head + "    x         obj       0.1234567e-10\nRHS\nENDATA\n"); },
                 {"line 6", "fixed form"});
  expect_refusal(
      [&] {
        qps(head +
            "    x         c 1       1.0\nRHS\n    R         c 1       1234567890123\n"
            "ENDATA\n");
      },
      {"line 8", "fixed form"});
}

// Reads the texts back with a reader of its own.
DenseMatrix from_matrix_market(const std::string& text) {
  std::istringstream in(text);
  std::string banner, object, layout, field, symmetry, line;
  in >> banner >> object >> layout >> field >> symmetry;
  EXPECT_EQ(banner + object + symmetry, "%%MatrixMarketmatrixgeneral");
  std::getline(in, line);
  std::getline(in, line);
  EXPECT_EQ(line.substr(0, 6), "% perp");
  const auto number = [&] {
    std::string word;
    in >> word;
    return std::stod(word);
  };
  int rows = 0, cols = 0, entries = 0;
  in >> rows >> cols;
  DenseMatrix m = DenseMatrix::Zero(rows, cols);
  if (layout == "array") {
    for (double& x : m.reshaped()) x = number();
  } else {
    in >> entries;
    for (int k = 0; k < entries; ++k) {
      int i = 0, j = 0;
      in >> i >> j;
      m(i - 1, j - 1) = number();
    }
  }
  return m;
}

TEST(MatrixMarket, HoldsEveryFieldBitForBit) {
  const Problem p = generate(find_family("box-qp"), 6, 1, {{"boxed", 0.5}});
  const BoxQp& qp = std::get<BoxQp>(p.data);
  std::map<std::string, DenseMatrix> read;
  for (const auto& [field, text] : problem_to_matrix_market(p))
    read[field] = from_matrix_market(text);
  EXPECT_EQ(read.size(), 5u);
  EXPECT_EQ(read["H"], qp.H.dense());
  EXPECT_EQ(read["c"].col(0), qp.c);
  EXPECT_EQ(read["lower"].col(0), qp.lower);
  EXPECT_EQ(read["upper"].col(0), qp.upper);
  EXPECT_EQ(read["solution"].col(0), p.solution->z);

  const Problem cone = qps(kQps);
  const ConicQp& conic = std::get<ConicQp>(cone.data);
  for (const auto& [field, text] : problem_to_matrix_market(cone))
    read[field] = from_matrix_market(text);
  EXPECT_EQ(read["A"], conic.A.to_dense());
  EXPECT_EQ(read["cones"], matrix(2, 2, {0, 2, 1, 11}));
  const Problem nonlinear = generate(find_family("mcp-classics"), 0, 1, {}, "josephy-1");
  EXPECT_THROW(problem_to_matrix_market(nonlinear), std::invalid_argument);
}
TEST(SiconosText, GlobalFrictionProblems) {
  const Chain chain;
  const std::string text =
      "2\n2\n0\n3\n3\n3 3\n2 -1 0 -1 3 -1 0 -1 4\n0\n3\n4\n3 4\n1 -1 0 0 1 0 0 0 1 0 1 2\n"
      "1 -2 3\n-1 0.5 0 0.25\n0.5 0.3\n";
  const Problem p = problem_from_siconos_text(text, "file.x");
  const Vector r = vector({1, 2, 3, 4});
  EXPECT_LT((std::get<FrictionContact>(p.data).relative_velocity(r) - chain.velocity(r)).norm(),
            1e-13);
  expect_refusal([] { problem_from_siconos_text("3 1 2 3 3 0", "file.x"); }, {"sparse columns"});
  expect_refusal(
      [&] {
        std::string bad = text;
        problem_from_siconos_text(bad.insert(bad.find("2 -1 0"), "-"), "file.x");
      },
      {"M", "positive definite"});
}

}  // namespace
}  // namespace perp::test
