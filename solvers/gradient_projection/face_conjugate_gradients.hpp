// Conjugate gradients for a quadratic function on a face of a box.
#pragma once

#include <perp/solvers/gradient_projection/symmetric_operator.hpp>

namespace perp {

/// What ended the conjugate gradients.
enum class FaceEnd {
  kMinimum,       ///< the gradient on the face is below the target
  kLittleGained,  ///< the last step gained little beside the best one
  kLimit,         ///< of iterations
  kFlat,          ///< a direction of zero or negative curvature was met
};

/// Minimises g'd + 1/2 d'Hd over d that is zero outside a face, preconditioned by the diagonal of H
/// [NocedalWright2006, Alg. 5.3; MoreToraldo1991].
class FaceConjugateGradients {
 public:
  /// @param weight 1 / H_ii where that is positive, else some positive scale; n values that must
  /// stay alive.
  /// @param unit gradient entries are compared with the target in these units; likewise
  void attach(SymmetricOperator& h, const Vector& weight, const Vector& unit);

  /// @param face of set_face(), ascending
  /// @param target of the largest gradient entry on the face
  /// @param progress ends where the last step gained less than this share of the best one; 0: never
  /// @param d the minimiser found, n values; where the end is kFlat the flat direction p, with
  /// g'p < 0
  FaceEnd minimise(const std::vector<int>& face, const Vector& g, double target, double progress,
                   int limit, Vector& d);

  int iterations = 0;      ///< of all calls since it was set to zero
  double curvature = 0.0;  ///< p'Hp of the last flat direction

 private:
  SymmetricOperator* h_ = nullptr;
  const Vector *weight_ = nullptr, *unit_ = nullptr;
  Vector d_, r_, p_, hp_;
};

}  // namespace perp
