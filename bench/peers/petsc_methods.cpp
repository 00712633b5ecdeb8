#include <perp/bench/peers/petsc_methods.hpp>

#include <cmath>
#include <stdexcept>

namespace perp::petsc {

namespace {

Function& function_of(void* context) { return *static_cast<Function*>(context); }

MPI_Comm communicator_of(Vec z) { return PetscObjectComm(reinterpret_cast<PetscObject>(z)); }

peer::Answer solve_by_snes(const Method& method, Function& function, Vec z, double tolerance,
                           PetscInt iterations) {
  Owned<SNES, SNESDestroy> solver;
  OwnedVec f;
  OwnedMat J;
  check(VecDuplicate(z, &f));
  check(MatDuplicate(function.M, MAT_COPY_VALUES, &J));
  check(SNESCreate(communicator_of(z), &solver));
  check(SNESSetType(solver, method.type));
  const auto evaluate = [](SNES, Vec x, Vec y, void* c) { return function_of(c).evaluate(x, y); };
  const auto jacobian = [](SNES, Vec x, Mat a, Mat, void* c) {
    return function_of(c).jacobian(x, a);
  };
  check(SNESSetFunction(solver, f, evaluate, &function));
  check(SNESSetJacobian(solver, J, J, jacobian, &function));
  check(SNESVISetVariableBounds(solver, function.lower, function.upper));
  check(SNESSetTolerances(solver, 0.1 * tolerance, 0.0, 0.0, iterations, 1000000));
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

peer::Answer solve_by_tao(const Method& method, Function& function, Vec z, double tolerance,
                          PetscInt iterations) {
  Owned<Tao, TaoDestroy> solver;
  OwnedVec f;
  OwnedMat J;
  const double aim = 0.1 * tolerance;
  check(VecDuplicate(z, &f));
  check(MatDuplicate(function.M, MAT_COPY_VALUES, &J));
  check(TaoCreate(communicator_of(z), &solver));
  check(TaoSetType(solver, method.type));
  check(TaoSetSolution(solver, z));
  check(TaoSetVariableBounds(solver, function.lower, function.upper));
  const bool qp = method.interface == Method::Interface::kTaoQp;
  if (qp) {
    const auto objective = [](Tao, Vec x, PetscReal* v, Vec g, void* c) {
      return function_of(c).objective(x, v, g);
    };
    const auto hessian = [](Tao, Vec, Mat, Mat, void*) { return PetscErrorCode(0); };
    check(TaoSetObjectiveAndGradient(solver, f, objective, &function));
    check(TaoSetHessian(solver, J, J, hessian, &function));
    check(TaoSetTolerances(solver, aim, 0.0, 0.0));
  } else {
    const auto evaluate = [](Tao, Vec x, Vec y, void* c) { return function_of(c).evaluate(x, y); };
    const auto jacobian = [](Tao, Vec x, Mat a, Mat, void* c) {
      return function_of(c).jacobian(x, a);
    };
    check(TaoSetConstraintsRoutine(solver, f, evaluate, &function));
    check(TaoSetJacobianRoutine(solver, J, J, jacobian, &function));
    check(TaoSetFunctionLowerBound(solver, aim));  // TAO compares the norm of Phi with this bound
  }
  check(TaoSetMaximumIterations(solver, iterations));
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

}  // namespace

void check(PetscErrorCode code) {
  if (code == 0) return;
  const char* text = nullptr;
  PetscErrorMessage(code, &text, nullptr);
  throw std::runtime_error(text ? text : "PETSc reports an error");
}

double to_petsc(double value) {
  return std::isinf(value) ? std::copysign(PETSC_INFINITY, value) : value;
}

PetscErrorCode LinearFunction::evaluate(Vec z, Vec f) { return MatMultAdd(M, z, q, f); }

// Copies M each time, because the semismooth methods scale their Jacobian in place.
PetscErrorCode LinearFunction::jacobian(Vec /*z*/, Mat J) {
  return MatCopy(M, J, SAME_NONZERO_PATTERN);
}

PetscErrorCode LinearFunction::objective(Vec z, PetscReal* value, Vec gradient) {
  PetscScalar linear = 0, both = 0;
  PetscCall(evaluate(z, gradient));
  PetscCall(VecDot(z, q, &linear));
  PetscCall(VecDot(z, gradient, &both));
  *value = 0.5 * (both + linear);
  return 0;
}

peer::Answer solve(const Method& method, Function& function, Vec z, double tolerance,
                   PetscInt iterations) {
  check(PetscOptionsInsertString(nullptr, method.options));
  return method.interface == Method::Interface::kSnes
             ? solve_by_snes(method, function, z, tolerance, iterations)
             : solve_by_tao(method, function, z, tolerance, iterations);
}

}  // namespace perp::petsc
