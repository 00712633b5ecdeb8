#include <perp/problems/io/fclib.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <perp/problems/io/foreign_model.hpp>
#include <perp/problems/io/global_friction.hpp>
#include <perp/problems/io/json.hpp>
#include <perp/problems/standard/verifier.hpp>
#include <stdexcept>

#ifdef PERP_HAS_HDF5
#include <hdf5.h>
#endif

namespace perp {

#ifndef PERP_HAS_HDF5

Problem problem_from_fclib(std::string_view, const std::string& file) {
  throw InputError(file + ": FCLIB files need HDF5, without which perp was built (libhdf5-dev)");
}

std::string problem_to_fclib(const Problem&) {
  throw std::invalid_argument("FCLIB files need HDF5, without which perp was built (libhdf5-dev)");
}

#else

namespace {

constexpr double kStoredSolution = 1e-6;  // relative residual of a stored solution worth keeping
constexpr int kMaxSize = 10'000'000;

// An HDF5 object that is closed with its owner.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// The library would print its own account of every failure.
void keep_quiet() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

// A file that lives in memory.
hid_t memory_access(std::string_view bytes) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_core(access, 1 << 16, false);
  if (!bytes.empty()) {
    H5Pset_file_image(access, const_cast<char*>(bytes.data()), bytes.size());  // it is copied
  }
  return access;
}

class Reader {
 public:
  Reader(hid_t file, const std::string& name) : file_(file), name_(name) {}

  [[noreturn]] void fail(const std::string& field, const std::string& fault) const {
    throw InputError(fmt::format("{}: field \"{}\": {}", name_, field, fault));
  }

  bool has(const std::string& path) const {
    for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
      const std::string part = path.substr(0, end);
      if (H5Lexists(file_, part.c_str(), H5P_DEFAULT) <= 0) return false;
      if (end == std::string::npos) return true;
    }
  }

  Vector numbers(const std::string& path) const { return read<Vector>(path, H5T_NATIVE_DOUBLE); }
  Vector numbers(const std::string& path, Eigen::Index size) const {
    Vector v = numbers(path);
    if (v.size() != size) fail(path, fmt::format("length is {}, expected {}", v.size(), size));
    if (!v.allFinite()) fail(path, "has a value that is not finite");
    return v;
  }
  Eigen::VectorXi integers(const std::string& path) const {
    return read<Eigen::VectorXi>(path, H5T_NATIVE_INT);
  }
  int integer(const std::string& path, int low, int high) const {
    const Eigen::VectorXi v = integers(path);
    if (v.size() != 1) fail(path, fmt::format("has {} values, expected one", v.size()));
    if (v[0] < low || v[0] > high)
      fail(path, fmt::format("is {}, expected an integer in {}..{}", v[0], low, high));
    return v[0];
  }
  // Empty where it is not there.
  std::string text(const std::string& path) const {
    if (!has(path)) return "";
    const Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle type(set.valid() ? H5Dget_type(set) : -1, H5Tclose);
    if (!type.valid() || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0)
      return "";
    std::string value(H5Tget_size(type), '\0');
    if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()) < 0) return "";
    value.resize(std::min(value.size(), value.find('\0')));
    return value;
  }

  SparseMatrix matrix(const std::string& path) const {
    const int rows = integer(path + "/m", 0, kMaxSize), cols = integer(path + "/n", 0, kMaxSize);
    const int storage = integer(path + "/nz", -2, INT32_MAX);
    const Eigen::VectorXi p = integers(path + "/p"), i = integers(path + "/i");
    const Vector x = numbers(path + "/x");
    const std::vector<Triplet> entries = storage >= 0
                                             ? triplets(path, storage, rows, cols, p, i, x)
                                             : compressed(path, storage, rows, cols, p, i, x);
    SparseMatrix matrix(rows, cols);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }

 private:
  template <class V>
  V read(const std::string& path, hid_t type) const {
    if (!has(path)) fail(path, "is missing");
    const Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
    if (!set.valid()) fail(path, "is no dataset");
    const Handle space(H5Dget_space(set), H5Sclose);
    const Handle stored(H5Dget_type(set), H5Tclose);
    const H5T_class_t kind = H5Tget_class(stored);
    const bool wanted = kind == H5T_INTEGER || (type == H5T_NATIVE_DOUBLE && kind == H5T_FLOAT);
    if (!wanted) fail(path, type == H5T_NATIVE_DOUBLE ? "holds no numbers" : "holds no integers");
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (count < 0 || count > INT32_MAX) fail(path, "has an unusable size");
    V values(count);
    if (count > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
      fail(path, "cannot be read");
    return values;
  }

  // i are rows and p columns, as CSparse has it and Siconos writes it, where that fits the sizes;
  // else as FCLIB's own text says.
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
        fail(path + "/p", fmt::format("falls or leads out of i and x at {}", line + 1));
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

  hid_t file_;
  const std::string& name_;
};

FrictionContact read_local(const Reader& r) {
  for (const char* other : {"fclib_local/V", "fclib_local/R"}) {
    if (r.has(other)) r.fail(other, "further equations beside the contacts are not taken");
  }
  FrictionContact p;
  p.dimension = r.integer("fclib_local/spacedim", 2, 3);
  p.W = Matrix(r.matrix("fclib_local/W"));
  const int n = p.W.rows();
  if (p.W.cols() != n || n % p.dimension != 0) {
    r.fail("fclib_local/W",
           fmt::format("is {} x {}, not square with whole contacts of dimension {}", n, p.W.cols(),
                       p.dimension));
  }
  p.q = r.numbers("fclib_local/vectors/q", n);
  p.mu = r.numbers("fclib_local/vectors/mu", n / p.dimension);
  return p;
}

FrictionContact read_global(const Reader& r, bool& completed) {
  if (r.has("fclib_global/G")) {
    r.fail("fclib_global/G", "further equations beside the contacts are not taken");
  }
  const int dimension = r.integer("fclib_global/spacedim", 2, 3);
  SparseMatrix m = r.matrix("fclib_global/M");
  const SparseMatrix h = r.matrix("fclib_global/H");
  const Vector f = r.numbers("fclib_global/vectors/f", m.rows()),
               w = r.numbers("fclib_global/vectors/w", h.cols());
  Vector mu = r.numbers("fclib_global/vectors/mu", h.cols() / dimension);
  try {
    return friction_from_global(dimension, std::move(m), h, f, w, std::move(mu), completed);
  } catch (const std::invalid_argument& error) {
    r.fail("fclib_global", error.what());
  }
}

json::Value source_of(const Reader& r, const std::string& group, bool completed) {
  json::Object source{{"format", "FCLIB"}};
  for (const char* name : {"title", "description", "math_info"}) {
    if (std::string text = r.text(group + "/info/" + name); !text.empty())
      source.emplace_back(name, text);
  }
  if (completed) source.emplace_back("completed", "M was stored by one triangle");
  return source;
}

// Writes datasets below a file.
class Writer {
 public:
  explicit Writer(hid_t file) : file_(file) {}

  void group(const std::string& path) const {
    check(Handle(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose)
              .valid());
  }
  void numbers(const std::string& path, const Vector& v) const {
    write(path, H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, v.data(), v.size());
  }
  void integer(const std::string& path, int value) const {
    write(path, H5T_NATIVE_INT, H5T_STD_I32LE, &value, 1);
  }
  void text(const std::string& path, const std::string& value) const {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, value.size() + 1);
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    write(path, type, type, space, value.c_str());
  }
  // By compressed columns.
  void matrix(const std::string& path, const SparseMatrix& m) const {
    group(path);
    integer(path + "/m", static_cast<int>(m.rows()));
    integer(path + "/n", static_cast<int>(m.cols()));
    integer(path + "/nzmax", static_cast<int>(m.nonZeros()));
    integer(path + "/nz", -1);
    write(path + "/p", H5T_NATIVE_INT, H5T_STD_I32LE, m.outerIndexPtr(), m.cols() + 1);
    write(path + "/i", H5T_NATIVE_INT, H5T_STD_I32LE, m.innerIndexPtr(), m.nonZeros());
    write(path + "/x", H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, m.valuePtr(), m.nonZeros());
  }

  static void check(bool right) {
    if (!right) throw std::runtime_error("HDF5 could not write in memory");
  }

 private:
  void write(const std::string& path, hid_t type, hid_t stored, const void* data,
             Eigen::Index count) const {
    const auto size = static_cast<hsize_t>(count);
    const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    write(path, type, stored, space, data);
  }
  void write(const std::string& path, hid_t type, hid_t stored, const Handle& space,
             const void* data) const {
    const Handle set(
        H5Dcreate2(file_, path.c_str(), stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Dclose);
    check(set.valid());
    if (H5Sget_simple_extent_npoints(space) > 0)
      check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  }

  hid_t file_;
};

// r with the velocities that follow from it.
void write_point(const Writer& w, const std::string& path, const FrictionContact& p,
                 const Vector& r) {
  w.group(path);
  w.numbers(path + "/r", r);
  w.numbers(path + "/u", p.relative_velocity(r));
  if (p.is_operator())
    w.numbers(path + "/v", solve_mass(p.M.to_sparse(), p.J.multiply_transposed(r)));
}

void write_problem_data(const Writer& w, const FrictionContact& p, const std::string& group) {
  w.integer(group + "/spacedim", p.dimension);
  w.group(group + "/vectors");
  w.numbers(group + "/vectors/mu", p.mu);
  if (p.is_operator()) {
    if (p.compliance.size() > 0) {
      throw std::invalid_argument("compliance: FCLIB has no place for it beside J and M");
    }
    w.matrix(group + "/M", p.M.to_sparse());
    w.matrix(group + "/H", SparseMatrix(p.J.to_sparse().transpose()));
    w.numbers(group + "/vectors/f", Vector::Zero(p.M.rows()));
    w.numbers(group + "/vectors/w", p.q);
  } else {
    SparseMatrix matrix = p.W.to_sparse();
    if (p.compliance.size() > 0) matrix += SparseMatrix(p.compliance.asDiagonal());
    matrix.makeCompressed();
    w.matrix(group + "/W", matrix);
    w.numbers(group + "/vectors/q", p.q);
  }
}

}  // namespace

Problem problem_from_fclib(std::string_view bytes, const std::string& file) {
  keep_quiet();
  const Handle access(memory_access(bytes), H5Pclose);
  const Handle opened(bytes.empty() ? -1 : H5Fopen("fclib", H5F_ACC_RDONLY, access), H5Fclose);
  if (!opened.valid()) throw InputError(file + ": is no HDF5 file, or a damaged one");
  const Reader reader(opened, file);
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
  keep_quiet();
  const Handle access(memory_access({}), H5Pclose);
  const Handle file(H5Fcreate("fclib", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
  Writer::check(file.valid());
  const Writer writer(file);
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
  Writer::check(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0);
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  Writer::check(size > 0);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  Writer::check(H5Fget_file_image(file, bytes.data(), bytes.size()) == size);
  return bytes;
}

#endif

}  // namespace perp
