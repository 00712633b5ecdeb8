// Confidence bands for ratios of times. They tell a change from noise (docs/how-to/compare.md).
#pragma once

#include <vector>

namespace perp {

/// Times of one problem with one build, in seconds: the median of the repeats of each round, and
/// all repeats of all rounds.
struct RoundTimes {
  std::vector<double> rounds, repeats;
};

/// Times of one problem that both builds solved or proved to have no solution.
struct TimePair {
  RoundTimes before, after;
};

/// Ratio of times, new over old, and its confidence band.
struct Band {
  double ratio = 1.0, low = 0.0, high = 0.0;
};

/// Verdict on the times of a group or a problem.
enum class TimeVerdict {
  kNone,     ///< nothing to compare
  kUnclear,  ///< the band is too wide to tell: it allows a change by a factor of 1.25
  kSame,
  kFaster,
  kSlower
};

const char* to_string(TimeVerdict verdict);

/// Verdict on one problem. It is named as slower or faster only if its ratio is outside of `low` to
/// `high`.
struct PairVerdict {
  double ratio = 1.0, low = 0.0, high = 0.0;
  TimeVerdict verdict = TimeVerdict::kUnclear;
};

/// Problems of one suite and solver, which are judged together.
struct GroupBand {
  int too_short = 0;  ///< problems below kLeastCompared in both builds; they are not judged
  int timed = 0;      ///< all other problems
  Band band;
  TimeVerdict verdict = TimeVerdict::kNone;
  std::vector<PairVerdict> pairs;  ///< one for each pair, in their order
};

/// s; shorter times count as this one, because the clock and the first access to memory take a
/// large part of them.
inline constexpr double kLeastCompared = 20e-6;

/// Number of rounds of both builds from which the noise between runs is estimated. With fewer
/// rounds a larger allowance is used instead.
inline constexpr int kRoundsThatTell = 3;

/// Difference, as a ratio minus 1, that two runs of the same build may have for reasons that one
/// run does not show: the load or clock rate of the machine, other addresses in memory.
double usual_allowance(int rounds);

/// Options of judge_times().
struct BandOptions {
  /// Chance that at least one verdict is wrong if nothing has changed and the noise is normal: for
  /// the verdicts on all groups together, and for those on all single problems together.
  double significance = 0.02, significance_of_ones = 0.01;
  double allowance = -1.0;  ///< ratio minus 1; below 0: usual_allowance()
};

/// Result of judge_times().
struct TimeJudgement {
  std::vector<GroupBand> groups;  ///< one for each group, in their order
  /// Ratio by which all groups changed together, from groups with too few rounds to know the noise
  /// between runs. The machine may be the cause of it, so such a group must change by more to be
  /// named. 1 if there is no common change.
  double common = 1.0;
};

/// Judges groups of pairs. The pairs of a group must be in the order in which they were run.
TimeJudgement judge_times(const std::vector<std::vector<TimePair>>& groups,
                          const BandOptions& options = {});

/// The common part of the changes of groups, given and returned as logarithms of ratios: the median
/// of three or more; the smaller one of two with the same sign; else 0.
double common_change(std::vector<double> changes);

/// t with P(T > t) = tail for Student's distribution with `freedom` degrees of freedom; 0 < tail <=
/// 0.5, freedom >= 1.
double student_quantile(double tail, int freedom);

/// Standard error of the mean of values that may be correlated with their neighbours
/// [NeweyWest1987]. It is never less than that of independent values. It is 0 for fewer than two
/// values.
double standard_error(const std::vector<double>& values);

}  // namespace perp
