// Solvers of PETSc and its part TAO (BSD 2-Clause licence): variational inequalities with bounds,
// semismooth methods, gradient projection for box QPs.
#include <algorithm>
#include <map>
#include <perp/bench/peers/petsc_methods.hpp>
#include <stdexcept>

namespace {

using namespace perp;

using namespace petsc;

constexpr const char* kLu = "-ksp_type preonly -pc_type lu";
// No preconditioner: with a singular matrix the steps then tend to the shortest ones. ILU, PETSc's
// default, breaks down for singular matrices.
constexpr const char* kGmres =
    "-ksp_type gmres -pc_type none -ksp_gmres_restart 300 -ksp_rtol 1e-8";

constexpr PetscInt kIterations = 2000;
constexpr double kDense = 0.02;  // share of nonzero entries from which on the LU is dense

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

void fill(OwnedVec& vec, const Vector& values) {
  const int n = static_cast<int>(values.size());
  check(VecCreateSeq(PETSC_COMM_SELF, n, &vec));
  double* data = nullptr;
  check(VecGetArray(vec, &data));
  std::transform(values.begin(), values.end(), data, to_petsc);
  check(VecRestoreArray(vec, &data));
}

// Sparse rows get an entry on the diagonal, because the semismooth methods change it.
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
    fill(function_.M, problem.M, !problem.M.is_sparse() || (full && method.options == kLu));
    fill(function_.q, problem.q);
    fill(function_.lower, problem.lower);
    fill(function_.upper, problem.upper);
    start_ = request.problem.start.value_or(Vector::Zero(size_));
  }

  peer::Answer solve() override {
    OwnedVec z;
    fill(z, start_);
    peer::Answer answer =
        petsc::solve(method_, function_, z, request_.tolerance,
                     request_.max_iterations > 0 ? request_.max_iterations : kIterations);
    const double* data = nullptr;
    check(VecGetArrayRead(z, &data));
    answer.z = Eigen::Map<const Vector>(data, size_);
    check(VecRestoreArrayRead(z, &data));
    return answer;
  }

 private:
  const peer::Request& request_;
  const Method& method_;
  LinearFunction function_;
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
