// All solutions of a small LCP by its complementary bases.
#pragma once

#include <perp/problems/standard/lcp.hpp>
#include <perp/solvers/core/solver.hpp>
#include <vector>

namespace perp {

/// What enumeration found.
struct Enumeration {
  std::vector<Vector>
      solutions;           ///< distinct; every extreme point of the solution set is among them
  bool continuum = false;  ///< a singular basis holds a solution, so there may be infinitely many
  long bases = 0;          ///< bases examined
  bool complete = true;    ///< false where the time limit came first
};

/// Examines every choice of "at lower bound, at upper bound or between" for every variable
/// [CottlePangStone2009, Sec. 1.3: complementary cones]. Where the rows B of the variables between
/// leave a singular M_BB of nullity r, up to r further rows are asked to vanish: an extreme point
/// of the piece has that many. The solution set of an LCP holds no line, so it is empty only if
/// nothing is found.
/// @param tolerance natural residual up to which a point counts as a solution
/// @param time_limit seconds; 0: none
/// @throws std::invalid_argument if n > kMaxEnumerationSize.
Enumeration enumerate_solutions(const Mlcp& problem, double tolerance, double time_limit = 0.0);

constexpr int kMaxEnumerationSize = 15;

/// enumerate_solutions as a solver: the oracle of the tests. Result::solutions holds all of them.
class Enumerate final : public Solver {
 public:
  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor&) override {}

 private:
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  Mlcp problem_;
};

}  // namespace perp
