// A mixed LCP in the form that pivoting methods use, and the way back.
#pragma once

#include <array>
#include <memory>
#include <perp/problems/limits/deadline.hpp>
#include <perp/problems/standard/lcp.hpp>
#include <perp/solvers/core/start.hpp>
#include <perp/solvers/linear_algebra/column_matrix.hpp>
#include <perp/solvers/pivoting/equilibration.hpp>
#include <perp/solvers/pivoting/free_pairing.hpp>
#include <vector>

namespace perp {

class PartnerSearch;

/// Pairs (x_i, w_i) with w = M x + q:
///   kLower: 0 <= x_i, w_i >= 0, x_i w_i = 0
///   kBoxed: 0 <= x_i <= range_i; w_i >= 0 at 0, w_i <= 0 at range_i
///   kFree:  x_i free, w_i = 0
///
/// This form comes from l <= z <= u, F(z): variables are shifted to a finite bound, those with only
/// an upper bound are reflected, fixed ones are dropped, and rows and columns are scaled by powers
/// of two, which is exact.
///
/// Free variables must be basic. If their block M_FF is singular, equations and unknowns are paired
/// in another way (FreePairing). For each pair that is left over, PartnerSearch looks for partners
/// among the bounded pairs, with which it forms a nonsingular principal pivot. These start as
/// basic. Pairs without partners are split in two pairs with a lower bound, x = x+ - x-: F >= 0
/// with x+ and -F >= 0 with x-. This is exact as well.
///
/// Invariant: z = offset + column_scale x, summed over the pairs of each z, and w = row_scale F.
/// Bounded pairs come first, then the free ones, then those that M_FF leaves over, and the second
/// halves of split pairs at the end. default_start is nonsingular after build().
class CanonicalProblem {
 public:
  enum class PairKind : unsigned char { kLower, kBoxed, kFree };

  CanonicalProblem();
  ~CanonicalProblem();

  /// Takes a problem. A second call for a problem of the same structure allocates nothing outside
  /// sparse factorisations. @throws DeadlinePassed
  void build(const Mlcp& problem, bool equilibrate, const Deadline& deadline = Deadline());

  /// Takes only the pairs, for many problems in which the same bounds are finite or equal, such as
  /// the linearisations of a nonlinear one. Free unknowns keep their own rows, even if M_FF is
  /// singular; then the default start is singular, too. Call set_values() next.
  void build_pairs(const Mlcp& problem);
  /// Takes M, q and bounds of a problem with the pairs of the last build_pairs(). If M is dense,
  /// only the first call allocates.
  void set_values(const Mlcp& problem, bool equilibrate);

  int size() const { return static_cast<int>(kind.size()); }
  /// Free pairs that had to be split.
  int split_pairs() const { return size() - first_split; }
  /// Number of bounded pairs that start as basic because a free one needs them.
  int partners() const;

  ColumnMatrix M;
  Vector q;
  std::vector<PairKind> kind;
  Vector range;                           ///< upper bound of x for kBoxed, else infinity
  std::vector<int> variable;              ///< original index of the unknown of a pair
  std::vector<int> equation;              ///< original index of the row of a pair
  Vector column_scale, row_scale;         ///< signed
  std::vector<PairStatus> default_start;  ///< a complementary basis
  int first_split = 0;  ///< from this pair on, all are second halves of split pairs

  /// z from x (one value per pair); fixed variables at their bound.
  void to_original(const Vector& x, Vector& z) const;
  /// x and w from z and F, for pairs that are not split.
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
  void set_pairs(const Mlcp& problem);
  bool find_default_start(const Deadline& deadline);
  void set_signs(const Mlcp& problem);
  void set_offset(const Mlcp& problem);
  void scale(const Mlcp& problem);
  void assemble(const Mlcp& problem);
  void assemble_matrix(const Matrix& original);
  long count_entries(const Matrix& original) const;

  Vector offset_;                                 // original size: z at x = 0
  std::vector<long double> sums_;                 // of M offset
  bool stays_dense_ = false;                      // a dense M stays dense, even with many zeros
  std::vector<std::array<int, 2>> pairs_of_row_;  // -1 for none
  Equilibration equilibration_;
  FreePairing free_;
  int first_left_ = 0;       // first pair that M_FF leaves over
  std::vector<char> split_;  // for each pair left over
  std::unique_ptr<PartnerSearch> partner_search_;
};

}  // namespace perp
