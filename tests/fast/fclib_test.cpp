// FCLIB: what is read and written, and what is refused, of hostile files too.
#include "formats_support.hpp"
#include "support.hpp"

#include <perp/problems/io/fclib.hpp>
#include <perp/problems/io/problem_json.hpp>

#ifdef PERP_HAS_HDF5
#include <hdf5.h>
#endif

namespace perp::test {
namespace {

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
struct StoragePlan {
  hid_t id = H5Pcreate(H5P_DATASET_CREATE);
  StoragePlan() = default;
  StoragePlan(const StoragePlan&) = delete;
  StoragePlan& operator=(const StoragePlan&) = delete;
  ~StoragePlan() { H5Pclose(id); }
};

TEST(HostileHdf5, NothingOutsideTheFileIsRead) {
  expect_q_refused(
      [](const Hdf5File& f) {
        const StoragePlan plan;
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
        const StoragePlan plan;
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
          const StoragePlan plan;
          const hsize_t chunk = 3;
          H5Pset_chunk(plan.id, 1, &chunk);
          H5Pset_deflate(plan.id, 9);
          f.planned("fclib_local/vectors/q", size, plan.id);
        },
        {});
  }
  expect_q_refused(  // packed to next to nothing
      [](const Hdf5File& f) {
        const StoragePlan plan;
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
  const StoragePlan plan;
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
