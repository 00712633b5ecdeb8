// Conjugate gradients for a quadratic function on a face of a box.
#pragma once

#include <perp/problems/limits/deadline.hpp>
#include <perp/solvers/gradient_projection/symmetric_operator.hpp>

namespace perp {

/// Ends of the conjugate gradients.
enum class FaceEnd {
  kMinimum,       ///< the gradient on the face is below the target
  kLittleGained,  ///< the last step gained little compared with the best one
  kLimit,         ///< the iteration limit
  kFlat,          ///< a direction of zero or negative curvature was found
};

/// Minimises g'd + 1/2 d'Hd over d that is zero outside a face, preconditioned by the diagonal of H
/// [NocedalWright2006, Alg. 5.3; MoreToraldo1991].
class FaceConjugateGradients {
 public:
  /// Keeps references to all three. n values each:
  /// @param weight 1 / H_ii if that is positive, else some positive scale
  /// @param unit gradient entries are divided by these before they are compared with the target
  void attach(SymmetricOperator& h, const Vector& weight, const Vector& unit);

  /// @param face the face of set_face(), ascending @param g n values
  /// @param target for the largest gradient entry on the face
  /// @param progress it ends if the last step gained at most this share of the best one; 0: never
  /// @param limit of iterations @param deadline it ends as at the limit
  /// @param d the minimiser found, n values; if the end is kFlat, the flat direction p with g'p < 0
  FaceEnd minimise(const std::vector<int>& face, const Vector& g, double target, double progress,
                   int limit, const Deadline& deadline, Vector& d);

  int iterations = 0;      ///< of all calls since this was set to zero
  double curvature = 0.0;  ///< p'Hp of the last flat direction

 private:
  SymmetricOperator* h_ = nullptr;
  const Vector *weight_ = nullptr, *unit_ = nullptr;
  Vector d_, r_, p_, hp_;
};

}  // namespace perp
