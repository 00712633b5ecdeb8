// Lemke's method as a solver.
#pragma once

#include <perp/solvers/active_set/active_set_polish.hpp>
#include <perp/solvers/core/solver.hpp>
#include <perp/solvers/pivoting/lemke_path.hpp>

namespace perp {

struct LemkeSettings {
  std::string covering =
      "unit";  ///< covering vector: "unit", "random:SEED", or n numbers "1,2,..."
  double pivot_tolerance =
      1e-8;  ///< entries of a direction below this times its largest are zero [-]
  double tie_tolerance = 5e-16;        ///< values this close to their bound after a step tie [-]
  std::string ties = "lexicographic";  ///< what leaves of what ties: lexicographic or largest-pivot
  double row_tolerance = 1e-10;  ///< entries of two inverse rows closer than this are equal [-]
  double drift_tolerance =
      1e-10;  ///< residual of a direction from which the basis is factorised anew [-]
  bool refactor_always = false;  ///< factorise the basis at every pivot (slow, for comparison)
  bool equilibrate = true;       ///< scale rows and columns by powers of two
  bool polish_start = true;      ///< Newton steps from a given start before the path
  std::string regularise =
      "trouble";        ///< proximal steps on M + rho I: never, after trouble, always
  int recoveries = 3;   ///< restarts after numerical trouble
  bool certify = true;  ///< look for a Farkas certificate when the path ends on a ray

  template <class Visitor>
  void visit(Visitor& v) {
    v.visit("covering", covering,
            "covering vector: unit, random:SEED, or n numbers separated by commas");
    v.visit("pivot_tolerance", pivot_tolerance,
            "entries of a direction below this times its largest are zero");
    v.visit("tie_tolerance", tie_tolerance, "values this close to their bound after a step tie");
    v.visit("ties", ties, "what leaves of what ties: lexicographic or largest-pivot");
    v.visit("row_tolerance", row_tolerance,
            "entries of two inverse rows closer than this are equal");
    v.visit("drift_tolerance", drift_tolerance,
            "residual of a direction from which the basis is factorised anew");
    v.visit("refactor_always", refactor_always,
            "factorise the basis at every pivot (slow, for comparison)");
    v.visit("equilibrate", equilibrate, "scale rows and columns by powers of two");
    v.visit("polish_start", polish_start, "Newton steps from a given start before the path");
    v.visit("regularise", regularise, "proximal steps on M + rho I: never, trouble or always");
    v.visit("recoveries", recoveries, "restarts after numerical trouble");
    v.visit("certify", certify, "look for a Farkas certificate when the path ends on a ray");
  }
};

/// Solves LCP(q, M) and mixed LCPs by Lemke's method (see LemkePath for the method and its
/// sources).
///
/// A start is turned into a starting basis: variables at a bound are nonbasic, the others basic;
/// where that basis is singular, as many of them as are independent. A start that solves the
/// problem is returned. The answer's basic part is refined on the problem as posed, with residuals
/// in extended precision. Ends: solved; ray (nothing is proved unless M is of a class for which
/// Lemke's method processes every q, such as copositive-plus [CottlePangStone2009, Sec. 4.4]);
/// infeasible with a checked Farkas certificate; iteration_limit, time_limit, interrupted,
/// numerical_error.
class Lemke final : public Solver {
 public:
  LemkeSettings settings;

  const SolverTraits& traits() const override;
  void visit_settings(SettingVisitor& visitor) override { settings.visit(visitor); }

 private:
  void do_prepare(const Problem& problem) override;
  void do_solve(const Start& start, Observer* observer, Result& result) override;

  bool choose_start(const Start& start);
  double polish_start(const Vector& start, Vector& z);
  double solve_regularised(long limit, Observer* observer, Vector& answer);
  double time_left() const;
  PairStatus status_at(int i, double z) const;
  void default_start();
  bool dubious_ray(PathEnd end) const;
  const Vector* covering();
  void refine(Vector& z);
  double natural_residual(const Vector& z);
  Status describe_failure(Status end, std::string_view what, Result& result);
  void report(Result& result);

  Mlcp problem_;
  CanonicalProblem canonical_;
  LemkePath path_;
  ActiveSetPolish polish_;
  std::vector<PairStatus> wanted_;
  std::vector<PairStatus> start_;
  Vector covering_, residual_, rows_, correction_, candidate_, refined_;
  std::chrono::steady_clock::time_point started_;
  int recoveries_used_ = 0;
  long proximal_pivots_ = 0;
  bool polished_ = false;
};

/// A certificate that holds, or excludes up to a radius.
struct FarkasCertificate {
  Vector y;
  FarkasCheck check;
};

/// Why no point of an Mlcp satisfies its linear constraints, or nothing where a
/// feasible point was found or the search failed. Solves a linear program by its complementarity
/// conditions; the matrix is skew plus zero, so Lemke's method ends on a ray only where the program
/// is infeasible [CottlePangStone2009, Sec. 4.4].
/// @param feasible set to a feasible point where there is one.
std::optional<FarkasCertificate> find_farkas(const Mlcp& problem, double time_limit,
                                             std::optional<Vector>* feasible);

}  // namespace perp
