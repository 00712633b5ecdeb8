#include <perp/solvers/pivoting/lemke.hpp>

#include <perp/problems/standard/random.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <perp/problems/matrix/infinity.hpp>
#include <stdexcept>

namespace perp {

namespace {

constexpr long kLeastPivotLimit = 10'000'000;
constexpr int kLemkeRefinements = 3;
constexpr double kDubious = 1e-6;  // t over its first value: a ray at a smaller t is dubious

PathSettings path_settings(const LemkeSettings& s) {
  return {s.pivot_tolerance, s.tie_tolerance,   s.row_tolerance,
          s.drift_tolerance, s.refactor_always, s.ties == "largest-pivot"};
}

// What the setting says; "unit" leaves both empty.
struct Covering {
  std::optional<std::uint64_t> seed;
  std::vector<double> numbers;
};

// @throws std::invalid_argument
Covering read_covering(std::string_view text) {
  constexpr std::string_view kRandom = "random:";
  Covering covering;
  if (text == "unit") return covering;
  if (text.starts_with(kRandom)) {
    text.remove_prefix(kRandom.size());
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc() || end != text.data() + text.size())
      throw std::invalid_argument(
          "setting \"covering\": the seed after \"random:\" is not a number");
    covering.seed = seed;
    return covering;
  }
  while (!text.empty() || covering.numbers.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + comma, value);
    if (error != std::errc() || end != text.data() + comma || !(value > 0) || std::isinf(value))
      throw std::invalid_argument(
          "setting \"covering\": expected \"unit\", \"random:SEED\" or positive numbers "
          "separated by commas");
    covering.numbers.push_back(value);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return covering;
}

}  // namespace

const SolverTraits& Lemke::traits() const {
  static const SolverTraits traits{
      "lemke",
      "Lemke's complementary pivoting, lexicographic, for bounds on both sides",
      "CottlePangStone2009",
      {"lcp", "mlcp"}};
  return traits;
}

void Lemke::do_prepare(const Problem& problem) {
  if (const auto* lcp = std::get_if<Lcp>(&problem.data)) {
    problem_.M = lcp->M;
    problem_.q = lcp->q;
    problem_.lower.setZero(lcp->size());
    problem_.upper.setConstant(lcp->size(), kInfinity);
  } else {
    problem_ = std::get<Mlcp>(problem.data);
  }
  canonical_.build(problem_, settings.equilibrate, deadline());
  path_.attach(canonical_);
  const int n = problem_.size(), m = canonical_.size();
  for (Vector* v : {&f_, &refined_}) v->setZero(n);
  for (Vector* v : {&rows_, &correction_, &covering_}) v->setZero(m);
  wanted_.assign(n, PairStatus::kAtLower);
  start_.assign(m, PairStatus::kAtLower);
}

void Lemke::do_solve(const Start& start, Observer* observer, Result& result) {
  const PathSettings numerics = path_settings(settings);
  const long most = limits.max_iterations > 0
                        ? limits.max_iterations
                        : std::max(kLeastPivotLimit, 1000L * canonical_.size());
  path_.reset_counts();
  choose_covering();
  if (start.z && !start.basis) {
    result.z = *start.z;
    clamp(result.z);
    if (map_.natural_residual(problem_, result.z, f_) <= limits.tolerance) {
      result.status = Status::kSolved;
      result.basis.resize(problem_.size());
      for (int i = 0; i < problem_.size(); ++i) result.basis[i] = status_at(i, result.z[i]);
      return report(result);
    }
  }
  choose_start(start);
  const PathEnd end = path_.follow(start_, &covering_, numerics, most, deadline(), observer);
  canonical_.to_original(path_.end().x, result.z);
  clamp(result.z);
  const double natural =
      end == PathEnd::kSolution ? refine(result.z) : map_.natural_residual(problem_, result.z, f_);
  judge(end, natural, result);
  result.basis.resize(problem_.size());
  canonical_.statuses_to_original(path_.end().status, result.basis);
  report(result);
}

PairStatus Lemke::status_at(int i, double z) const {
  if (z <= problem_.lower[i]) return PairStatus::kAtLower;
  return z >= problem_.upper[i] ? PairStatus::kAtUpper : PairStatus::kBasic;
}

void Lemke::choose_start(const Start& start) {
  if (start.basis) {
    canonical_.from_original(*start.basis, start_);
  } else if (start.z) {
    for (int i = 0; i < problem_.size(); ++i) wanted_[i] = status_at(i, (*start.z)[i]);
    canonical_.from_original(wanted_, start_);
  } else {
    start_ = canonical_.default_start;
  }
}

void Lemke::do_check_settings() const { read_covering(settings.covering); }

// Finds the covering vector by equation, in f_, then orders it by pair.
void Lemke::choose_covering() {
  const Covering covering = read_covering(settings.covering);
  f_.setOnes();
  if (covering.seed) {
    Random random(*covering.seed);
    for (double& d : f_) d = std::exp(random.uniform(-3.0, 3.0));
  } else if (!covering.numbers.empty()) {
    if (std::ssize(covering.numbers) != problem_.size()) {
      throw std::invalid_argument(
          fmt::format("setting \"covering\": has {} numbers, the problem {} unknowns",
                      covering.numbers.size(), problem_.size()));
    }
    std::copy(covering.numbers.begin(), covering.numbers.end(), f_.begin());
  }
  for (int i = 0; i < canonical_.size(); ++i) {
    covering_[i] = f_[canonical_.equation[i]] * std::abs(canonical_.row_scale[i]);
  }
}

// Clamps z to the bounds; NaN counts as 0.
void Lemke::clamp(Vector& z) const {
  if (!z.allFinite()) z = z.array().isFinite().select(z, 0.0);
  z = z.cwiseMax(problem_.lower).cwiseMin(problem_.upper);
}

// Newton steps on F_i(z) = 0 of the basic unknowns, with residuals of the problem as posed in
// extended precision [Wilkinson1963; Higham2002, Ch. 12]. Then z is clamped to its bounds.
// @return the natural residual
double Lemke::refine(Vector& z) {
  double natural = map_.natural_residual(problem_, z, f_);
  for (int k = 0; k < kLemkeRefinements && natural > 0; ++k) {
    for (int i = 0; i < canonical_.size(); ++i) {
      rows_[i] = -canonical_.row_scale[i] * f_[canonical_.equation[i]];
    }
    if (!path_.correct(rows_, correction_)) break;
    canonical_.direction_to_original(correction_, refined_);
    refined_ += z;
    clamp(refined_);
    const double refined = map_.natural_residual(problem_, refined_, f_);
    if (!(refined < natural)) break;
    z.swap(refined_);
    natural = refined;
  }
  return natural;
}

// A point that solves the problem is an answer, with any end of the path.
void Lemke::judge(PathEnd end, double natural, Result& result) {
  switch (end) {
    case PathEnd::kSolution:
      result.status = Status::kStalled;
      if (natural > limits.tolerance) {
        result.message = fmt::format(
            "a complementary basis was found, but its residual stays at {:.1e}", natural);
      }
      break;
    case PathEnd::kRay:
      describe_ray(result);
      break;
    case PathEnd::kCycle:
      result.status = Status::kStalled;
      result.message = "the path returned to its start; nothing is proved";
      break;
    case PathEnd::kPivotLimit:
      result.status = Status::kIterationLimit;
      break;
    case PathEnd::kTimeLimit:
      result.status = Status::kTimeLimit;
      break;
    case PathEnd::kInterrupted:
      result.status = Status::kInterrupted;
      break;
    case PathEnd::kNumerical:
      result.status = Status::kNumericalError;
      result.message = "the basis became singular to rounding, or repeated";
      break;
  }
  if (natural > limits.tolerance || end == PathEnd::kInterrupted) return;
  result.status = Status::kSolved;
  result.message.clear();
  result.certificate.reset();
}

// A ray is probably due to rounding if it begins at a t near zero, or if only t moves along it (as
// on the ray at which the path began).
void Lemke::describe_ray(Result& result) {
  const PathPoint& end = path_.end();
  const bool dubious =
      end.t <= kDubious * path_.first_t() || (path_.counts().pivots > 0 && end.ray_x.isZero(0.0));
  Certificate ray;
  ray.type = "ray";
  canonical_.direction_to_original(end.ray_x, ray.z);
  ray.t = end.ray_t;
  ray.checked = check_ray(problem_, ray.z);
  result.status = Status::kRay;
  result.certificate = std::move(ray);
  result.message = fmt::format("secondary ray{}; nothing is proved",
                               dubious ? ", more likely of rounding than of the problem" : "");
}

void Lemke::report(Result& result) const {
  const PathCounts& counts = path_.counts();
  result.iterations = static_cast<int>(counts.pivots + counts.flips);
  result.statistics.emplace_back("pivots", static_cast<double>(counts.pivots));
  result.statistics.emplace_back("flips", static_cast<double>(counts.flips));
  result.statistics.emplace_back("ties", static_cast<double>(counts.ties));
  result.statistics.emplace_back("rows_solved", static_cast<double>(path_.rows_solved()));
  result.statistics.emplace_back("factorisations", path_.basis().factorisations);
  result.statistics.emplace_back("linear_solves", path_.basis().linear_solves);
  result.statistics.emplace_back("largest_drift", counts.largest_drift);
  result.statistics.emplace_back("partners", canonical_.partners());
  result.statistics.emplace_back("split_pairs", canonical_.split_pairs());
}

}  // namespace perp
