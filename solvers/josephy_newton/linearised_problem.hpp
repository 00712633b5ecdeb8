// The linear problem of a Josephy-Newton step.
#pragma once

#include <perp/solvers/box/box_problem.hpp>
#include <perp/solvers/pivoting/lemke_path.hpp>
#include <vector>

namespace perp {

/// l <= z + d <= u  complementary to  F(z) + (J + rho I) d,  solved by a path of complementary
/// pivots from the basis of given sets [Josephy1979; DirkseFerris1995]. The unknown is d, so the
/// constants are F itself and the distances to the bounds, without the cancellation in F - J z. If
/// J is dense, nothing allocates after attach().
class LinearisedProblem {
 public:
  enum class Origin { kPoint, kFarAway };  ///< beginning of the path: z, or infinity

  /// Keeps a reference to the problem. Allocates.
  void attach(const BoxProblem& problem);
  /// Whether the same bounds are finite or equal as in the problem that was attached.
  bool fits(const BoxProblem& problem) const;
  /// Linearises at z with J = problem.matrix(). To be called before solve().
  /// @param z, f scaled unknowns and F(z), n values each
  void set_point(const Vector& z, const Vector& f, double rho);
  /// @param start sets of the first basis, one per unknown @param time_limit seconds
  PathEnd solve(Origin origin, const std::vector<PairStatus>& start, long max_pivots,
                double time_limit);
  /// z + d, within the bounds: a solution, or the point where the path ended.
  const Vector& point() const { return point_; }
  /// The share of the first violation that is left at the end of a path from the point: 0 at a
  /// solution.
  double share_left() const;

  long pivots() const {
    return path_.counts().pivots + path_.counts().flips;
  }  ///< since attach or reset_counts
  int factorisations() const { return path_.basis().factorisations; }
  int linear_solves() const { return path_.basis().linear_solves; }
  void reset_counts() { path_.reset_counts(); }

 private:
  const BoxProblem* problem_ = nullptr;
  Vector z_;     // of set_point()
  Mlcp linear_;  // with the unknown d
  CanonicalProblem canonical_;
  LemkePath path_;
  std::vector<PairStatus> start_;
  Vector zero_, point_, x_, w_;
};

}  // namespace perp
