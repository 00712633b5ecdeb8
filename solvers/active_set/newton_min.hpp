// Newton's method on min(z, Mz + q) = 0: active sets with block and single exchanges.
#pragma once

#include <perp/solvers/active_set/free_block.hpp>
#include <perp/solvers/core/solver.hpp>

namespace perp {

/// Settings of NewtonMin.
struct NewtonMinSettings {
  int block_tries = 5;  ///< block exchanges without fewer violations before single ones

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("block_tries", block_tries,
            "block exchanges without fewer violations before single ones");
  }
};

/// The place of every unknown of a mixed LCP: free, or at one of its bounds, which is then finite.
/// free() holds 1 for the free unknowns.
class ActiveSets {
 public:
  /// The place of an unknown.
  enum class Place : char { kFree, kLower, kUpper };

  /// For n unknowns.
  void resize(int n);
  /// Puts an unknown into its place.
  void move(int i, Place place) {
    place_[i] = place;
    free_[i] = place == Place::kFree;
  }
  /// The place of an unknown.
  Place place(int i) const { return place_[i]; }
  /// Whether an unknown is free.
  bool is_free(int i) const { return free_[i] != 0; }
  /// 1 for free unknowns, else 0.
  const std::vector<char>& free() const { return free_; }
  /// Number of free unknowns.
  int count_free() const;

 private:
  std::vector<Place> place_;
  std::vector<char> free_;
};

/// Solves LCP(q, M) and mixed LCPs by the primal-dual active set method. It is a semismooth Newton
/// method on mid(z - l, z - u, Mz + q) = 0 [HintermuellerItoKunisch2003] and also block principal
/// pivoting [JudicePires1994]. Unknowns at a bound (N) stay there; the free ones (F) solve
///   M_FF z_F = -(q_F + M_FN z_N).
/// Then every unknown that violates its bounds, or whose (Mz + q)_i has the wrong sign, changes
/// sets.
///
/// Such block exchanges may cycle. After `block_tries` of them that do not lower the number of
/// violations, only the violation with the largest index changes sets, until their number has
/// fallen [JudicePires1994]. These are Murty's exchanges. Every P-matrix needs only finitely
/// many of them [Murty1988, Sec. 4.1]. A few changes need no new factorisation (FreeBlock).
/// Without a start the first point has all unknowns at 0 or at the bound next to 0. There an
/// unknown is free unless it is at a bound and (Mz + q)_i does not push it off. If complementary
/// sets solve the problem, they are its basis.
/// Ends: solved; stalled if a free block is singular, so that there is no Newton point, or if
/// complementary sets do not give the accuracy; iteration_limit, time_limit, interrupted.
class NewtonMin final : public Solver {
 public:
  NewtonMinSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  using Place = ActiveSets::Place;
  enum class Exchange { kBlock, kSingle };

  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  void begin(const Start& start);
  void place_all(const Vector& z);
  void place_all(const std::vector<PairStatus>& basis);
  bool newton_point();
  void solve_free();
  bool drifted() const;
  void find_violations();
  Place wanted_place(int i) const;
  Exchange next_exchange();
  void exchange(Exchange how);
  bool accept();
  void refine();
  std::optional<Status> assess(Observer* observer, IterationRecord& record);
  void finish(Result& result);

  RowProblem problem_;
  FreeBlock block_;
  double norm_ = 1.0;  // of the rows of M, at least 1
  ActiveSets sets_;
  std::vector<int> violations_;  // unknowns in the wrong set, ascending
  Vector z_, w_;                 // the Newton point of the sets, w = Mz + q
  double natural_ = 0.0;         // natural residual there
  Vector right_, candidate_;     // workspaces
  Vector best_;                  // the best point so far, within the bounds
  double best_natural_ = 0.0;
  std::size_t fewest_ = 0;  // violations so far
  int tries_ = 0;           // block exchanges left before single ones
  int single_exchanges_ = 0;
};

}  // namespace perp
