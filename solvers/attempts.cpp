#include <perp/solvers/attempts.hpp>

#include <perp/problems/standard/random.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace perp {

namespace {

// Below this size pivoting is faster than a few sparse factorisations (contact problems, measured).
constexpr int kPivotingSize = 600;
constexpr int kLargestConicPivoting = 3000;  // unknowns and rows; above a pivot takes too long
constexpr int kBlockSize = 100;              // unknowns; below interior-point is as fast
constexpr int kTiny = 50;                    // below this nothing beats a few pivots
constexpr std::uint64_t kRandomBases = 10;
constexpr std::uint64_t kRandomStarts = 10;
constexpr int kFirstNewtonIterations = 100;  // of newton-fb, for an mcp
constexpr int kPivots = 1000, kPivotsPerUnknown = 100;
constexpr int kPlanarContacts = 300, kManyContacts = 1000, kFirstSweeps = 10000;
constexpr int kLastNewtonSteps = 20000;
// Restarts of the last attempt: many for small problems, where each takes a millisecond.
constexpr int kFewestRestarts = 20, kMostRestarts = 400, kRestartWork = 16000;

bool symmetric_with_positive_diagonal(const Problem& problem) {
  const auto* lcp = std::get_if<Lcp>(&problem.data);
  const auto* mlcp = std::get_if<Mlcp>(&problem.data);
  const Matrix* m = lcp ? &lcp->M : mlcp ? &mlcp->M : nullptr;
  if (!m) return false;
  for (int j = 0; j < m->cols(); ++j) {
    double diagonal = 0.0;
    m->for_column(j, [&](int i, double value) {
      if (i == j) diagonal = value;
    });
    if (!(diagonal > 0)) return false;
  }
  return m->is_symmetric(1e-12);
}

Attempt lemke_with(const std::string& covering, std::uint64_t seed, int pivots) {
  return {"lemke", {{"covering", covering}, {"certify", "false"}}, seed, true, pivots, false};
}

// Of an lcp or mlcp.
std::vector<Attempt> linear_attempts(const Problem& problem, bool lemke_first) {
  const int n = std::max(problem.size(), 1);
  // Contact problems take 4 to 8 pivots an unknown; there are problems that take 2^n.
  const Attempt lemke{"lemke", {}, 0, true, kPivots + kPivotsPerUnknown * n, false};
  const Attempt newton{"newton-fb", {{"restarts", "0"}}, 0, false, 0, false};
  const Attempt active_set{"newton-min", {}, 0, true, 0, false};
  std::vector<Attempt> list;
  if (lemke_first || n < kTiny) {
    list = {lemke, newton};
  } else if (symmetric_with_positive_diagonal(problem)) {
    list = {active_set, newton, lemke};
  } else if (n >= kPivotingSize) {
    list = {newton, lemke};
  } else {
    list = {lemke, newton};
  }
  // Another covering vector breaks ties that a difficult path failed at.
  for (const char* covering : {"random:1", "random:2"})
    list.push_back(lemke_with(covering, 0, lemke.max_iterations));
  const int restarts = std::clamp(kRestartWork / n, kFewestRestarts, kMostRestarts);
  const Attempt last{"newton-fb", {{"restarts", fmt::format("{}", restarts)}}, 0, false, 0, false};
  // A path from a random basis costs a small problem next to nothing, a large one a lot.
  if (n >= kTiny) list.push_back(last);
  for (std::uint64_t seed = 1; seed <= kRandomBases; ++seed)
    list.push_back(lemke_with(fmt::format("random:{}", seed), seed, lemke.max_iterations));
  if (n < kTiny) list.push_back(last);
  list.push_back({"lemke", {}, 0, true, 0, true});
  return list;
}

std::vector<Attempt> box_qp_attempts() {
  return {{"gradient-projection", {}, 0, true, 0, false},
          {"newton-min", {}, 0, true, 0, false},
          {"lemke", {}, 0, true, 0, false}};
}

std::vector<Attempt> nonlinear_attempts(bool josephy_first) {
  const auto with = [](const char* solver, const char* restarts, int max_iterations = 0) {
    return Attempt{solver, {{"restarts", restarts}}, 0, true, max_iterations, false};
  };
  // What newton-fb solves it mostly solves at once, and several times faster.
  std::vector<Attempt> list;
  if (!josephy_first) list.push_back(with("newton-fb", "0", kFirstNewtonIterations));
  for (const char* restarts : {"2", "20"}) {  // each first with a few, then with all
    for (const char* solver : {"josephy-newton", "newton-fb"})
      list.push_back(with(solver, restarts));
  }
  for (std::uint64_t seed = 1; seed <= kRandomStarts; ++seed)
    list.push_back({"josephy-newton", {{"restarts", "2"}}, seed, true, 0, false});
  return list;
}

std::vector<Attempt> friction_attempts(const Problem& problem) {
  const auto attempt = [](std::string solver, std::vector<std::pair<std::string, std::string>> set,
                          bool from_best, double share) {
    Attempt a{std::move(solver), std::move(set)};
    a.from_best = from_best;
    a.time_share = share;
    return a;
  };
  const auto& contact = std::get<FrictionContact>(problem.data);
  std::vector<Attempt> list;
  const bool large = contact.contacts() >= kManyContacts;
  if (large) {  // some thousand sweeps cost less than a factorisation
    list.push_back(attempt("nsgs", {{"patience", "50"}}, false, 0.2));
    list.back().max_iterations = kFirstSweeps;
  }
  list.push_back(attempt("newton-ac", {{"recoveries", "2"}}, large, 0.25));
  list.push_back(attempt("proximal-newton", {}, true, 0.5));
  // In the plane friction is an LCP, of four unknowns a contact.
  if (contact.dimension == 2 && contact.contacts() <= kPlanarContacts)
    list.push_back(attempt("lemke", {{"certify", "false"}}, false, 0.25));
  // Larger rho: other steps where the first ones got stuck, and those that large mass ratios need.
  list.push_back(attempt("proximal-newton", {{"rho_factor", "10"}}, true, 0.4));
  list.push_back(attempt("nsgs", {{"symmetric", "true"}}, true, 0.3));
  list.push_back(attempt("admm", {}, true, 0.3));
  list.push_back(attempt("newton-ac", {{"map", "natural"}, {"rho_factor", "0.5"}}, false, 0.3));
  Attempt last = attempt("proximal-newton", {{"alpha", "1"}, {"decrease", "0.7"}}, true, 1.0);
  last.max_iterations = kLastNewtonSteps;
  list.push_back(std::move(last));
  return list;
}

// Linear cones have an exact statement as an mlcp.
std::vector<Attempt> conic_attempts(const Problem& problem) {
  const ConicQp& qp = std::get<ConicQp>(problem.data);
  std::vector<Attempt> list = {{"interior-point", {}, 0, true, 0, false}};
  if (qp.size() >= kBlockSize)  // refused at once where it is not of velocities and impulses
    list.insert(list.begin(), {"block-interior-point", {}, 0, true, 0, false});
  const bool linear = std::all_of(qp.cones.begin(), qp.cones.end(),
                                  [](const Cone& c) { return c.type != ConeType::kSecondOrder; });
  if (linear && qp.size() + qp.b.size() <= kLargestConicPivoting)
    list.push_back({"lemke", {}, 0, true, 0, false});
  return list;
}

}  // namespace

std::vector<Attempt> attempts_for(const Problem& problem, bool settings_given) {
  if (std::holds_alternative<BoxQp>(problem.data)) return box_qp_attempts();
  if (std::holds_alternative<ConicQp>(problem.data)) return conic_attempts(problem);
  if (std::holds_alternative<Mcp>(problem.data)) return nonlinear_attempts(settings_given);
  if (std::holds_alternative<FrictionContact>(problem.data)) return friction_attempts(problem);
  return linear_attempts(problem, settings_given);
}

std::string_view owner_of_settings(const Problem& problem) {
  if (std::holds_alternative<BoxQp>(problem.data)) return "gradient-projection";
  if (std::holds_alternative<ConicQp>(problem.data)) return "interior-point";
  if (std::holds_alternative<Mcp>(problem.data)) return "josephy-newton";
  if (std::holds_alternative<FrictionContact>(problem.data)) return "newton-ac";
  return "lemke";
}

Vector random_start(const Problem& problem, std::uint64_t seed) {
  Random random(seed);
  Vector start = Vector::Zero(problem.size());
  for (int i = 0; i < problem.size(); ++i) {
    double low = 0.0, high = 2.0;
    if (const auto* mlcp = std::get_if<Mlcp>(&problem.data)) {
      low = mlcp->lower[i];
      high = mlcp->upper[i];
    } else if (const auto* mcp = std::get_if<Mcp>(&problem.data)) {
      low = mcp->lower[i];
      high = mcp->upper[i];
    }
    if (std::isinf(low)) low = std::isinf(high) ? -1.0 : high - 2.0;
    if (std::isinf(high)) high = low + 2.0;
    start[i] = random.uniform() < 0.5 ? low : 0.5 * (low + high);
  }
  return start;
}

}  // namespace perp
