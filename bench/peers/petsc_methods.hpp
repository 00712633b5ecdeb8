// Solvers of PETSc and its part TAO (BSD 2-Clause licence) for problems in PETSc's vectors and
// matrices, on one process or many.
#pragma once

#include <petscsnes.h>
#include <petsctao.h>
#include <perp/bench/peers/peer.hpp>

namespace perp::petsc {

/// One of the methods.
struct Method {
  enum class Interface { kSnes, kTaoComplementarity, kTaoQp } interface;
  const char* type;
  const char* options;  ///< options of the linear solver
};

/// @throws std::runtime_error with PETSc's message if the code is an error
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

/// The value, with perp's infinities replaced by PETSc's.
double to_petsc(double value);

/// F, its Jacobian and the bounds, in the form that PETSc needs.
class Function {
 public:
  virtual ~Function() = default;
  /// f = F(z).
  virtual PetscErrorCode evaluate(Vec z, Vec f) = 0;
  /// J has the pattern of M.
  virtual PetscErrorCode jacobian(Vec z, Mat J) = 0;
  /// 1/2 z'Mz + q'z and its gradient; for linear functions with a symmetric M.
  virtual PetscErrorCode objective(Vec z, PetscReal* value, Vec gradient) = 0;

  OwnedMat M;  ///< every row has an entry on the diagonal, because the semismooth methods change it
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

/// Solves with PETSc's communicator of z.
/// @param z start, and the solution @param tolerance as perp asks for it @param iterations most
/// iterations
/// @return the answer without its z
peer::Answer solve(const Method& method, Function& function, Vec z, double tolerance,
                   PetscInt iterations);

}  // namespace perp::petsc
