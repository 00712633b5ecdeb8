// PATH [DirkseFerris1995; FerrisMunson1999]. It is loaded at run time from the user's own library,
// which the variable PERP_PATH_LIBRARY names. perp does not ship or link it.
#include <dlfcn.h>
#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <perp/bench/peers/peer.hpp>
#include <perp/problems/standard/mcp_function.hpp>
#include <stdexcept>
#include <string>
#include "path_interface.h"

namespace {

using namespace perp;

constexpr double kPathInfinity = 1e20;  // PATH's infinity

// The user's library. It stays open until the program ends.
class Library {
 public:
  Library() {
    const char* file = std::getenv("PERP_PATH_LIBRARY");
    if (!file || !*file)
      throw std::invalid_argument("path: PERP_PATH_LIBRARY does not name a PATH library");
    handle_ = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle_) throw std::invalid_argument(std::string("path: ") + dlerror());
    find("Path_Version", version);
    find("Path_CheckLicense", check_license);
    find("Path_AddOptions", add_options);
    find("Path_Solve", solve);
    find("Options_Create", options_create);
    find("Options_Default", options_default);
    find("Options_Set", options_set);
    find("Options_Destroy", options_destroy);
    find("MCP_Create", create);
    find("MCP_SetInterface", set_interface);
    find("MCP_Jacobian_Structure_Constant", structure_constant);
    find("MCP_GetX", get_x);
    find("MCP_Destroy", destroy);
    int (*license)(const char*) = nullptr;
    find("License_SetString", license);
    if (const char* text = std::getenv("PATH_LICENSE_STRING")) license(text);
  }

  const char* (*version)();
  int (*check_license)(int size, int nonzeros);
  void (*add_options)(void* options);
  int (*solve)(void* problem, path_information* information);
  void* (*options_create)();
  void (*options_default)(void* options);
  void (*options_set)(void* options, const char* text);
  void (*options_destroy)(void* options);
  void* (*create)(int size, int nonzeros);
  void (*set_interface)(void* problem, path_mcp_interface* calls);
  void (*structure_constant)(void* problem, int constant);
  double* (*get_x)(void* problem);
  void (*destroy)(void* problem);

 private:
  template <class Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (!function)
      throw std::invalid_argument(std::string("path: PERP_PATH_LIBRARY has no function ") + name);
  }

  void* handle_ = nullptr;
};

const Library& library() {
  static const Library instance;
  return instance;
}

// F of a linear problem or an mcp, with its Jacobian by columns.
class Function {
 public:
  explicit Function(const Problem& problem) {
    if (const auto* mcp = std::get_if<Mcp>(&problem.data)) {
      function_.prepare(*mcp);
      jacobian_ = function_.pattern();
      lower = mcp->lower;
      upper = mcp->upper;
    } else {
      Mlcp linear = peer::as_mlcp(problem);
      jacobian_ = linear.M.to_sparse();
      q_ = std::move(linear.q);
      lower = std::move(linear.lower);
      upper = std::move(linear.upper);
    }
    jacobian_.makeCompressed();
  }

  const SparseMatrix& jacobian() const { return jacobian_; }
  bool evaluate(const double* z, double* f) {
    const Eigen::Map<const Vector> at(z, lower.size());
    if (q_.size() > 0) {
      f_ = q_;
      f_ += jacobian_ * at;
    } else {
      function_.evaluate(at, f_);
    }
    std::copy(f_.begin(), f_.end(), f);
    return f_.allFinite();
  }
  bool evaluate_jacobian(const double* z) {
    if (q_.size() > 0) return true;
    function_.evaluate_jacobian(Eigen::Map<const Vector>(z, lower.size()), jacobian_.valuePtr());
    return jacobian_.coeffs().allFinite();
  }

  Vector lower, upper;

 private:
  McpFunction function_;
  SparseMatrix jacobian_;
  Vector q_, f_;
};

class PathSolver final : public peer::Solver {
 public:
  explicit PathSolver(const peer::Request& request) : function_(request.problem) {
    size_ = static_cast<int>(function_.lower.size());
    nonzeros_ = std::max<int>(1, static_cast<int>(function_.jacobian().nonZeros()));
    start_ = request.problem.start.value_or(Vector::Zero(size_));
    if (library().check_license(size_, nonzeros_) == 0)
      throw std::invalid_argument(
          "path: the licence does not allow a problem of this size (PATH_LICENSE_STRING)");
    options_ = library().options_create();
    library().add_options(options_);
    library().options_default(options_);
    set("output no");
    set(fmt::format("convergence_tolerance {:g}", 0.1 * request.tolerance));
    if (request.max_iterations > 0)
      set(fmt::format("major_iteration_limit {}", request.max_iterations));
    calls_.interface_data = this;
    calls_.problem_size = problem_size;
    calls_.bounds = bounds;
    calls_.function_evaluation = function;
    calls_.jacobian_evaluation = jacobian;
    problem_ = library().create(size_, nonzeros_);
    library().structure_constant(problem_, 1);
    library().set_interface(problem_, &calls_);
  }
  PathSolver(const PathSolver&) = delete;
  PathSolver& operator=(const PathSolver&) = delete;
  ~PathSolver() override {
    library().destroy(problem_);
    library().options_destroy(options_);
  }

  peer::Answer solve() override {
    path_information information{};
    information.use_start = 1;
    const int end = library().solve(problem_, &information);
    if (end == PATH_LICENSE_ERROR)
      throw std::invalid_argument("path: the licence does not allow this problem");
    peer::Answer answer;
    answer.z = Eigen::Map<const Vector>(library().get_x(problem_), size_);
    answer.status = status_of(end);
    answer.iterations = information.major_iterations;
    answer.message = fmt::format("{}, end {}", library().version(), end);
    return answer;
  }

 private:
  void set(const std::string& option) { library().options_set(options_, option.c_str()); }

  // MCP_Infeasible does not prove that there is no solution.
  static const char* status_of(int end) {
    switch (end) {
      case PATH_SOLVED:
        return "solved";
      case PATH_MAJOR_ITERATION_LIMIT:
      case PATH_MINOR_ITERATION_LIMIT:
        return "iteration_limit";
      case PATH_TIME_LIMIT:
        return "time_limit";
      case PATH_BOUND_ERROR:
      case PATH_DOMAIN_ERROR:
      case PATH_ERROR:
        return "numerical_error";
      default:
        return "stalled";
    }
  }

  static PathSolver& self(void* data) { return *static_cast<PathSolver*>(data); }

  static void problem_size(void* data, int* size, int* nonzeros) {
    *size = self(data).size_;
    *nonzeros = self(data).nonzeros_;
  }

  static void bounds(void* data, int size, double* z, double* lower, double* upper) {
    const PathSolver& s = self(data);
    for (int i = 0; i < size; ++i) {
      z[i] = s.start_[i];
      lower[i] = std::max(s.function_.lower[i], -kPathInfinity);
      upper[i] = std::min(s.function_.upper[i], kPathInfinity);
    }
  }

  // @return number of entries that could not be evaluated
  static int function(void* data, int /*size*/, double* z, double* f) {
    return self(data).function_.evaluate(z, f) ? 0 : 1;
  }

  static int jacobian(void* data, int size, double* z, int want_f, double* f, int* nonzeros,
                      int* column, int* length, int* row, double* value) {
    Function& of = self(data).function_;
    int faults = want_f != 0 && !of.evaluate(z, f) ? 1 : 0;
    if (!of.evaluate_jacobian(z)) ++faults;
    const SparseMatrix& J = of.jacobian();
    for (int j = 0; j < size; ++j) {
      column[j] = J.outerIndexPtr()[j] + 1;
      length[j] = J.outerIndexPtr()[j + 1] - J.outerIndexPtr()[j];
    }
    for (int k = 0; k < J.nonZeros(); ++k) {
      row[k] = J.innerIndexPtr()[k] + 1;
      value[k] = J.valuePtr()[k];
    }
    *nonzeros = static_cast<int>(J.nonZeros());
    return faults;
  }

  Function function_;
  Vector start_;
  int size_ = 0, nonzeros_ = 0;
  path_mcp_interface calls_{};
  void *options_ = nullptr, *problem_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  return peer::run(argc, argv, [](const peer::Request& r) {
    if (r.solver != "path") throw std::invalid_argument(r.solver + ": no such solver");
    return std::make_unique<PathSolver>(r);
  });
}
