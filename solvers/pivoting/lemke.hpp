// Lemke's method as a solver.
#pragma once

#include <perp/solvers/core/natural_map.hpp>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/pivoting/lemke_path.hpp>

namespace perp {

/// Settings of Lemke.
struct LemkeSettings {
  std::string covering =
      "unit";  ///< covering vector: "unit", "random:SEED", or n numbers "1,2,..."
  double pivot_tolerance =
      1e-8;  ///< entries of a direction below this times its largest are zero [-]
  double tie_tolerance = 5e-16;        ///< values this close to their bound after a step tie [-]
  std::string ties = "lexicographic";  ///< of tied variables which leaves; or "largest-pivot"
  double row_tolerance = 1e-10;  ///< entries of two inverse rows closer than this are equal [-]
  double drift_tolerance =
      1e-10;  ///< with a larger residual of a direction the basis is factorised again [-]
  bool refactor_always = false;  ///< factorise the basis at every pivot (slow, for comparison)
  bool equilibrate = true;       ///< scale rows and columns by powers of two

  /// Shows every setting to a visitor, such as a SettingVisitor.
  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("covering", covering,
            "covering vector: unit, random:SEED, or n numbers separated by commas");
    v.visit("pivot_tolerance", pivot_tolerance,
            "entries of a direction below this times its largest are zero");
    v.visit("tie_tolerance", tie_tolerance, "values this close to their bound after a step tie");
    v.visit("ties", ties,
            "which tied variable leaves: the lexicographic least, or the largest-pivot of Harris' "
            "ratio test with absolute tolerances, as in textbook codes, which may cycle",
            Choices{"lexicographic", "largest-pivot"});
    v.visit("row_tolerance", row_tolerance,
            "entries of two inverse rows closer than this are equal");
    v.visit("drift_tolerance", drift_tolerance,
            "with a larger residual of a direction the basis is factorised again");
    v.visit("refactor_always", refactor_always,
            "factorise the basis at every pivot (slow, for comparison)");
    v.visit("equilibrate", equilibrate, "scale rows and columns by powers of two");
  }
};

/// Solves LCP(q, M) and mixed LCPs by Lemke's method: one path, from one basis (LemkePath, with the
/// sources).
///
/// A start becomes a starting basis: variables at a bound are nonbasic, the others basic. If that
/// basis is singular, only independent ones are basic. A start that solves the problem is returned
/// as it is. The basic part of the answer is refined on the problem as posed, with residuals in
/// extended precision. Ends: solved; ray (this proves nothing unless M is of a class for which
/// Lemke's method processes every q, such as copositive-plus [CottlePangStone2009, Sec. 4.4]);
/// stalled, iteration_limit, time_limit, interrupted, numerical_error.
/// solve() throws std::invalid_argument if the covering vector has the wrong size.
class Lemke final : public Solver {
 public:
  LemkeSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  void do_check_settings() const override;
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  void choose_start(const Start& start);
  void choose_covering();
  void clamp(Vector& z) const;
  double refine(Vector& z);
  PairStatus status_at(int i, double z) const;
  void judge(PathEnd end, double natural, Result& result);
  void describe_ray(Result& result);
  void report(Result& result) const;

  Mlcp problem_;
  CanonicalProblem canonical_;
  LemkePath path_;
  NaturalMap map_;
  std::vector<PairStatus> wanted_;  // of the unknowns
  std::vector<PairStatus> start_;   // of the pairs
  Vector covering_;                 // by pair
  Vector f_;                        // F at the last point that was measured
  Vector rows_, correction_, refined_;
};

}  // namespace perp
