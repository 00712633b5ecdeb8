// A mixed LCP in the form that pivoting methods work on, and the way back.
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
/// Obtained from l <= z <= u, F(z) by shifting to a finite bound, reflecting variables that are
/// bounded above only, dropping fixed ones, and scaling rows and columns by powers of two (exact).
///
/// Free variables must be basic. If their block M_FF is singular, equations and unknowns are paired
/// anew (FreePairing). For each pair left over, partners among the bounded ones are sought with
/// which it forms a nonsingular principal pivot (PartnerSearch); they start as basic. Pairs without
/// partners are split in two lower-bounded ones, x = x+ - x-: F >= 0 with x+, -F >= 0 with x-,
/// which is exact as well.
///
/// Invariant: z = offset + column_scale x, summed over the pairs of each z, and w = row_scale F;
/// bounded pairs come first, then the free ones, those that M_FF leaves over last, and the second
/// halves of split pairs at the very end. default_start is nonsingular after build().
class CanonicalProblem {
 public:
  enum class PairKind : unsigned char { kLower, kBoxed, kFree };

  CanonicalProblem();
  ~CanonicalProblem();

  /// Allocates nothing if called again for a problem of the same structure, outside sparse
  /// factorisations. @throws DeadlinePassed
  void build(const Mlcp& problem, bool equilibrate, const Deadline& deadline = Deadline());

  /// For many problems with bounds of the same sorts, such as the linearisations of a nonlinear
  /// one: free unknowns keep their own rows, whatever the rank of M_FF, so the default start may be
  /// singular. Call set_values() next.
  void build_pairs(const Mlcp& problem);
  /// Takes M, q and bounds of a problem with the pairs of the last build_pairs(). Allocates nothing
  /// from the second call on if M is dense.
  void set_values(const Mlcp& problem, bool equilibrate);

  int size() const { return static_cast<int>(kind.size()); }
  /// Free pairs that had to be split.
  int split_pairs() const { return size() - first_split; }
  /// Bounded pairs that start as basic for the sake of a free one.
  int partners() const;

  ColumnMatrix M;
  Vector q;
  std::vector<PairKind> kind;
  Vector range;                           ///< of kBoxed, else inf
  std::vector<int> variable;              ///< original index of the unknown of a pair
  std::vector<int> equation;              ///< original index of the row of a pair
  Vector column_scale, row_scale;         ///< signed
  std::vector<PairStatus> default_start;  ///< a complementary basis
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
  void set_pairs(const Mlcp& problem);
  bool find_default_start(const Deadline& deadline);
  void set_signs(const Mlcp& problem);
  void set_offset(const Mlcp& problem);
  void scale(const Mlcp& problem);
  void assemble(const Mlcp& problem);
  void assemble_matrix(const Matrix& original);
  long count_entries(const Matrix& original) const;

  Vector offset_;                                 // original size: the bound that x = 0 stands for
  std::vector<long double> sums_;                 // of M offset
  bool stays_dense_ = false;                      // a dense M is kept so, whatever its zeros
  std::vector<std::array<int, 2>> pairs_of_row_;  // -1 for none
  Equilibration equilibration_;
  FreePairing free_;
  int first_left_ = 0;       // pair
  std::vector<char> split_;  // per pair left over
  std::unique_ptr<PartnerSearch> partner_search_;
};

}  // namespace perp
