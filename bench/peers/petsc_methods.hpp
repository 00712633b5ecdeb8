// Solvers of PETSc and its part TAO (BSD 2-Clause licence) on problems that are in PETSc's vectors
// and matrices, of one process or of many.
#pragma once

#include <petscsnes.h>
#include <petsctao.h>
#include <perp/bench/peers/peer.hpp>

namespace perp::petsc {

/// One of the methods.
struct Method {
  enum class Interface { kSnes, kTaoComplementarity, kTaoQp } interface;
  const char* type;
  const char* options;  ///< of the linear solver
};

/// @throws std::runtime_error with PETSc's words
void check(PetscErrorCode code);

/// A PETSc object that is destroyed with its owner.
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

/// The infinities of perp as those of PETSc.
double to_petsc(double value);

/// F and its Jacobian between bounds, as PETSc asks for them.
class Function {
 public:
  virtual ~Function() = default;
  virtual PetscErrorCode evaluate(Vec z, Vec f) = 0;
  /// J: of the pattern of M
  virtual PetscErrorCode jacobian(Vec z, Mat J) = 0;
  /// 1/2 z'Mz + q'z with its gradient; of linear functions with a symmetric M.
  virtual PetscErrorCode objective(Vec z, PetscReal* value, Vec gradient) = 0;

  OwnedMat M;  ///< rows with an entry on the diagonal, which the semismooth methods change
  OwnedVec lower, upper;
};

/// F = M z + q.
class LinearFunction : public Function {
 public:
  PetscErrorCode evaluate(Vec z, Vec f) override;
  PetscErrorCode jacobian(Vec z, Mat J) override;
  PetscErrorCode objective(Vec z, PetscReal* value, Vec gradient) override;

  OwnedVec q;
};

/// Solves from z to z. The communicator is that of z.
/// @param tolerance of perp @param iterations at most @return without z
peer::Answer solve(const Method& method, Function& function, Vec z, double tolerance,
                   PetscInt iterations);

}  // namespace perp::petsc
