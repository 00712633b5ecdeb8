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
  double tie_tolerance = 5e-16;  ///< basic values this close to their bound after a step, relative
                                 ///< to the largest value, tie with the one that blocks. Not more
                                 ///< than rounding: a value that ties wrongly ends outside
  double row_tolerance =
      1e-10;  ///< entries of two rows of the inverse closer than this, relative, are equal
  double drift_tolerance =
      1e-10;  ///< with a larger residual of a direction the basis is factorised again
  bool refactor_always = false;  ///< factorise at every pivot: slow, for comparison
  /// Harris' ratio test with absolute tolerances, as in textbook codes; it may cycle. Else the
  /// lexicographically least of the tied variables leaves.
  bool largest_pivot = false;
};

/// How a path ended.
enum class PathEnd { kSolution, kRay, kCycle, kPivotLimit, kTimeLimit, kInterrupted, kNumerical };

/// The point at which a path ends, canonical and not scaled.
struct PathPoint {
  std::vector<PairStatus> status;  ///< of every pair
  Vector x;                        ///< one value per pair
  double t = 0.0;                  ///< value of the covering variable
  Vector ray_x;                    ///< after kRay: direction of x
  double ray_t = 0.0;              ///< after kRay: direction of t
};

/// Numbers of steps of a path.
struct PathCounts {
  long pivots = 0;
  long flips = 0;              ///< steps in which x moves from one of its bounds to the other
  long ties = 0;               ///< pivots with more than one candidate
  double largest_drift = 0.0;  ///< largest relative residual of a direction before correction
};

/// Lemke's method [Lemke1965; CottlePangStone2009, Sec. 4.4] for pairs with two-sided bounds
/// [compare DirkseFerris1995, CaoFerris1996], from any nonsingular complementary basis.
///
/// With M x - w + d t = b, the path starts at a basis whose values x(t) = x(0) + t p are within
/// their bounds for all t >= t0. d = -B p is the covering column. From then on t is basic, one pair
/// has no basic member, and the complement of the variable that left last enters. Ties are broken
/// lexicographically.
///
/// Invariant between two steps: basis, set and values are consistent; the values are within their
/// bounds up to rounding; one pair has no basic member, and one of its members enters next.
class LemkePath {
 public:
  /// Keeps a reference to the problem; allocates.
  void attach(const CanonicalProblem& problem);

  /// Follows the path from a basis.
  /// @param start status of every pair; if its basis is singular, only independent pairs are kept
  /// @param covering p of slacks, by pair (positive); nullptr: ones
  PathEnd follow(const std::vector<PairStatus>& start, const Vector* covering,
                 const PathSettings& settings, long max_pivots, const Deadline& deadline,
                 Observer* observer);

  /// Follows the path that begins at a point. Unlike a path from far away, it can end in a cycle
  /// with all kinds of bounds.
  /// @param x, w of the pairs at that point, canonical.
  PathEnd follow_from(const Vector& x, const Vector& w, const std::vector<PairStatus>& start,
                      const PathSettings& settings, long max_pivots, const Deadline& deadline);

  const PathPoint& end() const { return end_; }
  /// The value of t when it entered, with which end().t can be compared.
  double first_t() const { return entry_.first_t; }
  /// For refinement: x_correction := the x part of B^-1 rows for the last basis, zero for x that
  /// are not basic. @return false if that basis is singular.
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
    double length;  // by which the entering variable moves
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
  Step relaxed_ratio_test();
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
  std::vector<int> tied_;  // positions, for ratio_test()
  Vector work_;
  long steps_ = 0;  // of this walk
  PathCounts counts_;
  PathPoint end_;
};

}  // namespace perp
