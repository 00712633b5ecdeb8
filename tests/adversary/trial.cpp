#include "trial.hpp"

#include "generators.hpp"
#include "oracle.hpp"
#include "partners.hpp"

#include <fmt/format.h>
#include <time.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/reductions.hpp>
#include <perp/solvers/enumeration/enumerate.hpp>
#include <perp/solvers/plans.hpp>
#include <perp/solvers/router.hpp>

namespace perp::adversary {

namespace {

constexpr int kLargestExact = 12;      // unknowns of problems whose constraints are decided exactly
constexpr int kLargestEnumerated = 4;  // unknowns, each with up to three places

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(),
                                       static_cast<std::size_t>(a.size()) * sizeof(double)) == 0);
}

// "plan NAME" is what auto runs under that name, on whatever problem.
const std::string kPlan = "plan ";
std::string text_of(const std::string& solver) {
  if (!solver.starts_with(kPlan)) return solver;
  for (const perp::Plan& plan : plans()) {
    if (plan.name == std::string_view(solver).substr(kPlan.size())) return plan.text;
  }
  throw std::invalid_argument("unknown " + solver);
}

// Every method that takes the kind, auto, its plans, and some solvers made of solvers.
std::vector<std::string> solvers_for(std::string_view kind) {
  std::vector<std::string> names = {"auto", "first(newton-fb, polish(lemke))"};
  for (const SolverFactory& make : solver_registry()) {
    const auto solver = make();
    const auto& kinds = solver->traits().kinds;
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end())
      names.emplace_back(solver->traits().name);
  }
  for (const perp::Plan& plan : plans()) names.push_back(kPlan + std::string(plan.name));
  return names;
}

const std::vector<std::string>& known_solvers(std::string_view kind) {
  static std::map<std::string, std::vector<std::string>, std::less<>> lists;
  auto it = lists.find(kind);
  if (it == lists.end()) it = lists.emplace(std::string(kind), solvers_for(kind)).first;
  return it->second;
}

class Trial {
 public:
  Trial(const Plan& plan, std::uint64_t number)
      : plan_(plan), random_(plan.seed * 0x9e3779b97f4a7c15u + number), number_(number) {}

  TrialResult run() {
    const auto& kinds = problem_kinds();
    result_.kind = plan_.kind.empty()
                       ? std::string(kinds[static_cast<std::size_t>(number_ % kinds.size())])
                       : plan_.kind;
    Problem first = random_problem(result_.kind, random_);
    Partner partner{first, "itself", nullptr, 0.0};
    if (random_.uniform() < 0.8) partner = random_partner(first, random_);
    problem_ = &partner.problem;
    result_.relation = partner.relation;
    const auto& names = known_solvers(problem_->kind());
    result_.solver =
        plan_.solver.empty()
            ? names[static_cast<std::size_t>(random_.index(static_cast<int>(names.size())))]
            : plan_.solver;
    try {
      validate(*problem_);
    } catch (const std::invalid_argument&) {
      result_.status = "invalid";  // scaled out of the range of numbers
      return std::move(result_);
    }
    attack_or_tell(first, partner);
    if (!result_.contradictions.empty()) result_.problem = *problem_;
    return std::move(result_);
  }

  /// The contradictions of one problem, with this solver.
  std::vector<Contradiction> attack_alone(const Problem& problem, const std::string& solver) {
    problem_ = &problem;
    result_.solver = solver;
    attack_or_tell(problem, {problem, "itself", nullptr, 0.0});
    return std::move(result_.contradictions);
  }

 private:
  void contradict(std::string what, std::string detail, const Answer& answer = {}) {
    result_.contradictions.push_back({std::move(what), std::move(detail), answer});
  }

  // ---- what is attacked, with the planted faults

  VerifiedResult solve(const Problem& problem, const SolveRequest& request) const {
    if (plan_.fault == Fault::kCrash && number_ % 100 == 50) std::abort();
    if (plan_.fault == Fault::kSlow && number_ % 100 == 50) {
      for (const double begin = cpu_seconds();
           cpu_seconds() < begin + 3 * plan_.time_limit + 0.2;) {
      }
    }
    VerifiedResult r = solve_verified(problem, request);
    if (plan_.fault == Fault::kLyingSolver && r.status == Status::kSolved && r.answer.z.size() > 0)
      r.answer.z[0] += 1e-3 * (1 + std::abs(r.answer.z[0]));
    if (plan_.fault == Fault::kNondeterminism && r.answer.z.size() > 0) {
      static int calls = 0;
      r.answer.z[0] += ++calls * 1e-300;
    }
    return r;
  }
  bool granted(const Problem& problem, const Answer& answer) const {
    if (plan_.fault == Fault::kFiniteness && !answer.z.allFinite()) return true;
    return verify(problem.data, answer, plan_.tolerance).solved;
  }
  template <class Check>
  bool holds(const Check& check) const {
    if (plan_.fault != Fault::kCertificate) return check.holds;
    if constexpr (requires { check.supremum; })
      return check.supremum < 1e-9 && check.violation <= 1e-9;
    else
      return check.slope < 1e-9 && check.violation <= 1e-9;
  }

  // ---- attacks

  void attack_or_tell(const Problem& first, const Partner& partner) {
    try {
      attack(first, partner);
    } catch (const std::exception& error) {
      contradict("throws", error.what());
    }
  }

  void attack(const Problem& first, const Partner& partner) {
    SolveRequest request;
    request.solver = text_of(result_.solver);
    request.limits.tolerance = plan_.tolerance;
    request.limits.time_limit = plan_.time_limit;
    request.look_for_vacuous = false;
    const std::optional<Answer> known = answer_of(first);
    if (random_.uniform() < 0.3) request.start = start_for(partner, known);
    const double before = cpu_seconds();
    const VerifiedResult r = solve(*problem_, request);
    const double spent = cpu_seconds() - before - r.verification_time;
    result_.status = to_string(r.status);
    if (spent > 2 * plan_.time_limit + 0.2)
      contradict("hang", fmt::format("{:.2f} s of {:.2f} s", spent, plan_.time_limit));
    const bool has_answer = r.answer.z.size() == problem_->size();
    if (r.status == Status::kSolved && !has_answer) contradict("granted", "without an answer");
    if (has_answer) judge_both(r.answer, r.status == Status::kSolved, "the solver's answer");
    judge_proof(r);
    if (r.status != Status::kTimeLimit && random_.uniform() < 0.3) {
      const VerifiedResult again = solve(*problem_, request);
      if (again.status != Status::kTimeLimit &&
          (again.status != r.status || !same_bits(again.answer.z, r.answer.z)))
        contradict("bits", fmt::format("{} and {}", to_string(r.status), to_string(again.status)));
    }
    if (has_answer) judge_mutants(r.answer);
    if (known && partner.carry) judge_carried(first, partner, *known);
    if (problem_->size() <= kLargestEnumerated && random_.uniform() < 0.25) judge_enumeration();
  }

  // The oracle of many tests finds a solution if there is one that doubles can hold.
  void judge_enumeration() {
    const auto* lcp = std::get_if<Lcp>(&problem_->data);
    const auto* mlcp = std::get_if<Mlcp>(&problem_->data);
    if (!lcp && !mlcp) return;
    const Mlcp boxed = lcp ? to_mlcp(*lcp) : *mlcp;
    const std::optional<Vector> z = some_solution(boxed);
    if (!z) return;
    const std::optional<Real> measure = exact_measure(boxed, {*z, {}}, plan_.tolerance);
    if (!measure || !(*measure <= plan_.tolerance / 2)) return;
    ++result_.answers;
    if (enumerate_solutions(boxed, plan_.tolerance).solutions.empty())
      contradict("missed", "enumerate finds no solution, but there is one", {*z, {}});
  }

  // An answer of the problem that the partner is of, found by a cheap and a general method.
  std::optional<Answer> answer_of(const Problem& first) const {
    SolveRequest request;
    request.limits.tolerance = plan_.tolerance;
    request.limits.time_limit = plan_.time_limit;
    request.look_for_vacuous = false;
    const VerifiedResult r = solve_verified(first, request);
    if (r.answer.z.size() != first.size()) return {};
    return r.answer;
  }

  std::optional<Vector> start_for(const Partner& partner, const std::optional<Answer>& known) {
    Vector start(problem_->size());
    if (known && partner.carry && random_.uniform() < 0.6) {
      start = partner.carry(*known).z;
      if (start.size() != problem_->size()) return {};
    } else {
      const double size = std::ldexp(1.0, random_.index(21) - 10);
      for (double& x : start) x = size * random_.normal();
    }
    if (!start.allFinite()) return {};
    return start;
  }

  // But for the last bits of a quotient or a root, which no number of bits makes exact.
  bool equals_tolerance(const Real& measure) const {
    const Real apart = measure - Real(plan_.tolerance);
    const Real hair = Real(plan_.tolerance) * Real(0x1p-1000);
    return apart <= hair && Real(0.0) - apart <= hair && apart != Real(0.0);
  }

  // Whether the verifier's word agrees with the exact measure.
  void judge_both(const Answer& answer, bool solved, const char* whose) {
    if (answer.dual.size() != dual_size()) return;
    const std::optional<Real> measure = exact_measure(problem_->data, answer, plan_.tolerance);
    if (!measure || equals_tolerance(*measure)) return;
    ++result_.answers;
    if (solved && !(*measure <= plan_.tolerance))
      contradict("granted", fmt::format("{}: {:.17g}", whose, measure->upward()), answer);
    // The verifier rounds up once.
    if (!solved && *measure <= plan_.tolerance * (1 - 1e-12) && !granted(*problem_, answer))
      contradict("refused", fmt::format("{}: {:.17g}", whose, measure->upward()), answer);
  }
  void judge_answer(const Answer& answer, const char* whose) {
    judge_both(answer, granted(*problem_, answer), whose);
  }

  long dual_size() const {
    const auto* conic = std::get_if<ConicQp>(&problem_->data);
    return conic ? conic->b.size() : 0;
  }

  static double cut(double x, int digits) {
    return x == 0 || !std::isfinite(x)
               ? x
               : std::strtod(fmt::format("{:.{}e}", x, digits).c_str(), nullptr);
  }

  void judge_mutants(const Answer& answer) {
    const int n = static_cast<int>(answer.z.size());
    for (int k = 0; k < 4; ++k) {
      Answer a = answer;
      const int i = n > 0 ? random_.index(n) : 0;
      switch (n > 0 ? random_.index(8) : 0) {
        case 0: {
          const int digits = 3 + random_.index(12);
          for (double& x : a.z) x = cut(x, digits);
          for (double& x : a.dual) x = cut(x, digits);
          break;
        }
        case 1:
          a.z[i] += std::ldexp(random_.normal(), -random_.index(50));
          break;
        case 2:
          std::swap(a.z[i], a.z[random_.index(n)]);
          break;
        case 3:
          a.z[i] = random_.index(2) == 0 ? std::nan("") : kInfinity;
          break;
        case 4:
          a.z = -a.z;
          break;
        case 5:
          if (a.dual.size() > 0)
            a.dual[random_.index(static_cast<int>(a.dual.size()))] +=
                std::ldexp(random_.normal(), -random_.index(50));
          break;
        case 6:
          a.z *= std::ldexp(1.0, random_.index(41) - 20);
          break;
        default:
          a = at_the_edge(answer, i);
      }
      judge_answer(a, "a mutant");
    }
  }

  // The point at which the verifier changes its mind, between an answer and one beside it.
  Answer at_the_edge(const Answer& answer, int i) {
    Answer low = answer, high = answer;
    high.z[i] += std::ldexp(1.0, -random_.index(40));
    if (granted(*problem_, low) == granted(*problem_, high)) return high;
    const bool good = granted(*problem_, low);
    for (int k = 0; k < 200; ++k) {
      Answer middle = low;
      middle.z[i] = 0.5 * (low.z[i] + high.z[i]);
      if (middle.z[i] == low.z[i] || middle.z[i] == high.z[i]) break;
      (granted(*problem_, middle) == good ? low : high) = middle;
    }
    judge_answer(low, "at the edge");
    return high;
  }

  void judge_carried(const Problem& first, const Partner& partner, const Answer& known) {
    const Answer carried = partner.carry(known);
    if (carried.z.size() != problem_->size()) return;
    judge_answer(carried, "a carried answer");
    if (partner.factor == 0 || carried.dual.size() != dual_size()) return;
    const double mine = verify(first.data, known, plan_.tolerance).measure;
    const double theirs = verify(problem_->data, carried, plan_.tolerance).measure;
    const double expected = partner.factor * mine;
    if (std::isfinite(expected) && std::abs(theirs - expected) > 1e-14 * std::abs(expected) &&
        theirs != expected)
      contradict("partner", fmt::format("measure {:.17g}, {:.17g} expected", theirs, expected));
  }

  // ---- proofs

  bool is_small() const { return problem_->size() + dual_size() <= kLargestExact; }

  void judge_proof(const VerifiedResult& r) {
    const bool claims = r.status == Status::kInfeasible;
    if (claims && is_small()) {
      std::optional<bool> point = feasible(problem_->data);
      // A proof for the optimality conditions of a program says that it has no optimum.
      const bool conditions = r.certificate && !r.certificate->reduction.empty();
      if (point && conditions && problem_->kind() == "conic_qp")
        point = *point && dual_feasible(problem_->data).value_or(true);
      if (point) {
        ++result_.proofs;
        if (*point) contradict("proof", "feasible, but said to be infeasible");
      }
    }
    if (r.certificate && r.certificate->checked && r.certificate->type == "unbounded" &&
        r.certificate->reduction.empty() && is_small()) {
      if (const std::optional<bool> point = dual_feasible(problem_->data)) {
        ++result_.proofs;
        if (*point) contradict("proof", "the dual is feasible, but said not to be");
      }
    }
    if (r.certificate && r.certificate->reduction.empty() && is_small())
      mutate_proof(*r.certificate);
  }

  FarkasCheck farkas(const ProblemData& data, const Vector& y) const {
    if (const auto* lcp = std::get_if<Lcp>(&data)) return check_farkas(*lcp, y);
    if (const auto* mlcp = std::get_if<Mlcp>(&data)) return check_farkas(*mlcp, y);
    if (const auto* friction = std::get_if<FrictionContact>(&data))
      return check_farkas(*friction, y);
    return check_farkas(std::get<ConicQp>(data), y);
  }

  // The certificate moved, and the same on a problem that is moved as far as it says.
  void mutate_proof(const Certificate& certificate) {
    if (certificate.type == "unbounded") {
      const auto* conic = std::get_if<ConicQp>(&problem_->data);
      if (conic == nullptr || certificate.z.size() != conic->size()) return;
      for (int k = 0; k < 3; ++k) {
        ConicQp moved = *conic;
        Vector x = certificate.z;
        if (k > 0)
          x[random_.index(conic->size())] += std::ldexp(random_.normal(), -random_.index(50));
        if (k > 1) moved.c += std::ldexp(random_.normal(), -random_.index(50)) * x;
        judge_unbounded(moved, x);
      }
      return;
    }
    if (certificate.type != "farkas") return;
    for (int k = 0; k < 4; ++k) {
      ProblemData moved = problem_->data;
      Vector y = certificate.y;
      if (y.size() == 0) return;
      if (k % 2 == 1)
        y[random_.index(static_cast<int>(y.size()))] +=
            std::ldexp(random_.normal(), -random_.index(50));
      if (k > 1) shift(moved, y);
      const std::optional<bool> point = feasible(moved);
      if (!point) return;
      ++result_.proofs;
      if (holds(farkas(moved, y)) && *point)
        contradict("proof", "of a feasible problem (a mutant)");
    }
  }
  void judge_unbounded(const ConicQp& problem, const Vector& x) {
    const std::optional<bool> point = dual_feasible(problem);
    if (!point) return;
    ++result_.proofs;
    if (holds(check_unbounded(problem, x)) && *point)
      contradict("proof", "of a feasible dual (a mutant)");
  }

  // Moves the right side along y to about where the proof ends, or beyond by a hair.
  void shift(ProblemData& data, const Vector& y) {
    Vector* q = nullptr;
    if (auto* lcp = std::get_if<Lcp>(&data)) q = &lcp->q;
    if (auto* mlcp = std::get_if<Mlcp>(&data)) q = &mlcp->q;
    if (auto* conic = std::get_if<ConicQp>(&data)) q = &conic->b;
    if (auto* friction = std::get_if<FrictionContact>(&data)) q = &friction->q;
    const double square = y.squaredNorm(), slope = q->dot(y);
    if (!(square > 0) || !std::isfinite(slope)) return;
    const double hair = std::ldexp(1.0, -random_.index(45));
    *q -= (slope / square) * (1 + (random_.index(2) == 0 ? hair : -hair)) * y;
  }

  const Plan& plan_;
  Random random_;
  std::uint64_t number_;
  const Problem* problem_ = nullptr;
  TrialResult result_;
};

}  // namespace

TrialResult run_trial(const Plan& plan, std::uint64_t number) { return Trial(plan, number).run(); }

Shrunk shrink_finding(const Plan& plan, const TrialResult& finding, double seconds) {
  const std::string what = finding.contradictions.front().what;
  const auto shows = [&](const Problem& problem) {
    constexpr std::uint64_t kTries = 16;  // with other mutants and starts
    for (std::uint64_t k = 0; k < kTries; ++k) {
      for (const Contradiction& c : Trial(plan, k).attack_alone(problem, finding.solver)) {
        if (c.what == what) return true;
      }
    }
    return false;
  };
  if (!shows(*finding.problem)) return {*finding.problem, 0, false};
  return shrink(*finding.problem, shows, Deadline(seconds));
}

}  // namespace perp::adversary
