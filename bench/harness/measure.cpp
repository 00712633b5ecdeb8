#include <perp/bench/harness/measure.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <utility>

namespace perp {

namespace {

constexpr double kTighter[kMostTolerances] = {1.0, 10.0, 100.0, 1000.0};
constexpr double kCold = 0.02;  // s; what the first run in a process takes longer counts below it

void add_times(Measurement& m, const VerifiedResult& result) {
  m.setups.push_back(result.setup_time);
  m.solves.push_back(result.solve_time);
}

// Solved, or proven to have no solution: the times of these ends are compared.
bool is_final(const VerifiedResult& result) {
  return result.status == Status::kSolved || result.status == Status::kInfeasible ||
         (result.certificate && result.certificate->type == "unbounded" &&
          result.certificate->checked);
}

// Solves once. An answer or a proof that comes after the time limit does not count.
VerifiedResult solve_in_time(int repeat, const Problem& problem, const SolveRequest& request,
                             const SolveOnce& solve) {
  VerifiedResult result =
      solve ? solve(repeat, problem, request) : solve_verified(problem, request);
  const double limit = request.limits.time_limit, used = result.setup_time + result.solve_time;
  if (limit > 0 && used > limit && is_final(result)) {
    result.message =
        fmt::format("{} after {:.3g} s, the limit is {:g} s",
                    result.status == Status::kSolved ? "solved" : "proven", used, limit);
    result.status = Status::kTimeLimit;
    result.certificate.reset();
  }
  return result;
}

// The first answer that the verifier accepts. If there is none, a claim that was refuted (the best
// one) stands, whatever the solver said when less was asked: it was made at the tolerance that
// counts. Else the first answer.
Measurement find_granted(const Problem& problem, SolveRequest request, const AfterRun& after_run,
                         const SolveOnce& solve) {
  const double tolerance = request.limits.tolerance;
  request.verify_at = tolerance;
  Measurement best;
  for (const double factor : kTighter) {
    Measurement m;
    m.asked = request.limits.tolerance = tolerance / factor;
    m.result = solve_in_time(0, problem, request, solve);
    add_times(m, m.result);
    const bool refuted = m.result.refuted;
    const bool first = best.solves.empty();
    const bool better = refuted && m.result.verdict.measure < best.result.verdict.measure;
    if (first || better || is_final(m.result)) best = std::move(m);
    if (after_run) after_run(best, false);
    if (!refuted || tolerance == 0.0) break;
  }
  return best;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*std::max_element(values.begin(), middle) + *middle);
}

Measurement measure(const Problem& problem, SolveRequest request, const Repeats& repeats,
                    const AfterRun& after_run, const SolveOnce& solve) {
  Measurement m = find_granted(problem, request, after_run, solve);
  m.total = m.setups.front() + m.solves.front();
  if (!is_final(m.result)) return m;
  if (after_run) after_run(m, true);
  request.verify_at = request.limits.tolerance;
  request.limits.tolerance = m.asked;
  bool first_counts = !repeats.warm_up || m.total >= kCold;
  const int more = repeats.count - first_counts;
  for (int k = 1; k <= more; ++k) {
    const VerifiedResult again = solve_in_time(k, problem, request, solve);
    if (is_final(again)) {
      if (!std::exchange(first_counts, true)) {
        m.setups.clear();
        m.solves.clear();
      }
      add_times(m, again);
    } else {
      ++m.failed_repeats;
    }
    if (after_run) after_run(m, false);
  }
  if (m.failed_repeats > 0) {
    m.result.message += fmt::format("{}{} of {} repeats failed",
                                    m.result.message.empty() ? "" : "; ", m.failed_repeats, more);
  }
  std::vector<double> totals = m.setups;
  for (std::size_t k = 0; k < totals.size(); ++k) totals[k] += m.solves[k];
  m.total = median(totals);
  m.result.setup_time = median(m.setups);
  m.result.solve_time = median(m.solves);
  return m;
}

}  // namespace perp
