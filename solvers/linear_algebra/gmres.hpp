// The generalised minimal residual method for a map with an approximate inverse.
#pragma once

#include <Eigen/Core>
#include <perp/problems/matrix/matrix.hpp>
#include <vector>

namespace perp {

/// A linear map K with a preconditioner M, an approximation of K whose inverse is cheap.
class PreconditionedMap {
 public:
  virtual ~PreconditionedMap() = default;
  /// x := M^-1 v and w := K x. x may have more entries than v and w.
  virtual void apply(const Vector& v, Vector& x, Vector& w) = 0;
};

/// Minimises ||b - K x|| over the space of M^-1 b, M^-1 K M^-1 b and so on [SaadSchultz1986],
/// preconditioned from the right. It keeps the images of M^-1 as the flexible variant does
/// [Saad1993]. Does not start anew: it is for preconditioners with which a few steps are enough.
class Gmres {
 public:
  /// For maps from `unknowns` to `rows` values, and at most `most` steps.
  void reserve(int rows, int unknowns, int most);
  /// Ends if ||b - K x|| <= tolerance ||b||. @param most steps, at most those of reserve()
  /// @return false if it does not come to that
  bool solve(PreconditionedMap& map, const Vector& b, double tolerance, int most, Vector& x);
  /// Steps of the last solve().
  int steps() const { return steps_; }

 private:
  void rotate(int k);

  std::vector<Vector> basis_, images_;  // of the rows, orthonormal, and those of M^-1
  DenseMatrix triangle_;                // the Hessenberg matrix after the rotations
  Vector cosines_, sines_, side_;
  int steps_ = 0;
};

}  // namespace perp
