// The path of complementary pivots of Lemke's method for bounded problems.
#pragma once

#include <perp/problems/limits/deadline.hpp>
#include <perp/solvers/core/observer.hpp>
#include <perp/solvers/pivoting/basic_values.hpp>
#include <perp/solvers/pivoting/basis.hpp>
#include <perp/solvers/pivoting/covering_entry.hpp>
#include <perp/solvers/pivoting/entering_variable.hpp>
#include <perp/solvers/pivoting/lexicographic_order.hpp>
#include <vector>

namespace perp {

/// Numerical settings of the path. All tolerances refer to the canonical problem, whose rows and
/// columns are scaled to entries near 1 and whose right-hand side is scaled to max|b| near 1.
struct PathSettings {
  double pivot_tolerance =
      1e-8;  ///< entries of a direction below this times its largest one are zero
  double tie_tolerance = 5e-16;  ///< basic values this close to their bound after a step tie with
                                 ///< the one that blocks, relative to the largest value: no more
                                 ///< than rounding, for what ties wrongly ends outside
  double row_tolerance =
      1e-10;  ///< entries of two rows of the inverse closer than this, relative, are equal
  double drift_tolerance =
      1e-10;  ///< residual of a direction from which the basis is factorised anew
  bool refactor_always = false;  ///< factorise at every pivot: slow, for comparison
  bool largest_pivot = false;    ///< of those that tie the largest pivot leaves, which may cycle;
                                 ///< else the lexicographically least
};

/// How a path ended.
enum class PathEnd { kSolution, kRay, kCycle, kPivotLimit, kTimeLimit, kInterrupted, kNumerical };

/// Where a path ends, canonical and not scaled.
struct PathPoint {
  std::vector<PairStatus> status;  ///< of every pair
  Vector x;
  double t = 0.0;
  Vector ray_x;        ///< after kRay: direction of x
  double ray_t = 0.0;  ///< and of t
};

/// What a path took.
struct PathCounts {
  long pivots = 0;
  long flips = 0;
  long ties = 0;               ///< pivots with more than one candidate
  double largest_drift = 0.0;  ///< largest relative residual of a direction before it was mended
};

/// Lemke's method [Lemke1965; CottlePangStone2009, Sec. 4.4] for pairs with two-sided bounds
/// [compare DirkseFerris1995, CaoFerris1996], from any nonsingular complementary basis.
///
/// With M x - w + d t = b, a start is made at a basis whose values x(t) = x(0) + t p lie within
/// their bounds for t from some t0 on; d = -B p is the covering column. From then on t is basic,
/// one pair has no basic member, and the complement of what left last enters. Ties are broken
/// lexicographically.
///
/// Invariant between two steps: basis, set and values tell the same; the values are within their
/// bounds up to rounding; of one pair neither member is basic, and one of them enters next.
class LemkePath {
 public:
  /// Keeps a reference; allocates.
  void attach(const CanonicalProblem& problem);

  /// Follows the path from a basis. @param start status of every pair; @param covering p of slacks,
  /// by pair (positive), or nullptr for ones. Of a singular start as many pairs are kept as are
  /// independent.
  PathEnd follow(const std::vector<PairStatus>& start, const Vector* covering,
                 const PathSettings& settings, long max_pivots, const Deadline& deadline,
                 Observer* observer);

  /// Follows the path that comes from a point. Unlike a path from far away it can end in a cycle
  /// whatever the bounds.
  /// @param x, w of the pairs at that point, canonical.
  PathEnd follow_from(const Vector& x, const Vector& w, const std::vector<PairStatus>& start,
                      const PathSettings& settings, long max_pivots, const Deadline& deadline);

  const PathPoint& end() const { return end_; }
  /// t when it entered: what end().t is to be compared with.
  double first_t() const { return entry_.first_t; }
  /// x part of B^-1 rows for the last basis (zero if x is not basic): for refinement.
  /// @return false if that basis is singular.
  bool correct(const Vector& rows, Vector& x_correction);

  const Basis& basis() const { return basis_; }
  /// Since attach or reset_counts.
  const PathCounts& counts() const { return counts_; }
  long rows_solved() const { return order_.rows_solved; }
  void reset_counts();

 private:
  struct Step {
    enum class Kind { kPivot, kFlip, kRay } kind;
    int position;   // of the leaving variable
    double length;  // of the entering variable's move
  };

  PathEnd follow(const std::vector<PairStatus>& start, const Vector* covering,
                 const PathOrigin* origin, long max_pivots, Observer* observer);
  bool begin(const std::vector<PairStatus>& start);
  bool build_basis(const std::vector<PairStatus>& start);
  bool build_from_default(const std::vector<PairStatus>& start);
  void enter_covering();
  PathEnd walk(long max_pivots, Observer* observer);
  bool compute_direction();
  Step ratio_test();
  int choose_leaving(bool flip_ties);
  bool take(const Step& step);
  void flip(int pair);
  void replace(int position, int entering, double value);
  bool factor();
  void finish(PathEnd end);
  bool tell(Observer* observer, const Step& step) const;

  const CanonicalProblem* problem_ = nullptr;
  PathSettings settings_;
  Deadline deadline_;
  Basis basis_;
  BasicSet set_;
  BasicValues values_;
  CoveringEntry entry_;
  EnteringVariable entering_;
  LexicographicOrder order_;
  RepeatedBasis repeated_;
  std::vector<int> tied_;  // positions, of ratio_test
  Vector work_;
  long steps_ = 0;  // of this walk
  PathCounts counts_;
  PathPoint end_;
};

}  // namespace perp
