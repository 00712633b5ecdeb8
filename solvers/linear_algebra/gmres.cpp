#include <perp/solvers/linear_algebra/gmres.hpp>

#include <cmath>

namespace perp {

void Gmres::reserve(int rows, int unknowns, int most) {
  basis_.resize(most + 1);
  for (Vector& v : basis_) v.resize(rows);
  images_.resize(most);
  for (Vector& x : images_) x.resize(unknowns);
  triangle_.resize(most + 1, most);
  for (Vector* v : {&cosines_, &sines_}) v->resize(most);
  side_.resize(most + 1);
}

// Makes column k of the Hessenberg matrix one of the triangle, by Givens rotations.
void Gmres::rotate(int k) {
  for (int i = 0; i < k; ++i) {
    const double upper = triangle_(i, k), lower = triangle_(i + 1, k);
    triangle_(i, k) = cosines_[i] * upper + sines_[i] * lower;
    triangle_(i + 1, k) = cosines_[i] * lower - sines_[i] * upper;
  }
  const double length = std::hypot(triangle_(k, k), triangle_(k + 1, k));
  cosines_[k] = triangle_(k, k) / length;
  sines_[k] = triangle_(k + 1, k) / length;
  triangle_(k, k) = length;
  side_[k + 1] = -sines_[k] * side_[k];
  side_[k] *= cosines_[k];
}

bool Gmres::solve(PreconditionedMap& map, const Vector& b, double tolerance, int most, Vector& x) {
  steps_ = 0;
  x.setZero();
  const double size = b.norm(), goal = tolerance * size;
  if (!std::isfinite(size)) return false;
  if (size == 0.0) return true;
  basis_[0] = b / size;
  side_[0] = size;
  double rest = size;
  for (; rest > goal && steps_ < most; ++steps_) {
    const int k = steps_;
    Vector& next = basis_[k + 1];
    map.apply(basis_[k], images_[k], next);
    for (int i = 0; i <= k; ++i) {
      triangle_(i, k) = basis_[i].dot(next);
      next -= triangle_(i, k) * basis_[i];
    }
    const double length = triangle_(k + 1, k) = next.norm();
    if (length > 0) next /= length;
    rotate(k);
    rest = std::abs(side_[k + 1]);
    if (!std::isfinite(rest)) return false;  // a singular map, or not finite
  }
  for (int i = steps_ - 1; i >= 0; --i) {
    double value = side_[i];
    for (int j = i + 1; j < steps_; ++j) value -= triangle_(i, j) * side_[j];
    side_[i] = value / triangle_(i, i);
    x += side_[i] * images_[i];
  }
  return rest <= goal;
}

}  // namespace perp
