// A mixed LCP in the form that pivoting methods work on, and the way back.
#pragma once

#include <perp/problems/standard/lcp.hpp>
#include <perp/solvers/core/start.hpp>
#include <perp/solvers/linear_algebra/column_matrix.hpp>
#include <vector>

namespace perp {

class Basis;

/// Pairs (x_i, w_i) with w = M x + q:
///   kLower: 0 <= x_i, w_i >= 0, x_i w_i = 0
///   kBoxed: 0 <= x_i <= range_i; w_i >= 0 at 0, w_i <= 0 at range_i
///   kFree:  x_i free, w_i = 0
///
/// Obtained from l <= z <= u, F(z) by shifting to a finite bound, reflecting variables that are
/// bounded above only, dropping fixed ones, and scaling rows and columns by powers of two (exact)
/// so that the largest entries of rows and columns come near 1 [Ruiz2001].
///
/// Free variables must be basic, so their block M_FF should be nonsingular. Where it is not, a
/// rank-revealing factorisation pairs its equations and unknowns anew (both sides are unrestricted,
/// so any pairing is right). For each pair left over, partners among the bounded ones are sought
/// with which it forms a nonsingular principal pivot; they start as basic. Pairs without partners
/// are split in two lower-bounded ones, x = x+ - x-: F >= 0 with x+, -F >= 0 with x-, which is
/// exact as well.
class CanonicalProblem {
 public:
  enum class PairKind : unsigned char { kLower, kBoxed, kFree };

  void build(const Mlcp& problem, bool equilibrate);

  /// For many problems with bounds of the same sorts, such as the linearisations of a nonlinear
  /// one: free unknowns keep their own rows, whatever the rank of M_FF, so the default start may be
  /// singular. Call set_values() next.
  void build_pairs(const Mlcp& problem);
  /// Takes M, q and bounds of a problem with the pairs of the last build_pairs(). Allocates nothing
  /// from the second call on where M is dense.
  void set_values(const Mlcp& problem, bool equilibrate);

  int size() const { return static_cast<int>(kind.size()); }

  ColumnMatrix M;
  Vector q;
  std::vector<PairKind> kind;
  Vector range;               ///< of kBoxed, else inf
  std::vector<int> variable;  ///< original index of the unknown of a pair
  std::vector<int> equation;  ///< original index of the row of a pair
  Vector column_scale;  ///< z = offset + column_scale * x (signed), summed over the pairs of z
  Vector row_scale;     ///< w = row_scale * F (signed)
  std::vector<PairStatus> default_start;  ///< a complementary basis that is nonsingular
  int partners = 0;     ///< bounded pairs that start as basic for the sake of a free one
  int split_pairs = 0;  ///< free pairs that had to be split
  int first_split = 0;  ///< the pairs from here on are the second halves of split ones

  /// z from x; fixed variables at their bound.
  void to_original(const Vector& x, Vector& z) const;
  /// x and w from z and F, unsplit pairs only.
  void from_point(const Vector& z, const Vector& f, Vector& x, Vector& w) const;
  /// A direction of x as a direction of z.
  void direction_to_original(const Vector& x, Vector& z) const;
  /// Statuses of the pairs from statuses of the unknowns.
  void from_original(const std::vector<PairStatus>& original, std::vector<PairStatus>& pairs) const;
  /// Statuses of the unknowns from those of the pairs (fixed ones at their lower bound).
  void statuses_to_original(const std::vector<PairStatus>& pairs,
                            std::vector<PairStatus>& original) const;

 private:
  void classify(const Mlcp& problem);
  void pair_free_variables(const Mlcp& problem);
  void set_pairs(const Mlcp& problem);
  bool find_default_start();
  bool pivot_in(Basis& basis, int i);
  void set_signs(const Mlcp& problem);
  void set_offset(const Mlcp& problem);
  void assemble(const Mlcp& problem);
  void assemble_matrix(const Mlcp& problem);
  void scale(const Mlcp& problem);

  Vector offset_;                  // original size: the bound that x = 0 stands for
  std::vector<long double> sums_;  // of M offset
  bool stays_dense_ = false;       // a dense M is kept so, whatever its share of zeros
  std::vector<std::vector<int>> pairs_of_row_;
  Vector row_max_, column_max_, row_factor_, column_factor_;  // of scale()
  std::vector<int> free_rows_, free_columns_;                 // original indices, paired
  std::vector<int> left_rows_, left_columns_;  // likewise: pairs that M_FF leaves over
  int first_left_ = 0;                         // pair
  std::vector<char> split_;                    // per pair left over
};

}  // namespace perp
