// Sums of products whose result can be trusted: what the verifier computes with.
#pragma once

#include <perp/problems/standard/matrix.hpp>
#include <vector>

namespace perp {

/// 64 bits of mantissa and 15 of exponent on x86: products of doubles neither overflow nor
/// underflow.
using Extended = long double;
using ExtendedVector = Eigen::Matrix<Extended, Eigen::Dynamic, 1>;

/// A term of a sum of vectors: sign * A x, sign * A'x, sign * diag(d) x, or sign * x.
struct AffineTerm {
  const Matrix* matrix = nullptr;
  const Vector* diagonal = nullptr;
  bool transposed = false;
  ExtendedVector x;
  int sign = 1;

  static AffineTerm vector(const Vector& x, int sign = 1);
  static AffineTerm product(const Matrix& a, const Vector& x, int sign = 1);
  static AffineTerm product(const Matrix& a, ExtendedVector x, int sign = 1);
  static AffineTerm transposed_product(const Matrix& a, const Vector& x, int sign = 1);
  static AffineTerm transposed_product(const Matrix& a, ExtendedVector x, int sign = 1);
  static AffineTerm scaled(const Vector& diagonal, const Vector& x, int sign = 1);
};

struct AffineSum {
  ExtendedVector values;
  ExtendedVector sizes;  ///< the sums of the absolute values of what is added
};

/// The sum of the terms, each row as if it were summed exactly and rounded once. It is computed as
/// if in 128 bits [OgitaRumpOishi2005, Alg. 5.3]; rows that cancel so far that this leaves doubt
/// are summed again without any rounding [Shewchuk1997]. The terms have `rows` rows and finite
/// factors.
AffineSum sum_of(const std::vector<AffineTerm>& terms, int rows);

/// a'b, likewise.
Extended dot(const ExtendedVector& a, const ExtendedVector& b);

/// Euclidean norm.
Extended euclidean_norm(const Extended* v, int count);

/// The nearest double that is not smaller, so that rounding never brings a residual below a
/// tolerance.
double round_up(Extended value);

}  // namespace perp
