// Newton's method on min(z, Mz + q) = 0: block principal pivoting.
#pragma once

#include <perp/solvers/active_set/free_block.hpp>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/multigrid/multigrid.hpp>
#include <perp/solvers/projection/progress.hpp>
#include <perp/solvers/projection/regularised_sweeps.hpp>

namespace perp {

struct NewtonMinSettings {
  int crash_sweeps = 12;         ///< projected Gauss-Seidel sweeps that guess the first sets
  int block_tries = 5;           ///< Newton steps without fewer violations before a recovery
  int recoveries = 8;            ///< returns to sweeps before single exchanges
  double regularisation = 1e-9;  ///< rho over the largest diagonal, where blocks are singular [-]
  int multigrid_above = 2000;    ///< sparse symmetric M-matrices of this size start by multigrid
  int proximal_steps = 200;      ///< proximal steps at most, where blocks are singular

  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("crash_sweeps", crash_sweeps,
            "sweeps that guess the first sets; 16 times as many where M has a zero diagonal");
    v.visit("block_tries", block_tries, "Newton steps without fewer violations before a recovery");
    v.visit("recoveries", recoveries, "returns to sweeps before single exchanges");
    v.visit("regularisation", regularisation,
            "rho over the largest diagonal of M, where free blocks are singular");
    v.visit("multigrid_above", multigrid_above,
            "size from which sparse symmetric M-matrices start by multigrid");
    v.visit("proximal_steps", proximal_steps, "proximal steps at most");
  }
};

/// Solves LCP(q, M) and mixed LCPs by a semismooth Newton method on the natural map,
/// mid(z - l, z - u, Mz + q) = 0, which is the primal-dual active set method
/// [HintermuellerItoKunisch2003]: unknowns at a bound are kept there, the free ones solve
///   M_FF z_F = -(q_F + M_FN z_N),
/// and every unknown that violates its bounds, or whose (Mz + q)_i has the wrong sign, changes
/// sets.
///
/// Safeguards. After `block_tries` steps that do not lower the number of violations the sets are
/// guessed anew by projected sweeps, more of them each time. After `recoveries` of these only the
/// violation of largest index changes sets until their number has fallen [JudicePires1994]; these
/// are Murty's exchanges, which end after finitely many for every P-matrix [Murty1988, Sec. 4.1].
/// Few changes do not cost a factorisation (FreeBlock). Where a free block is singular, the
/// problems
///   l <= z <= u  complementary to  (M + rho I) z + q - rho c
/// are solved instead, c being the last solution, or the best point where that is not reached: the
/// proximal point method [Rockafellar1976].
/// The number of Newton steps grows with the number of unknowns across a grid, as sets move by one
/// layer a step. So sparse symmetric M-matrices of at least `multigrid_above` unknowns start from
/// the answer of Multigrid, and nothing is left to do where that is within the tolerance.
/// Ends: solved, stalled, iteration_limit, time_limit, interrupted.
class NewtonMin final : public Solver {
 public:
  NewtonMinSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  enum class Place : char { kFree, kLower, kUpper };
  enum class Mode { kBlock, kSingle };

  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  void choose_start(const Vector* start);
  void sweep(int count);
  void place_all(const Vector& z);
  bool start_by_multigrid(Observer* observer, Result& result);
  bool newton_point();
  void solve_free();
  bool drifted() const;
  void find_violations();
  Place wanted_place(int i) const;
  void exchange(Mode mode);
  bool regularise();
  bool accept();
  void keep(const Vector& z, double natural);
  void refine();
  bool proximal_step();
  bool recover();
  void restart_count();
  void report(Result& result) const;

  RowProblem problem_;
  FreeBlock block_;
  RegularisedSweeps sweeps_;
  Multigrid multigrid_;
  bool symmetric_ = false, plain_sweeps_ = false, by_multigrid_ = false;
  double slack_z_ = 0.0, slack_w_ = 0.0, scale_ = 1.0, norm_ = 1.0;
  std::vector<Place> place_;
  std::vector<char> free_;
  std::vector<int> violations_;
  Vector z_, w_, centre_, right_, step_, candidate_, swept_, best_;
  double natural_ = 0.0, best_natural_ = 0.0, centred_natural_ = 0.0;
  Deadline deadline_{0.0};
  std::size_t fewest_ = 0;
  int tries_ = 0, proximal_steps_ = 0, single_exchanges_ = 0, recoveries_ = 0;
};

}  // namespace perp
