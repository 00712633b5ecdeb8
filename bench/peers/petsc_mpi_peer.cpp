// Solvers of PETSc and TAO (BSD 2-Clause licence) on many processes. MPI distributes the rows of
// sparse matrices. The first process reads the problem and writes the answer.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <perp/bench/peers/petsc_methods.hpp>
#include <perp/problems/io/problem_json.hpp>
#include <perp/problems/standard/mcp_function.hpp>
#include <stdexcept>

namespace {

using namespace perp;
using namespace petsc;

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

// For all matrices: a preconditioner with one block for each process.
constexpr const char* kBlocks =
    "-ksp_type gmres -ksp_gmres_restart 100 -ksp_rtol 1e-8 -pc_type bjacobi -sub_pc_type ilu";
// For matrices of elliptic operators: algebraic multigrid of hypre. PETSc's own (gamg) fails,
// because it keeps data of an earlier active set.
constexpr const char* kMultigrid =
    "-ksp_type cg -ksp_rtol 1e-5 -pc_type hypre -pc_hypre_boomeramg_coarsen_type hmis "
    "-pc_hypre_boomeramg_interp_type ext+i -pc_hypre_boomeramg_agg_nl 1";
constexpr PetscInt kIterations = 2000;

const std::map<std::string, Method>& methods() {
  using enum Method::Interface;
  static const std::map<std::string, Method> list = {
      {"petsc-mpi-rsls-gmres", {kSnes, SNESVINEWTONRSLS, kBlocks}},
      {"petsc-mpi-rsls-amg", {kSnes, SNESVINEWTONRSLS, kMultigrid}},
      {"petsc-mpi-ssls-gmres", {kSnes, SNESVINEWTONSSLS, kBlocks}},
      {"petsc-mpi-ssils-gmres", {kTaoComplementarity, TAOSSILS, kBlocks}},
      {"petsc-mpi-gpcg", {kTaoQp, TAOGPCG, ""}},
  };
  return list;
}

int rank() {
  int value = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &value);
  return value;
}

// Commands of the first process to the others.
enum class Command { kEnd, kPrepare, kSolve };

Command told(Command command) {
  int number = static_cast<int>(command);
  MPI_Bcast(&number, 1, MPI_INT, 0, PETSC_COMM_WORLD);
  return static_cast<Command>(number);
}

template <class T>
void broadcast(T& value) {
  MPI_Bcast(&value, sizeof value, MPI_BYTE, 0, PETSC_COMM_WORLD);
}

void broadcast(std::string& text) {
  long size = std::ssize(text);
  broadcast(size);
  text.resize(static_cast<std::size_t>(size));
  constexpr long kPart = 1 << 30;  // MPI counts entries in int
  for (long from = 0; from < size; from += kPart)
    MPI_Bcast(text.data() + from, static_cast<int>(std::min(kPart, size - from)), MPI_BYTE, 0,
              PETSC_COMM_WORLD);
}

// The rows that each process has.
class Rows {
 public:
  Rows() = default;
  explicit Rows(int size) {
    int processes = 1;
    MPI_Comm_size(PETSC_COMM_WORLD, &processes);
    for (int p = 0; p <= processes; ++p)
      start_.push_back(static_cast<int>(static_cast<long>(size) * p / processes));
  }
  int first() const { return start_[static_cast<std::size_t>(rank())]; }
  int last() const { return start_[static_cast<std::size_t>(rank()) + 1]; }
  int count() const { return last() - first(); }
  int size() const { return start_.back(); }
  const std::vector<int>& starts() const { return start_; }

 private:
  std::vector<int> start_;
};

// Distributes the values, which the first process holds: each process gets those of its rows.
template <class T>
std::vector<T> scatter(const T* all, const std::vector<int>& starts, MPI_Datatype type) {
  std::vector<int> counts;
  for (std::size_t p = 1; p < starts.size(); ++p) counts.push_back(starts[p] - starts[p - 1]);
  const auto own = static_cast<std::size_t>(rank());
  std::vector<T> part(static_cast<std::size_t>(counts[own]));
  MPI_Scatterv(all, counts.data(), starts.data(), type, part.data(), counts[own], type, 0,
               PETSC_COMM_WORLD);
  return part;
}

void make_vec(OwnedVec& vec, const Rows& rows, const double* own) {
  check(VecCreateMPI(PETSC_COMM_WORLD, rows.count(), rows.size(), &vec));
  double* data = nullptr;
  check(VecGetArray(vec, &data));
  std::transform(own, own + rows.count(), data, to_petsc);
  check(VecRestoreArray(vec, &data));
}

void scatter_vec(OwnedVec& vec, const Rows& rows, const Vector& all) {
  make_vec(vec, rows, scatter(all.data(), rows.starts(), MPI_DOUBLE).data());
}

// Makes the rows of this process, each with an entry on the diagonal.
void make_mat(OwnedMat& mat, const Rows& rows, const std::vector<int>& counts,
              const std::vector<int>& columns, const std::vector<double>& values) {
  std::vector<PetscInt> near, far;
  std::size_t k = 0;
  for (const int count : counts) {
    near.push_back(1);
    far.push_back(0);
    for (int i = 0; i < count; ++i, ++k)
      ++(columns[k] >= rows.first() && columns[k] < rows.last() ? near : far).back();
  }
  check(MatCreateAIJ(PETSC_COMM_WORLD, rows.count(), rows.count(), rows.size(), rows.size(), 0,
                     near.data(), 0, far.data(), &mat));
  k = 0;
  for (int i = 0; i < rows.count(); ++i) {
    const PetscInt row = rows.first() + i, count = counts[static_cast<std::size_t>(i)];
    check(MatSetValue(mat, row, row, 0.0, ADD_VALUES));
    check(MatSetValues(mat, 1, &row, count, columns.data() + k, values.data() + k, ADD_VALUES));
    k += static_cast<std::size_t>(count);
  }
  check(MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
}

// An mcp: every process evaluates the whole function and keeps its own rows. Only the linear
// algebra is distributed.
class GraphFunction final : public Function {
 public:
  GraphFunction(const Mcp& mcp, const Rows& rows) : rows_(rows), function_(mcp) {
    jacobian_ = function_.pattern();
    const RowMatrix by_rows = jacobian_;
    std::vector<int> counts, columns;
    for (int i = rows.first(); i < rows.last(); ++i) {
      counts.push_back(static_cast<int>(by_rows.row(i).nonZeros()));
      for (RowMatrix::InnerIterator it(by_rows, i); it; ++it)
        columns.push_back(static_cast<int>(it.col()));
    }
    make_mat(M, rows, counts, columns, std::vector<double>(columns.size(), 0.0));
    make_vec(lower, rows, mcp.lower.data() + rows.first());
    make_vec(upper, rows, mcp.upper.data() + rows.first());
  }
  ~GraphFunction() override { VecScatterDestroy(&to_all_); }

  PetscErrorCode evaluate(Vec z, Vec f) override {
    PetscCall(collect(z));
    function_.evaluate(z_, f_);
    double* data = nullptr;
    PetscCall(VecGetArray(f, &data));
    std::copy(f_.data() + rows_.first(), f_.data() + rows_.last(), data);
    return VecRestoreArray(f, &data);
  }

  PetscErrorCode jacobian(Vec z, Mat J) override {
    PetscCall(collect(z));
    function_.evaluate_jacobian(z_, jacobian_.valuePtr());
    PetscCall(MatZeroEntries(J));
    for (PetscInt j = 0; j < rows_.size(); ++j) {
      for (SparseMatrix::InnerIterator it(jacobian_, j); it; ++it) {
        const auto i = static_cast<PetscInt>(it.row());
        if (i >= rows_.first() && i < rows_.last())
          PetscCall(MatSetValue(J, i, j, it.value(), INSERT_VALUES));
      }
    }
    PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
    return MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY);
  }

  PetscErrorCode objective(Vec, PetscReal*, Vec) override { return PETSC_ERR_SUP; }

 private:
  PetscErrorCode collect(Vec z) {
    if (!to_all_) PetscCall(VecScatterCreateToAll(z, &to_all_, &all_));
    PetscCall(VecScatterBegin(to_all_, z, all_, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(to_all_, z, all_, INSERT_VALUES, SCATTER_FORWARD));
    const double* data = nullptr;
    PetscCall(VecGetArrayRead(all_, &data));
    z_ = Eigen::Map<const Vector>(data, rows_.size());
    return VecRestoreArrayRead(all_, &data);
  }

  Rows rows_;
  McpFunction function_;
  SparseMatrix jacobian_;
  Vector z_, f_;
  VecScatter to_all_ = nullptr;
  OwnedVec all_;
};

struct Facts {
  char solver[64];
  int size = 0, iterations = 0;
  bool nonlinear = false;
  double tolerance = 0.0;
};

// The work of every process. Only the first one has a request.
class Task {
 public:
  explicit Task(const peer::Request* request) {
    if (request) {
      std::snprintf(facts_.solver, sizeof facts_.solver, "%s", request->solver.c_str());
      facts_.size = request->problem.size();
      facts_.iterations = request->max_iterations > 0 ? request->max_iterations : kIterations;
      facts_.nonlinear = std::holds_alternative<Mcp>(request->problem.data);
      facts_.tolerance = request->tolerance;
    }
    broadcast(facts_);
    rows_ = Rows(facts_.size);
    if (facts_.nonlinear) {
      std::string text = request ? problem_to_text(request->problem) : "";
      broadcast(text);
      const Problem problem = problem_from_text(text, "problem");
      function_ = std::make_unique<GraphFunction>(std::get<Mcp>(problem.data), rows_);
    } else {
      deal_out(request ? peer::as_mlcp(request->problem) : Mlcp());
    }
    const Vector start =
        request ? request->problem.start.value_or(Vector::Zero(facts_.size)) : Vector();
    scatter_vec(start_, rows_, start);
  }

  // The answer has its z on the first process only.
  peer::Answer solve() {
    OwnedVec z;
    check(VecDuplicate(start_, &z));
    check(VecCopy(start_, z));
    peer::Answer answer = petsc::solve(methods().at(facts_.solver), *function_, z, facts_.tolerance,
                                       facts_.iterations);
    VecScatter to_zero = nullptr;
    OwnedVec all;
    check(VecScatterCreateToZero(z, &to_zero, &all));
    check(VecScatterBegin(to_zero, z, all, INSERT_VALUES, SCATTER_FORWARD));
    check(VecScatterEnd(to_zero, z, all, INSERT_VALUES, SCATTER_FORWARD));
    check(VecScatterDestroy(&to_zero));
    if (rank() == 0) {
      const double* data = nullptr;
      check(VecGetArrayRead(all, &data));
      answer.z = Eigen::Map<const Vector>(data, facts_.size);
      check(VecRestoreArrayRead(all, &data));
    }
    return answer;
  }

 private:
  void deal_out(const Mlcp& problem) {
    const RowMatrix all = problem.M.to_sparse();
    std::vector<int> counts(static_cast<std::size_t>(all.rows())), starts;
    for (int i = 0; i < all.rows(); ++i)
      counts[static_cast<std::size_t>(i)] = all.outerIndexPtr()[i + 1] - all.outerIndexPtr()[i];
    for (const int row : rows_.starts())
      starts.push_back(rank() == 0 ? all.outerIndexPtr()[row] : 0);
    MPI_Bcast(starts.data(), static_cast<int>(starts.size()), MPI_INT, 0, PETSC_COMM_WORLD);
    auto linear = std::make_unique<LinearFunction>();
    const auto own_counts = scatter(counts.data(), rows_.starts(), MPI_INT);
    const auto columns = scatter(all.innerIndexPtr(), starts, MPI_INT);
    const auto values = scatter(all.valuePtr(), starts, MPI_DOUBLE);
    make_mat(linear->M, rows_, own_counts, columns, values);
    scatter_vec(linear->q, rows_, problem.q);
    scatter_vec(linear->lower, rows_, problem.lower);
    scatter_vec(linear->upper, rows_, problem.upper);
    function_ = std::move(linear);
  }

  Facts facts_{};
  Rows rows_;
  std::unique_ptr<Function> function_;
  OwnedVec start_;
};

// Runs on the first process and passes every call on to the others.
class PetscMpiSolver final : public peer::Solver {
 public:
  explicit PetscMpiSolver(const peer::Request& request) {
    refuse(request);
    told(Command::kPrepare);
    task_ = std::make_unique<Task>(&request);
  }
  peer::Answer solve() override {
    told(Command::kSolve);
    return task_->solve();
  }

 private:
  // Checks the request before the other processes are involved.
  static void refuse(const peer::Request& request) {
    const auto it = methods().find(request.solver);
    if (it == methods().end()) throw std::invalid_argument(request.solver + ": no such solver");
    const bool qp = it->second.interface == Method::Interface::kTaoQp;
    if (const auto* mcp = std::get_if<Mcp>(&request.problem.data)) {
      if (qp) throw std::invalid_argument(request.solver + " needs a linear problem");
      if (!mcp->graph)
        throw std::invalid_argument(request.solver + " needs a graph; it takes no callbacks");
    } else if (qp && !peer::as_mlcp(request.problem).M.is_symmetric(1e-12)) {
      throw std::invalid_argument(request.solver + " takes a symmetric M only");
    } else if (!qp) {
      peer::as_mlcp(request.problem);  // throws for other kinds
    }
  }

  std::unique_ptr<Task> task_;
};

void follow() {
  std::unique_ptr<Task> task;
  for (Command command; (command = told(Command::kEnd)) != Command::kEnd;) {
    if (command == Command::kPrepare) {
      task.reset();
      task = std::make_unique<Task>(nullptr);
    } else {
      task->solve();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (PetscInitializeNoArguments() != 0) return 1;
  PetscPopSignalHandler();
  PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
  int code = 0;
  if (rank() == 0) {
    code = peer::run(argc, argv,
                     [](const peer::Request& r) { return std::make_unique<PetscMpiSolver>(r); });
    told(Command::kEnd);
  } else {
    try {
      follow();
    } catch (const std::exception& error) {
      std::cerr << error.what() << '\n';
      MPI_Abort(PETSC_COMM_WORLD, 1);
    }
  }
  return PetscFinalize() == 0 ? code : 1;
}
