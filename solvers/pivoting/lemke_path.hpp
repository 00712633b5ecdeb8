// The path of complementary pivots of Lemke's method for bounded problems.
#pragma once

#include <chrono>
#include <cstdint>
#include <perp/solvers/core/observer.hpp>
#include <perp/solvers/pivoting/basis.hpp>
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

enum class PathEnd { kSolution, kRay, kCycle, kPivotLimit, kTimeLimit, kInterrupted, kNumerical };

/// Lemke's method [Lemke1965; CottlePangStone2009, Sec. 4.4] for pairs with two-sided bounds
/// [compare DirkseFerris1995, CaoFerris1996], from any nonsingular complementary basis.
///
/// With M x - w + d t = b, a start is made at a basis whose values x(t) = x(0) + t p lie within
/// their bounds for t from some t0 on; d = -B p is the covering column. From then on t is basic,
/// one pair has no basic member, and the complement of what left last enters. Ties are broken
/// lexicographically [Eaves1971; CottlePangStone2009, Sec. 4.9]: b is perturbed by B0 S (e, e^2,
/// ...), B0 the starting basis and S the signs that move its values inwards, so that every basis
/// met is nondegenerate and none repeats. Rows of the inverse are solved for only when a tie
/// occurs.
class LemkePath {
 public:
  /// Keeps a reference; allocates.
  void attach(const CanonicalProblem& problem);

  /// Follows the path from a basis. @param start status of every pair; @param covering p of slacks,
  /// by pair (positive), or nullptr for ones. Of a singular start as many pairs are kept as are
  /// independent.
  PathEnd follow(const std::vector<PairStatus>& start, const Vector* covering,
                 const PathSettings& settings, long max_pivots, double time_limit,
                 Observer* observer);

  /// Follows the path that comes from a point: p = (its values, moved between their bounds) -
  /// values(0), so that t falls from 1 and all that is violated shrinks in proportion to it
  /// [DirkseFerris1995]. Unlike a path from far away it can end in a cycle whatever the bounds.
  /// @param x, w of the pairs at that point, canonical.
  PathEnd follow_from(const Vector& x, const Vector& w, const std::vector<PairStatus>& start,
                      const PathSettings& settings, long max_pivots, double time_limit);

  /// Status of every pair at the end.
  const std::vector<PairStatus>& statuses() const { return status_; }
  /// x at the end, canonical.
  const Vector& x() const { return x_; }
  double t() const { return t_; }
  /// t when it entered: what t() is to be compared with.
  double first_t() const { return first_t_; }
  /// After kRay: directions of x and t.
  const Vector& ray_x() const { return ray_x_; }
  double ray_t() const { return ray_t_; }
  /// x part of B^-1 rows for the last basis (zero where x is not basic): for refinement.
  /// @return false where that basis is singular.
  bool correct(const Vector& rows, Vector& x_correction);

  const Basis& basis() const { return basis_; }
  void reset_counts();
  long pivots = 0;  ///< this and the next: since attach or reset_counts
  long flips = 0;
  long ties = 0;               ///< pivots with more than one candidate
  long rows_solved = 0;        ///< rows of the inverse computed to break them
  double largest_drift = 0.0;  ///< largest relative residual of a direction before it was mended

 private:
  struct Step {
    enum class Kind { kPivot, kFlip, kRay } kind;
    int position;   // of the leaving variable
    double length;  // of the entering variable's move
  };
  enum class Begin { kReady, kSolved, kSingular };

  Begin begin(const std::vector<PairStatus>& start, const Vector* covering);
  bool build_basis(const std::vector<PairStatus>& start);
  bool build_from_default(const std::vector<PairStatus>& start);
  Begin enter_covering(const Vector* covering);
  Begin enter_from_point();
  Begin leave_for_covering(int leaving, double t);
  PathEnd walk(long max_pivots, Observer* observer);
  bool compute_direction();
  Step ratio_test();
  int lexicographic_minimum(bool flip_ties);
  int largest_pivot();
  void inverse_row(int position, Vector& row);
  bool lexicographically_less(const Vector& a, const Vector& b) const;
  bool take(const Step& step);
  void replace(int position, int entering, double value);
  void choose_entering(int leaving, bool at_upper);
  bool factor();
  bool compute_values();
  void update_bounds(int position);
  bool at_start_again() const;
  void set_at_upper(int pair, bool at_upper);
  bool repeats();
  void finish(PathEnd end);
  bool out_of_time() const;
  bool tell(Observer* observer, const Step& step) const;

  const CanonicalProblem* problem_ = nullptr;
  Basis basis_;
  PathSettings settings_;
  double scale_ = 1.0;  // of the right-hand side, a power of two: values_ = scale_ * true values
  Vector range_;        // scaled
  std::vector<char> basic_, first_basic_;  // per id: is it basic (now, after the first pivot)
  std::vector<char> at_upper_;             // per pair: x is nonbasic at its upper bound
  bool may_cycle_ = false;  // only a start outside two-sided bounds can close on itself
  int first_entering_ = -1;
  std::vector<int> start_head_;  // B0, by position
  Vector start_sign_;            // S, by position
  Vector values_;                // of the basic variables, by position
  Vector lower_, upper_;         // their bounds
  double value_size_ = 1.0;      // max(1, max|values_|)
  Vector direction_;  // s B^-1 a of the entering variable: values move by -length * direction
  int entering_ = -1;
  double sense_ = 1.0;  // s: +1 where the entering variable increases
  long steps_ = 0;      // of this walk
  std::uint64_t basis_hash_ = 0,
                kept_hash_ = 0;  // of basis and bounds; the one kept for comparison
  const Vector *point_x_ = nullptr, *point_w_ = nullptr;  // of follow_from, while it runs
  long next_kept_ = 1;                                    // step at which the next one is kept
  std::vector<int> tied_;
  Vector best_row_, other_row_;
  Vector work_;

  std::vector<PairStatus> status_;
  Vector x_, ray_x_;
  double t_ = 0.0, ray_t_ = 0.0, first_t_ = 0.0;
  double time_limit_ = 0.0;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace perp
