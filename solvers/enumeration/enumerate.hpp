// All solutions of a small LCP, by enumeration of its complementary bases.
#pragma once

#include <perp/problems/standard/lcp.hpp>
#include <perp/solvers/core/solver.hpp>
#include <vector>

namespace perp {

/// The result of an enumeration.
struct Enumeration {
  std::vector<Vector>
      solutions;           ///< distinct; every extreme point of the solution set is among them
  bool continuum = false;  ///< a singular basis holds a solution, so there may be infinitely many
  /// Directions d, with a largest entry of 1, so that z + t d is a solution for every t >= 0 and
  /// some solution z. Each piece of the solution set is the sums of a mean of its extreme points
  /// and of such rays with factors >= 0.
  std::vector<Vector> rays;
  long bases = 0;            ///< bases examined
  bool complete = true;      ///< false if the time limit came first, or the observer ended it
  bool interrupted = false;  ///< by the observer
  /// A basis solves the problem but for what rounding makes of its large numbers. Its solution is
  /// not among `solutions`.
  bool doubtful = false;
};

/// Examines every choice of "at the lower bound, at the upper bound or between" for every variable
/// [CottlePangStone2009, Sec. 1.3: complementary cones]. B are the rows of the variables between
/// their bounds. If M_BB is singular with nullity r, up to r further rows are set to zero: an
/// extreme point of this piece of the solution set has that many. The solution set of an LCP
/// contains no line, so it is empty only if nothing is found. The rays are those of the recession
/// cone of each piece with M_BB singular: { d : d = 0 beside B, (M d)_B = 0, and d and M d have the
/// signs that keep the bounds and the other rows }.
/// @param tolerance largest natural residual of a point that counts as a solution
/// @param time_limit seconds; 0: none
/// @param observer is told every 1024 bases; may be nullptr
/// @throws std::invalid_argument if n > kMaxEnumerationSize.
Enumeration enumerate_solutions(const Mlcp& problem, double tolerance, double time_limit = 0.0,
                                Observer* observer = nullptr);

/// Largest n: there are up to 3^n bases.
constexpr int kMaxEnumerationSize = 15;

/// Settings of `enumerate`.
struct EnumerateSettings {
  int most_unknowns = kMaxEnumerationSize;  ///< larger problems are refused

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("most_unknowns", most_unknowns, "problems of more unknowns are refused", kAtLeastOne);
  }
};

/// enumerate_solutions() as a solver. Tests use it as a reference. Result::solutions holds all
/// solutions.
class Enumerate final : public Solver {
 public:
  EnumerateSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  std::optional<std::string> do_refusal(const Problem& problem) const override;
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  Mlcp problem_;
};

}  // namespace perp
