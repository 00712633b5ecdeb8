#include <perp/problems/standard/verifier.hpp>

#include <fmt/format.h>
#include <cmath>
#include <optional>
#include <perp/problems/matrix/infinity.hpp>
#include <perp/problems/standard/clear_miss.hpp>
#include <perp/problems/standard/friction_cone.hpp>
#include <perp/problems/standard/precise_measure.hpp>
#include <stdexcept>
#include <type_traits>

namespace perp {

namespace {

// Below this, q is rounding dust and a residual relative to it means nothing.
constexpr double kVanishingConstant = 1e-14;

template <class P>
Residuals residuals_of(const P& problem, const Answer& answer, double, ResidualWork* work) {
  return evaluate_residuals(problem, answer.z, work);
}
Residuals residuals_of(const ConicQp& problem, const Answer& answer, double, ResidualWork* work) {
  return evaluate_residuals(problem, answer.z, answer.dual, work);
}
Residuals residuals_of(const Mcp& problem, const Answer& answer, double tolerance,
                       ResidualWork* work) {
  return evaluate_residuals(problem, answer.z, tolerance, work);
}

template <class P>
double measure_of(const P&, const Residuals& r, double) {
  return r.natural;
}
double measure_of(const Mcp&, const Residuals& r, double tolerance) {
  return r.natural <= tolerance ? std::max(r.natural, r.at_bounds) : r.natural;
}
double measure_of(const FrictionContact& problem, const Residuals& r, double) {
  Extended squares = 0;
  for (const Extended q_i : problem.q) squares += q_i * q_i;
  const bool vanishes = std::sqrt(squares) <= kVanishingConstant;
  return std::max(vanishes ? r.natural : r.relative, r.by_part);
}

// The points that nobody had to compute.
Vector clamped(const Vector& z, const Vector& lower, const Vector& upper) {
  return z.cwiseMax(lower).cwiseMin(upper);
}
Answer projected(const Lcp&, const Vector& z) { return {z.cwiseMax(0.0), {}}; }
Answer projected(const Mlcp& p, const Vector& z) { return {clamped(z, p.lower, p.upper), {}}; }
Answer projected(const Mcp& p, const Vector& z) { return {clamped(z, p.lower, p.upper), {}}; }
Answer projected(const BoxQp& p, const Vector& z) { return {clamped(z, p.lower, p.upper), {}}; }
Answer projected(const ConicQp& p, const Vector& z) { return {z, Vector::Zero(p.b.size())}; }
Answer projected(const ConvexContact&, const Vector& z) { return {z, {}}; }
Answer projected(const FrictionContact& p, Vector z) {
  for (int c = 0; c < p.contacts(); ++c)
    project_on_cone(p.mu[c], p.dimension, z.data() + p.dimension * c);
  return {z, {}};
}

// Whether a verdict is needed to know that a point is no answer.
template <class P>
bool may_meet(const P& problem, const Vector& point, double tolerance) {
  if constexpr (requires { clearly_misses(problem, point, tolerance); })
    return !clearly_misses(problem, point, tolerance);
  return true;
}

template <class P>
bool meets(const P& problem, const Vector& point, double tolerance) {
  static thread_local ResidualWork kept;  // whoever asks does so again and again
  // The callback of a foreign function may come back here.
  constexpr bool foreign = std::is_same_v<P, Mcp>;
  std::optional<ResidualWork> own;
  ResidualWork& work = foreign ? own.emplace() : kept;
  work.complete_up_to = -1.0;
  const Answer answer = projected(problem, point);
  if (!answer.z.allFinite() || !may_meet(problem, answer.z, tolerance)) return false;
  const Residuals r = residuals_of(problem, answer, tolerance, &work);
  const double measure = measure_of(problem, r, tolerance);
  if (!(measure <= tolerance)) return false;
  return precise_measure(problem, answer, tolerance, measure, work).value_or(measure) <= tolerance;
}

}  // namespace

std::string_view to_string(Vacuous vacuous) {
  return vacuous == Vacuous::kZero ? "zero" : vacuous == Vacuous::kStart ? "start" : "no";
}

Verdict verify(const ProblemData& data, const Answer& answer, double tolerance,
               ResidualWork* work) {
  return std::visit(
      [&](const auto& problem) {
        Verdict verdict;
        std::optional<ResidualWork> own;
        ResidualWork& w = work ? *work : own.emplace();
        verdict.tolerance = tolerance;
        const Residuals& r = verdict.residuals = residuals_of(problem, answer, tolerance, &w);
        verdict.measure = measure_of(problem, r, tolerance);
        if (const auto again = precise_measure(problem, answer, tolerance, verdict.measure, w))
          verdict.measure = *again;
        if (std::isnan(verdict.measure)) verdict.measure = kInfinity;
        verdict.solved = verdict.measure <= tolerance;
        verdict.at_floor = !verdict.solved && r.worst_value <= r.floor;
        return verdict;
      },
      data);
}

Verdict verify(const Problem& problem, const Answer& answer, double tolerance) {
  if (!(tolerance >= 0.0 && std::isfinite(tolerance))) {
    throw std::invalid_argument(
        fmt::format("tolerance: {} is not a finite number of at least 0", tolerance));
  }
  Verdict verdict = verify(problem.data, answer, tolerance);
  verdict.vacuous = vacuous_answer(problem, tolerance);
  return verdict;
}

Vacuous vacuous_answer(const Problem& problem, double tolerance) {
  return std::visit(
      [&](const auto& data) {
        const int n = problem.size();
        if (meets(data, Vector::Zero(n), tolerance)) return Vacuous::kZero;
        const bool has_start = problem.start && problem.start->size() == n;
        return has_start && meets(data, *problem.start, tolerance) ? Vacuous::kStart : Vacuous::kNo;
      },
      problem.data);
}

std::string worst_name(const Problem& problem, const Residuals& residuals) {
  if (residuals.worst_index < 0) return "";
  if (residuals.worst_is_constraint) return fmt::format("row {}", residuals.worst_index);
  return problem.variable_name(residuals.worst_index);
}

}  // namespace perp
