#include <perp/solvers/plans.hpp>

#include <perp/solvers/friction/pyramid_problem.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <perp/problems/standard/reductions.hpp>
#include <perp/solvers/strategies/strategy.hpp>
#include <perp/solvers/verified_solve.hpp>
#include <string>

namespace perp {

namespace {

constexpr int kFewPivots = 12;      // unknowns; up to here pivots of round numbers round nothing
constexpr int kTinyProblem = 50;    // unknowns; below this pivots take microseconds and seldom fail
constexpr int kPivotingSize = 600;  // unknowns; below pivoting is faster than a few factorisations
constexpr int kPatientSize = 3000;  // unknowns; above 100 Newton steps are faster than pivoting
constexpr int kStartedSize = 5000;  // unknowns; the same from a start near the solution
constexpr int kGrid = 1000;         // unknowns; above multigrid is faster than active sets
constexpr int kConicPivoting = 3000;  // unknowns and rows; above a pivot takes too long
constexpr int kManyEquations = 300;   // unknowns of an mcp; above pivots take too long
constexpr int kFewContacts = 100, kPlanarContacts = 300, kManyContacts = 1000;

std::string first(const std::string& parts) { return "first(" + parts + ")"; }

// For symmetric problems: after some sweeps the active sets are nearly right. On large grids they
// change by only one layer of unknowns a step; multigrid has no such limit.
const std::string kSets = "polish(first(try(pgs, cap=8), try(newton-min, from=best))), ";
const std::string kNewton = "polish(newton-fb), ";

// What the plans for linear problems have in common: a start near a solution, pivots with what may
// repair or explain their end, and what is left then.
struct LinearTries {
  std::string start, near, lemke, last, last_if_tiny;
};

LinearTries linear_tries() {
  const std::string start = "polish(start), ";
  // A start that is right up to rounding comes from bodies at rest. Their forces are redundant. The
  // solution of M + rho I spreads them evenly, and the next steps stay near it. The solutions of
  // other methods (vertices, or other points) drift from step to step until they are poor starts.
  // newton-min finds this solution in a few factorisations, if it finds it. If not, it may find one
  // beside the start.
  const std::string near =
      "try(proximal(newton-min, rho=1e-6, steps=3), cap=60, from=zero, within=1e-5), "
      "try(proximal(newton-min, rho=1e-5, steps=10), cap=100, from=start, within=1e-5), "
      "polish(try(proximal(newton-fb, rho=1e-6, steps=3), from=zero, within=1e-5)), ";
  // With redundant forces a basis may be singular to rounding, and its answer miss a tight
  // tolerance by little. The active sets of M + rho I that are near it have no such ties. If this
  // does not repair it, Newton steps from the start cost less than a proof that would find nothing.
  const std::string repair =
      "try(proximal(newton-min, rho=1e-6, steps=5), cap=1000, from=best, within=1e-4)";
  const std::string near_miss = ", try(newton-fb, cap=50, within=1e-4)";
  // Contact problems take about one pivot per unknown. Some problems take 2^n: hence the cap.
  const std::string lemke = "certify(polish(first(warm(first(try(lemke, cap={1000+100*n}), " +
                            repair + "))" + near_miss + "))), ";
  const std::string proximal =
      "try(proximal(polish(lemke), rho=1e-5, steps=30), cap={1000+100*n}), ";
  // Another covering vector breaks the ties at which a difficult path failed. A path from a random
  // basis is cheap for a small problem and expensive for a large one.
  const std::string coverings =
      "repeat(2, polish(try(lemke:covering=\"random:{k}\", cap={1000+100*n}, from=zero))), ";
  const std::string bases =
      "repeat(10, polish(try(lemke:covering=\"random:{k}\", cap={1000+100*n}, from=random:{k}))), ";
  // Many runs for small problems: there each takes a millisecond.
  const std::string restarts =
      "polish(try(newton-fb:function=penalised:inside=always, from=zero)), "
      "repeat({max(20, min(400, 16000/n))}, "
      "polish(try(newton-fb:patience=60:least_squares=always, from=random:{k}))), ";
  const std::string uncapped = "polish(try(lemke, after=cap))";
  return {start, near, lemke, proximal + coverings + restarts + bases + uncapped,
          proximal + coverings + bases + restarts + uncapped};
}

// All complementary bases, at most 3^8, if there are few unknowns: then no solution is missed.
constexpr std::string_view kAllBases = ", enumerate:most_unknowns=8";

std::vector<Plan> linear_plans() {
  const auto [start, near, lemke, last, last_if_tiny] = linear_tries();
  const std::string newtons =
      "polish(try(newton-fb:patience=60, cap=100)), "
      "polish(try(newton-fb:inside=always:patience=60, cap=100, from=zero)), ";
  return {
      {"linear-tiny",
       "lcp and mlcp of fewer than 50 unknowns (friction pyramids without a start: up to 12): "
       "pivots take microseconds and seldom fail",
       first(start + near + lemke + kNewton + last_if_tiny + std::string(kAllBases))},
      {"linear-grid",
       "lcp and mlcp with a sparse M of 1000 unknowns and more, symmetric, with a positive "
       "diagonal and no positive entry off it: multigrid",
       first(start + "polish(multigrid), " + kSets + kNewton + lemke + last)},
      {"linear-symmetric",
       "lcp and mlcp of 50 unknowns and more with a symmetric M and a positive diagonal, if "
       "linear-grid does not take them",
       first(start + near + kSets + kNewton + lemke + last)},
      // Newton's method needs fewer than 45 steps for most of them; if it needs more, it may take
      // seconds.
      {"linear-large",
       "lcp and mlcp of 600 to 2999 unknowns without a start, neither symmetric nor of friction "
       "pyramids: Newton steps cost less than pivots if they succeed",
       first("polish(try(newton-fb, cap=50)), " + lemke + last)},
      // Most piles of a thousand contacts take 27 to 53 Newton steps. More than thirty of these in
      // a row may fail to lower the merit. Pivoting takes half a minute for them.
      {"linear-huge",
       "lcp and mlcp of 3000 unknowns and more without a start, neither symmetric nor of friction "
       "pyramids: two long runs of Newton steps cost less than pivots",
       first(newtons + lemke + last)},
      {"linear-huge-started",
       "lcp and mlcp of 5000 unknowns and more with a start, neither symmetric nor of friction "
       "pyramids: checks of the start, then two long runs of Newton steps",
       first(start + near + newtons + lemke + last)},
      {"linear",
       "lcp and mlcp of 50 to 599 unknowns, with a start up to 4999, neither symmetric nor of "
       "friction pyramids",
       first(start + near + lemke + kNewton + last)},
  };
}

std::vector<Plan> pyramid_plans() {
  // Contacts with friction pyramids: newton-pyramid needs a fraction of the time of other methods.
  // If redundant contacts stop it, proximal steps lead on; without a start they are best begun
  // anew. A few towers and steps are left for pivots.
  const std::string pyramid =
      "certify(try(newton-pyramid, cap=100)), "
      "try(proximal-pyramid, cap=10000, from=zero, share=.5), ";
  const std::string pyramid_started =
      "certify(try(newton-pyramid:rho_factor=0.5:patience=40:memory=5, from=start)), "
      "try(proximal-pyramid:rho_factor=1000:alpha=1e-5, cap=60, from=best), "
      "try(proximal-pyramid:rho_factor=10:alpha=1e-5, cap=60, from=best), "
      "try(proximal-pyramid, cap=10000, from=zero, share=.5), ";
  const LinearTries linear = linear_tries();
  const std::string pivots = linear.lemke + kNewton + linear.last;
  return {
      {"linear-pyramid",
       "lcp of 13 unknowns and more that has the form of contacts with friction pyramids of four "
       "edges, without a start",
       first(pyramid + pivots)},
      {"linear-pyramid-started",
       "lcp of 50 unknowns and more that has the form of contacts with friction pyramids of four "
       "edges, with a start: the impulses of the step before are near those of this one",
       first(pyramid_started + pivots)},
  };
}

std::vector<Plan> quadratic_plans() {
  const std::string blocks =
      "try(block-augmented-lagrangian:start_measure=0.1:negligible=1e-4, cap=30, from=start), "
      "block-interior-point, "
      "try(proximal-cone, from=best, cap=400, within=1e-6), "
      "try(block-augmented-lagrangian:penalty=1e4:negligible=1e-4, cap=20, from=best), ";
  const std::string conic = "warm(polish(interior-point))";
  const std::string exact = ", polish(warm(lemke))";
  return {
      {"box-qp", "box_qp",
       first("warm(polish(gradient-projection)), " + kSets + "polish(newton-fb)" + exact +
             std::string(kAllBases))},
      {"conic", "conic_qp with second-order cones, or of more than 3000 unknowns and rows",
       first(conic)},
      {"conic-contact",
       "conic_qp with a partition of velocities and impulses, and second-order cones or more than "
       "3000 unknowns and rows",
       first(blocks + conic)},
      {"conic-linear", "conic_qp with linear cones alone, up to 3000 unknowns and rows",
       first(conic + exact)},
      {"conic-contact-linear",
       "conic_qp with a partition of velocities and impulses and linear cones alone, up to 3000 "
       "unknowns and rows",
       first(blocks + conic + exact)},
      {"convex", "convex_contact", first("sap, warm(polish(interior-point))")},
  };
}

// newton-fb comes first: it solves most of the problems that it can solve in its first run, several
// times faster than pivots. Then both methods take turns: they fail on different problems, and near
// the start there is often a point from which one of them succeeds. With many unknowns pivots are
// expensive: then the interior-point method comes second. It solves monotone problems in a few
// dozen steps from any start. If these fail, bodies that do not touch each other are solved apart.
std::vector<Plan> nonlinear_plans() {
  // With many unknowns a least-squares step takes as long as ten Newton steps, and it seldom leads
  // out of a stall.
  const std::string newton = "newton-fb", quick_newton = "newton-fb:least_squares=never";
  // Where Newton steps stall, mostly a few contacts are far from solved. If some starts of all do
  // not help, it is better to solve these few apart, from many points.
  const std::string parts =
      fmt::format("eliminate(try({}, cap=60), first(try({}, cap=60), try(josephy-newton, cap=20))",
                  quick_newton, newton);
  const std::string pivots = "warm(josephy-newton), warm(newton-fb:function=fb:inside=always), ";
  // The start of a time step is a kink of many rows; a point beside it is none.
  const auto beside = [](const std::string& times, const std::string& method) {
    return fmt::format("repeat({}, try({}, cap=60, from=near:0.03:{{k}})), ", times, method);
  };
  const auto others = [](const std::array<std::string, 4>& times) {
    return fmt::format(
        "repeat({}, try(josephy-newton, from=near:0.1:{{k}})), "
        "josephy-newton:path=point:path_proximal=0.01:crash_iterations=0, "
        "try(newton-fb:least_squares=always, from=best), "
        "repeat({}, try(newton-fb, from=near:1:{{k}})), "
        "repeat({}, try(josephy-newton:function=penalised:crash_iterations=0, "
        "from=near:1:{{k}})), "
        "repeat({}, try(josephy-newton, from=random:{{k}}))",
        times[0], times[1], times[2], times[3]);
  };
  const std::string whole = "try(" + quick_newton + ":patience=5, cap=50), ";
  const std::string interior = "try(box-interior-point, cap=100), ";
  // If bodies stick in loops, their forces are not unique and the gaps around a loop contradict
  // each other a little. Newton steps are then long and lead nowhere; proximal steps go on.
  const std::string proximal =
      "proximal(try(" + quick_newton +
      ":patience=8:watchdog=3, cap=60)), "
      "try(newton-fb:least_squares=always, from=best, cap=60, within=1e-6), ";
  const std::string first_of_large = "try(" + quick_newton + ", cap=100), ";
  // With many unknowns other points lead nowhere more often, and each costs more.
  const auto at_most = [](int times) {
    return fmt::format("{{max(1, min({0}, {1}/n))}}", times, 300 * times);
  };
  const std::string quick_times = "{max(1, min(25, 50000/n))}";
  return {
      {"nonlinear", "mcp of fewer than 300 unknowns",
       first("try(newton-fb, cap=100), islands(" +
             first(pivots + beside("6", newton) + others({"10", "18", "9", "10"})) + ")")},
      {"nonlinear-large", "mcp of 300 unknowns and more",
       first(whole + interior + proximal + "islands(" +
             first(first_of_large + beside(quick_times, quick_newton) + parts + ", rounds=300), " +
                   pivots + others({at_most(10), at_most(18), at_most(9), at_most(10)})) +
             ")")},
      {"nonlinear-large-early",
       "mcp of 300 unknowns and more, if there are other starts (steps of perp simulate): one of "
       "them is often solved in less time than all effort from this one takes",
       first(whole + proximal + interior + "islands(" +
             first(first_of_large + beside(quick_times, quick_newton) + parts + ", rounds=60)") +
             ")")}};
}

// Tries of several plans for friction.
struct FrictionTries {
  // Sweeps lead away from points at which Newton steps are stuck. A larger rho gives other steps if
  // the first ones are stuck; large mass ratios need it.
  const std::string sweeps = "try(nsgs:symmetric=true, cap=10), ";
  const std::string more_sweeps = "try(nsgs:symmetric=true, cap=2000, from=best), ";
  const std::string proximal = "try(proximal-newton, from=best, share=.3), ";
  const std::string slow = more_sweeps + proximal;
  const std::string larger_rho =
      "try(proximal-newton:rho_factor=3, from=best, share=.5), "
      "try(proximal-newton:rho_factor=10, from=best, share=.4), ";
  // The path ends at a solution even if no other method comes near, but it takes many steps.
  const std::string path = "try(smoothing-continuation, share=.7), ";
  const std::string last =
      "try(nsgs:symmetric=true, from=best, share=.3), try(admm, from=best, share=.3), "
      "try(newton-ac:map=natural:rho_factor=0.5, share=.3), "
      "try(proximal-newton:alpha=1:decrease=0.7, from=best, cap=20000)";
};

std::vector<Plan> friction_plans() {
  const FrictionTries tries;
  const std::string alternate = "try(newton-ac, from=start, share=.25), " + tries.sweeps +
                                "certify(try(newton-ac, from=best, share=.25)), ";
  const std::string newtons = alternate + tries.slow;
  const std::string others = tries.larger_rho + tries.path + tries.last;
  return {
      // Few contacts: Newton steps cost less than sweeps. Sweeps may lead away from a solution that
      // is near zero, so in the end Newton steps begin there once more.
      {"friction-small", "friction_contact of fewer than 100 contacts without a start",
       first(alternate + "try(proximal-newton, from=best, cap=400), " + tries.slow + others +
             ", try(newton-ac, from=zero, cap=100), try(proximal-newton, from=zero, cap=400)")},
      // What 400 proximal steps do not solve is mostly a packing. Most of these are solved in a few
      // hundred points of the path, but in thousands of proximal steps. A path that is long with
      // one smoothing is mostly short with another; the smaller ones take few points or too many.
      {"friction", "friction_contact of 100 to 999 contacts without a start",
       first(alternate + tries.more_sweeps +
             "try(proximal-newton, from=best, cap=400), "
             "try(smoothing-continuation:slip_smoothing=0.01, cap=800, share=.5), "
             "try(smoothing-continuation:slip_smoothing=0.003, cap=800, share=.5), "
             "try(smoothing-continuation:slip_smoothing=0.1, cap=1500, share=.5), "
             "try(smoothing-continuation:slip_smoothing=0.3, cap=2000, share=.5), " +
             tries.proximal + others)},
      // Newton steps solve most stacks at once. Sweeps solve piles of a thousand contacts sooner
      // than Newton steps, or leave a little to a few proximal steps. None of them solves packings.
      {"friction-large", "friction_contact of 1000 contacts and more without a start",
       first("try(newton-ac:proximal=1e-5:patience=8, cap=60, share=.1), "
             "try(nsgs:patience=50, cap=10000, share=.1), "
             "certify(try(newton-ac, from=best, share=.1)), "
             "try(proximal-newton, from=best, cap=60), together("
             "try(smoothing-continuation:slip_smoothing=0.06, cap=800, share=.5), "
             "try(smoothing-continuation:slip_smoothing=0.3, cap=1200, share=.5), "
             "try(smoothing-continuation:slip_smoothing=1, cap=800, share=.5), "
             "try(smoothing-continuation:slip_smoothing=0.1, share=.9)), "
             "try(proximal-newton, from=best, share=.5), " +
             tries.larger_rho + tries.last)},
      // In the plane friction is an LCP with four unknowns per contact: with three contacts it has
      // 4096 bases.
      {"friction-planar",
       "friction_contact in the plane, or of mu = 0 without a start, up to 300 contacts: an LCP",
       first(newtons + "try(lemke, share=.25), " + others + ", enumerate:most_unknowns=12")},
  };
}

std::vector<Plan> started_friction_plans() {
  const FrictionTries tries;
  // Redundant contacts make the Jacobian singular. With less regularisation the last steps change
  // the forces by far more than the error is worth.
  const std::string newton = "try(newton-ac:proximal=1e-5, from=";
  // With a large rho steps go straight to the redundant forces that are nearest, if they begin
  // near them. From elsewhere they fail.
  const std::string near = "try(proximal-newton:rho_factor=1000:alpha=1e-5, from=best, cap=";
  // If bodies stick so that the rounding of their positions decides which contacts creep, forces
  // have far to go although the error is small. A still larger rho takes them there.
  const std::string far = "try(proximal-newton:rho_factor=10000:alpha=1e-5, from=best, cap=";
  const std::string creep = far + "400, within=1e-6), ", more_creep = far + "1000, within=1e-8), ";
  // No rho is the best for long: a run soon crawls, and another rho leads it on.
  const std::string turn = "try(proximal-newton:rho_factor=100, from=best, cap=100), " + near +
                           "100), try(proximal-newton:rho_factor=10000, from=best, cap=100), " +
                           near + "100)";
  const std::string turns = "repeat(3, first(" + turn + ")), " + near + "2000, share=.3), ";
  const std::string begun = newton + "start, share=.25), " + near + "40), " + more_creep +
                            tries.sweeps + "certify(" + newton + "best, share=.25)), " + near +
                            "40), " + creep;
  // Of packings of thousands no step is near the one before.
  const std::string begun_large = "certify(" + newton + "start, share=.25)), " + near +
                                  "40, within=1e-3), " + creep +
                                  "try(proximal-newton, from=start, share=.6), "
                                  "try(nsgs:patience=50, cap=10000, from=best, share=.5), "
                                  "try(proximal-newton, from=best, share=.5), ";
  const std::string others = tries.larger_rho + tries.path + tries.last;
  return {
      {"friction-started",
       "friction_contact of fewer than 1000 contacts with a start: the forces of the step before "
       "are near those of this one",
       first(begun + turns + tries.slow + others)},
      {"friction-started-early",
       "friction_contact of fewer than 1000 contacts with a start, if the caller has another way "
       "(perp simulate halves a step): it mostly takes less time than the last methods",
       first(begun + turn)},
      {"friction-large-started", "friction_contact of 1000 contacts and more with a start",
       first(begun_large + others)},
      {"friction-large-started-early",
       "friction_contact of 1000 contacts and more with a start, if the caller has another way",
       first(begun_large + "try(proximal-newton:rho_factor=3, from=best, share=.5)")},
  };
}

std::vector<Plan> make_plans() {
  std::vector<Plan> list;
  for (const auto& plans : {linear_plans, pyramid_plans, quadratic_plans, nonlinear_plans,
                            friction_plans, started_friction_plans}) {
    for (Plan& plan : plans()) list.push_back(std::move(plan));
  }
  return list;
}

const Matrix& linear_matrix(const Problem& problem) {
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  return lcp ? lcp->M : std::get<Mlcp>(problem.data).M;
}

bool symmetric_with_positive_diagonal(const Matrix& m) {
  for (int j = 0; j < m.cols(); ++j) {
    double diagonal = 0.0;
    m.for_column(j, [&](int i, double value) {
      if (i == j) diagonal = value;
    });
    if (!(diagonal > 0)) return false;
  }
  return m.is_symmetric(1e-12);
}

bool is_z_matrix(const Matrix& m) {
  bool is = true;
  for (int j = 0; j < m.cols() && is; ++j)
    m.for_column(j, [&](int i, double value) { is = is && (i == j || value <= 0); });
  return is;
}

std::string_view linear_plan(const Problem& problem, bool started) {
  const int n = problem.size();
  const bool tiny = n < kTinyProblem;
  if (tiny && (started || n <= kFewPivots)) return "linear-tiny";
  // Never symmetric: the rows and columns of slips have opposite signs.
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  if (lcp && find_pyramid_contacts(*lcp))
    return started ? "linear-pyramid-started" : "linear-pyramid";
  if (tiny) return "linear-tiny";
  const Matrix& m = linear_matrix(problem);
  if (symmetric_with_positive_diagonal(m))
    return n >= kGrid && m.is_sparse() && is_z_matrix(m) ? "linear-grid" : "linear-symmetric";
  // From a start near the solution the basis is nearly right.
  if (n < (started ? kStartedSize : kPivotingSize)) return "linear";
  if (started) return "linear-huge-started";
  return n >= kPatientSize ? "linear-huge" : "linear-large";
}

std::string_view conic_plan(const ConicQp& qp) {
  const bool linear = std::all_of(qp.cones.begin(), qp.cones.end(),
                                  [](const Cone& c) { return c.type != ConeType::kSecondOrder; });
  if (linear && qp.size() + qp.b.size() <= kConicPivoting)
    return qp.partition ? "conic-contact-linear" : "conic-linear";
  return qp.partition ? "conic-contact" : "conic";
}

std::string_view friction_plan(const FrictionContact& contact, bool started, bool early) {
  const bool exact_lcp = contact.dimension == 2 || (is_frictionless(contact) && !started);
  if (exact_lcp && contact.contacts() <= kPlanarContacts) return "friction-planar";
  const bool large = contact.contacts() >= kManyContacts;
  if (started && early) return large ? "friction-large-started-early" : "friction-started-early";
  if (started) return large ? "friction-large-started" : "friction-started";
  if (contact.contacts() < kFewContacts) return "friction-small";
  return large ? "friction-large" : "friction";
}

std::string_view name_of_plan(const Problem& problem, bool started, bool give_up_early) {
  if (std::holds_alternative<BoxQp>(problem.data)) return "box-qp";
  if (const auto* qp = std::get_if<ConicQp>(&problem.data)) return conic_plan(*qp);
  if (std::holds_alternative<Mcp>(problem.data)) {
    if (problem.size() < kManyEquations) return "nonlinear";
    return give_up_early ? "nonlinear-large-early" : "nonlinear-large";
  }
  if (const auto* c = std::get_if<FrictionContact>(&problem.data))
    return friction_plan(*c, started, give_up_early);
  if (std::holds_alternative<ConvexContact>(problem.data)) return "convex";
  return linear_plan(problem, started);
}

// Solves each problem by its plan. A plan is built when a problem first needs it.
class Auto final : public Strategy {
 public:
  Auto(Workshop workshop, BuildPlan build)
      : workshop_(std::move(workshop)), build_(std::move(build)) {
    workshop_.on_demand = true;  // plans live for ever, and build_ keeps what it makes of them
  }

  Outcome& run(const Task& task) override {
    const auto started = VerifiedClock::now();
    const bool has_start = task.start.z || task.start.basis;
    if (!chosen_ || task.version != seen_ || has_start != had_start_ ||
        task.give_up_early != had_early_) {
      const Plan& plan = choose_plan(task.problem, has_start, task.give_up_early);
      auto& built = built_[plan.name];
      if (!built) {
        const SolverExpression& solver = solver_of(plan);
        built = build_ ? build_(solver, workshop_) : workshop_.build(solver);
      }
      chosen_ = built.get();
      seen_ = task.version;
      had_start_ = has_start;
      had_early_ = task.give_up_early;
    }
    const double spent = seconds_since(started);
    Outcome& out = chosen_->run(task);
    out.result.setup_time += spent;
    return out;
  }

 private:
  Workshop workshop_;
  BuildPlan build_;
  std::map<std::string_view, std::unique_ptr<Strategy>> built_;
  Strategy* chosen_ = nullptr;  // for the problem of this version
  Version seen_;
  bool had_start_ = false, had_early_ = false;
};

}  // namespace

const std::vector<Plan>& plans() {
  static const std::vector<Plan> list = make_plans();
  return list;
}

const SolverExpression& solver_of(const Plan& plan) {
  struct Parsed {
    std::once_flag once;
    SolverExpression solver;
  };
  static const auto all = std::make_unique<Parsed[]>(plans().size());
  Parsed& parsed = all[static_cast<std::size_t>(&plan - plans().data())];
  std::call_once(parsed.once, [&] { parsed.solver = parse_solver(plan.text); });
  return parsed.solver;
}

const Plan& choose_plan(const Problem& problem, bool started, bool give_up_early) {
  const std::string_view name = name_of_plan(problem, started, give_up_early);
  return *std::find_if(plans().begin(), plans().end(),
                       [&](const Plan& plan) { return plan.name == name; });
}

bool runs_plans(const SolverExpression& solver) {
  return solver.name == "auto" || std::any_of(solver.parts.begin(), solver.parts.end(), runs_plans);
}

std::unique_ptr<Strategy> make_auto(const Workshop& workshop, BuildPlan build) {
  return std::make_unique<Auto>(workshop, std::move(build));
}

}  // namespace perp
