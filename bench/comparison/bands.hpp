// Bands of ratios of times: what tells a change from noise (docs/how-to/compare.md).
#pragma once

#include <vector>

namespace perp {

/// Times of one problem, in seconds: of every round of a build its repeats' median, and all
/// repeats.
struct RoundTimes {
  std::vector<double> rounds, repeats;
};

/// One problem that both builds ended right.
struct TimePair {
  RoundTimes before, after;
};

/// Ratio of times, new to old, and the band that it is known to.
struct Band {
  double ratio = 1.0, low = 0.0, high = 0.0;
};

enum class TimeVerdict {
  kNone,     ///< nothing to compare
  kUnclear,  ///< the band is too wide to tell: a change of a quarter may hide in it
  kSame,
  kFaster,
  kSlower
};

const char* to_string(TimeVerdict verdict);

/// Of one problem; its ratio has to be outside of `low` to `high` for it to be named.
struct PairVerdict {
  double ratio = 1.0, low = 0.0, high = 0.0;
  TimeVerdict verdict = TimeVerdict::kUnclear;
};

/// Problems that are judged together: of one suite and solver.
struct GroupBand {
  int too_short = 0;  ///< below kLeastCompared in both builds; they say nothing
  int timed = 0;      ///< the others
  Band band;
  TimeVerdict verdict = TimeVerdict::kNone;
  std::vector<PairVerdict> pairs;  ///< one for each pair, in their order
};

/// s: shorter times count as this, for the clock and the first touch of memory are part of them.
inline constexpr double kLeastCompared = 20e-6;

/// So many rounds of both builds tell the noise between runs; with fewer an allowance stands for
/// it.
inline constexpr int kRoundsThatTell = 3;

/// What two runs of one build may differ by though nothing of one shows it, as a ratio less 1:
/// another load or clock rate of the machine, another place in memory.
double usual_allowance(int rounds);

struct BandOptions {
  /// Of the verdicts on all groups together, and of all single problems that are named: the chance
  /// that one of them is wrong where nothing has changed and the noise is normal.
  double significance = 0.02, significance_of_ones = 0.01;
  double allowance = -1.0;  ///< below 0: the usual one
};

struct TimeJudgement {
  std::vector<GroupBand> groups;  ///< in their order
  /// Ratio by which groups changed together where rounds do not tell the noise between runs: it may
  /// be the machine's, so that a group has to change by more. 1 where it counts for nothing.
  double common = 1.0;
};

/// Judges groups of pairs; pairs stand in the order in which they were run.
TimeJudgement judge_times(const std::vector<std::vector<TimePair>>& groups,
                          const BandOptions& options = {});

/// The change that the groups share, of the logarithms of theirs: the middle one of three or more;
/// the smaller of two that have one sign; else 0.
double common_change(std::vector<double> changes);

/// t with P(T > t) = tail for Student's distribution; 0 < tail <= 0.5, freedom >= 1.
double student_quantile(double tail, int freedom);

/// Standard error of the mean of values that may be like their neighbours [NeweyWest1987]; never
/// less than that of independent ones. Of fewer than two values: 0.
double standard_error(const std::vector<double>& values);

}  // namespace perp
