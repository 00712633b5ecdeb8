// Sums of products whose result can be trusted: what the verifier computes with.
#pragma once

#include <initializer_list>
#include <memory>
#include <perp/problems/matrix/matrix.hpp>

namespace perp {

/// 64 bits of mantissa and 15 of exponent on x86: products of doubles neither overflow nor
/// underflow.
using Extended = long double;
/// A column of extended numbers.
using ExtendedVector = Eigen::Matrix<Extended, Eigen::Dynamic, 1>;

/// A term of a sum of vectors: sign * A x, sign * A'x, sign * diag(d) x, or sign * x. It refers to
/// what it is made of, which must outlive it; a term without x adds nothing.
struct AffineTerm {
  const Matrix* matrix = nullptr;
  const Vector* diagonal = nullptr;
  bool transposed = false;
  const Vector* x = nullptr;
  const ExtendedVector* extended = nullptr;  ///< instead of x
  int sign = 1;

  static AffineTerm vector(const Vector& x, int sign = 1);
  static AffineTerm vector(const ExtendedVector& x, int sign = 1);
  static AffineTerm product(const Matrix& a, const Vector& x, int sign = 1);
  static AffineTerm product(const Matrix& a, const ExtendedVector& x, int sign = 1);
  static AffineTerm transposed_product(const Matrix& a, const Vector& x, int sign = 1);
  static AffineTerm transposed_product(const Matrix& a, const ExtendedVector& x, int sign = 1);
  static AffineTerm scaled(const Vector& diagonal, const Vector& x, int sign = 1);
};

/// Sums in extended precision, with their sizes for rounding floors.
struct AffineSum {
  ExtendedVector values;
  ExtendedVector sizes;  ///< the sums of the absolute values of what is added
};

/// What sum_of() sums up in, for those who call it again and again.
class SumWorkspace {
 public:
  SumWorkspace();
  ~SumWorkspace();
  SumWorkspace(const SumWorkspace&) = delete;
  SumWorkspace& operator=(const SumWorkspace&) = delete;

 private:
  friend void sum_of(std::initializer_list<AffineTerm>, int, SumWorkspace&, AffineSum&);
  struct Rows;
  std::unique_ptr<Rows> rows_;
};

/// The sum of the terms, each row as if it were summed exactly and rounded once. It is computed in
/// three doubles a row (RowSums) [OgitaRumpOishi2005, Alg. 5.10]; rows that cancel so far that this
/// leaves doubt are summed again without any rounding [Shewchuk1997]. The terms have `rows` rows
/// and finite factors.
AffineSum sum_of(std::initializer_list<AffineTerm> terms, int rows);
/// The same, into `result`, which is not among the terms. Only other sizes allocate, and rows that
/// are summed exactly.
void sum_of(std::initializer_list<AffineTerm> terms, int rows, SumWorkspace& work,
            AffineSum& result);

/// More than the exact sum i can differ from values[i] beyond 2^-60 of that.
Extended hidden_in(const AffineSum& sum, Eigen::Index i);

/// a'b, likewise.
Extended dot_product(const Eigen::Ref<const ExtendedVector>& a,
                     const Eigen::Ref<const ExtendedVector>& b);

/// Euclidean norm.
Extended euclidean_norm(const Extended* v, int count);

/// The nearest double that is not smaller, so that rounding never brings a residual below a
/// tolerance.
double round_up(Extended value);

}  // namespace perp
