// The merits with which a globalised Newton method compares.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace perp {

/// Merits of the last points. A nonmonotone search compares with the highest of the last `memory`
/// ones [GrippoLamparielloLucidi1986]. After more than `patience` points without progress the
/// method is stuck. Progress is a merit below 0.9 times the lowest one before. A nonmonotone search
/// can jump to and fro between a few points: after `most_rises` rises of the merit without
/// progress, it compares with the last one alone until there is progress.
class MeritHistory {
 public:
  /// @param most_rises 0: as many as come
  void begin(int memory, int patience, int most_rises) {
    ring_.assign(static_cast<std::size_t>(memory), 0.0);
    patience_ = patience;
    most_rises_ = most_rises;
    kept_ = since_progress_ = rises_ = 0;
    last_ = lowest_ = std::numeric_limits<double>::infinity();
  }

  /// @param compared false: later searches do not compare with it, since the step may be undone
  void record(double merit, bool compared) {
    ++since_progress_;
    if (merit < lowest_) {
      if (merit < kProgress * lowest_) since_progress_ = rises_ = 0;
      lowest_ = merit;
    }
    if (!compared) return;
    ring_[static_cast<std::size_t>(kept_++) % ring_.size()] = merit;
    if (merit > last_) ++rises_;
    last_ = merit;
  }

  /// Highest of the last merits. At least one must have been recorded.
  double reference() const {
    if (most_rises_ > 0 && rises_ >= most_rises_) return last_;
    const auto count = std::min(static_cast<std::size_t>(kept_), ring_.size());
    return *std::max_element(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  bool out_of_patience() const { return since_progress_ > patience_; }

 private:
  static constexpr double kProgress = 0.9;

  std::vector<double> ring_;
  int kept_ = 0, since_progress_ = 0, patience_ = 0;
  int rises_ = 0, most_rises_ = 0;  // since progress
  double lowest_ = 0.0, last_ = 0.0;
};

}  // namespace perp
