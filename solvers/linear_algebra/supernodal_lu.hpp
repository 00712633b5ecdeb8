// LU factorisation of a sparse square matrix in dense blocks.
#pragma once

#include <perp/solvers/linear_algebra/assembly_tree.hpp>
#include <perp/solvers/linear_algebra/dense_lu.hpp>
#include <perp/solvers/linear_algebra/dense_product.hpp>
#include <perp/solvers/linear_algebra/square_columns.hpp>
#include <vector>

namespace perp {

/// A = L U of a matrix whose factors are large: multifrontal [DuffReid1983] on the pattern of
/// A + A', in the order of SupernodalLdl. Pivots are chosen only among the rows that a front
/// eliminates. So the patterns of L and U are known in advance, and products of dense matrices
/// (DenseProduct) do most of the work. If that loses too many digits, factor() returns false. For
/// such matrices there is SparseLu, which looks for pivots in whole columns. If the pattern is that
/// of the last matrix, nothing allocates.
class SupernodalLu {
 public:
  /// @return false if the pivots of a front are singular to rounding, or A x = A (1, ..., 1)' is
  /// not solved to rounding
  bool factor(const SquareColumns& matrix);
  /// Multiplications of a factorisation, after factor().
  double operations() const { return 2.0 * tree_.operations; }

  /// x := A^-1 x, `size` values. Refined up to three times, until max |b - A x| is at most
  /// 1e-13 max (|A| |x| + |b|).
  void solve(double* x);
  /// The same for preconditioners: without refinement, and from factors rounded to single
  /// precision if they fit in it, as the time of a substitution is that of reading the factors.
  void substitute(double* x);

 private:
  /// Entries of A by the front that assembles them, first those of its columns.
  struct Entries {
    std::vector<int> starts, upper_starts, of_matrix;
    std::vector<long> places;  // in factors_.lower; those of factors_.upper come after them
  };

  /// Of all fronts: columns of L with L11 U11, and rows of U12.
  template <class T>
  struct Factors {
    std::vector<T> lower, upper;
  };

  void analyse();
  void find_fronts();
  void place_entries();
  void assemble_entries(int f);
  void assemble_child(int c, const double* block, int f, double* update);
  bool eliminate(int f);
  void eliminate_rows(const Front& front, double* rows, int begin, int end);
  void eliminate_columns(const Front& front, int begin, int end);
  double* lower(const Front& front) { return factors_.lower.data() + front.panel; }
  bool solves_ones();
  void round_factors();
  template <class T>
  void substitute(const Factors<T>& factors, double* x);
  template <class T>
  void divide_by_lower(const Front& front, const T* lower);
  template <class T>
  void divide_by_upper(const Front& front, const T* lower, const T* upper);
  double residual(const double* x);

  SquareColumns a_;
  AssemblyTree tree_;
  AssemblyRuns runs_;
  Entries entries_;
  Factors<double> factors_;
  Factors<float> single_;        // factors_, rounded
  bool analysed_ = false;        // the pattern of a_
  bool has_single_ = false;      // since factor()
  bool fits_single_ = false;     // whether single_ can hold the factors
  std::vector<long> upper_at_;   // place where those of a front begin in the upper factors
  std::vector<int> swaps_;       // of the pivots' rows
  std::vector<double> updates_;  // of fronts, until their parents take them
  DenseLu block_;
  DenseProduct product_;
  std::vector<double> side_, residual_, work_, gathered_;  // of solve()
};

}  // namespace perp
