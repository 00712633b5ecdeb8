// The linear problem of a Josephy-Newton step.
#pragma once

#include <perp/solvers/box/box_problem.hpp>
#include <perp/solvers/pivoting/lemke_path.hpp>
#include <vector>

namespace perp {

/// l <= z + d <= u  complementary to  F(z) + (J + rho I) d,  solved by a path of complementary
/// pivots from the basis of given sets [Josephy1979; DirkseFerris1995]. Stated in d, its constants
/// are F itself and the distances to the bounds, without the cancellation of F - J z. Nothing
/// allocates after attach() where J is dense.
class LinearisedProblem {
 public:
  enum class Origin { kPoint, kFarAway };  ///< where the path comes from: z, or infinity

  /// Keeps a reference. Allocates.
  void attach(const BoxProblem& problem);
  /// Whether the problem's bounds are of the sorts that were attached.
  bool fits(const BoxProblem& problem) const;
  /// The linearisation at z with J = problem.matrix(). Call before the other ones.
  void set_point(const Vector& z, const Vector& f, double rho);
  /// @param start sets of the first basis, by unknown
  PathEnd solve(Origin origin, const std::vector<PairStatus>& start, long max_pivots,
                double time_limit);
  /// z + d, between the bounds: a solution, or where the path ended.
  const Vector& point() const { return point_; }
  /// What is left of the first violation at the end of a path from the point: 0 at a solution.
  double share_left() const;

  long pivots() const {
    return path_.counts().pivots + path_.counts().flips;
  }  ///< since attach or reset_counts
  int factorisations() const { return path_.basis().factorisations; }
  int linear_solves() const { return path_.basis().linear_solves; }
  void reset_counts() { path_.reset_counts(); }

 private:
  const BoxProblem* problem_ = nullptr;
  Vector z_;     // of set_point
  Mlcp linear_;  // in d
  CanonicalProblem canonical_;
  LemkePath path_;
  std::vector<PairStatus> start_;
  Vector zero_, point_, x_, w_;
};

}  // namespace perp
