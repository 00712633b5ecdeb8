#include <perp/bench/comparison/bands.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <perp/bench/report/summary.hpp>

namespace perp {

namespace {

constexpr double kUnclear = 1.25;      // "same" needs a band within 1 / 1.25 to 1.25
constexpr double kNormalMad = 1.4826;  // standard deviation over MAD for normal values
// least spread of logarithms of ratios: repeats always differ by so much
constexpr double kLeastSpread = 0.03;
constexpr double kSpreadOfFew = 0.1;  // the same if there are fewer than kFew values
constexpr std::size_t kFew = 8;
constexpr double kLeastSpan = 0.1;  // s; least sum of the repeats of a run that can be judged alone
constexpr double kOfMedians = 1.5;  // variance of a median over that of a mean, about pi / 2
constexpr int kHeavyTails = 4;      // degrees of freedom for ratios of single problems

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Sum of the products of deviations from the centre that are `lag` places apart.
double covariance_sum(const std::vector<double>& values, double centre, std::size_t lag) {
  double sum = 0.0;
  for (std::size_t k = lag; k < values.size(); ++k)
    sum += (values[k] - centre) * (values[k - lag] - centre);
  return sum;
}

double variance(const std::vector<double>& values) {
  if (values.size() < 2) return 0.0;
  return covariance_sum(values, mean(values), 0) / static_cast<double>(values.size() - 1);
}

double spread(const std::vector<double>& values) {
  const double centre = quantile(values, 0.5);
  std::vector<double> apart;
  for (const double v : values) apart.push_back(std::abs(v - centre));
  return kNormalMad * quantile(apart, 0.5);
}

// P(T > t) of Student's distribution: for whole degrees of freedom it is a finite sum, with t =
// sqrt(freedom) tan(angle).
double student_tail(double t, int freedom) {
  const double angle = std::atan(t / std::sqrt(freedom));
  const double c = std::cos(angle), s = std::sin(angle);
  const bool odd = freedom % 2 == 1;
  double term = odd ? c : 1.0, sum = freedom == 1 ? 0.0 : term;
  for (int k = odd ? 3 : 2; k <= freedom - 2; k += 2) {
    term *= c * c * (k - 1.0) / k;
    sum += term;
  }
  const double inside = odd ? 2.0 / std::numbers::pi * (angle + s * sum) : s * sum;
  return 0.5 * (1.0 - inside);
}

double log_time(double seconds) { return std::log(std::max(seconds, kLeastCompared)); }

std::vector<double> log_times(const std::vector<double>& seconds) {
  std::vector<double> logs;
  for (const double t : seconds) logs.push_back(log_time(t));
  return logs;
}

// A pair whose times are long enough to judge, as logarithms.
struct LogPair {
  std::size_t place = 0;  // index among the pairs of its group
  std::vector<double> before, after;
  double change = 0.0;  // difference of the medians
};

// The data of one group from which its verdict is made.
struct GroupLogs {
  std::vector<LogPair> pairs;
  bool replicated = false;     // there are enough rounds to know the noise between them
  std::size_t fewest = 0;      // number of rounds of the build with fewer rounds
  double round_noise = 0.0;    // variance between rounds of one build, of the median over the group
  double typical_noise = 0.0;  // variance between rounds of one build, of a typical problem
};

// Variance between the rounds of one build. Each problem counts by its deviation from its own mean
// over the rounds. A round counts by the median of these deviations, so that a delay of single
// solves has no effect, or by their mean if there are few problems. Problems that are not in all
// rounds are left out.
double variance_of_rounds(const std::vector<LogPair>& pairs, std::size_t rounds,
                          std::vector<double> LogPair::*side) {
  std::vector<std::vector<double>> deviations(rounds);
  for (const LogPair& pair : pairs) {
    const std::vector<double>& logs = pair.*side;
    if (logs.size() != rounds) continue;
    const double centre = mean(logs);
    for (std::size_t k = 0; k < rounds; ++k) deviations[k].push_back(logs[k] - centre);
  }
  std::vector<double> middles;
  for (const std::vector<double>& round : deviations) {
    if (round.empty()) continue;
    middles.push_back(round.size() < kFew ? mean(round) : quantile(round, 0.5));
  }
  return variance(middles);
}

double pooled_variance(const LogPair& pair) {
  const double a = static_cast<double>(pair.before.size()) - 1.0;
  const double b = static_cast<double>(pair.after.size()) - 1.0;
  return a + b > 0 ? (a * variance(pair.before) + b * variance(pair.after)) / (a + b) : 0.0;
}

GroupLogs logs_of(const std::vector<TimePair>& pairs, GroupBand& band) {
  GroupLogs logs;
  std::size_t most_before = 0, most_after = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const double before = quantile(pairs[k].before.rounds, 0.5);
    const double after = quantile(pairs[k].after.rounds, 0.5);
    if (!(before >= kLeastCompared || after >= kLeastCompared)) {
      ++band.too_short;
      continue;
    }
    logs.pairs.push_back({k, log_times(pairs[k].before.rounds), log_times(pairs[k].after.rounds),
                          log_time(after) - log_time(before)});
    most_before = std::max(most_before, pairs[k].before.rounds.size());
    most_after = std::max(most_after, pairs[k].after.rounds.size());
  }
  band.timed = static_cast<int>(logs.pairs.size());
  logs.fewest = std::min(most_before, most_after);
  logs.replicated = logs.fewest >= static_cast<std::size_t>(kRoundsThatTell);
  if (!logs.replicated) return logs;
  logs.round_noise = std::max(variance_of_rounds(logs.pairs, most_before, &LogPair::before),
                              variance_of_rounds(logs.pairs, most_after, &LogPair::after));
  std::vector<double> noises;
  for (const LogPair& pair : logs.pairs) noises.push_back(pooled_variance(pair));
  logs.typical_noise = quantile(noises, 0.5);
  return logs;
}

std::vector<double> changes_of(const GroupLogs& logs) {
  std::vector<double> changes;
  for (const LogPair& pair : logs.pairs) changes.push_back(pair.change);
  return changes;
}

// Ratios from `low` to `high` count as no change.
struct Allowance {
  double low = 1.0, high = 1.0;
};

TimeVerdict verdict_of(const Band& band, const Allowance& allowance) {
  if (band.low > allowance.high) return TimeVerdict::kSlower;
  if (band.high < allowance.low) return TimeVerdict::kFaster;
  const bool clear = band.low >= 1.0 / kUnclear && band.high <= kUnclear;
  return clear ? TimeVerdict::kSame : TimeVerdict::kUnclear;
}

// The mean of the logarithms and its band. The band comes from the spread over the problems and, if
// there are enough rounds, from the noise between rounds. With enough rounds the spread over few
// problems is not used.
void judge_group(const GroupLogs& logs, double usual_noise, double tail, const Allowance& allowance,
                 GroupBand& result) {
  const std::vector<double> changes = changes_of(logs);
  if (changes.empty()) return;
  const double centre = mean(changes);
  result.band.ratio = std::exp(centre);
  const int problems = static_cast<int>(changes.size());
  const int rounds = static_cast<int>(logs.fewest);
  double width = 0.0;
  if (problems >= static_cast<int>(kFew) || (problems > 1 && !logs.replicated)) {
    width = student_quantile(tail, problems - 1) *
            std::max(standard_error(changes), kLeastSpread / std::sqrt(problems));
  }
  if (logs.replicated) {
    const double noise = std::max(logs.round_noise, usual_noise);
    width = std::hypot(width, student_quantile(tail, 2 * (rounds - 1)) *
                                  std::sqrt(kOfMedians * 2.0 * noise / rounds));
  } else if (problems < 2) {
    width = std::numeric_limits<double>::infinity();  // the noise is not known
  }
  result.band.low = std::exp(centre - width);
  result.band.high = std::exp(centre + width);
  result.verdict = verdict_of(result.band, allowance);
}

// Whether the repeats of a run took so long that a short disturbance of the machine cannot have
// slowed all of them.
bool are_long(const std::vector<double>& repeats) {
  return std::accumulate(repeats.begin(), repeats.end(), 0.0) >= kLeastSpan;
}

// Whether all values of `high` are above all of `low`, with at least two values of each.
bool are_apart(const std::vector<double>& low, const std::vector<double>& high) {
  return low.size() > 1 && high.size() > 1 &&
         *std::max_element(low.begin(), low.end()) < *std::min_element(high.begin(), high.end());
}

// Finds single problems that changed: their own times must be apart, and by more than noise can
// explain in one of so many problems.
void judge_pairs(const std::vector<TimePair>& pairs, const GroupLogs& logs, double spread_of_one,
                 double tail, const Allowance& allowance, GroupBand& result) {
  result.pairs.resize(pairs.size());
  const double noise_of_one = student_quantile(tail, kHeavyTails) * spread_of_one;
  std::map<int, double> quantiles;  // key: degrees of freedom
  for (const LogPair& pair : logs.pairs) {
    PairVerdict& verdict = result.pairs[pair.place];
    verdict.ratio = std::exp(pair.change);
    const double before = static_cast<double>(pair.before.size());
    const double after = static_cast<double>(pair.after.size());
    const bool own = std::min(before, after) >= kRoundsThatTell;
    double noise = noise_of_one;
    if (own) {
      const int freedom = static_cast<int>(before + after) - 2;
      const auto [t, is_new] = quantiles.try_emplace(freedom);
      if (is_new) t->second = student_quantile(tail, freedom);
      const double v = std::max(pooled_variance(pair), logs.typical_noise);
      noise = t->second * std::sqrt(kOfMedians * v * (1.0 / before + 1.0 / after));
    }
    verdict.low = allowance.low * std::exp(-noise);
    verdict.high = allowance.high * std::exp(noise);
    const TimePair& times = pairs[pair.place];
    if (!own && !(are_long(times.before.repeats) && are_long(times.after.repeats))) continue;
    const auto& old_times = own ? times.before.rounds : times.before.repeats;
    const auto& new_times = own ? times.after.rounds : times.after.repeats;
    if (verdict.ratio > verdict.high && are_apart(old_times, new_times))
      verdict.verdict = TimeVerdict::kSlower;
    if (verdict.ratio < verdict.low && are_apart(new_times, old_times))
      verdict.verdict = TimeVerdict::kFaster;
  }
}

// Spread of the ratios of single problems around the median of their group, taken as noise: of this
// group, or of all groups together if this one is small.
double spread_of_ones(const std::vector<double>& changes, const std::vector<double>& all) {
  const std::vector<double>& values = changes.size() >= kFew ? changes : all;
  return std::max(values.size() >= kFew ? kLeastSpread : kSpreadOfFew,
                  values.empty() ? 0.0 : spread(values));
}

}  // namespace

const char* to_string(TimeVerdict verdict) {
  switch (verdict) {
    case TimeVerdict::kUnclear:
      return "unclear";
    case TimeVerdict::kSame:
      return "same";
    case TimeVerdict::kFaster:
      return "faster";
    case TimeVerdict::kSlower:
      return "slower";
    default:
      return "-";
  }
}

double usual_allowance(int rounds) { return rounds >= kRoundsThatTell ? 0.03 : 0.1; }

double student_quantile(double tail, int freedom) {
  double low = 0.0, high = 1.0;
  while (student_tail(high, freedom) > tail && high < 1e12) high *= 2.0;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (student_tail(middle, freedom) > tail ? low : high) = middle;
  }
  return high;
}

double standard_error(const std::vector<double>& values) {
  if (values.size() < 2) return 0.0;
  const double count = static_cast<double>(values.size()), centre = mean(values);
  const double own = covariance_sum(values, centre, 0);
  const std::size_t lags = values.size() < kFew ? 0 : static_cast<std::size_t>(std::sqrt(count));
  double sum = own;
  for (std::size_t lag = 1; lag < lags; ++lag) {
    const double weight = 1.0 - static_cast<double>(lag) / static_cast<double>(lags);
    sum += 2.0 * weight * covariance_sum(values, centre, lag);
  }
  return std::sqrt(std::max(sum, own) / ((count - 1.0) * count));
}

double common_change(std::vector<double> changes) {
  if (changes.size() >= 3) return quantile(std::move(changes), 0.5);
  if (changes.size() < 2 || changes[0] * changes[1] <= 0) return 0.0;
  return std::abs(changes[0]) < std::abs(changes[1]) ? changes[0] : changes[1];
}

TimeJudgement judge_times(const std::vector<std::vector<TimePair>>& groups,
                          const BandOptions& options) {
  TimeJudgement result;
  result.groups.resize(groups.size());
  std::vector<GroupLogs> logs;
  std::vector<double> all, shifts, round_noises;
  int judged = 0, timed = 0;
  for (std::size_t k = 0; k < groups.size(); ++k) {
    logs.push_back(logs_of(groups[k], result.groups[k]));
    const std::vector<double> changes = changes_of(logs.back());
    if (changes.empty()) continue;
    ++judged;
    timed += result.groups[k].timed;
    const double middle = quantile(changes, 0.5);
    for (const double change : changes) all.push_back(change - middle);
    (logs.back().replicated ? round_noises : shifts)
        .push_back(logs.back().replicated ? logs.back().round_noise : mean(changes));
  }
  // All groups share the noise of the machine: a group whose rounds agree by chance gets the usual
  // one.
  const double usual_noise = round_noises.empty() ? 0.0 : quantile(round_noises, 0.5);
  const double common = common_change(shifts);
  result.common = std::exp(common);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const double noise = options.allowance >= 0 ? options.allowance
                                                : usual_allowance(static_cast<int>(logs[k].fewest));
    Allowance allowance{1.0 / (1.0 + noise), 1.0 + noise};
    if (!logs[k].replicated) {  // the machine may be the cause of a common change
      allowance.low *= std::exp(std::min(0.0, common));
      allowance.high *= std::exp(std::max(0.0, common));
    }
    const double group_tail = 0.5 * options.significance / std::max(1, judged);
    const double pair_tail = 0.5 * options.significance_of_ones / std::max(1, timed);
    GroupBand& band = result.groups[k];
    judge_group(logs[k], usual_noise, group_tail, allowance, band);
    judge_pairs(groups[k], logs[k], spread_of_ones(changes_of(logs[k]), all), pair_tail, allowance,
                band);
  }
  return result;
}

}  // namespace perp
