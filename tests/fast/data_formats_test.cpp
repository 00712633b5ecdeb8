// FCLIB, QPS, Matrix Market and the global friction problems of Siconos: what is read and written,
// and what is refused.
#include "support.hpp"

#include <perp/problems/io/fclib.hpp>
#include <perp/problems/io/json.hpp>
#include <perp/problems/io/matrix_market.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/io/qps.hpp>
#include <perp/problems/io/siconos_text.hpp>

#include <Eigen/LU>
#include <map>
#include <set>
#include <sstream>

#ifdef PERP_HAS_HDF5
#include <hdf5.h>
#endif

namespace perp::test {
namespace {

// The complaint about a text, which must name the file and these words.
template <class Read>
void expect_refusal(Read read, std::initializer_list<const char*> words) {
  try {
    read();
    ADD_FAILURE() << "read without complaint";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    EXPECT_NE(text.find("file.x"), std::string::npos) << text;
    for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
  }
}

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
        text += " " + std::to_string(p.A.coefficient(at, j) + 0.0).substr(0, 5);
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
  expect_refusal(changed("ROWS", "GROUPS"), {"line 3", "GROUPS", "not read"});
  expect_refusal(changed("QUADOBJ", "QCMATRIX"), {"QCMATRIX", "not read"});
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

// Two contacts of dimension 2 on a chain of three masses: M v = H r + f, u = H'v + w.
struct Chain {
  SparseMatrix M = matrix(3, 3, {2, -1, 0, -1, 3, -1, 0, -1, 4}).sparseView();
  SparseMatrix H = matrix(3, 4, {1, 0, 0, 0, -1, 1, 0, 1, 0, 0, 1, 2}).sparseView();
  Vector f = vector({1, -2, 3}), w = vector({-1, 0.5, 0, 0.25}), mu = vector({0.5, 0.3});

  // u for some r, by hand.
  Vector velocity(const Vector& r) const {
    const Vector v = DenseMatrix(M).inverse() * (H * r + f);
    return H.transpose() * v + w;
  }
};

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

#ifdef PERP_HAS_HDF5

// Files as FCLIB and Siconos write them, made here with the library itself.
class Hdf5File {
 public:
  Hdf5File() {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 16, false);
    file_ = H5Fcreate("test", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
  }
  ~Hdf5File() { H5Fclose(file_); }
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  void integers(const std::string& path, std::vector<int> v) const {
    dataset(path, H5T_NATIVE_INT, v.data(), v.size());
  }
  void numbers(const std::string& path, std::vector<double> v) const {
    dataset(path, H5T_NATIVE_DOUBLE, v.data(), v.size());
  }
  void numbers(const std::string& path, const Vector& v) const {
    numbers(path, std::vector<double>(v.begin(), v.end()));
  }
  void matrix(const std::string& path, int rows, int cols, int nz, std::vector<int> p,
              std::vector<int> i, std::vector<double> x) const {
    integers(path + "/m", {rows});
    integers(path + "/n", {cols});
    integers(path + "/nz", {nz});
    integers(path + "/nzmax", {static_cast<int>(x.size()) + 5});
    integers(path + "/p", std::move(p));
    integers(path + "/i", std::move(i));
    numbers(path + "/x", std::move(x));
  }
  hid_t id() const { return file_; }
  /// A dataset of doubles with a size and a plan of storage; written where there are values.
  void planned(const std::string& path, hsize_t size, hid_t plan,
               const std::vector<double>& v = {}) const {
    dataset(path, H5T_NATIVE_DOUBLE, v.empty() ? nullptr : v.data(), size, plan);
  }
  void text(const std::string& path, std::size_t length, hsize_t count, bool written) const {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length);
    const std::string words(written ? length * count : 0, 'x');
    dataset(path, type, written ? words.data() : nullptr, count, H5P_DEFAULT);
    H5Tclose(type);
  }
  std::string bytes() const {
    H5Fflush(file_, H5F_SCOPE_LOCAL);
    std::string image(static_cast<std::size_t>(H5Fget_file_image(file_, nullptr, 0)), '\0');
    H5Fget_file_image(file_, image.data(), image.size());
    return image;
  }

 private:
  void dataset(const std::string& path, hid_t type, const void* data, std::size_t count,
               hid_t plan = H5P_DEFAULT) const {
    const hid_t make = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(make, 1);
    const hsize_t size = count;
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    const hid_t set = H5Dcreate2(file_, path.c_str(), type, space, make, plan, H5P_DEFAULT);
    if (data) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(make);
  }

  hid_t file_;
};

Problem fclib(const std::string& bytes) { return problem_from_fclib(bytes, "file.x"); }

void write_chain(const Hdf5File& file, bool one_triangle) {
  const Chain chain;
  file.integers("fclib_global/spacedim", {2});
  if (one_triangle) {
    file.matrix("fclib_global/M", 3, 3, 5, {0, 1, 1, 2, 2}, {0, 0, 1, 1, 2}, {2, -1, 3, -1, 4});
  } else {
    file.matrix("fclib_global/M", 3, 3, -1, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2},
                {2, -1, -1, 3, -1, -1, 4});
  }
  // Triplets as Siconos writes them: p are columns.
  file.matrix("fclib_global/H", 3, 4, 6, {0, 0, 1, 2, 3, 3}, {0, 1, 1, 2, 1, 2},
              {1, -1, 1, 1, 1, 2});
  file.numbers("fclib_global/vectors/f", chain.f);
  file.numbers("fclib_global/vectors/w", chain.w);
  file.numbers("fclib_global/vectors/mu", chain.mu);
}

TEST(Fclib, GlobalProblemsAlsoWithOneTriangleOfM) {
  const Chain chain;
  const Vector r = vector({1, 2, 3, 4});
  for (const bool one_triangle : {false, true}) {
    const Hdf5File file;
    write_chain(file, one_triangle);
    const Problem p = fclib(file.bytes());
    const FrictionContact& data = std::get<FrictionContact>(p.data);
    EXPECT_EQ(data.dimension, 2);
    EXPECT_EQ(data.M.to_dense(), DenseMatrix(chain.M));
    EXPECT_LT((data.relative_velocity(r) - chain.velocity(r)).norm(), 1e-13);
    EXPECT_EQ(p.source.find("completed") != nullptr, one_triangle);
    const Problem again = fclib(problem_to_fclib(p));
    EXPECT_LT(
        (std::get<FrictionContact>(again.data).relative_velocity(r) - chain.velocity(r)).norm(),
        1e-13);
  }
}

TEST(Fclib, LocalProblemsInEveryStorage) {
  const DenseMatrix w = matrix(3, 3, {2, 1, 0, 1, 3, 0, 0, 0.5, 4});
  const std::vector<double> by_columns = {2, 1, 1, 3, 0.5, 4}, by_rows = {2, 1, 1, 3, 0.5, 4};
  for (const int storage : {-1, -2, 6}) {
    const Hdf5File file;
    file.integers("fclib_local/spacedim", {3});
    if (storage == -1)
      file.matrix("fclib_local/W", 3, 3, -1, {0, 2, 5, 6}, {0, 1, 0, 1, 2, 2}, by_columns);
    if (storage == -2)
      file.matrix("fclib_local/W", 3, 3, -2, {0, 2, 4, 6}, {0, 1, 0, 1, 1, 2}, by_rows);
    if (storage == 6)
      file.matrix("fclib_local/W", 3, 3, 6, {0, 0, 1, 1, 1, 2}, {0, 1, 0, 1, 2, 2}, by_columns);
    file.numbers("fclib_local/vectors/q", vector({1, 0, 0}));
    file.numbers("fclib_local/vectors/mu", vector({0.3}));
    file.numbers("solution/r", vector({0, 0, 0}));  // q is in the dual cone: it is one
    file.numbers("guesses/1/r", vector({1, 0, 0}));
    const Problem p = fclib(file.bytes());
    EXPECT_EQ(std::get<FrictionContact>(p.data).W.to_dense(), w) << storage;
    ASSERT_TRUE(p.solution && p.start);
    EXPECT_EQ(*p.start, vector({1, 0, 0}));
    EXPECT_EQ(problem_to_text(fclib(problem_to_fclib(p))), problem_to_text([&] {
                Problem same = p;
                same.source = json::Object{{"format", "FCLIB"}};
                return same;
              }()));
  }
}

// Siconos leaves zeros where it has no solution.
TEST(Fclib, AStoredSolutionThatIsNoneIsLeftOut) {
  const Hdf5File file;
  write_chain(file, false);
  file.numbers("solution/r", vector({0, 0, 0, 0}));
  file.numbers("guesses/1/r", vector({0, 0, 0, 0}));
  const Problem p = fclib(file.bytes());
  EXPECT_FALSE(p.solution);
  EXPECT_FALSE(p.start);
}

TEST(Fclib, ComplianceGoesToTheDiagonal) {
  FrictionContact p;
  p.W = Matrix(DenseMatrix(2.0 * DenseMatrix::Identity(3, 3)));
  p.q = vector({-1, 0, 0});
  p.mu = vector({0.5});
  p.compliance = vector({0.5, 0, 0});
  const Problem read = fclib(problem_to_fclib(problem_of(p)));
  EXPECT_EQ(std::get<FrictionContact>(read.data).W.coefficient(0, 0), 2.5);
  EXPECT_THROW(problem_to_fclib(generate(find_family("psd"), 4, 1)), std::invalid_argument);
}

TEST(Fclib, RefusesWithTheField) {
  expect_refusal([] { fclib(""); }, {"HDF5"});
  expect_refusal([] { fclib("{}"); }, {"HDF5"});
  expect_refusal([] { fclib(Hdf5File().bytes()); }, {"fclib_local"});
  const auto damaged = [](auto damage) {
    const Hdf5File file;
    damage(file);
    const std::string bytes = file.bytes();
    return [bytes] { fclib(bytes); };
  };
  expect_refusal(damaged([](const Hdf5File& f) { f.numbers("fclib_local/spacedim", {3.0}); }),
                 {"fclib_local/spacedim", "integers"});
  expect_refusal(damaged([](const Hdf5File& f) { f.integers("fclib_local/spacedim", {4}); }),
                 {"fclib_local/spacedim", "4"});
  expect_refusal(damaged([](const Hdf5File& f) { f.integers("fclib_local/spacedim", {3}); }),
                 {"fclib_local/vectors/q", "missing"});
  expect_refusal(damaged([](const Hdf5File& f) {
                   f.integers("fclib_local/spacedim", {3});
                   f.numbers("fclib_local/vectors/q", vector({1, 0, 0}));
                 }),
                 {"fclib_local/W/m", "missing"});
  const auto with_matrix = [&](int nz, std::vector<int> p, std::vector<int> i,
                               std::vector<double> x) {
    return damaged([=](const Hdf5File& f) {
      f.integers("fclib_local/spacedim", {3});
      f.matrix("fclib_local/W", 3, 3, nz, p, i, x);
      f.numbers("fclib_local/vectors/q", vector({1, 0, 0}));
    });
  };
  expect_refusal(with_matrix(1, {0}, {3}, {1}), {"fclib_local/W", "outside"});
  expect_refusal(with_matrix(2, {0}, {0}, {1}), {"fclib_local/W", "nz"});
  expect_refusal(with_matrix(-1, {0, 1}, {0}, {1}), {"fclib_local/W/p"});
  expect_refusal(with_matrix(-1, {0, 1, 9, 9}, {0}, {1}), {"fclib_local/W/p"});
  expect_refusal(with_matrix(-1, {0, 1, 1, 1}, {7}, {1}), {"fclib_local/W/i"});
  expect_refusal(with_matrix(1, {0}, {0}, {kInf}), {"fclib_local/W/x", "finite"});
  expect_refusal(with_matrix(1, {0}, {0}, {1}), {"fclib_local/vectors/mu", "missing"});
  expect_refusal(damaged([](const Hdf5File& f) {
                   f.integers("fclib_local/spacedim", {3});
                   f.numbers("fclib_local/vectors/q", vector({1, 0}));
                 }),
                 {"fclib_local/vectors/q", "length"});
  expect_refusal(damaged([](const Hdf5File& f) {
                   f.integers("fclib_local/spacedim", {3});
                   f.numbers("fclib_local/vectors/q", vector({1, 0, 0}));
                   f.matrix("fclib_local/W", 9'000'000, 9'000'000, 0, {0}, {0}, {1});
                 }),
                 {"fclib_local/W", "9000000 x 9000000", "3 x 3"});
  expect_refusal(damaged([](const Hdf5File& f) {
                   write_chain(f, false);
                   f.integers("fclib_global/G/m", {3});
                 }),
                 {"fclib_global/G"});
  const Hdf5File whole;
  write_chain(whole, false);
  const std::string bytes = whole.bytes();
  for (const std::size_t part : {10UL, 100UL, bytes.size() / 2})
    expect_refusal([&] { fclib(bytes.substr(0, part)); }, {"file.x"});
}

// All of a local problem but q, which the caller makes hostile.
void write_but_q(const Hdf5File& file) {
  file.integers("fclib_local/spacedim", {3});
  file.matrix("fclib_local/W", 3, 3, -1, {0, 1, 2, 3}, {0, 1, 2}, {1, 1, 1});
  file.numbers("fclib_local/vectors/mu", vector({0.3}));
}

template <class Write>
void expect_q_refused(Write write, std::initializer_list<const char*> words) {
  const Hdf5File file;
  write_but_q(file);
  write(file);
  const std::string bytes = file.bytes();
  expect_refusal([&] { fclib(bytes); }, {"fclib_local/vectors/q"});
  expect_refusal([&] { fclib(bytes); }, words);
}

// A plan of storage, closed with its owner.
struct Plan {
  hid_t id = H5Pcreate(H5P_DATASET_CREATE);
  Plan() = default;
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() { H5Pclose(id); }
};

TEST(HostileHdf5, NothingOutsideTheFileIsRead) {
  expect_q_refused(
      [](const Hdf5File& f) {
        const Plan plan;
        H5Pset_external(plan.id, "/etc/passwd", 0, 24);
        f.planned("fclib_local/vectors/q", 3, plan.id);
      },
      {"another file"});
  expect_q_refused(
      [](const Hdf5File& f) {
        H5Lcreate_external("/etc/passwd", "/q", f.id(), "fclib_local/vectors/q", H5P_DEFAULT,
                           H5P_DEFAULT);
      },
      {"link"});
  expect_q_refused(  // also where it hides in a group above
      [](const Hdf5File& f) {
        H5Ldelete(f.id(), "fclib_local/vectors", H5P_DEFAULT);
        H5Lcreate_external("/etc/passwd", "/", f.id(), "fclib_local/vectors", H5P_DEFAULT,
                           H5P_DEFAULT);
      },
      {"link", "\"fclib_local/vectors\""});
  expect_q_refused(
      [](const Hdf5File& f) {
        H5Lcreate_soft("/fclib_local/vectors/q", f.id(), "fclib_local/vectors/q", H5P_DEFAULT,
                       H5P_DEFAULT);
      },
      {"link"});
  expect_q_refused(
      [](const Hdf5File& f) {
        const Plan plan;
        const hsize_t size = 3;
        const hid_t space = H5Screate_simple(1, &size, nullptr);
        H5Pset_virtual(plan.id, space, "/etc/passwd", "/q", space);
        H5Sclose(space);
        f.planned("fclib_local/vectors/q", 3, plan.id);
      },
      {"other files"});
}

TEST(HostileHdf5, DeclaredSizesAreNotBelieved) {
  for (const hsize_t size : {3ULL, 200'000'000ULL, 2'000'000'000ULL, 1ULL << 40}) {
    expect_q_refused(
        [&](const Hdf5File& f) { f.planned("fclib_local/vectors/q", size, H5P_DEFAULT); }, {});
    expect_q_refused(
        [&](const Hdf5File& f) {
          const Plan plan;
          const hsize_t chunk = 3;
          H5Pset_chunk(plan.id, 1, &chunk);
          H5Pset_deflate(plan.id, 9);
          f.planned("fclib_local/vectors/q", size, plan.id);
        },
        {});
  }
  expect_q_refused(  // packed to next to nothing
      [](const Hdf5File& f) {
        const Plan plan;
        const hsize_t size = 5'000'000, chunk = size;
        H5Pset_chunk(plan.id, 1, &chunk);
        H5Pset_deflate(plan.id, 9);
        f.planned("fclib_local/vectors/q", size, plan.id, std::vector<double>(size, 0.0));
      },
      {"5000000 values"});
}

TEST(HostileHdf5, PackedDataAreRead) {
  const Hdf5File file;
  write_but_q(file);
  const Plan plan;
  const hsize_t chunk = 2;
  H5Pset_chunk(plan.id, 1, &chunk);
  H5Pset_shuffle(plan.id);
  H5Pset_deflate(plan.id, 9);
  file.planned("fclib_local/vectors/q", 3, plan.id, {1, 2, 3});
  EXPECT_EQ(std::get<FrictionContact>(fclib(file.bytes()).data).q, vector({1, 2, 3}));
}

TEST(HostileHdf5, TextsAreOneEachAndWritten) {
  const auto with_title = [](std::size_t length, hsize_t count, bool written) {
    const Hdf5File file;
    write_but_q(file);
    file.numbers("fclib_local/vectors/q", vector({1, 0, 0}));
    file.text("fclib_local/info/title", length, count, written);
    return file.bytes();
  };
  EXPECT_NE(fclib(with_title(4, 1, true)).source.find("title"), nullptr);
  for (const std::string& bytes :
       {with_title(4, 1000, true), with_title(3'000'000'000, 1, false), with_title(4, 1, false)}) {
    expect_refusal([&] { fclib(bytes); }, {"fclib_local/info/title"});
  }
}

#else

TEST(Fclib, WithoutHdf5ItSaysSo) {
  expect_refusal([] { problem_from_fclib("", "file.x"); }, {"HDF5", "libhdf5-dev"});
}

#endif

}  // namespace
}  // namespace perp::test
