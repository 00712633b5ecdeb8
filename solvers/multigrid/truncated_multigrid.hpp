// A hierarchy of aggregates with truncated coarse problems.
#pragma once

#include <perp/solvers/linear_algebra/csr.hpp>
#include <perp/solvers/linear_algebra/dense_cholesky.hpp>
#include <perp/solvers/multigrid/aggregation.hpp>
#include <vector>

namespace perp {

/// One level: the Galerkin problem l <= z <= u, A z + q, and the data of a cycle.
struct MultigridLevel {
  Csr a;          ///< A, without truncation
  Csr truncated;  ///< P'AP of the last truncation; pattern of `a`; unused on the finest level
  Csr prolongation, restriction;  ///< to and from this level, from and to the next coarser one
  Vector q, lower, upper, z;
  Vector w, right, correction, force, best;  ///< workspaces
  std::vector<char> mask;                    ///< for each unknown, 1 if it is off its bounds
  std::vector<double> scratch;

  int size() const { return a.rows; }
};

/// Levels by smoothed aggregation [VanekMandelBrezina1996], coarse matrices by Galerkin products.
///
/// truncate() removes the unknowns at their bounds from the matrix of one level and recomputes all
/// coarser ones [Kornhuber1994; GraeserKornhuber2009]. cycle() is a cycle for the system that is
/// left, with Gauss-Seidel sweeps: forward before and backward after the coarse correction. Each
/// level below the finest is visited twice per visit of the next finer one: with one visit (a
/// V-cycle) the convergence becomes slower with every further level.
class TruncatedMultigrid {
 public:
  /// Builds the levels. @param a symmetric with positive diagonal, n x n @param q, lower, upper n
  /// values each. Allocates nothing if the levels have been as large before.
  void build(const SparseMatrix& a, const Vector& q, const Vector& lower, const Vector& upper);

  int depth() const { return depth_; }
  MultigridLevel& level(int k) { return levels_[k]; }
  /// Entries of the matrices of all levels over those of the finest.
  double operator_complexity() const;

  /// Truncates with the mask of level `top`, which is the finest level of the next cycles.
  void truncate(int top);
  /// level(top).correction ~ A_FF^-1 right_F, zero outside F.
  void cycle(int top);

 private:
  void coarsen(MultigridLevel& fine, MultigridLevel& coarse);
  void factor_coarsest(int top);
  void descend(int top, int k);
  void correct_from_below(int top, int k);
  void smooth(int top, int level_index, bool backward);
  void solve_coarsest(int top);
  const Csr& matrix(int top, int k) const { return k == top ? levels_[k].a : levels_[k].truncated; }

  std::vector<MultigridLevel> levels_;  // the first depth_ are in use
  int depth_ = 0;
  Aggregates aggregates_;
  CsrWorkspace work_;
  Csr product_;
  DenseCholesky coarsest_;
  bool coarsest_factorised_ = false;
};

}  // namespace perp
