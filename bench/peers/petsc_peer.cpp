// Solvers of PETSc and its part TAO (BSD 2-Clause licence): variational inequalities with bounds,
// semismooth methods, gradient projection for box QPs.
#include <petscsnes.h>
#include <petsctao.h>
#include <cmath>
#include <map>
#include <perp/bench/peers/peer.hpp>
#include <stdexcept>

namespace {

using namespace perp;

// One of the methods by its name.
struct Method {
  enum class Interface { kSnes, kTaoComplementarity, kTaoQp } interface;
  const char* type;
  const char* options;  // of the linear solver
};

constexpr const char* kLu = "-ksp_type preonly -pc_type lu";
// Without a preconditioner the steps tend to the shortest ones where the matrix is singular; ILU,
// which PETSc would take, breaks down there.
constexpr const char* kGmres =
    "-ksp_type gmres -pc_type none -ksp_gmres_restart 300 -ksp_rtol 1e-8";

constexpr double kDense = 0.02;  // part of entries that are not zero, from where LU is a dense one

const std::map<std::string, Method>& methods() {
  using enum Method::Interface;
  static const std::map<std::string, Method> list = {
      {"petsc-rsls-lu", {kSnes, SNESVINEWTONRSLS, kLu}},
      {"petsc-rsls-gmres", {kSnes, SNESVINEWTONRSLS, kGmres}},
      {"petsc-ssls-lu", {kSnes, SNESVINEWTONSSLS, kLu}},
      {"petsc-ssls-gmres", {kSnes, SNESVINEWTONSSLS, kGmres}},
      {"petsc-ssils-lu", {kTaoComplementarity, TAOSSILS, kLu}},
      {"petsc-ssils-gmres", {kTaoComplementarity, TAOSSILS, kGmres}},
      {"petsc-asils-lu", {kTaoComplementarity, TAOASILS, kLu}},
      {"petsc-asils-gmres", {kTaoComplementarity, TAOASILS, kGmres}},
      {"petsc-gpcg", {kTaoQp, TAOGPCG, ""}},
  };
  return list;
}

void check(PetscErrorCode code) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw std::runtime_error(text ? text : "PETSc reports an error");
}

// A PETSc object that is destroyed with its owner.
template <class T, PetscErrorCode (*destroy)(T*)>
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { destroy(&object_); }
  operator T() const { return object_; }
  T* operator&() { return &object_; }

 private:
  T object_ = nullptr;
};

using OwnedVec = Owned<Vec, VecDestroy>;
using OwnedMat = Owned<Mat, MatDestroy>;

void fill(OwnedVec& vec, const Vector& values) {
  const int n = static_cast<int>(values.size());
  check(VecCreateSeq(PETSC_COMM_SELF, n, &vec));
  double* data = nullptr;
  check(VecGetArray(vec, &data));
  for (int i = 0; i < n; ++i) {
    data[i] = std::isinf(values[i]) ? std::copysign(PETSC_INFINITY, values[i]) : values[i];
  }
  check(VecRestoreArray(vec, &data));
}

// Sparse rows get an entry on the diagonal, which the semismooth methods change.
void fill(OwnedMat& mat, const Matrix& M, bool dense) {
  const int n = M.rows();
  if (dense) {
    check(MatCreateSeqDense(PETSC_COMM_SELF, n, n, nullptr, &mat));
    double* data = nullptr;
    check(MatDenseGetArray(mat, &data));
    const DenseMatrix columns = M.to_dense();
    std::copy(columns.data(), columns.data() + columns.size(), data);
    check(MatDenseRestoreArray(mat, &data));
  } else {
    const Eigen::SparseMatrix<double, Eigen::RowMajor, int> rows = M.sparse();
    std::vector<PetscInt> counts(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
      counts[static_cast<std::size_t>(i)] = static_cast<PetscInt>(rows.row(i).nonZeros()) + 1;
    check(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 0, counts.data(), &mat));
    for (int i = 0; i < n; ++i) {
      check(MatSetValue(mat, i, i, 0.0, ADD_VALUES));
      for (decltype(rows)::InnerIterator it(rows, i); it; ++it)
        check(MatSetValue(mat, i, static_cast<PetscInt>(it.col()), it.value(), ADD_VALUES));
    }
  }
  check(MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
}

// F = M z + q and its Jacobian, as PETSc asks for them.
struct Map {
  OwnedMat M;
  OwnedVec q, lower, upper;

  PetscErrorCode evaluate(Vec z, Vec f) const { return MatMultAdd(M, z, q, f); }
  // 1/2 z'Mz + q'z with its gradient.
  PetscErrorCode objective(Vec z, PetscReal* value, Vec gradient) const {
    PetscScalar linear = 0, both = 0;
    PetscCall(evaluate(z, gradient));
    PetscCall(VecDot(z, q, &linear));
    PetscCall(VecDot(z, gradient, &both));
    *value = 0.5 * (both + linear);
    return 0;
  }
  // The semismooth methods scale their Jacobian in place.
  PetscErrorCode jacobian(Mat J) const { return MatCopy(M, J, SAME_NONZERO_PATTERN); }
};

const Map& map_of(void* context) { return *static_cast<const Map*>(context); }

class PetscSolver final : public peer::Solver {
 public:
  PetscSolver(const peer::Request& request, const Method& method)
      : request_(request), method_(method) {
    const Mlcp problem = peer::as_mlcp(request.problem);
    if (method.interface == Method::Interface::kTaoQp && !problem.M.is_symmetric(1e-12))
      throw std::invalid_argument(request.solver + " takes a symmetric M only");
    size_ = problem.size();
    const double n = size_;
    const bool full = static_cast<double>(problem.M.nonzeros()) > kDense * n * n;
    fill(map_.M, problem.M, !problem.M.is_sparse() || (full && method.options == kLu));
    fill(map_.q, problem.q);
    fill(map_.lower, problem.lower);
    fill(map_.upper, problem.upper);
    start_ = request.problem.start.value_or(Vector::Zero(size_));
    check(PetscOptionsInsertString(nullptr, method.options));
  }

  peer::Answer solve() override {
    OwnedVec z;
    fill(z, start_);
    peer::Answer answer = method_.interface == Method::Interface::kSnes ? snes(z) : tao(z);
    const double* data = nullptr;
    check(VecGetArrayRead(z, &data));
    answer.z = Eigen::Map<const Vector>(data, size_);
    check(VecRestoreArrayRead(z, &data));
    return answer;
  }

 private:
  peer::Answer snes(Vec z) {
    Owned<SNES, SNESDestroy> solver;
    OwnedVec f;
    OwnedMat J;
    check(VecDuplicate(z, &f));
    check(MatDuplicate(map_.M, MAT_COPY_VALUES, &J));
    check(SNESCreate(PETSC_COMM_SELF, &solver));
    check(SNESSetType(solver, method_.type));
    const auto evaluate = [](SNES, Vec x, Vec y, void* c) { return map_of(c).evaluate(x, y); };
    const auto jacobian = [](SNES, Vec, Mat a, Mat, void* c) { return map_of(c).jacobian(a); };
    check(SNESSetFunction(solver, f, evaluate, &map_));
    check(SNESSetJacobian(solver, J, J, jacobian, &map_));
    check(SNESVISetVariableBounds(solver, map_.lower, map_.upper));
    check(SNESSetTolerances(solver, 0.1 * request_.tolerance, 0.0, 0.0, iterations(2000), 1000000));
    check(SNESSetFromOptions(solver));
    check(SNESSolve(solver, nullptr, z));
    SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
    PetscInt done = 0;
    check(SNESGetConvergedReason(solver, &reason));
    check(SNESGetIterationNumber(solver, &done));
    const char* status = reason > 0                       ? "solved"
                         : reason == SNES_DIVERGED_MAX_IT ? "iteration_limit"
                                                          : "stalled";
    return {{}, status, static_cast<int>(done), SNESConvergedReasons[reason]};
  }

  peer::Answer tao(Vec z) {
    Owned<Tao, TaoDestroy> solver;
    OwnedVec f;
    OwnedMat J;
    const double aim = 0.1 * request_.tolerance;
    check(VecDuplicate(z, &f));
    check(MatDuplicate(map_.M, MAT_COPY_VALUES, &J));
    check(TaoCreate(PETSC_COMM_SELF, &solver));
    check(TaoSetType(solver, method_.type));
    check(TaoSetSolution(solver, z));
    check(TaoSetVariableBounds(solver, map_.lower, map_.upper));
    const bool qp = method_.interface == Method::Interface::kTaoQp;
    if (qp) {
      const auto objective = [](Tao, Vec x, PetscReal* v, Vec g, void* c) {
        return map_of(c).objective(x, v, g);
      };
      const auto hessian = [](Tao, Vec, Mat, Mat, void*) { return PetscErrorCode(0); };
      check(TaoSetObjectiveAndGradient(solver, f, objective, &map_));
      check(TaoSetHessian(solver, J, J, hessian, &map_));
      check(TaoSetTolerances(solver, aim, 0.0, 0.0));
    } else {
      const auto evaluate = [](Tao, Vec x, Vec y, void* c) { return map_of(c).evaluate(x, y); };
      const auto jacobian = [](Tao, Vec, Mat a, Mat, void* c) { return map_of(c).jacobian(a); };
      check(TaoSetConstraintsRoutine(solver, f, evaluate, &map_));
      check(TaoSetJacobianRoutine(solver, J, J, jacobian, &map_));
      check(TaoSetFunctionLowerBound(solver, aim));  // where TAO compares the norm of Phi with it
    }
    check(TaoSetMaximumIterations(solver, iterations(2000)));
    check(TaoSetMaximumFunctionEvaluations(solver, 1000000));
    check(TaoSetFromOptions(solver));
    check(TaoSolve(solver));
    TaoConvergedReason reason = TAO_CONTINUE_ITERATING;
    PetscInt done = 0;
    check(TaoGetConvergedReason(solver, &reason));
    check(TaoGetIterationNumber(solver, &done));
    const bool solved = qp ? reason > 0 : reason == TAO_CONVERGED_MINF;
    const char* status = solved                          ? "solved"
                         : reason > 0                    ? "stationary"
                         : reason == TAO_DIVERGED_MAXITS ? "iteration_limit"
                                                         : "stalled";
    return {{}, status, static_cast<int>(done), TaoConvergedReasons[reason]};
  }

  PetscInt iterations(PetscInt otherwise) const {
    return request_.max_iterations > 0 ? request_.max_iterations : otherwise;
  }

  const peer::Request& request_;
  const Method& method_;
  Map map_;
  Vector start_;
  int size_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (PetscInitializeNoArguments() != 0) return 1;
  PetscPopSignalHandler();
  PetscPushErrorHandler(PetscReturnErrorHandler, nullptr);
  const int code = peer::run(argc, argv, [](const peer::Request& r) {
    const auto it = methods().find(r.solver);
    if (it == methods().end()) throw std::invalid_argument(r.solver + ": no such solver");
    return std::make_unique<PetscSolver>(r, it->second);
  });
  return PetscFinalize() == 0 ? code : 1;
}
