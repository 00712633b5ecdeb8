#include <perp/solvers/pivoting/lemke.hpp>

#include <perp/problems/standard/random.hpp>
#include <perp/problems/standard/reductions.hpp>
#include <perp/problems/standard/residuals.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <stdexcept>

namespace perp {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr long kLeastPivotLimit = 10'000'000;
constexpr int kRefinements = 3;
constexpr double kPolished = 1e-3;  // of the tolerance: a start better than this is left alone
constexpr double kNear = 1e-5;      // residual of a start that all but solves the problem
constexpr double kProximal = 1e-5;  // of the largest entry of M: proximal term
constexpr int kProximalSteps = 30;
constexpr double kAccurate = 1e-2;
constexpr double kDubious = 1e-6;  // a ray where t has fallen below this share of its first value
constexpr double kOtherPivotTolerances[] = {1e-6, 1e-7, 1e-9};  // tried after numerical trouble

PathSettings path_settings(const LemkeSettings& s) {
  return {s.pivot_tolerance, s.tie_tolerance,   s.row_tolerance,
          s.drift_tolerance, s.refactor_always, s.ties == "largest-pivot"};
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
    problem_ = to_mlcp(*lcp);
  } else {
    problem_ = std::get<Mlcp>(problem.data);
  }
  canonical_.build(problem_, settings.equilibrate);
  path_.attach(canonical_);
  const int n = problem_.size(), m = canonical_.size();
  for (Vector* v : {&residual_, &candidate_, &refined_}) v->setZero(n);
  for (Vector* v : {&rows_, &correction_, &covering_}) v->setZero(m);
  wanted_.assign(n, PairStatus::kAtLower);
  start_.assign(m, PairStatus::kAtLower);
}

void Lemke::do_solve(const Start& start, Observer* observer, Result& result) {
  const long limit = limits.max_iterations > 0
                         ? limits.max_iterations
                         : std::max(kLeastPivotLimit, 1000L * canonical_.size());
  PathSettings numerics = path_settings(settings);
  started_ = std::chrono::steady_clock::now();
  path_.reset_counts();
  recoveries_used_ = 0;
  proximal_pivots_ = 0;
  polished_ = false;
  const bool regularise = settings.regularise != "never";
  bool first = settings.regularise == "always";
  if (regularise && !first && settings.regularise != "trouble") {
    throw std::invalid_argument(fmt::format(
        "setting \"regularise\": \"{}\" is not never, trouble or always", settings.regularise));
  }
  if (settings.ties != "lexicographic" && settings.ties != "largest-pivot") {
    throw std::invalid_argument(fmt::format(
        "setting \"ties\": \"{}\" is not lexicographic or largest-pivot", settings.ties));
  }
  bool given = choose_start(start);
  const Vector* cover = covering();
  PathEnd end = PathEnd::kNumerical;
  double best = kInfinity;
  result.z.setZero(problem_.size());
  const double near = start.z && !start.basis ? polish_start(*start.z, result.z) : kInfinity;
  // A start that all but solves the problem is upset by rounding in what is degenerate.
  first |= regularise && near <= kNear;
  if (near <= limits.tolerance ||
      (first && solve_regularised(limit, observer, result.z) <= limits.tolerance)) {
    result.status = Status::kSolved;
    polished_ = true;
    report(result);
    return;
  }
  while (true) {
    end = path_.follow(start_, cover, numerics, limit - path_.pivots - path_.flips, time_left(),
                       observer);
    if (end == PathEnd::kSolution) {
      canonical_.to_original(path_.x(), candidate_);
      refine(candidate_);
      double natural = natural_residual(candidate_);
      if (natural > limits.tolerance) {
        natural = polish_.improve(problem_, limits.tolerance, limits.tolerance, candidate_);
      }
      if (natural < best) {
        best = natural;
        result.z = candidate_;
      }
      const bool accurate = best <= kAccurate * limits.tolerance;
      if (accurate || (best <= limits.tolerance && (!regularise || first))) break;
    } else if (given &&
               (end == PathEnd::kNumerical || end == PathEnd::kRay || end == PathEnd::kCycle)) {
      default_start();  // the start led nowhere: the default one decides
      given = false;
      continue;
    } else if (end == PathEnd::kPivotLimit || end == PathEnd::kTimeLimit ||
               end == PathEnd::kInterrupted) {
      break;
    }
    // An answer near the tolerance is that of a degenerate problem, which a regularised one is not.
    if (regularise && !first && recoveries_used_ == 0 &&
        solve_regularised(limit, observer, candidate_) <= limits.tolerance) {
      end = PathEnd::kSolution;
      best = natural_residual(candidate_);
      result.z = candidate_;
      polished_ = true;
      break;
    }
    if (best <= limits.tolerance || (end == PathEnd::kRay && !dubious_ray(end)) ||
        end == PathEnd::kCycle) {
      break;
    }
    // Numerical trouble: once more with another view of what is zero, from the basis reached where
    // it was complementary, else from the beginning.
    if (recoveries_used_ >= settings.recoveries) break;
    numerics.pivot_tolerance = kOtherPivotTolerances[recoveries_used_ % 3];
    if (end == PathEnd::kSolution && recoveries_used_ % 2 == 0) {
      start_ = path_.statuses();
    } else {
      default_start();
    }
    ++recoveries_used_;
  }
  switch (end) {
    case PathEnd::kSolution:
      result.status = best <= limits.tolerance ? Status::kSolved : Status::kStalled;
      if (best > limits.tolerance) {
        result.message =
            fmt::format("a complementary basis was found, but its residual stays at {:.1e}", best);
      }
      break;
    case PathEnd::kRay:
      result.status = describe_failure(Status::kRay, "secondary ray", result);
      break;
    case PathEnd::kCycle:
      result.status = describe_failure(Status::kStalled, "the path returned to its start", result);
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
      result.message = "the basis became singular to rounding";
      break;
  }
  report(result);
}

// The start, or what a few Newton steps from it reach; its residual.
double Lemke::polish_start(const Vector& start, Vector& z) {
  z = start;
  if (!settings.polish_start) return natural_residual(start);
  return polish_.improve(problem_, limits.tolerance, kPolished * limits.tolerance, z);
}

// Proximal point iterations, M + rho I by the path each time: its answers spread the load over
// redundant contacts, where those of the problem as posed are vertices that rounding can upset.
double Lemke::solve_regularised(long limit, Observer* observer, Vector& answer) {
  const double rho = kProximal * std::max(problem_.M.max_abs(), 1e-300);
  const int n = problem_.size();
  std::vector<Triplet> entries;
  for (int j = 0; j < n; ++j) {
    problem_.M.for_column(j, [&](int i, double value) { entries.emplace_back(i, j, value); });
    entries.emplace_back(j, j, rho);
  }
  Mlcp shifted = problem_;
  shifted.M = Matrix::from_triplets(n, n, entries);
  CanonicalProblem canonical;
  LemkePath path;
  std::vector<PairStatus> statuses;
  Vector z = Vector::Zero(n), polished;
  double best = kInfinity;
  for (int k = 0; k < kProximalSteps && best > kAccurate * limits.tolerance; ++k) {
    shifted.q = problem_.q - rho * z;
    canonical.build(shifted, settings.equilibrate);
    path.attach(canonical);
    path.reset_counts();
    if (k == 0) statuses = canonical.default_start;
    const PathEnd end =
        path.follow(statuses, nullptr, path_settings(settings), limit, time_left(), observer);
    proximal_pivots_ += path.pivots + path.flips;
    if (end != PathEnd::kSolution) break;
    statuses = path.statuses();
    canonical.to_original(path.x(), z);
    polished = z;
    const double residual =
        polish_.improve(problem_, limits.tolerance, kPolished * limits.tolerance, polished);
    const bool slow = residual > 0.5 * best;
    if (residual < best) {
      best = residual;
      answer = polished;
    }
    if (slow && best <= limits.tolerance) break;
  }
  return best;
}

// What all paths of a solve together have left of the time limit; 0 where there is none.
double Lemke::time_left() const {
  if (limits.time_limit <= 0) return 0.0;
  constexpr double kUsedUp = 1e-9;
  const std::chrono::duration<double> used = std::chrono::steady_clock::now() - started_;
  return std::max(limits.time_limit - used.count(), kUsedUp);
}

PairStatus Lemke::status_at(int i, double z) const {
  if (z <= problem_.lower[i]) return PairStatus::kAtLower;
  return z >= problem_.upper[i] ? PairStatus::kAtUpper : PairStatus::kBasic;
}

// A ray that begins where t has all but vanished, or along which only t moves (the one that the
// path came in on), is more likely rounding than a fact.
bool Lemke::dubious_ray(PathEnd end) const {
  return end == PathEnd::kRay && (path_.t() <= kDubious * path_.first_t() ||
                                  (path_.pivots > 0 && path_.ray_x().isZero(0.0)));
}

void Lemke::default_start() { start_ = canonical_.default_start; }

// @return true where a start other than the default one is taken.
bool Lemke::choose_start(const Start& start) {
  if (start.basis) {
    canonical_.from_original(*start.basis, start_);
    return true;
  }
  default_start();
  if (!start.z) return false;
  for (int i = 0; i < problem_.size(); ++i) {
    wanted_[i] = status_at(i, (*start.z)[i]);
  }
  canonical_.from_original(wanted_, start_);
  return true;
}

const Vector* Lemke::covering() {
  const int n = problem_.size();
  std::string_view text = settings.covering;
  if (text == "unit") {
    residual_.setOnes();
  } else if (text.starts_with("random:")) {
    std::uint64_t seed = 0;
    text.remove_prefix(7);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error != std::errc() || end != text.data() + text.size()) {
      throw std::invalid_argument(
          "setting \"covering\": the seed after \"random:\" is not a number");
    }
    Random random(seed);
    for (int i = 0; i < n; ++i) residual_[i] = std::exp(random.uniform(-3.0, 3.0));
  } else {
    int count = 0;
    while (!text.empty()) {
      const auto comma = std::min(text.find(','), text.size());
      double value = 0.0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + comma, value);
      if (error != std::errc() || end != text.data() + comma || !(value >= 0) ||
          std::isinf(value)) {
        throw std::invalid_argument(
            "setting \"covering\": expected \"unit\", \"random:SEED\" or nonnegative numbers "
            "separated by commas");
      }
      if (count < n) residual_[count] = value;
      ++count;
      text.remove_prefix(std::min(comma + 1, text.size()));
    }
    if (count != n) {
      throw std::invalid_argument(
          fmt::format("setting \"covering\": has {} numbers, the problem {} unknowns", count, n));
    }
  }
  for (int i = 0; i < canonical_.size(); ++i) {
    covering_[i] = residual_[canonical_.equation[i]] * std::abs(canonical_.row_scale[i]);
  }
  return &covering_;
}

// Newton steps on F_i(z) = 0 of the basic unknowns, residuals in extended precision on the problem
// as posed [Wilkinson1963; Higham2002, Ch. 12]; then everything is put back between its bounds.
void Lemke::refine(Vector& z) {
  const auto clamp = [&](Vector& v) { v = v.cwiseMax(problem_.lower).cwiseMin(problem_.upper); };
  clamp(z);
  double natural = natural_residual(z);
  for (int k = 0; k < kRefinements && natural > 0; ++k) {
    for (int i = 0; i < canonical_.size(); ++i) {
      rows_[i] = -canonical_.row_scale[i] * residual_[canonical_.equation[i]];
    }
    if (!path_.correct(rows_, correction_)) return;
    canonical_.direction_to_original(correction_, refined_);
    refined_ += z;
    clamp(refined_);
    const double refined = natural_residual(refined_);
    if (!(refined < natural)) break;
    z.swap(refined_);
    natural = refined;
  }
}

// ||mid(z - l, z - u, F)||, leaving F in residual_; no allocation.
double Lemke::natural_residual(const Vector& z) {
  return polish_.natural_residual(problem_, z, residual_);
}

// The path led nowhere: infeasible where a certificate is found, else what the path says.
Status Lemke::describe_failure(Status end, std::string_view what, Result& result) {
  canonical_.direction_to_original(path_.ray_x(), candidate_);
  canonical_.to_original(path_.x(), result.z);
  std::optional<Vector> feasible;
  std::optional<FarkasCertificate> farkas;
  if (settings.certify) farkas = find_farkas(problem_, time_left(), &feasible);
  if (farkas) {
    result.certificate = certificate_of(farkas->check, std::move(farkas->y));
    result.message = message_of(farkas->check);
    return status_of(farkas->check);
  }
  result.message = fmt::format("{}{}; nothing is proved", what,
                               feasible ? "; the linear constraints are feasible" : "");
  if (end == Status::kRay)
    result.certificate =
        Certificate{"ray", {}, candidate_, path_.ray_t(), check_ray(problem_, candidate_), 0.0, ""};
  return end;
}

void Lemke::report(Result& result) {
  result.basis.resize(static_cast<std::size_t>(problem_.size()));
  if (polished_) {  // the answer is no basic one
    for (int i = 0; i < problem_.size(); ++i) result.basis[i] = status_at(i, result.z[i]);
  } else {
    canonical_.statuses_to_original(path_.statuses(), result.basis);
  }
  result.iterations = static_cast<int>(path_.pivots + path_.flips + proximal_pivots_);
  result.statistics.emplace_back("pivots", static_cast<double>(path_.pivots));
  result.statistics.emplace_back("flips", static_cast<double>(path_.flips));
  result.statistics.emplace_back("ties", static_cast<double>(path_.ties));
  result.statistics.emplace_back("rows_solved", static_cast<double>(path_.rows_solved));
  result.statistics.emplace_back("factorisations", path_.basis().factorisations);
  result.statistics.emplace_back("linear_solves", path_.basis().linear_solves);
  result.statistics.emplace_back("largest_drift", path_.largest_drift);
  result.statistics.emplace_back("proximal_pivots", static_cast<double>(proximal_pivots_));
  result.statistics.emplace_back("recoveries", recoveries_used_);
  result.statistics.emplace_back("partners", canonical_.partners);
  result.statistics.emplace_back("split_pairs", canonical_.split_pairs);
}

}  // namespace perp
