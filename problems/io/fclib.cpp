#include <perp/problems/io/fclib.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <perp/problems/io/foreign_model.hpp>
#include <perp/problems/io/global_friction.hpp>
#include <perp/problems/io/hdf5_data.hpp>
#include <perp/problems/json/json.hpp>
#include <perp/problems/json/text.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <stdexcept>
#include <unordered_map>

namespace perp {

namespace {

constexpr double kStoredSolution = 1e-6;  // relative residual of a stored solution worth keeping
constexpr int kMaxFclibSize = 10'000'000;

// Every place of an FCLIB file that is read.
std::vector<Hdf5Place> known_places() {
  using enum Hdf5Place::Kind;
  std::vector<Hdf5Place> places;
  const auto group = [&](std::string path) { places.push_back({std::move(path), kGroup}); };
  const auto numbers = [&](std::string path) { places.push_back({std::move(path), kNumbers}); };
  const auto integers = [&](std::string path) { places.push_back({std::move(path), kIntegers}); };
  const auto matrix = [&](const std::string& path) {
    for (const char* name : {"/m", "/n", "/nz", "/p", "/i"}) integers(path + name);
    numbers(path + "/x");
  };
  for (const char* path :
       {"fclib_local", "fclib_local/V", "fclib_local/R", "fclib_global", "fclib_global/G"}) {
    group(path);
  }
  for (const char* path : {"fclib_local/spacedim", "fclib_global/spacedim"}) integers(path);
  for (const char* path : {"fclib_local/W", "fclib_global/M", "fclib_global/H"}) matrix(path);
  for (const char* path :
       {"fclib_local/vectors/q", "fclib_local/vectors/mu", "fclib_global/vectors/f",
        "fclib_global/vectors/w", "fclib_global/vectors/mu", "guesses/1/r", "solution/r"}) {
    numbers(path);
  }
  for (const char* group_name : {"fclib_local", "fclib_global"}) {
    for (const char* name : {"title", "description", "math_info"})
      places.push_back({fmt::format("{}/info/{}", group_name, name), kText});
  }
  return places;
}

class FclibReader {
 public:
  FclibReader(std::string_view bytes, const std::string& name) : name_(name) {
    const std::vector<Hdf5Place> places = known_places();
    std::vector<Hdf5Data> data = read_hdf5(bytes, places, name);
    for (std::size_t k = 0; k < places.size(); ++k)
      data_.emplace(places[k].path, std::move(data[k]));
  }

  [[noreturn]] void fail(const std::string& field, const std::string& fault) const {
    throw InputError(fmt::format("{}: field \"{}\": {}", name_, field, fault));
  }

  bool has(const std::string& path) const {
    const Hdf5Data& data = data_.at(path);
    if (!data.fault.empty()) fail(path, data.fault);
    return data.present;
  }

  const Vector& numbers(const std::string& path) const { return existing(path).numbers; }
  Vector numbers(const std::string& path, Eigen::Index size) const {
    const Vector& v = numbers(path);
    if (v.size() != size) fail(path, fmt::format("length is {}, expected {}", v.size(), size));
    if (!v.allFinite()) fail(path, "has a value that is not finite");
    return v;
  }
  const Eigen::VectorXi& integers(const std::string& path) const { return existing(path).integers; }
  int integer(const std::string& path, int low, int high) const {
    const Eigen::VectorXi& v = integers(path);
    if (v.size() != 1) fail(path, fmt::format("has {} values, expected one", v.size()));
    if (v[0] < low || v[0] > high)
      fail(path, fmt::format("is {}, expected an integer in {}..{}", v[0], low, high));
    return v[0];
  }
  // Empty if it is not there.
  std::string text(const std::string& path) const {
    return has(path) ? to_utf8(data_.at(path).text) : "";
  }

  // The sizes that a file states may be wrong. They must agree with the vectors, which the file
  // holds.
  SparseMatrix matrix(const std::string& path, Eigen::Index rows, Eigen::Index cols) const {
    const int m = integer(path + "/m", 0, kMaxFclibSize),
              n = integer(path + "/n", 0, kMaxFclibSize);
    if (m != rows || n != cols) {
      fail(path, fmt::format("is {} x {}, but the vectors ask for {} x {}", m, n, rows, cols));
    }
    const int storage = integer(path + "/nz", -2, INT32_MAX);
    const Eigen::VectorXi &p = integers(path + "/p"), &i = integers(path + "/i");
    const Vector& x = numbers(path + "/x");
    const std::vector<Triplet> entries = storage >= 0 ? triplets(path, storage, m, n, p, i, x)
                                                      : compressed(path, storage, m, n, p, i, x);
    SparseMatrix matrix(m, n);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }

 private:
  const Hdf5Data& existing(const std::string& path) const {
    if (!has(path)) fail(path, "is missing");
    return data_.at(path);
  }

  // i are rows and p are columns, as in CSparse and in the files of Siconos, if that fits the
  // sizes; else i are columns and p are rows, as the documentation of FCLIB says.
  std::vector<Triplet> triplets(const std::string& path, int count, int rows, int cols,
                                const Eigen::VectorXi& p, const Eigen::VectorXi& i,
                                const Vector& x) const {
    if (p.size() < count || i.size() < count || x.size() < count)
      fail(path, fmt::format("has fewer than nz = {} entries in p, i or x", count));
    const auto fits = [&](const Eigen::VectorXi& row, const Eigen::VectorXi& col) {
      for (int k = 0; k < count; ++k) {
        if (row[k] < 0 || row[k] >= rows || col[k] < 0 || col[k] >= cols) return false;
      }
      return true;
    };
    const bool usual = fits(i, p);
    if (!usual && !fits(p, i)) fail(path, "has an index outside the matrix");
    std::vector<Triplet> entries;
    for (int k = 0; k < count; ++k) {
      check_value(path, x[k]);
      entries.emplace_back(usual ? i[k] : p[k], usual ? p[k] : i[k], x[k]);
    }
    return entries;
  }

  std::vector<Triplet> compressed(const std::string& path, int storage, int rows, int cols,
                                  const Eigen::VectorXi& p, const Eigen::VectorXi& i,
                                  const Vector& x) const {
    const bool by_columns = storage == -1;
    const int lines = by_columns ? cols : rows, width = by_columns ? rows : cols;
    if (p.size() != lines + 1 || p[0] != 0)
      fail(path + "/p", fmt::format("is not {} starts from 0", lines + 1));
    std::vector<Triplet> entries;
    for (int line = 0; line < lines; ++line) {
      if (p[line + 1] < p[line] || p[line + 1] > std::min(i.size(), x.size()))
        fail(path + "/p",
             fmt::format("decreases or is beyond the ends of i and x at {}", line + 1));
      for (int k = p[line]; k < p[line + 1]; ++k) {
        if (i[k] < 0 || i[k] >= width) fail(path + "/i", "has an index outside the matrix");
        check_value(path, x[k]);
        entries.emplace_back(by_columns ? i[k] : line, by_columns ? line : i[k], x[k]);
      }
    }
    return entries;
  }

  void check_value(const std::string& path, double value) const {
    if (!std::isfinite(value)) fail(path + "/x", "has a value that is not finite");
  }

  const std::string& name_;
  std::unordered_map<std::string, Hdf5Data> data_;
};

FrictionContact read_local(const FclibReader& r) {
  for (const char* other : {"fclib_local/V", "fclib_local/R"}) {
    if (r.has(other)) r.fail(other, "further equations beside the contacts are not taken");
  }
  FrictionContact p;
  p.dimension = r.integer("fclib_local/spacedim", 2, 3);
  const Eigen::Index n = r.numbers("fclib_local/vectors/q").size();
  if (n % p.dimension != 0) {
    r.fail("fclib_local/vectors/q",
           fmt::format("length {} is no multiple of the dimension {}", n, p.dimension));
  }
  p.W = Matrix(r.matrix("fclib_local/W", n, n));
  p.q = r.numbers("fclib_local/vectors/q", n);
  p.mu = r.numbers("fclib_local/vectors/mu", n / p.dimension);
  return p;
}

FrictionContact read_global(const FclibReader& r, bool& completed) {
  if (r.has("fclib_global/G")) {
    r.fail("fclib_global/G", "further equations beside the contacts are not taken");
  }
  const int dimension = r.integer("fclib_global/spacedim", 2, 3);
  const Eigen::Index velocities = r.numbers("fclib_global/vectors/f").size(),
                     n = r.numbers("fclib_global/vectors/w").size();
  SparseMatrix m = r.matrix("fclib_global/M", velocities, velocities);
  const SparseMatrix h = r.matrix("fclib_global/H", velocities, n);
  const Vector f = r.numbers("fclib_global/vectors/f", velocities),
               w = r.numbers("fclib_global/vectors/w", n);
  Vector mu = r.numbers("fclib_global/vectors/mu", n / dimension);
  try {
    return friction_from_global(dimension, std::move(m), h, f, w, std::move(mu), completed);
  } catch (const std::invalid_argument& error) {
    r.fail("fclib_global", error.what());
  }
}

json::Value source_of(const FclibReader& r, const std::string& group, bool completed) {
  json::Object source{{"format", "FCLIB"}};
  for (const char* name : {"title", "description", "math_info"}) {
    if (std::string text = r.text(group + "/info/" + name); !text.empty())
      source.emplace_back(name, text);
  }
  if (completed) source.emplace_back("completed", "M was stored by one triangle");
  return source;
}

std::span<const double> numbers_of(const Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

// Writes compressed columns.
void write_matrix(const Hdf5Writer& w, const std::string& path, const SparseMatrix& m) {
  const auto count = static_cast<std::size_t>(m.nonZeros());
  w.group(path);
  w.integer(path + "/m", static_cast<int>(m.rows()));
  w.integer(path + "/n", static_cast<int>(m.cols()));
  w.integer(path + "/nzmax", static_cast<int>(m.nonZeros()));
  w.integer(path + "/nz", -1);
  w.integers(path + "/p", {m.outerIndexPtr(), static_cast<std::size_t>(m.cols()) + 1});
  w.integers(path + "/i", {m.innerIndexPtr(), count});
  w.numbers(path + "/x", {m.valuePtr(), count});
}

// Writes r and the velocities that follow from it.
void write_point(const Hdf5Writer& w, const std::string& path, const FrictionContact& p,
                 const Vector& r) {
  w.group(path);
  w.numbers(path + "/r", numbers_of(r));
  w.numbers(path + "/u", numbers_of(p.relative_velocity(r)));
  if (p.is_operator())
    w.numbers(path + "/v", numbers_of(solve_mass(p.M.to_sparse(), p.J.multiply_transposed(r))));
}

// What is written must be a valid problem when it is read again.
void check_written(const FrictionContact& p, const SparseMatrix& mass, const SparseMatrix& h) {
  bool completed = false;
  validate(
      friction_from_global(p.dimension, mass, h, Vector::Zero(mass.rows()), p.q, p.mu, completed));
}

void write_problem_data(const Hdf5Writer& w, const FrictionContact& p, const std::string& group) {
  w.integer(group + "/spacedim", p.dimension);
  w.group(group + "/vectors");
  w.numbers(group + "/vectors/mu", numbers_of(p.mu));
  if (p.is_operator()) {
    if (p.compliance.size() > 0) {
      throw std::invalid_argument("compliance: FCLIB has no place for it beside J and M");
    }
    const SparseMatrix mass = p.M.to_sparse(), h = p.J.to_sparse().transpose();
    check_written(p, mass, h);
    write_matrix(w, group + "/M", mass);
    write_matrix(w, group + "/H", h);
    w.numbers(group + "/vectors/f", numbers_of(Vector::Zero(p.M.rows())));
    w.numbers(group + "/vectors/w", numbers_of(p.q));
  } else {
    SparseMatrix matrix = p.W.to_sparse();
    if (p.compliance.size() > 0) matrix += SparseMatrix(p.compliance.asDiagonal());
    matrix.makeCompressed();
    if (!Matrix(matrix).all_finite()) {
      throw std::invalid_argument(
          "compliance: added to the diagonal of W, it gives a value that is not finite");
    }
    write_matrix(w, group + "/W", matrix);
    w.numbers(group + "/vectors/q", numbers_of(p.q));
  }
}

}  // namespace

Problem problem_from_fclib(std::string_view bytes, const std::string& file) {
  const FclibReader reader(bytes, file);
  const bool local = reader.has("fclib_local");
  if (!local && !reader.has("fclib_global"))
    throw InputError(file + ": has neither fclib_local nor fclib_global: no file of FCLIB");
  bool completed = false;
  FrictionContact data = local ? read_local(reader) : read_global(reader, completed);
  const int n = data.size();
  Problem problem;
  problem.data = std::move(data);
  problem.source = source_of(reader, local ? "fclib_local" : "fclib_global", completed);
  problem = validated(std::move(problem), file);
  if (reader.has("guesses/1/r")) {
    Vector start = reader.numbers("guesses/1/r", n);
    if (!start.isZero(0.0)) problem.start = std::move(start);
  }
  if (reader.has("solution/r")) {
    Vector r = reader.numbers("solution/r", n);
    if (verify(problem, {r, {}}, kStoredSolution).solved) {
      problem.solution = KnownSolution{std::move(r), {}};
    }
  }
  return problem;
}

std::string problem_to_fclib(const Problem& problem) {
  const auto* p = std::get_if<FrictionContact>(&problem.data);
  if (!p) {
    throw std::invalid_argument(
        fmt::format("fclib holds friction_contact, not {}", problem.kind()));
  }
  const Hdf5Writer writer;
  const std::string group = p->is_operator() ? "fclib_global" : "fclib_local";
  writer.group(group);
  write_problem_data(writer, *p, group);
  if (!problem.name.empty()) {
    writer.group(group + "/info");
    writer.text(group + "/info/title", problem.name);
  }
  if (problem.start) {
    writer.group("guesses");
    writer.integer("guesses/number_of_guesses", 1);
    write_point(writer, "guesses/1", *p, *problem.start);
  }
  if (problem.solution) write_point(writer, "solution", *p, problem.solution->z);
  return writer.bytes();
}

}  // namespace perp
